//! The macro that declares messages, and what it asks of their codes.

/// Whether codes are in `snake_case` and none is there twice: every enum of [`messages!`](crate::messages) asks this
/// when it is compiled.
#[must_use]
pub const fn are_codes(codes: &[&str]) -> bool {
    let mut at = 0;
    while at < codes.len() {
        if !is_snake_case(codes[at].as_bytes()) {
            return false;
        }
        let mut other = at + 1;
        while other < codes.len() {
            if is_same(codes[at].as_bytes(), codes[other].as_bytes()) {
                return false;
            }
            other += 1;
        }
        at += 1;
    }
    true
}

const fn is_snake_case(code: &[u8]) -> bool {
    let mut at = 0;
    while at < code.len() {
        if !(code[at].is_ascii_lowercase() || code[at].is_ascii_digit() || code[at] == b'_') {
            return false;
        }
        at += 1;
    }
    !code.is_empty() && code[0].is_ascii_lowercase() && code[code.len() - 1] != b'_'
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// Declares an enum whose variants are messages: a stable code, an English and a Chinese sentence each.
///
/// Fields are named in the sentences by their names, the value of `Name(Type) = "code" => …` is `{0}`; each type
/// implements [`Word`](crate::message::Word). A variant `Name(Type)` without code and sentences wraps another message
/// and speaks as that one does; it also gives `From<Type>`. A field that is called `source` is the error's source.
///
/// The enum implements `Message`, `Word`, `Display` (English) and `std::error::Error`, becomes a `Reason` where
/// one is wanted, and has its codes in `CODES`. Codes that are not in `snake_case`, or there twice, do not compile.
#[macro_export]
macro_rules! messages {
    (
        $(#[$outer:meta])*
        $vis:vis enum $name:ident {
            $(
                $(#[$meta:meta])*
                $variant:ident
                $( { $( $(#[$field_meta:meta])* $field:ident : $type:ty ),* $(,)? } )?
                $( ( $inner:ty ) )?
                $( = $code:literal => ( $en:literal, $zh:literal $(,)? ) )?
            ),* $(,)?
        }
    ) => {
        $(#[$outer])*
        $vis enum $name {
            $( $(#[$meta])* $variant $( { $( $(#[$field_meta])* $field: $type ),* } )? $( ($inner) )? ),*
        }

        #[allow(dead_code)]
        impl $name {
            /// Every code of this type's own; those of messages inside are their types'.
            pub const CODES: &'static [&'static str] = &[ $( $( $code, )? )* ];
        }

        const _: () = assert!($crate::message::are_codes($name::CODES), "codes are in snake_case, each once");

        impl $crate::message::Message for $name {
            #[allow(unused_variables)]
            fn code(&self) -> &'static str {
                match self {
                    $( $crate::messages!(@pattern $variant $( { $($field),* } )? $( ($inner) inner )?) =>
                        $crate::messages!(@code $( ($inner) inner )? $( $code )?) ),*
                }
            }

            fn text(&self, lang: $crate::message::Lang) -> String {
                match self {
                    $( $crate::messages!(@bound $variant $( { $($field),* } )? $( ($inner) inner )?) =>
                        $crate::messages!(@text lang; $( { $($field),* } )? $( ($inner) inner )? $( ($en, $zh) )?) ),*
                }
            }
        }

        impl $crate::message::Word for $name {
            fn word(&self, lang: $crate::message::Lang) -> String {
                $crate::message::Message::text(self, lang)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(&$crate::message::Message::text(self, $crate::message::Lang::En))
            }
        }

        impl ::std::error::Error for $name {
            #[allow(unused_variables)]
            fn source(&self) -> Option<&(dyn ::std::error::Error + 'static)> {
                match self {
                    $( $crate::messages!(@bound $variant $( { $($field),* } )? $( ($inner) inner )?) =>
                        $crate::messages!(@source $( $($field $field)* )?) ),*
                }
            }
        }

        impl From<$name> for $crate::message::Reason {
            fn from(message: $name) -> Self {
                Self::of(&message)
            }
        }

        $( $crate::messages!(@from $name $variant $( ($inner) )? $( $code )?); )*
    };
    (@pattern $variant:ident { $($field:ident),* }) => { Self::$variant { .. } };
    (@pattern $variant:ident ($type:ty) $inner:ident) => { Self::$variant($inner) };
    (@pattern $variant:ident) => { Self::$variant };
    (@bound $variant:ident { $($field:ident),* }) => { Self::$variant { $($field),* } };
    (@bound $variant:ident ($type:ty) $inner:ident) => { Self::$variant($inner) };
    (@bound $variant:ident) => { Self::$variant };
    (@code ($type:ty) $inner:ident) => { $crate::message::Message::code($inner) };
    (@code ($type:ty) $inner:ident $code:literal) => { $code };
    (@code $code:literal) => { $code };
    (@text $lang:ident; ($type:ty) $inner:ident) => { $crate::message::Message::text($inner, $lang) };
    (@text $lang:ident; ($type:ty) $inner:ident ($en:literal, $zh:literal)) => {{
        let inner = $crate::message::Word::word($inner, $lang);
        match $lang {
            $crate::message::Lang::En => format!($en, inner),
            $crate::message::Lang::Zh => format!($zh, inner),
        }
    }};
    (@text $lang:ident; { $($field:ident),* } ($en:literal, $zh:literal)) => {{
        $( #[allow(unused_variables)] let $field = $crate::message::Word::word($field, $lang); )*
        match $lang {
            $crate::message::Lang::En => format!($en),
            $crate::message::Lang::Zh => format!($zh),
        }
    }};
    (@text $lang:ident; ($en:literal, $zh:literal)) => {
        match $lang {
            $crate::message::Lang::En => $en.to_owned(),
            $crate::message::Lang::Zh => $zh.to_owned(),
        }
    };
    (@source $own:ident source $($rest:ident)*) => { Some($own) };
    (@source $own:ident $other:ident $($rest:ident)*) => { $crate::messages!(@source $($rest)*) };
    (@source) => { None };
    (@from $name:ident $variant:ident ($inner:ty)) => {
        impl From<$inner> for $name {
            fn from(inner: $inner) -> Self {
                Self::$variant(inner)
            }
        }
    };
    (@from $($other:tt)*) => {};
}
