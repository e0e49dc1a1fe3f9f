//! Index folders that are something else, or were damaged.

use super::*;

#[test]
fn an_index_path_that_is_a_file_or_holds_other_things_is_refused_and_untouched() {
    let world = World::new();
    world.write("letter", "Dear …").write("folder/letter", "Dear …").write("in/note.md", "A note.");
    for place in ["letter", "folder"] {
        world.okno(["--index", place, "index", "in"]).refuses().says(&[&format!("`{place}`"), "another `--index`"]);
        world.okno(["--index", place, "search", "x"]).refuses().says(&["no index at"]);
    }
    world.okno(["--index", "letter/below", "index", "in"]).ends_with(1).says(&["letter/below"]);
    assert_eq!(std::fs::read(world.path("letter")).unwrap(), "Dear …".as_bytes());
    assert_eq!(std::fs::read_dir(world.path("folder")).unwrap().count(), 1);
}

#[test]
fn paths_that_do_not_exist_are_refused_before_others_are_read() {
    let world = World::new();
    world.write("in/note.md", "A note.");
    world.okno(["index", "in", "nowhere"]).refuses().says(&["cannot read `nowhere`"]);
    assert!(!world.path(".okno").exists(), "all or nothing");
}

/// Changes `data.mdb` of an index of the sample, runs every command, and looks how it ends.
fn damaged(damage: &dyn Fn(&mut Vec<u8>)) -> Vec<Ran> {
    let world = World::with_sample();
    let file = world.path(".okno/data.mdb");
    let whole = std::fs::read(&file).unwrap();
    let mut bytes = whole;
    damage(&mut bytes);
    let commands: [&[&str]; 4] = [&["status"], &["search", "土豆", "--budget", "50"], &["documents"], &["index"]];
    commands
        .iter()
        .map(|command| {
            std::fs::write(&file, &bytes).unwrap();
            let ran = world.okno(*command);
            assert!(ran.status.code().is_some_and(|code| code < 2), "{command:?} died: {ran:?}");
            ran
        })
        .collect()
}

const PAGE: usize = 4096;

/// Was broken: reading behind the end of the file ended the process with SIGBUS.
#[test]
fn a_data_file_that_was_cut_short_is_called_damaged() {
    for (part, of) in [(1, 9), (3, 9), (5, 9), (7, 9), (9, 10)] {
        let runs = damaged(&|bytes| bytes.truncate(bytes.len() * part / of));
        assert!(runs.iter().any(|ran| !ran.status.success()), "{part}/{of} of an index is no index");
        for ran in runs.into_iter().filter(|ran| !ran.status.success()) {
            ran.refuses().says(&["is damaged", "delete the folder and index the documents again"]);
        }
    }
    for length in [1, 100, PAGE, PAGE + 5] {
        for ran in damaged(&|bytes| bytes.truncate(length)) {
            ran.refuses().says(&["is damaged"]);
        }
    }
    let runs = damaged(&|bytes| bytes.clear());
    assert!(runs[0].err.contains("no index at"), "{:?}", runs[0]);
}

#[test]
fn a_data_file_with_zeros_or_noise_in_it_is_called_damaged_or_works() {
    for ran in damaged(&|bytes| bytes.fill(0)) {
        ran.refuses().says(&["is damaged"]);
    }
    for (step, noise) in [(7, false), (11, true)] {
        let runs = damaged(&|bytes| {
            // The first two pages say where everything else is; the others are hit one in so many.
            for page in (2..bytes.len() / PAGE).step_by(step) {
                let page = &mut bytes[page * PAGE..(page + 1) * PAGE];
                page.iter_mut()
                    .enumerate()
                    .for_each(|(i, byte)| *byte = if noise { (i * 131 + i / 7) as u8 } else { 0 });
            }
        });
        for ran in runs.into_iter().filter(|ran| !ran.status.success()) {
            ran.refuses();
        }
    }
}

fn each_file(folder: &Path, extension: &str, change: &dyn Fn(&Path)) {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|own| own == extension)).for_each(|path| change(&path));
}

/// What happens to the folder, and how.
type Damage<'d> = (&'static str, &'d dyn Fn(&Path));

/// The lexical index is derived: whatever happens to it, the documents are safe and `index` builds it again.
#[test]
fn a_damaged_lexical_index_says_what_to_do_and_doing_it_helps() {
    let world = World::with_sample();
    let whole = world.search(&["土豆"]);
    let damages: [Damage<'_>; 6] = [
        ("lost", &|folder| std::fs::remove_dir_all(folder).unwrap()),
        ("foreign", &|folder| std::fs::write(folder.join("segments"), "{}").unwrap()),
        ("a file lost", &|folder| each_file(folder, "idx", &|path| std::fs::remove_file(path).unwrap())),
        ("emptied", &|folder| each_file(folder, "idx", &|path| std::fs::write(path, "").unwrap())),
        ("cut", &|folder| {
            each_file(folder, "idx", &|path| {
                let half = std::fs::metadata(path).unwrap().len() / 2;
                std::fs::File::options().write(true).open(path).unwrap().set_len(half).unwrap();
            });
        }),
        ("zeros", &|folder| each_file(folder, "idx", &|path| std::fs::write(path, vec![0; 5000]).unwrap())),
    ];
    for (what, damage) in damages {
        damage(&world.path(".okno/lexical"));
        world.okno(["search", "土豆"]).refuses().says(&["lexical index", "`okno index`"]);
        world.okno(["index"]).succeeds();
        assert_eq!(contexts(&world.search(&["土豆"])), contexts(&whole), "{what}");
    }
}

#[test]
fn another_format_or_embedder_is_refused_by_name() {
    let format = format!("\"format\":{}", okno::store::FORMAT);
    for (old, new, says, next) in [
        (format.as_str(), "\"format\":9", "has format 9", "into a new folder"),
        ("okno-static-", "OKNO-static-", "`OKNO-static-", "okno reembed"),
    ] {
        let world = World::with_sample();
        let file = world.path(".okno/data.mdb");
        let mut bytes = std::fs::read(&file).unwrap();
        // The manifest is plain JSON, and both names have the same length.
        let places: Vec<usize> =
            bytes.windows(old.len()).enumerate().filter(|(_, w)| *w == old.as_bytes()).map(|(at, _)| at).collect();
        assert!(!places.is_empty(), "the manifest is not where this test looks");
        for at in places {
            bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
        }
        std::fs::write(&file, bytes).unwrap();
        for command in [&["search", "x"][..], &["index"], &["status"]] {
            world.okno(command).refuses().says(&[says, next]);
        }
    }
}
