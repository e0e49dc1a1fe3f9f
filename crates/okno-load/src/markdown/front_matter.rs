//! The front matter of a page: `---` and YAML, or `+++` and TOML, before everything else.
//!
//! Only what metadata needs is read – scalars, lists of scalars, folded texts – and nothing fails: a line that is not
//! understood is left out, nested maps too. A full YAML parser would refuse whole pages for one stray tab.

use super::super::lines::{LineSpan, indent, lines};
use super::super::values::{scalar, text as quoted_text};
use okno_document::{ALLOW, Metadata, Value};

/// A front matter longer than this is text between two rules.
const LONGEST: usize = 64 * 1024;

/// The end of the front matter in bytes, and what it says. `None` when the text starts with none.
pub(super) fn front_matter(text: &str) -> Option<(usize, Metadata)> {
    let first = LineSpan::at(text, 0)?;
    let (fence, assign) = match first.of(text).trim_end() {
        "---" => ("---", ':'),
        "+++" => ("+++", '='),
        _ => return None,
    };
    let limit = text.floor_char_boundary(first.next + LONGEST);
    let ends =
        |line: &LineSpan| line.of(text).trim_end() == fence || (assign == ':' && line.of(text).trim_end() == "...");
    let last = lines(text, first.next..limit).find(ends)?;
    let body = &text[first.next..last.start];
    let metadata = read(body, assign);
    // Two rules around prose are no front matter: there must be a key.
    (!metadata.0.is_empty() || body.trim().is_empty() || keyed(body, assign)).then_some((last.end, metadata))
}

fn keyed(body: &str, assign: char) -> bool {
    body.lines().any(|line| key(line, assign).is_some())
}

/// `key: value` or `key = value` at the start of a line.
fn key(line: &str, assign: char) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(assign)?;
    let name = name.trim_end().trim_matches(['"', '\'']);
    let plain = !name.is_empty()
        && name.len() <= 64
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let separated = assign == '=' || value.is_empty() || value.starts_with([' ', '\t']);
    (plain && separated).then(|| (name, value.trim()))
}

fn read(body: &str, assign: char) -> Metadata {
    let mut metadata = Metadata::default();
    let all: Vec<&str> = body.lines().collect();
    let mut at = 0;
    while at < all.len() {
        let line = all[at];
        at += 1;
        if assign == '=' && line.starts_with('[') {
            break; // A TOML table: all keys from here on are nested.
        }
        let Some((name, value)) = key(line, assign) else { continue };
        let nested = all[at..].iter().take_while(|line| belongs(line, assign, value)).count();
        let value = value_of(value, &all[at..at + nested]);
        at += nested;
        // Permissions that cannot be read permit nobody.
        let value = value.or_else(|| (name == ALLOW).then(|| Value::List(Vec::new())));
        if let Some(value) = value {
            metadata.0.entry(name.to_owned()).or_insert(value);
        }
    }
    metadata
}

/// Whether a line belongs to the key above it: indented, blank, an item of a list, or the rest of an open bracket.
fn belongs(line: &str, assign: char, value: &str) -> bool {
    let open = value.starts_with('[') && !closed(value);
    let item = assign == ':' && value.is_empty() && (line.starts_with("- ") || line.trim_end() == "-");
    line.trim().is_empty() || line.starts_with([' ', '\t']) || item || (open && key(line, assign).is_none())
}

fn closed(value: &str) -> bool {
    without_comment(value).ends_with(']')
}

fn value_of(value: &str, nested: &[&str]) -> Option<Value> {
    match value.chars().next() {
        None | Some('#') => block_list(nested),
        Some('>' | '|') if value.len() <= 3 => Some(folded(nested, value.starts_with('>'))),
        Some('[') => Some(inline_list(&joined(value, nested))),
        Some('{') => None,
        _ if value.starts_with("\"\"\"") || value.starts_with("'''") => None,
        _ => word(value),
    }
}

fn joined(value: &str, nested: &[&str]) -> String {
    std::iter::once(value).chain(nested.iter().copied()).map(without_comment).collect::<Vec<_>>().join(" ")
}

fn block_list(nested: &[&str]) -> Option<Value> {
    let depth = nested.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line).0).min()?;
    let items = nested.iter().filter_map(|line| {
        let (columns, content) = indent(line);
        let item = content.strip_prefix("- ").filter(|_| columns == depth)?.trim();
        // `- key: value` is a nested map.
        (key(item, ':').is_none() || item.starts_with(['"', '\''])).then(|| word(item))?
    });
    let items: Vec<Value> = items.collect();
    (!items.is_empty()).then_some(Value::List(items))
}

fn folded(nested: &[&str], fold: bool) -> Value {
    let parts: Vec<&str> = nested.iter().map(|line| line.trim()).collect();
    Value::Text(parts.join(if fold { " " } else { "\n" }).trim().to_owned())
}

fn inline_list(value: &str) -> Value {
    let inner = value.trim().trim_start_matches('[').trim_end().trim_end_matches(']');
    Value::List(split_commas(inner).into_iter().filter_map(word).collect())
}

/// Splits at commas outside of quotes.
fn split_commas(inner: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (at, c) in inner.char_indices() {
        match (c, quote) {
            ('"' | '\'', None) if inner[start..at].trim().is_empty() => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (',', None) => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    parts
}

fn word(value: &str) -> Option<Value> {
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some(rest) = value.strip_prefix(quote) {
            let inner = rest.rfind(quote).map_or(rest, |end| &rest[..end]);
            return (!inner.trim().is_empty()).then(|| quoted_text(&unescaped(inner, quote)));
        }
    }
    scalar(without_comment(value))
}

fn unescaped(inner: &str, quote: char) -> String {
    if quote == '"' { inner.replace("\\\"", "\"").replace("\\\\", "\\") } else { inner.replace("''", "'") }
}

fn without_comment(value: &str) -> &str {
    value.find(" #").map_or(value, |at| &value[..at]).trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use okno_document::Date;

    fn text(value: &str) -> Value {
        Value::Text(value.into())
    }

    #[test]
    fn yaml() {
        let page = "---\nreviewers:\n- lavalamp\n- 'o''neil'\ntitle: Kubernetes Components # shown\ndescription: >\n  \
            An overview\n  of parts.\n\
                    weight: 10\ndraft: false\ndate: 2023-07-28T10:00:00Z\nversion: \"1.26\"\ntags: [a, \"b, c\", 3]\n\
                    card:\n  title: Nested\n\
                    images:\n  - src: a.png\n  - b.png\nempty:\n---\n\n# Body\n";
        let (end, metadata) = front_matter(page).unwrap();
        assert!(page[..end].ends_with("---") && page[end..].starts_with("\n\n# Body"));
        let expected = [
            ("date", Value::Date(Date { year: 2023, month: 7, day: 28 })),
            ("description", text("An overview of parts.")),
            ("draft", Value::Bool(false)),
            ("images", Value::List(vec![text("b.png")])),
            ("reviewers", Value::List(vec![text("lavalamp"), text("o'neil")])),
            ("tags", Value::List(vec![text("a"), text("b, c"), Value::Number(3.0)])),
            ("title", text("Kubernetes Components")),
            ("version", text("1.26")),
            ("weight", Value::Number(10.0)),
        ];
        assert_eq!(metadata.0.into_iter().collect::<Vec<_>>(), expected.map(|(k, v)| (k.to_owned(), v)));
    }

    #[test]
    fn toml() {
        let page = "+++\ntitle = \"红烧肉\"\ntags = [\n  \"家常\",\n  \"肉\",\n]\nserves = 4\n[extra]\ntitle = \"no\"\n+++\n\
            text";
        let (_, metadata) = front_matter(page).unwrap();
        assert_eq!(metadata.0["title"], text("红烧肉"));
        assert_eq!(metadata.0["tags"], Value::List(vec![text("家常"), text("肉")]));
        assert_eq!(metadata.0["serves"], Value::Number(4.0));
        assert_eq!(metadata.0.len(), 3);
    }

    #[test]
    fn permissions_that_cannot_be_read_permit_nobody() {
        for allow in ["allow:", "allow: {groups: [hr]}", "allow:\n  groups: hr", "allow: \"\"", "allow: []"] {
            let (_, metadata) = front_matter(&format!("---\n{allow}\ntitle: x\n---\n")).unwrap();
            assert_eq!(metadata.0[ALLOW], Value::List(Vec::new()), "{allow}");
        }
    }

    #[test]
    fn malformed_front_matter_fails_nothing() {
        let (end, metadata) = front_matter("---\n\ttitle: x\n: : :\n\"open: [\nok: yes\n---\nbody").unwrap();
        assert!(end > 0);
        assert_eq!(metadata.0["ok"], text("yes"));
        assert!(front_matter("---\nno end").is_none());
        assert!(front_matter("---\nJust prose between two rules, no key here.\n---\n").is_none());
        assert!(front_matter("text").is_none());
    }
}
