//! Some models write their reasoning before the answer, between `<think>` and `</think>`. It is left out.
//!
//! Text arrives in pieces; it is passed on as soon as it cannot be part of a tag.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Removes the reasoning at the beginning of an answer.
#[derive(Debug)]
pub enum Thinking {
    /// Before the answer; this much is held back, because it may be a tag.
    Before(String),
    /// Inside the reasoning; its end, which may be the beginning of the closing tag.
    Inside(String),
    /// In the answer.
    After,
}

impl Default for Thinking {
    fn default() -> Self {
        Self::Before(String::new())
    }
}

impl Thinking {
    /// The part of this piece, and of what was held back, that belongs to the answer.
    pub fn said(&mut self, piece: &str) -> String {
        match self {
            Self::After => piece.to_owned(),
            Self::Before(held) => {
                held.push_str(piece);
                let begun = held.trim_start();
                if let Some(thought) = begun.strip_prefix(OPEN) {
                    let thought = thought.to_owned();
                    *self = Self::Inside(String::new());
                    self.said(&thought)
                } else if OPEN.starts_with(begun) {
                    String::new()
                } else {
                    let all = begun.to_owned();
                    *self = Self::After;
                    all
                }
            }
            Self::Inside(end) => {
                end.push_str(piece);
                if let Some((_, rest)) = end.split_once(CLOSE) {
                    let rest = rest.to_owned();
                    // Starts over: white space before the answer is dropped.
                    *self = Self::Before(String::new());
                    self.said(&rest)
                } else {
                    let keep = (0..=CLOSE.len()).rev().find(|&n| end.ends_with(&CLOSE[..n])).unwrap_or(0);
                    *end = end[end.len() - keep..].to_owned();
                    String::new()
                }
            }
        }
    }

    /// What was held back when the answer ends.
    pub fn rest(self) -> String {
        match self {
            Self::Before(held) => held,
            Self::Inside(_) | Self::After => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(pieces: &[&str]) -> String {
        let mut thinking = Thinking::default();
        let said: String = pieces.iter().map(|piece| thinking.said(piece)).collect();
        said + &thinking.rest()
    }

    #[test]
    fn thoughts_are_left_out_however_they_are_cut() {
        let whole = "\n<think>\nWhat? </thin k> 嗯……\n</think>\n\nBlack tea. <think>x</think>";
        let expected = "Black tea. <think>x</think>";
        assert_eq!(all(&[whole]), expected);
        let letters: Vec<String> = whole.chars().map(String::from).collect();
        assert_eq!(all(&letters.iter().map(String::as_str).collect::<Vec<_>>()), expected);
        assert_eq!(all(&["<", "th"]), "<th");
        assert_eq!(all(&["<table>"]), "<table>");
        assert_eq!(all(&["<think>never closed"]), "");
    }
}
