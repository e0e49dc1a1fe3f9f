//! Letters and signs that LaTeX writes as commands.

/// Letters with accents: the sign of the command, then pairs of a letter and what it becomes.
const ACCENTS: [(char, &str); 10] = [
    ('\'', "aáeéiíoóuúyýAÁEÉIÍOÓUÚYÝcćnńsśzźCĆNŃSŚZŹıílĺrŕ"),
    ('`', "aàeèiìoòuùAÀEÈIÌOÒUÙıì"),
    ('^', "aâeêiîoôuûAÂEÊIÎOÔUÛıîcĉgĝhĥjĵsŝwŵyŷ"),
    ('"', "aäeëiïoöuüyÿAÄEËIÏOÖUÜıï"),
    ('~', "aãnñoõAÃNÑOÕiĩuũ"),
    ('c', "cçCÇsşSŞtţTŢ"),
    ('v', "cčCČsšSŠzžZŽeěEĚrřRŘnňdďtť"),
    ('u', "aăAĂgğGĞuŭ"),
    ('H', "oőOŐuűUŰ"),
    ('=', "aāeēiīoōuūAĀEĒIĪOŌUŪ"),
];

/// The letter that an accent makes of another.
pub(super) fn accented(accent: &str, letter: char) -> Option<char> {
    let (_, pairs) = ACCENTS.iter().find(|(sign, _)| accent.starts_with(*sign) && accent.chars().count() == 1)?;
    let mut pairs = pairs.chars();
    while let (Some(from), Some(to)) = (pairs.next(), pairs.next()) {
        if from == letter {
            return Some(to);
        }
    }
    Some(letter)
}

/// Whether a command is an accent.
pub(super) fn is_accent(name: &str) -> bool {
    name.chars().count() == 1 && ACCENTS.iter().any(|(sign, _)| name.starts_with(*sign))
}

/// The text that a command without arguments stands for.
pub(super) fn sign(name: &str) -> Option<&'static str> {
    Some(match name {
        "ss" => "ß",
        "o" => "ø",
        "O" => "Ø",
        "ae" => "æ",
        "AE" => "Æ",
        "oe" => "œ",
        "OE" => "Œ",
        "aa" => "å",
        "AA" => "Å",
        "l" => "ł",
        "L" => "Ł",
        "i" => "ı",
        "j" => "j",
        "S" => "§",
        "P" => "¶",
        "ldots" | "dots" | "textellipsis" => "…",
        "LaTeX" => "LaTeX",
        "TeX" => "TeX",
        "BibTeX" => "BibTeX",
        "copyright" | "textcopyright" => "©",
        "textregistered" => "®",
        "texttrademark" => "™",
        "textbackslash" => "\\",
        "textasciitilde" => "~",
        "textasciicircum" => "^",
        "textbar" => "|",
        "textless" => "<",
        "textgreater" => ">",
        "textdegree" | "degree" => "°",
        "textendash" => "–",
        "textemdash" => "—",
        "textquoteleft" => "‘",
        "textquoteright" => "’",
        "textquotedblleft" => "“",
        "textquotedblright" => "”",
        "textbullet" => "•",
        "euro" | "texteuro" => "€",
        "pounds" => "£",
        "%" => "%",
        "&" => "&",
        "$" => "$",
        "#" => "#",
        "_" => "_",
        "{" => "{",
        "}" => "}",
        " " | "," | ";" | ":" | "quad" | "qquad" | "enspace" | "thinspace" | "space" | "nobreakspace" => " ",
        "-" | "/" | "!" | "@" => "",
        "par" | "newline" | "linebreak" => "\n",
        _ => return None,
    })
}
