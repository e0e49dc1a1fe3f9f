//! Side by side: lines wrapped to columns of a terminal, Chinese characters two columns wide.

use unicode_width::UnicodeWidthChar;

/// A column narrower than this is harder to read than two sides one below the other.
const NARROWEST: usize = 44;

const BETWEEN: &str = " │ ";

/// A line of one recipe's side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SideLine {
    Title(String),
    Place(String),
    /// Text that another side has too.
    Shared(String),
    /// Text that no other side has.
    Only(String),
    Note(String),
}

impl SideLine {
    fn text(&self) -> (&'static str, &str) {
        match self {
            Self::Title(text) | Self::Place(text) | Self::Note(text) => ("", text),
            Self::Shared(text) => ("  ", text),
            Self::Only(text) => ("+ ", text),
        }
    }

    /// With its mark, unwrapped.
    pub fn whole(&self) -> String {
        let (mark, text) = self.text();
        format!("{mark}{text}")
    }
}

/// Whether this many sides fit beside each other.
pub fn fits(sides: usize, width: usize) -> bool {
    column(sides, width) >= NARROWEST
}

fn column(sides: usize, width: usize) -> usize {
    (width + BETWEEN.chars().count()) / sides.max(1) - BETWEEN.chars().count()
}

/// The sides as rows of the terminal; `style` is applied after the padding is known.
pub fn beside(sides: &[Vec<SideLine>], width: usize, style: &dyn Fn(&SideLine, &str) -> String) -> Vec<String> {
    let column = column(sides.len(), width);
    let wrapped: Vec<Vec<(&SideLine, String)>> = sides
        .iter()
        .map(|lines| lines.iter().flat_map(|line| wrap(line, column).into_iter().map(move |row| (line, row))).collect())
        .collect();
    let rows = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |side: &Vec<(&SideLine, String)>, row: usize| match side.get(row) {
        Some((line, text)) => style(line, text) + &" ".repeat(column - width_of(text)),
        None => " ".repeat(column),
    };
    (0..rows)
        .map(|row| {
            let cells: Vec<String> = wrapped.iter().map(|side| cell(side, row)).collect();
            cells.join(BETWEEN).trim_end().to_owned()
        })
        .collect()
}

fn width_of(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// Rows no wider than the column: cut between words, inside a word only where it alone is wider.
fn wrap(line: &SideLine, column: usize) -> Vec<String> {
    let (mark, text) = line.text();
    let room = column - mark.len();
    let (mut rows, mut row) = (Vec::new(), String::new());
    for piece in pieces(text).into_iter().flat_map(|piece| cut(piece, room)) {
        if width_of(&row) + width_of(piece.trim_end()) > room {
            rows.push(std::mem::take(&mut row));
        }
        row.push_str(piece);
    }
    rows.push(row);
    rows.into_iter().map(|row| format!("{mark}{}", row.trim_end())).collect()
}

/// A text in the pieces that stay together: words with the space behind them, single wide characters.
fn pieces(text: &str) -> Vec<&str> {
    let wide = |c: char| c.width() == Some(2);
    let (mut pieces, mut start, mut before) = (Vec::new(), 0, None);
    for (at, c) in text.char_indices() {
        if before.is_some_and(|before| before == ' ' || wide(before) || wide(c)) {
            pieces.push(&text[start..at]);
            start = at;
        }
        before = Some(c);
    }
    pieces.push(&text[start..]);
    pieces
}

/// A piece that is wider than the room, in parts that are not.
fn cut(mut piece: &str, room: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    while width_of(piece.trim_end()) > room {
        // No character is wider than two columns, and no column is that narrow.
        let (part, rest) = piece.split_at(
            piece
                .char_indices()
                .map(|(at, c)| at + c.len_utf8())
                .take_while(|&end| width_of(&piece[..end]) <= room)
                .last()
                .unwrap_or(piece.len()),
        );
        parts.push(part);
        piece = rest;
    }
    parts.push(piece);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_to_their_column_and_lose_nothing() {
        let text =
            "A sentence in English that is long enough to be wrapped, 然后是一句足够长的中文，也要折行才放得下。 End.";
        let rows = wrap(&SideLine::Only(text.into()), 20);
        assert!(rows.iter().all(|row| width_of(row) <= 20 && row.starts_with("+ ")), "{rows:#?}");
        let joined: String = rows.iter().flat_map(|row| row[2..].chars()).filter(|c| *c != ' ').collect();
        assert_eq!(joined, text.replace(' ', ""));
    }

    #[test]
    fn sides_stand_beside_each_other() {
        let sides = [
            vec![SideLine::Title("one".into()), SideLine::Shared("左边的内容".into())],
            vec![SideLine::Title("two".into()), SideLine::Only("right".into()), SideLine::Note("more".into())],
        ];
        let rows = beside(&sides, 40, &|_, text| text.to_owned());
        assert_eq!(rows, ["one                │ two", "  左边的内容       │ + right", "                   │ more"]);
        assert!(fits(2, 100) && !fits(2, 80) && !fits(3, 120));
    }
}
