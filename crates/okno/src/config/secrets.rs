//! Keys for services, from the environment or a `.env` file: looked up by whoever needs one, never printed.

use std::collections::BTreeMap;
use std::fmt;

/// Names and values of `.env` files.
#[derive(Clone, Default)]
pub struct Secrets(BTreeMap<String, String>);

/// The keys that services are known to want.
const KNOWN: [&str; 3] = ["DASHSCOPE_API_KEY", "DEEPSEEK_API_KEY", "OPENAI_API_KEY"];

impl Secrets {
    /// Adds the lines of a `.env` file: `NAME=value`, quotes and `export` allowed, `#` for comments. What was added
    /// before stays.
    pub fn add(&mut self, text: &str) {
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
            let line = line.strip_prefix("export ").unwrap_or(line);
            let Some((name, value)) = line.split_once('=') else { continue };
            let value = unquoted(value.trim());
            if !name.trim().is_empty() && !value.is_empty() {
                self.0.entry(name.trim().to_owned()).or_insert(value);
            }
        }
    }

    /// The value of a key: of the environment, else of a file.
    pub fn get(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty()).or_else(|| self.0.get(name).cloned())
    }

    /// The known names and those of the files, each with where it is set, if it is.
    pub fn names(&self) -> BTreeMap<String, Option<&'static str>> {
        let place = |name: &str| {
            let environment = std::env::var(name).is_ok_and(|value| !value.is_empty());
            environment.then_some("environment").or_else(|| self.0.contains_key(name).then_some(".env"))
        };
        let names = KNOWN.iter().map(ToString::to_string).chain(self.0.keys().cloned());
        names.map(|name| (name.clone(), place(&name))).collect()
    }
}

fn unquoted(value: &str) -> String {
    for quote in ['"', '\''] {
        if let Some(inside) = value.strip_prefix(quote).and_then(|rest| rest.split(quote).next()) {
            return inside.to_owned();
        }
    }
    value.split(" #").next().unwrap_or_default().trim_end().to_owned()
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
