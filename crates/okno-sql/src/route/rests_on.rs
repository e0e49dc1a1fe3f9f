//! The rows that a statement rests on: `SELECT _row` from the same table under the same conditions.
//!
//! Only a plain statement is read, by its words: one table after `FROM`, no join, no union. Anything else has no such
//! rows; whether what is made here can be run is for SQLite to say.

/// A word of a statement outside of parentheses, and where it begins.
struct TopWord<'s> {
    at: usize,
    text: &'s str,
}

/// Words that end the conditions of a statement.
const ENDS: &[&str] = &["group", "having", "order", "limit", "window"];

/// Words of statements over more than one table.
const SEVERAL: &[&str] = &["union", "except", "intersect", "join"];

/// Functions that make one value of many.
const AGGREGATES: &[&str] = &["count", "sum", "avg", "min", "max", "total", "group_concat", "string_agg", "distinct"];

/// The table of a plain statement, without quotes, and the statement that finds the numbers of its rows.
pub fn of(sql: &str) -> Option<(String, String)> {
    let words = top_words(sql)?;
    let is = |word: &TopWord<'_>, name: &str| word.text.eq_ignore_ascii_case(name);
    let any = |names: &[&str]| words.iter().any(|word| names.iter().any(|name| is(word, name)));
    if !is(words.first()?, "select") || any(SEVERAL) {
        return None;
    }
    let from = words.iter().position(|word| is(word, "from"))?;
    let table = words.get(from + 1)?;
    let end = words[from..].iter().position(|word| ENDS.iter().any(|end| is(word, end))).map(|end| from + end);
    let condition = words[from..].iter().position(|word| is(word, "where")).map(|at| words[from + at].at);
    let tables_end = condition.or(end.map(|end| words[end].at)).unwrap_or(sql.len());
    if sql[words[from].at..tables_end].contains([',', '(']) {
        return None;
    }
    let is_grouped = end.is_some_and(|end| is(&words[end], "group") || is(&words[end], "having"));
    let chosen = &words[..from];
    let is_made = is_grouped || chosen.iter().any(|word| AGGREGATES.iter().any(|name| is(word, name)));
    let stop = end.filter(|_| is_made).map_or(sql.len(), |end| words[end].at);
    Some((unquoted(table.text), format!("SELECT _row {}", sql[words[from].at..stop].trim_end())))
}

/// Whether a statement names a table anywhere.
pub fn names(sql: &str, table: &str) -> bool {
    let named = table.to_lowercase();
    words(sql).is_some_and(|words| words.iter().any(|(word, _)| unquoted(word.text).to_lowercase() == named))
}

fn unquoted(name: &str) -> String {
    let inner = |open: char, close: char| name.strip_prefix(open)?.strip_suffix(close);
    let quoted = inner('"', '"').or_else(|| inner('`', '`')).or_else(|| inner('[', ']'));
    quoted.map_or_else(|| name.to_owned(), |inner| inner.replace("\"\"", "\""))
}

fn top_words(sql: &str) -> Option<Vec<TopWord<'_>>> {
    Some(words(sql)?.into_iter().filter(|(_, depth)| *depth == 0).map(|(word, _)| word).collect())
}

/// The words and quoted names of a statement with the depth of parentheses they are in; `None` where it has comments or
/// a quotation that does not end.
fn words(sql: &str) -> Option<Vec<(TopWord<'_>, usize)>> {
    let (mut words, mut depth, mut at) = (Vec::new(), 0_usize, 0);
    while let Some(c) = sql[at..].chars().next() {
        let length = match c {
            '(' => {
                depth += 1;
                1
            }
            ')' => {
                depth = depth.checked_sub(1)?;
                1
            }
            '\'' | '"' | '`' | '[' => {
                let length = quotation(&sql[at..])?;
                if c != '\'' {
                    words.push((TopWord { at, text: &sql[at..at + length] }, depth));
                }
                length
            }
            '-' | '/' if sql[at..].starts_with("--") || sql[at..].starts_with("/*") => return None,
            c if is_letter(c) => {
                let length = sql[at..].find(|c| !is_letter(c)).unwrap_or(sql.len() - at);
                words.push((TopWord { at, text: &sql[at..at + length] }, depth));
                length
            }
            c => c.len_utf8(),
        };
        at += length;
    }
    Some(words)
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// How long a quotation is, its marks included; a doubled mark does not end it.
fn quotation(text: &str) -> Option<usize> {
    let open = text.chars().next()?;
    let close = if open == '[' { ']' } else { open };
    let mut from = open.len_utf8();
    loop {
        let end = from + text[from..].find(close)? + close.len_utf8();
        if open == '[' || !text[end..].starts_with(close) {
            return Some(end);
        }
        from = end + close.len_utf8();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_statement_rests_on_the_rows_of_its_conditions() {
        for (sql, expected) in [
            ("SELECT count(*) FROM teas", "SELECT _row FROM teas"),
            (
                "select avg(\"Price\") from \"teas\" where \"Country\" = 'China'",
                "SELECT _row from \"teas\" where \"Country\" = 'China'",
            ),
            ("SELECT name FROM teas ORDER BY price DESC LIMIT 3", "SELECT _row FROM teas ORDER BY price DESC LIMIT 3"),
            ("SELECT max(price) FROM teas ORDER BY 1 LIMIT 3", "SELECT _row FROM teas"),
            (
                "SELECT country, count(*) FROM teas WHERE a = 'x from y' GROUP BY country HAVING count(*) > 1",
                "SELECT _row FROM teas WHERE a = 'x from y'",
            ),
            (
                "SELECT * FROM teas AS t WHERE t.price = (SELECT max(price) FROM teas GROUP BY x)",
                "SELECT _row FROM teas AS t WHERE t.price = (SELECT max(price) FROM teas GROUP BY x)",
            ),
            ("SELECT \"from\", 'it''s from' FROM teas", "SELECT _row FROM teas"),
        ] {
            assert_eq!(of(sql), Some(("teas".to_owned(), expected.to_owned())), "{sql}");
        }
    }

    #[test]
    fn other_statements_rest_on_no_rows_that_could_be_told() {
        for sql in [
            "SELECT count(*) FROM a JOIN b ON a.x = b.x",
            "SELECT count(*) FROM a, b",
            "SELECT x FROM (SELECT x FROM a)",
            "SELECT x FROM a UNION SELECT x FROM b",
            "WITH t AS (SELECT 1) SELECT * FROM t",
            "SELECT 1",
            "SELECT x FROM a -- all",
            "SELECT x FROM 'a",
            "SELECT x) FROM a",
            "",
        ] {
            assert_eq!(of(sql), None, "{sql}");
        }
        assert!(names("SELECT x FROM (SELECT x FROM \"Teas\")", "teas") && !names("SELECT 'teas'", "teas"));
    }
}
