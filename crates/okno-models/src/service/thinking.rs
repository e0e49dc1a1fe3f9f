//! Some models think aloud before they answer, between `<think>` and `</think>`. That is not the answer.
//!
//! Text comes in piece by piece; what is said goes out, as soon as it is sure that it is no mark.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Leaves out what is thought aloud at the beginning of an answer.
#[derive(Debug)]
pub enum Thinking {
    /// Nothing was said yet; this much is held back.
    Before(String),
    /// Thinking; the end of what was thought, where a mark may begin.
    Inside(String),
    /// Everything is said.
    After,
}

impl Default for Thinking {
    fn default() -> Self {
        Self::Before(String::new())
    }
}

impl Thinking {
    /// What of this piece, and of what was held back, is said.
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
                    // What follows begins anew: white space before the first word says nothing.
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
