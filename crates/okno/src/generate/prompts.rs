//! Prompts: texts with places to fill in, in files, one folder per language.
//!
//! Those of the project are compiled in (`crates/okno/prompts`); a folder of the user's may replace any of them, file
//! by file. A place is `{{name}}`. Filling is one pass: what is filled in is never looked at again, so that a
//! document that says `{{question}}` stays what it says.

use crate::{Error, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// The languages that prompts are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// English, and for every other language too.
    English,
    /// Chinese.
    Chinese,
}

impl Language {
    /// The language to answer a question in.
    pub fn of(question: &str) -> Self {
        if crate::text::detect_language(question).as_deref() == Some("zh") { Self::Chinese } else { Self::English }
    }

    /// The name of its folder.
    pub fn folder(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }
}

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        /// Every prompt of the project: language, name, text.
        const BUILT_IN: &[(Language, &str, &str)] = &[$(
            (Language::English, $name, include_str!(concat!("../../prompts/en/", $name, ".md"))),
            (Language::Chinese, $name, include_str!(concat!("../../prompts/zh/", $name, ".md"))),
        )*];
    };
}

built_in![
    "answer.system",
    "answer.user",
    "ask.follow-up",
    "derive.context",
    "derive.image",
    "derive.question",
    "derive.summary",
    "derive.table",
    "judge.answer",
    "judge.context",
    "judge.groundedness",
    "judge.system",
    "questions.check",
    "questions.make",
    "search.decompose",
    "search.filter",
    "search.hyde",
    "search.multi-query",
    "search.post-filter",
    "search.rewrite",
    "search.route",
    "search.route-sql",
    "search.sql",
    "search.step-back",
    "sql",
    "structured.repair",
];

/// Prompts by language and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompts(BTreeMap<(Language, String), String>);

impl Default for Prompts {
    /// Those of the project.
    fn default() -> Self {
        Self(
            BUILT_IN
                .iter()
                .map(|(language, name, text)| ((*language, (*name).to_owned()), (*text).to_owned()))
                .collect(),
        )
    }
}

okno_document::messages! {
    /// What is wrong with a prompt of one's own.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum PromptError {
        /// A prompt that there is not.
        NoPrompt { /** Its name. */ name: String, /** Those there are. */ known: Vec<String> } = "no_prompt" =>
            ("no prompt is called `{name}`; there are {known}", "没有名为 `{name}` 的提示词；可用的有 {known}"),
        /// A place in a prompt that nothing fills in.
        NoPlace { /** As it is written. */ place: String, /** Those there are. */ known: Vec<String> } = "no_place" =>
            ("nothing fills in `{place}`; there are {known}", "没有内容可填入 `{place}`；可用的有 {known}"),
    }
}

impl Prompts {
    /// The project's prompts, with those in their place that a folder has: `zh/answer.system.md` and the like. A file
    /// of another name, or with a place that the project's own does not have, is an error: it would silently do
    /// nothing.
    pub fn with_folder(folder: &Path) -> Result<Self> {
        let mut prompts = Self::default();
        for language in [Language::English, Language::Chinese] {
            let inside = folder.join(language.folder());
            if !inside.is_dir() {
                continue;
            }
            for entry in fs_err::read_dir(&inside)? {
                let path = entry?.path();
                if path.extension().is_some_and(|extension| extension == "md") {
                    prompts.replace(language, &path)?;
                }
            }
        }
        Ok(prompts)
    }

    fn replace(&mut self, language: Language, path: &Path) -> Result<()> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let wrong = |reason: PromptError| Error::Config { place: path.display().to_string(), reason: reason.into() };
        let Some(own) = self.0.get_mut(&(language, name.clone())) else {
            let known = BUILT_IN.iter().filter(|(own, ..)| *own == language).map(|(_, name, _)| (*name).to_owned());
            return Err(wrong(PromptError::NoPrompt { name, known: known.collect() }));
        };
        let text = fs_err::read_to_string(path)?;
        let known = places(own);
        if let Some(odd) = places(&text).into_iter().find(|place| !known.contains(place)) {
            let written = |place: &str| format!("{{{{{place}}}}}");
            let known = known.into_iter().map(written).collect();
            return Err(wrong(PromptError::NoPlace { place: written(odd), known }));
        }
        *own = text;
        Ok(())
    }

    /// A prompt with its places filled in. A place that nothing is given for stays empty.
    ///
    /// # Panics
    /// When the project has no such prompt: names are written in code, and a test renders each.
    pub fn render(&self, language: Language, name: &str, values: &[(&str, &str)]) -> String {
        fill(self.text(language, name).trim_end(), values)
    }

    /// A prompt as it is written.
    pub(super) fn text(&self, language: Language, name: &str) -> &str {
        self.0.get(&(language, name.to_owned())).unwrap_or_else(|| panic!("no prompt `{name}`"))
    }
}

/// One pass over a text: each place becomes its value.
pub(super) fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, place, after)) = next_place(rest) {
        filled.push_str(before);
        filled.push_str(values.iter().find(|(name, _)| *name == place).map_or("", |(_, value)| value));
        rest = after;
    }
    filled + rest
}

/// The names of the places in a text.
fn places(text: &str) -> Vec<&str> {
    let mut rest = text;
    std::iter::from_fn(|| {
        let (_, place, after) = next_place(rest)?;
        rest = after;
        Some(place)
    })
    .collect()
}

/// What is before the next place, its name, and what is after it.
fn next_place(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("{{")?;
    let (place, after) = rest.split_once("}}")?;
    Some((before, place.trim(), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_not_filled_again() {
        let values = [("question", "what is {{contexts}}?"), ("contexts", "{{question}}")];
        assert_eq!(
            fill("{{contexts}} | {{ question }} | {{nobody}}.", &values),
            "{{question}} | what is {{contexts}}? | ."
        );
        assert_eq!(fill("a {{b", &values), "a {{b");
    }

    #[test]
    fn both_languages_have_the_same_places_in_every_prompt() {
        for (language, name, text) in BUILT_IN {
            let sorted = |text| {
                let mut places = places(text);
                places.sort_unstable();
                places.dedup();
                places
            };
            let (.., other) = BUILT_IN.iter().find(|(l, n, _)| l != language && n == name).unwrap();
            assert_eq!(sorted(text), sorted(other), "{name}");
        }
    }

    #[test]
    fn a_folder_replaces_files_and_mistakes_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        assert_eq!(Prompts::with_folder(folder.path()).unwrap(), Prompts::default());
        write("en/answer.user.md", "Q: {{question}}\n");
        let prompts = Prompts::with_folder(folder.path()).unwrap();
        assert_eq!(prompts.render(Language::English, "answer.user", &[("question", "why?")]), "Q: why?");
        assert_ne!(prompts.render(Language::Chinese, "answer.user", &[]), "Q:");
        write("zh/answer.user.md", "{{context}}");
        let error = Prompts::with_folder(folder.path()).unwrap_err().to_string();
        assert!(error.contains("nothing fills in `{{context}}`") && error.contains("`{{contexts}}`"), "{error}");
        write("zh/answer.user.md", "");
        write("zh/anser.md", "");
        assert!(Prompts::with_folder(folder.path()).unwrap_err().to_string().contains("no prompt is called `anser`"));
    }

    #[test]
    fn a_question_is_answered_in_its_language() {
        assert_eq!(Language::of("土豆丝要泡多久？"), Language::Chinese);
        assert_eq!(Language::of("怎么重启 Kubernetes pod？"), Language::Chinese);
        assert_eq!(Language::of("What does 素菜 mean on the menu of the canteen?"), Language::English);
        assert_eq!(Language::of("Wo liegt Köln?"), Language::English);
    }
}
