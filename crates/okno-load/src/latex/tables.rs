//! Tables: cells are separated by `&`, rows by `\\`.

/// Cells of one table; what is beyond them is not read.
const MOST_CELLS: usize = 200_000;

/// The source of every cell. Braces, formulas and inner tables keep their signs.
pub(super) fn cells(body: &str) -> Vec<Vec<&str>> {
    let mut rows: Vec<Vec<&str>> = vec![Vec::new()];
    let (mut depth, mut inner, mut start, mut count) = (0usize, 0usize, 0, 0);
    let bytes = body.as_bytes();
    let mut at = 0;
    while at < bytes.len() && count < MOST_CELLS {
        let outer = depth == 0 && inner == 0;
        match bytes[at] {
            b'\\' if bytes.get(at + 1) == Some(&b'\\') && outer => {
                rows.iter_mut().last().into_iter().for_each(|row| row.push(&body[start..at]));
                rows.push(Vec::new());
                at += 2;
                // `\\[2pt]` is more space between rows.
                if bytes.get(at) == Some(&b'[') {
                    at += body[at..].find(']').map_or(0, |end| end + 1);
                }
                (start, count) = (at, count + 1);
                continue;
            }
            b'\\' => {
                let rest = &body[at..];
                inner += usize::from(rest.starts_with("\\begin{"));
                inner = inner.saturating_sub(usize::from(rest.starts_with("\\end{")));
                // The sign behind a backslash is not one that separates.
                at += 1 + body[at + 1..].chars().next().map_or(0, char::len_utf8);
                continue;
            }
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b'%' => {
                at += body[at..].find('\n').unwrap_or(body.len() - at);
                continue;
            }
            b'&' if outer => {
                rows.iter_mut().last().into_iter().for_each(|row| row.push(&body[start..at]));
                (start, count) = (at + 1, count + 1);
            }
            _ => {}
        }
        at += 1;
    }
    rows.iter_mut().last().into_iter().for_each(|row| row.push(body.get(start..).unwrap_or_default()));
    rows
}

/// How many columns `\multicolumn{3}` covers, at the start of a cell.
pub(super) fn span(cell: &str) -> usize {
    let rest = cell.trim_start().strip_prefix("\\multicolumn{");
    let number = rest.and_then(|rest| rest.split('}').next()).and_then(|number| number.trim().parse().ok());
    number.unwrap_or(1usize).clamp(1, 64)
}
