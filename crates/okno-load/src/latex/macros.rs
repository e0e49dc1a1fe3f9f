//! Macros of the author: short ones are expanded where they are used, within bounds.

use std::collections::HashMap;

use super::scan::Scanner;

/// Macros that are kept; longer ones are programs.
const LONGEST: usize = 400;
const MOST: usize = 5000;

#[derive(Debug, Default)]
pub(super) struct Macros {
    known: HashMap<String, (usize, Option<String>, String)>,
}

impl Macros {
    /// Reads what follows `\newcommand`, `\renewcommand` or `\DeclareMathOperator`.
    pub fn define(&mut self, text: &mut Scanner<'_>) {
        text.take("*");
        let name = text.argument().trim().trim_start_matches('\\').to_owned();
        let arguments = text.option().and_then(|count| count.trim().parse().ok()).unwrap_or(0);
        let default = text.option().map(str::to_owned);
        let body = text.argument();
        self.keep(name, arguments, default, body);
    }

    /// Reads what follows `\def`.
    pub fn define_plain(&mut self, text: &mut Scanner<'_>) {
        text.skip_space();
        if !text.take("\\") {
            return;
        }
        let name = text.name().to_owned();
        let head = text.rest().find('{').map_or(0, |at| at.min(20));
        let arguments = text.rest().get(..head).unwrap_or_default().matches('#').count();
        text.at += text.rest().get(..head).map_or(0, str::len);
        let body = text.argument();
        self.keep(name, arguments, None, body);
    }

    fn keep(&mut self, name: String, arguments: usize, default: Option<String>, body: &str) {
        if body.len() <= LONGEST && arguments <= 9 && self.known.len() < MOST && !name.is_empty() {
            self.known.insert(name, (arguments, default, body.to_owned()));
        }
    }

    /// What a macro stands for, with its arguments taken from the text; nothing where it is not known.
    pub fn expanded(&self, name: &str, text: &mut Scanner<'_>) -> Option<String> {
        let (count, default, body) = self.known.get(name)?;
        let mut given: Vec<&str> = Vec::new();
        if let Some(default) = default {
            given.push(text.option().unwrap_or(default));
        }
        while given.len() < *count {
            given.push(text.argument());
        }
        let mut out = String::new();
        let mut letters = body.chars().peekable();
        while let Some(letter) = letters.next() {
            let number = letters.peek().and_then(|next| next.to_digit(10)).filter(|_| letter == '#');
            match number.and_then(|number| given.get((number as usize).checked_sub(1)?)) {
                Some(argument) => {
                    letters.next();
                    out.push_str(argument);
                }
                None => out.push(letter),
            }
        }
        Some(out)
    }
}
