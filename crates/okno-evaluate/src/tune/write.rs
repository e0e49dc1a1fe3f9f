//! The winning recipe as a section of `okno.toml`, with the evidence above it.
//!
//! Only what stands between our own two marks is ever replaced: a file that a person wrote stays as it was written.

use super::Tuned;
use crate::compare::points;
use crate::error::SectionError;
use crate::{Error, Result};
use okno::retrieve::Recipe;
use std::collections::BTreeMap;

fn marks(name: &str) -> (String, String) {
    (format!("# >>> okno tune: {name}"), format!("# <<< okno tune: {name}"))
}

/// The section `[recipes.NAME]` of a recipe that won.
pub fn section(name: &str, set: &str, budgets: &[usize], seed: u64, tuned: &Tuned) -> Result<String> {
    let budgets: Vec<String> = budgets.iter().map(ToString::to_string).collect();
    let budgets = budgets.join(", ");
    let mut recipe = tuned.recipe.clone();
    recipe.about = format!("found by `okno tune` on `{set}`");
    let table = BTreeMap::from([("recipes", BTreeMap::from([(name, recipe)]))]);
    let table = toml::to_string(&table).map_err(|error| Error::Unwritable { words: error.to_string() })?;
    let (open, close) = marks(name);
    let changes: String =
        tuned.changes.iter().map(|(what, gain)| format!("#   {what} (+{} on train)\n", points(*gain))).collect();
    Ok(format!(
        "{open}\n\
         # {} questions of `{set}` chose among {} recipes ({} dropped early), seed {seed}; budgets {budgets} tokens.\n\
         # On {} questions that took no part: {} → {} points, a gain of {} (95 % CI {} … {}).\n\
         # Points: the mean of coverage and context over the budgets. Changes, in order:\n\
         {changes}{table}{close}\n",
        tuned.train,
        tuned.tried,
        tuned.dropped,
        tuned.held_out,
        points(tuned.before),
        points(tuned.after),
        points(tuned.gain.mean),
        points(tuned.gain.low),
        points(tuned.gain.high),
    ))
}

/// A configuration file with this section in place of the one that tuning wrote before, or at its end.
pub fn with_section(file: &str, name: &str, section: &str) -> Result<String> {
    let (open, close) = marks(name);
    let whole = match (file.find(&open), file.find(&close)) {
        (Some(start), Some(end)) if start < end => {
            let after = file[end..].find('\n').map_or(file.len(), |line| end + line + 1);
            format!("{}{section}{}", &file[..start], &file[after..])
        }
        _ if file.trim().is_empty() => section.to_owned(),
        _ => format!("{}\n\n{section}", file.trim_end()),
    };
    check(&whole, name).map_err(|reason| Error::NotAdded { reason })?;
    Ok(whole)
}

/// The file must still be TOML, and hold the recipe.
fn check(file: &str, name: &str) -> Result<(), SectionError> {
    #[derive(serde::Deserialize)]
    struct RecipeFile {
        recipes: BTreeMap<String, Recipe>,
    }
    let unreadable = |error: toml::de::Error| SectionError::Toml { words: error.to_string() };
    let RecipeFile { recipes } = toml::from_str(file).map_err(unreadable)?;
    recipes.get(name).map(|_| ()).ok_or_else(|| SectionError::NoRecipe { name: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Interval;
    use okno::retrieve::built_in;

    fn tuned(name: &str) -> Tuned {
        Tuned {
            recipe: built_in().unwrap().remove(name).unwrap(),
            changes: vec![("k 120".into(), 0.012)],
            train: 180,
            held_out: 120,
            tried: 90,
            dropped: 60,
            before: 0.8,
            after: 0.84,
            gain: Interval { mean: 0.04, low: 0.01, high: 0.07 },
        }
    }

    fn read(file: &str) -> BTreeMap<String, Recipe> {
        let table: BTreeMap<String, toml::Value> = toml::from_str(file).unwrap();
        table["recipes"].clone().try_into().unwrap()
    }

    #[test]
    fn every_recipe_can_be_written_and_read_again() {
        for (name, recipe) in built_in().unwrap() {
            let text = section("best", "squad", &[500, 1000], 7, &tuned(&name)).unwrap();
            assert_eq!(Recipe { about: recipe.about.clone(), ..read(&text)["best"].clone() }, recipe, "{text}");
            assert!(
                text.contains("a gain of 4.0 (95 % CI 1.0 … 7.0)") && text.contains("k 120 (+1.2 on train)"),
                "{text}"
            );
        }
    }

    #[test]
    fn only_our_own_section_is_replaced() {
        let own = "# mine\n[index]\nstrict = true # keep\n";
        let first = with_section(own, "best", &section("best", "a", &[500], 1, &tuned("auto")).unwrap()).unwrap();
        assert!(first.starts_with(own));
        let extended = format!("{first}\n[serve]\nport = 1\n");
        let second =
            with_section(&extended, "best", &section("best", "b", &[500], 1, &tuned("window")).unwrap()).unwrap();
        assert!(second.starts_with(own) && second.ends_with("\n[serve]\nport = 1\n"), "{second}");
        assert!(second.contains("on `b`") && !second.contains("on `a`"));
        let third = with_section(&second, "other", &section("other", "c", &[500], 1, &tuned("auto")).unwrap()).unwrap();
        assert_eq!(read(&third).len(), 2);
    }

    #[test]
    fn a_recipe_that_a_person_wrote_is_never_touched() {
        let own = "[recipes.best]\nabout = \"mine\"\n";
        let section = section("best", "a", &[500], 1, &tuned("auto")).unwrap();
        assert!(matches!(with_section(own, "best", &section), Err(Error::NotAdded { .. })));
        assert!(with_section("not toml [", "best", &section).is_err());
    }
}
