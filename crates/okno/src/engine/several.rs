//! One question to several indexes: each answers by itself, then the answers become one.

use super::Engine;
use crate::retrieve::{Answer, Query, together};
use crate::{Error, Result};

/// Asks several indexes, each the question as its own settings complete it, and joins their answers within the budget;
/// `None` when no index is given.
///
/// A filter on a field that an index does not have leaves that index without an answer.
///
/// ```
/// # fn main() -> okno::Result<()> {
/// # let folder = tempfile::tempdir()?;
/// # for (name, text) in [("work", "The office opens at nine."), ("home", "The door opens at seven.")] {
/// #     std::fs::write(folder.path().join(name), text)?;
/// #     okno::Engine::create(folder.path().join(format!(".{name}")))?.index(&[folder.path().join(name)])?;
/// # }
/// use okno::{Engine, Query, search_several};
///
/// let (work, home) = (Engine::open(folder.path().join(".work"))?, Engine::open(folder.path().join(".home"))?);
/// let query = Query::new("When does it open?");
/// let answer = search_several([(&work, &query), (&home, &query)])?.expect("two indexes");
/// assert_eq!(answer.contexts.len(), 2);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// With the first error of an index; that no document has a field only when it is so in all of them.
pub fn search_several<'a>(asked: impl IntoIterator<Item = (&'a Engine, &'a Query)>) -> Result<Option<Answer>> {
    let (mut answers, mut unknown) = (Vec::new(), None);
    for (engine, query) in asked {
        match engine.search(query) {
            Ok(answer) => answers.push(answer),
            Err(error @ Error::UnknownField { .. }) => unknown = Some(error),
            Err(error) => return Err(error),
        }
    }
    match (together(answers), unknown) {
        (None, Some(error)) => Err(error),
        (answer, _) => Ok(answer),
    }
}
