//! Derived units by a model, as an index keeps them: complete, resumable, and never at the cost of the rest.

use okno::document::DerivedKind;
use okno::generate::{Completion, GenerateError, Generator, Request, Usage};
use okno::{DeriveOptions, DeriveProgress, Engine, Maker, Query, Silent, SkippedReason};
use serde_json::json;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

/// Answers what the schema asks for; how, its closure says.
struct Model<F> {
    says: F,
    asked: Mutex<Vec<Request>>,
}

impl<F: Fn(&str, &str) -> Result<String, GenerateError> + Send + Sync> Model<F> {
    fn new(says: F) -> Self {
        Self { says, asked: Mutex::default() }
    }

    fn requests(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl<F: Fn(&str, &str) -> Result<String, GenerateError> + Send + Sync> Generator for Model<F> {
    fn identity(&self) -> &'static str {
        "test/model"
    }

    fn generate(
        &self,
        request: &Request,
        _: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, GenerateError> {
        self.asked.lock().unwrap().push(request.clone());
        let field = request.schema.as_ref().unwrap()["required"][0].as_str().unwrap().to_owned();
        let text = (self.says)(&field, &request.messages.last().unwrap().text)?;
        Ok(Completion { text, usage: Usage { prompt: 100, completion: 10 }, ..Completion::default() })
    }

    fn concurrency(&self) -> usize {
        3
    }
}

/// A model that does what it is told.
#[allow(clippy::unnecessary_wraps)] // others fail
fn obedient(field: &str, _: &str) -> Result<String, GenerateError> {
    Ok(match field {
        "questions" => json!({"questions": ["Who keeps bees?", "Which zeppelin flew?", "When was it?", "Why so?"]}),
        field => json!({field: format!("A {field} about the zeppelin hangar.")}),
    }
    .to_string())
}

struct Place {
    folder: TempDir,
    engine: Engine,
}

impl Place {
    fn new(documents: &[(&str, String)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("d")).unwrap();
        let engine = Engine::create(folder.path().join("index")).unwrap();
        let place = Self { folder, engine };
        for (name, text) in documents {
            place.write(name, text);
        }
        place.engine.index(&[place.documents()]).unwrap();
        place
    }

    fn documents(&self) -> PathBuf {
        self.folder.path().join("d")
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.documents().join(name), text).unwrap();
    }

    fn count(&self, kind: DerivedKind) -> usize {
        self.engine.snapshot().unwrap().derived_counts().get(&kind).copied().unwrap_or(0)
    }
}

/// A document of about `parents` parents of 3,000 characters.
fn long(parents: usize, about: &str) -> String {
    (0..parents * 30)
        .map(|at| {
            format!(
                "Sentence {at} tells one more thing about the {about}, which is long enough to count for a hundred. "
            )
        })
        .collect()
}

fn kinds(kinds: &[DerivedKind]) -> DeriveOptions {
    let mut options = DeriveOptions::default();
    options.kinds = kinds.iter().copied().collect::<BTreeSet<_>>();
    options
}

#[test]
fn every_parent_gets_one_summary_and_four_questions_once() {
    let place = Place::new(&[("bees.txt", long(3, "bees")), ("short.txt", "Bees dance to tell of flowers.".into())]);
    let options = DeriveOptions::default();
    let plan = place.engine.plan_units(&options).unwrap();
    let parents = plan.items[&DerivedKind::Summary];
    assert!(parents >= 4 && plan.items[&DerivedKind::Question] == parents && plan.documents == 2, "{plan:?}");
    assert!(plan.tokens.prompt > 1000 && plan.tokens.completion > 100, "{plan:?}");

    let model = Model::new(obedient);
    let report = place.engine.derive_units(Maker::Model(&model), &options, &Silent).unwrap();
    assert_eq!((report.documents, report.left, report.failed.len(), report.stopped), (2, 0, 0, false), "{report:?}");
    assert_eq!((report.units[&DerivedKind::Summary], report.units[&DerivedKind::Question]), (parents, 4 * parents));
    assert_eq!(report.usage, Usage { prompt: 200 * parents, completion: 20 * parents });
    assert_eq!((place.count(DerivedKind::Summary), place.count(DerivedKind::Question)), (parents, 4 * parents));

    let again = place.engine.derive_units(Maker::Model(&model), &options, &Silent).unwrap();
    assert!(again.units.is_empty() && model.requests() == 2 * parents, "a second run asks nothing: {again:?}");
    // Files still know their documents.
    assert!(place.engine.index(&[place.documents()]).unwrap().is_nothing());

    let query = Query::new("Which zeppelin flew?").recipe("question");
    let found = place.engine.search(&query).unwrap();
    assert!(
        found.contexts[0].text.contains("Sentence") || found.contexts[0].text.contains("Bees"),
        "the passage is returned"
    );
}

#[test]
fn a_failed_item_is_a_line_of_the_report_and_is_tried_again_by_the_next_run() {
    let place = Place::new(&[("bees.txt", long(2, "bees")), ("wasps.txt", long(1, "wasps"))]);
    let stubborn = Model::new(|field: &str, prompt: &str| match field {
        "questions" if prompt.contains("wasps") => Ok(r#"{"questions": ["Only one?"]}"#.into()),
        "questions" if prompt.contains("could not be used") => Ok(r#"{"questions": ["Only one?"]}"#.into()),
        _ => obedient(field, prompt),
    });
    let report = place.engine.derive_units(Maker::Model(&stubborn), &DeriveOptions::default(), &Silent).unwrap();
    let wasps = report.failed.len();
    assert!(
        wasps >= 1
            && report
                .failed
                .iter()
                .all(|failed| failed.place.starts_with("wasps.txt 0–") || failed.place.starts_with("wasps.txt")),
        "{report:?}"
    );
    assert!(
        report.failed[0].place.ends_with("(question)")
            && report.failed[0].reason.to_string().contains("exactly 4 questions, got 1")
    );
    assert!(report.units[&DerivedKind::Summary] >= 3, "{report:?}");

    let model = Model::new(obedient);
    let report = place.engine.derive_units(Maker::Model(&model), &DeriveOptions::default(), &Silent).unwrap();
    assert_eq!((report.units.len(), report.units[&DerivedKind::Question], model.requests()), (1, 4 * wasps, wasps));
}

#[test]
fn a_repaired_answer_counts_and_is_told() {
    let place = Place::new(&[("a.txt", "Bees dance to tell of flowers.".into())]);
    let model = Model::new(|field: &str, prompt: &str| {
        if prompt.contains("could not be used") { obedient(field, prompt) } else { Ok("Happy to help!".into()) }
    });
    let report = place.engine.derive_units(Maker::Model(&model), &kinds(&[DerivedKind::Summary]), &Silent).unwrap();
    assert_eq!((report.repaired, report.units[&DerivedKind::Summary], report.failed.len()), (1, 1, 0));
}

#[test]
fn a_model_that_is_away_is_not_asked_for_every_parent() {
    let place = Place::new(&[("bees.txt", long(12, "bees"))]);
    let model = Model::new(|_: &str, _: &str| {
        Err(GenerateError::Away { model: "test/model".into(), reason: "connection refused".into() })
    });
    let report = place.engine.derive_units(Maker::Model(&model), &DeriveOptions::default(), &Silent).unwrap();
    assert!(report.stopped && report.left > 10 && model.requests() < 10, "{} requests, {report:?}", model.requests());
    assert!(report.failed[0].reason.to_string().contains("connection refused"));
}

/// Stops after some items.
struct After(AtomicUsize, usize);

impl DeriveProgress for After {
    fn done(&self, _: &str, _: Usage) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    fn stop(&self) -> bool {
        self.0.load(Ordering::SeqCst) >= self.1
    }
}

#[test]
fn what_was_made_before_a_stop_is_kept_and_the_rest_is_made_later() {
    let place = Place::new(&[("bees.txt", long(10, "bees"))]);
    let options = kinds(&[DerivedKind::Summary]);
    let all = place.engine.plan_units(&options).unwrap().items[&DerivedKind::Summary];
    let model = Model::new(obedient);
    let stopped = place.engine.derive_units(Maker::Model(&model), &options, &After(AtomicUsize::new(0), 4)).unwrap();
    let made = place.count(DerivedKind::Summary);
    assert!(stopped.stopped && made >= 4 && made < all && stopped.left == all - made, "{made} of {all}, {stopped:?}");
    place.engine.derive_units(Maker::Model(&model), &options, &Silent).unwrap();
    assert_eq!((place.count(DerivedKind::Summary), model.requests()), (all, all), "nothing was asked twice");
}

#[test]
fn a_changed_document_lacks_its_units_until_they_are_made_again() {
    let place = Place::new(&[("a.txt", "Bees dance.".into()), ("b.txt", "Wasps sting.".into())]);
    let (model, options) = (Model::new(obedient), kinds(&[DerivedKind::Summary]));
    assert!(place.engine.lacking().unwrap().is_empty(), "who never made any lacks none");
    place.engine.derive_units(Maker::Model(&model), &options, &Silent).unwrap();
    assert_eq!(place.engine.lacking().unwrap()[&DerivedKind::Summary], 0);
    place.write("b.txt", "Wasps sting more than once.");
    place.engine.index(&[place.documents()]).unwrap();
    assert_eq!(place.engine.lacking().unwrap()[&DerivedKind::Summary], 1);
    place.engine.derive_units(Maker::Model(&model), &options, &Silent).unwrap();
    assert_eq!((place.engine.lacking().unwrap()[&DerivedKind::Summary], model.requests()), (0, 3));
}

#[test]
fn again_replaces_what_it_overlaps_and_nothing_else() {
    let place = Place::new(&[("bees.txt", long(4, "bees"))]);
    let options = kinds(&[DerivedKind::Summary]);
    place.engine.derive_units(Maker::Model(&Model::new(obedient)), &options, &Silent).unwrap();
    let mut smaller = options;
    (smaller.parent, smaller.again) = ("chunk:1000c".parse().unwrap(), true);
    let report = place.engine.derive_units(Maker::Model(&Model::new(obedient)), &smaller, &Silent).unwrap();
    assert_eq!(place.count(DerivedKind::Summary), report.units[&DerivedKind::Summary]);
}

#[test]
fn tables_get_a_description_beside_the_plain_one_and_copies_are_asked_about_once() {
    let table = "# Prices\n\n| City | Ticket |\n|---|---|\n| Bern | 20 |\n| Oslo | 30 |\n";
    let place = Place::new(&[("a.md", table.to_owned()), ("b.md", table.to_owned())]);
    assert_eq!(place.count(DerivedKind::Table), 2);
    let (model, options) = (Model::new(obedient), kinds(&[DerivedKind::Table]));
    place.engine.derive_units(Maker::Model(&model), &options, &Silent).unwrap();
    assert_eq!((place.count(DerivedKind::Table), model.requests()), (4, 1));
    place.engine.derive_units(Maker::Model(&model), &options, &Silent).unwrap();
    assert_eq!((place.count(DerivedKind::Table), model.requests()), (4, 1), "described already");
}

/// The smallest file that is an image to us.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\x06\0\0\0";

#[test]
fn images_are_shown_to_the_model_and_found_by_their_captions() {
    let text = "# Airships\n\nIn the hall:\n\n![a drawing](hall.png)\n\nAnd one more: ![gone](gone.png)\n";
    let place = Place::new(&[]);
    std::fs::write(place.documents().join("hall.png"), PNG).unwrap();
    place.write("a.md", text);
    place.engine.index(&[place.documents()]).unwrap();
    std::fs::remove_dir_all(place.documents()).unwrap();
    let (model, options) = (Model::new(obedient), kinds(&[DerivedKind::Image]));
    let report = place.engine.derive_units(Maker::Model(&model), &options, &Silent).unwrap();
    assert_eq!(model.asked.lock().unwrap()[0].messages.last().unwrap().pictures[0].bytes, PNG);
    assert_eq!(
        (report.units[&DerivedKind::Image], report.failed.len()),
        (2, 0),
        "the note's and the picture itself: {report:?}"
    );
    let query = Query::new("zeppelin hangar");
    assert!(place.engine.search(&query).is_ok());
    place.engine.derive_units(Maker::Model(&model), &options, &Silent).unwrap();
    assert_eq!(model.requests(), 2, "captioned already");
}

/// The texts of the units of images, in their order.
fn captions(place: &Place) -> Vec<String> {
    let snapshot = place.engine.snapshot().unwrap();
    let units = snapshot.numbers().into_iter().flat_map(|number| snapshot.derived(number).unwrap().to_vec());
    units.filter(|unit| unit.kind == DerivedKind::Image).map(|unit| unit.text).collect()
}

/// Every `--again` added one more caption, and a caption that begins with the author's words counted as these words.
#[test]
fn an_image_has_one_caption_beside_its_author_s_words_however_often_it_is_made() {
    let place = Place::new(&[]);
    // Beside the documents: an image file there would be a document of its own.
    std::fs::write(place.folder.path().join("hall.png"), PNG).unwrap();
    place.write("a.md", "# Airships\n\nIn the hall:\n\n![A hall](../hall.png)\n\n![](../hall.png)\n");
    place.engine.index(&[place.documents()]).unwrap();
    let (once, mut again) = (kinds(&[DerivedKind::Image]), kinds(&[DerivedKind::Image]));
    again.again = true;
    let derive = |says: &'static str, options: &DeriveOptions| {
        let model = Model::new(move |field: &str, _: &str| Ok(json!({ field: says }).to_string()));
        place.engine.derive_units(Maker::Model(&model), options, &Silent).unwrap();
        (model.requests(), captions(&place))
    };
    let (own, first) = ("A hall", "A hall with a zeppelin");
    let after = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(derive(first, &once), (2, after(&[own, first, first])));
    assert_eq!(derive(first, &once), (0, after(&[own, first, first])), "captioned already");
    assert_eq!(derive(first, &again), (2, after(&[own, first, first])));
    assert_eq!(derive(own, &again).1[..2], after(&[own, own]), "a caption that says the same");
    let (asked, texts) = derive(own, &once);
    assert_eq!((asked, &texts[..2]), (0, &after(&[own, own])[..]));
    // An image that nobody says anything about keeps its first text: it might be what was read in it.
    assert_eq!((texts.len(), derive("A zeppelin", &again).1), (4, after(&[own, "A zeppelin", first, "A zeppelin"])));
}

#[test]
fn summaries_without_a_model_are_sentences_of_the_text() {
    let place = Place::new(&[("bees.txt", long(2, "bees"))]);
    let report = place.engine.derive_units(Maker::Extract, &DeriveOptions::default(), &Silent).unwrap();
    assert!(report.units[&DerivedKind::Summary] >= 2 && !report.units.contains_key(&DerivedKind::Question));
    assert!(report.failed.iter().all(|failed| matches!(failed.reason, SkippedReason::NeedsModel { .. })), "{report:?}");
    let snapshot = place.engine.snapshot().unwrap();
    let number = snapshot.numbers()[0];
    for unit in &*snapshot.derived(number).unwrap() {
        assert!(unit.text.lines().all(|line| snapshot.text(number).unwrap().contains(line)), "{}", unit.text);
    }
}

#[test]
fn a_context_helps_the_chunk_it_is_about() {
    let text = "# Report\n\nIt grew by three percent in the second quarter. Costs fell meanwhile.\n".to_owned();
    let other = "# Notes\n\nThe weather was mild. Nothing grew but the grass.\n".to_owned();
    let place = Place::new(&[("a.md", text), ("b.md", other)]);
    let model = Model::new(|field: &str, prompt: &str| {
        let about = if prompt.contains("percent") { "Zeppelin Works revenue in 2023" } else { "a garden diary" };
        Ok(json!({field: format!("This part is about {about}.")}).to_string())
    });
    place.engine.derive_units(Maker::Model(&model), &kinds(&[DerivedKind::Context]), &Silent).unwrap();
    let query = Query::new("How did the revenue of Zeppelin Works grow?").recipe("contextual");
    let answer = place.engine.search(&query).unwrap();
    assert_eq!(answer.contexts[0].document, "a.md");
    assert!(!answer.contexts[0].text.contains("Zeppelin"), "what is returned is the document's own text");
    assert!(answer.relevance > 0.5, "found by what was written about it: {}", answer.relevance);
}
