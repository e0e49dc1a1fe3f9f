//! What a person found useful: one JSON line per verdict, beside the index, never sent anywhere.
//!
//! Useful contexts become gold spans, so that [`super::tune`] can use them. They are what some recipe returned: a
//! recipe that cuts elsewhere is judged by how much of them it holds, not by whether it holds them to the letter.

use super::gold::Points;
use super::runs::{beside, write_whole};
use super::set::{Gold, Library, NameMatch, Question, QuestionSet};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What a person said about a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It helped to answer the question.
    Useful,
    /// It did not.
    NotUseful,
}

/// One verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    /// The question.
    pub question: String,
    /// The document's name.
    #[serde(rename = "doc_id")]
    pub document: String,
    /// The first code point of the context.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// Useful or not.
    pub verdict: Verdict,
    /// When, in seconds since 1970.
    pub time: u64,
}

/// The verdicts about one index.
#[derive(Debug, Clone)]
pub struct Feedback {
    file: PathBuf,
}

impl Feedback {
    /// The verdicts beside an index.
    pub fn beside(index: &Path) -> Self {
        Self { file: beside(index).join("feedback.jsonl") }
    }

    /// Where they are.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Adds verdicts at the end of the file.
    pub fn add(&self, opinions: &[Opinion]) -> Result<()> {
        if let Some(folder) = self.file.parent() {
            fs_err::create_dir_all(folder)?;
        }
        let mut file = fs_err::OpenOptions::new().create(true).append(true).open(&self.file)?;
        // One write: lines of two processes never mix.
        Ok(file.write_all(lines(opinions)?.as_bytes())?)
    }

    /// All verdicts, oldest first.
    pub fn all(&self) -> Result<Vec<Opinion>> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        let text = fs_err::read_to_string(&self.file)?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines
            .map(|(number, line)| {
                serde_json::from_str(line).map_err(|error| {
                    let place = format!("{}:{}", self.file.display(), number + 1);
                    Error::Feedback { place, words: error.to_string() }
                })
            })
            .collect()
    }

    /// Removes the verdicts that `unwanted` names; how many there were.
    pub fn remove(&self, unwanted: impl Fn(&Opinion) -> bool) -> Result<usize> {
        let all = self.all()?;
        let kept: Vec<Opinion> = all.iter().filter(|opinion| !unwanted(opinion)).cloned().collect();
        if kept.len() < all.len() {
            write_whole(&self.file, &lines(&kept)?)?;
        }
        Ok(all.len() - kept.len())
    }
}

fn lines(opinions: &[Opinion]) -> Result<String> {
    let line = |opinion| serde_json::to_string(opinion).map_err(|error| Error::Unwritable { words: error.to_string() });
    let lines: Vec<String> = opinions.iter().map(line).collect::<Result<_>>()?;
    Ok(lines.into_iter().map(|line| line + "\n").collect())
}

/// Questions whose gold is what was found useful. A context with both verdicts has its last one. What no longer fits
/// its document is left out and counted.
pub fn questions(opinions: &[Opinion], library: &mut dyn Library) -> Result<(QuestionSet, usize)> {
    let mut verdicts: BTreeMap<(&str, &str, usize, usize), Verdict> = BTreeMap::new();
    for opinion in opinions {
        verdicts.insert((&opinion.question, &opinion.document, opinion.start, opinion.end), opinion.verdict);
    }
    let (mut useful, mut stale): (BTreeMap<(&str, String), Vec<Points>>, usize) = (BTreeMap::new(), 0);
    for ((question, document, start, end), verdict) in verdicts {
        let fits = match library.find(document)? {
            NameMatch::One(name) => Some(name).filter(|name| library.texts()[name].len() >= end && start < end),
            _ => None,
        };
        match fits {
            None => stale += 1,
            Some(name) if verdict == Verdict::Useful => useful.entry((question, name)).or_default().push(start..end),
            Some(_) => (),
        }
    }
    let question = |(number, ((text, document), excerpts)): (usize, ((&str, String), Vec<Points>))| Question {
        id: (number + 1).to_string(),
        text: text.to_owned(),
        kind: None,
        filter: None,
        gold: Gold::Spans { document, answer: excerpts[0].clone(), excerpts },
    };
    let questions = useful.into_iter().enumerate().map(question).collect();
    Ok((QuestionSet { name: "feedback".into(), questions }, stale))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Texts;

    fn opinion(question: &str, start: usize, end: usize, verdict: Verdict) -> Opinion {
        Opinion { question: question.into(), document: "a".into(), start, end, verdict, time: 1 }
    }

    struct One(Texts);

    impl Library for One {
        fn find(&mut self, name: &str) -> Result<NameMatch> {
            Ok(if self.0.contains_key(name) { NameMatch::One(name.into()) } else { NameMatch::No })
        }
        fn texts(&self) -> &Texts {
            &self.0
        }
    }

    #[test]
    fn verdicts_are_kept_and_can_be_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let feedback = Feedback::beside(&folder.path().join(".okno"));
        assert_eq!(feedback.all().unwrap(), []);
        let all = [opinion("q", 0, 5, Verdict::Useful), opinion("r", 5, 9, Verdict::NotUseful)];
        feedback.add(&all[..1]).unwrap();
        feedback.add(&all[1..]).unwrap();
        assert_eq!(feedback.all().unwrap(), all);
        assert_eq!(feedback.remove(|opinion| opinion.question == "q").unwrap(), 1);
        assert_eq!(feedback.all().unwrap(), all[1..]);
        let line = std::fs::read_to_string(feedback.file()).unwrap();
        assert_eq!(
            line,
            "{\"question\":\"r\",\"doc_id\":\"a\",\"start\":5,\"end\":9,\"verdict\":\"not-useful\",\"time\":1}\n"
        );
        std::fs::write(feedback.file(), line + "nonsense\n").unwrap();
        assert!(feedback.all().unwrap_err().to_string().contains("feedback.jsonl:2: "));
    }

    #[test]
    fn useful_contexts_become_gold_and_the_last_word_counts() {
        let mut library = One(Texts::from([("a".into(), vec!['x'; 20])]));
        let opinions = [
            opinion("q", 0, 5, Verdict::Useful),
            opinion("q", 8, 12, Verdict::Useful),
            opinion("q", 0, 5, Verdict::NotUseful),
            opinion("r", 0, 5, Verdict::NotUseful),
            opinion("s", 10, 99, Verdict::Useful),
        ];
        let (set, stale) = questions(&opinions, &mut library).unwrap();
        assert_eq!((set.questions.len(), stale), (1, 1));
        let excerpts = std::iter::once(8..12).collect();
        let gold = Gold::Spans { document: "a".into(), answer: 8..12, excerpts };
        assert_eq!((set.questions[0].text.as_str(), &set.questions[0].gold), ("q", &gold));
    }
}
