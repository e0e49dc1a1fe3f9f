//! Flags that cannot work.

use super::*;

#[test]
fn a_recipe_that_does_not_exist_names_those_that_do() {
    let world = World::with_sample();
    for command in [
        &["search", "x", "--recipe", "best"][..],
        &["compare", "x", "--recipes", "auto,best"],
        &["index", "--recipe", "best"],
    ] {
        world.okno(command).refuses().says(&["`best`", "`auto`", "`window`"]);
    }
    assert_eq!(text(&world.status(), "recipe"), "auto", "a refused choice is not kept");
    world.okno(["search", "x", "--expand", "sideways"]).refuses().says(&["`sideways`", "`window:3`"]);
}

#[test]
fn sizes_that_cannot_work_are_refused_before_anything_is_made() {
    let world = World::new();
    world.write("in/note.md", "A note.");
    for (flags, says) in [
        (
            &["--size", "100", "--overlap", "100"][..],
            &["overlap 100", "smaller than chunk size 100", "try half of it"][..],
        ),
        (&["--size", "100t", "--overlap", "4000000000"], &["overlap 4000000000"]),
        (&["--overlap", "400"], &["overlap 400"]),
        (&["--size", "0"], &["size of 0"]),
        (&["--size", "0t", "--overlap", "0"], &["size of 0"]),
        (&["--size", "big"], &["'big'", "`512t`"]),
        (&["--size", "-5"], &["-5"]),
        (&["--size", "99999999999999"], &["99999999999999"]),
    ] {
        let ran = world.okno(["index", "in"].iter().chain(flags));
        assert!(!ran.status.success(), "{flags:?}");
        ran.says(says);
        assert!(!world.path(".okno").exists(), "{flags:?} made an index");
    }
    world.okno(["index", "in", "--size", "1", "--overlap", "0", "--recipe", "chunks"]).succeeds();
    assert_eq!(contexts(&world.search(&["note"])).len(), 1, "a sentence larger than the size is a chunk of its own");
    world.okno(["index", "in", "--jsonl-fields", "foo=bar"]).ends_with(1).says(&["`foo=bar`", "`text=…`"]);
}

#[test]
fn numbers_at_their_limits_are_taken_as_they_are() {
    let world = World::with_sample();
    let most = usize::MAX.to_string();
    for flags in [
        &["--window", "4294967295"][..],
        &["--neighbors", "4294967295"],
        &["-k", &most],
        &["--budget", &most],
        &["-k", &most, "--budget", &most, "--window", "4294967295"],
        &["--recipe", "parent", "-k", &most],
    ] {
        let answer = world.search(&[&["土豆"], flags].concat());
        assert!(!contexts(&answer).is_empty(), "{flags:?}");
    }
    assert_eq!(world.okno(["search", "土豆", "-k", "99999999999999999999999"]).ends_with(2).out, "");
}
