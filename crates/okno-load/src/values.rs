//! Untyped scalars of front matter, HTML `meta` and JSON become typed metadata values.

use okno_document::{Date, Value};

/// The value of a bare word: a bool, a number, a date, else the text; nothing for an empty one and for `null`.
pub(super) fn scalar(word: &str) -> Option<Value> {
    let word = word.trim();
    match word {
        "" | "null" | "~" => None,
        "true" | "True" => Some(Value::Bool(true)),
        "false" | "False" => Some(Value::Bool(false)),
        _ => Some(
            number(word)
                .map(Value::Number)
                .or_else(|| Date::parse(word).map(Value::Date))
                .unwrap_or_else(|| Value::Text(word.to_owned())),
        ),
    }
}

/// A decimal number as people write one; `007`, `nan` and `1_000` stay text.
fn number(word: &str) -> Option<f64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    let plain = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.len() <= 17;
    let leading_zero = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    (plain && !leading_zero).then(|| word.parse().ok())?
}

/// Text that was quoted, or that a format calls a string: only dates are read into it.
pub(super) fn text(words: &str) -> Value {
    Date::parse(words).map_or_else(|| Value::Text(words.to_owned()), Value::Date)
}

/// Plain text of a value, as for a title or a language.
pub(super) fn display(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Date(date) => Some(format!("{:04}-{:02}-{:02}", date.year, date.month, date.day)),
        Value::Bool(_) | Value::List(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_typed() {
        assert_eq!(scalar("10"), Some(Value::Number(10.0)));
        assert_eq!(scalar("-1.5"), Some(Value::Number(-1.5)));
        assert_eq!(scalar("true"), Some(Value::Bool(true)));
        assert_eq!(scalar("2023-07-28"), Some(Value::Date(Date { year: 2023, month: 7, day: 28 })));
        assert_eq!(scalar("null"), None);
        for word in ["007", "nan", "1.2.3", "inf", "v1", "1_000"] {
            assert_eq!(scalar(word), Some(Value::Text(word.into())), "{word}");
        }
    }
}
