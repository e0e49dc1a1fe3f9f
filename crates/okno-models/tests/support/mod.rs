//! Weights for tests: a shelf, or a folder of packages, named by `OKNO_TEST_MODELS`.

use okno_models::registry::{self, Card, PackageName};
use okno_models::shelf::{Model, Shelf};
use std::path::{Path, PathBuf};

/// The model, if there are weights for tests; says what to set where there are none.
pub fn model(name: &str) -> Option<Model> {
    let Some(folder) = std::env::var_os("OKNO_TEST_MODELS").map(PathBuf::from) else {
        crate::skipped::say_skipped(&format!(
            "no weights of {name} – set OKNO_TEST_MODELS to a shelf or a folder of packages (.ci/fetch-models.sh)"
        ));
        return None;
    };
    if let Ok(model) = Shelf::new(&folder).get(name) {
        return Some(model);
    }
    let card = registry::find(name).unwrap().unwrap();
    let Some(package) = card.packages.iter().find_map(|package| package_in(&folder, package)) else {
        crate::skipped::say_skipped(&format!("no package of {name} in {}", folder.display()));
        return None;
    };
    // One shelf per test process, left to the system's temporary folder: weights are large, and read again by the next
    // test.
    let shelf = Shelf::new(std::env::temp_dir().join(format!("okno-test-models-{}", std::process::id())));
    Some(shelf.get(name).unwrap_or_else(|_| from_package(&shelf, card, &package)))
}

fn from_package(shelf: &Shelf, card: Card, package: &Path) -> Model {
    let known: Vec<_> = card.packages.iter().filter_map(|package| package.sha256.clone()).collect();
    let model = shelf.add(card, package, None, &|model| Ok(model.card.clone())).unwrap();
    assert!(known.contains(model.card.files[0].sha256.as_ref().unwrap()), "{} holds other weights", package.display());
    model
}

/// `group:artifact` lies in a folder as `artifact-1.2.jar`, `@scope/name` as `scope-name-1.2.tgz`.
fn package_in(folder: &Path, package: &PackageName) -> Option<PathBuf> {
    let name = package.name.rsplit(':').next()?.trim_start_matches('@').replace('/', "-");
    let fits = |path: &PathBuf| {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        file.strip_prefix(&name)
            .and_then(|rest| rest.strip_prefix('-'))
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).find(fits)
}
