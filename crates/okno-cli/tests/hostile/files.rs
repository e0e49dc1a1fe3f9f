//! Files that are empty, huge, binary, broken, forbidden, or named to do harm.

use super::*;

#[test]
fn an_empty_folder_gives_an_empty_index_that_can_be_searched() {
    let world = World::new();
    std::fs::create_dir(world.path("empty")).unwrap();
    assert_eq!(counts(&world.index(["empty"])), [0, 0, 0, 0]);
    assert_eq!(number(&world.status(), "documents"), 0);
    assert_eq!(world.okno(["documents"]).succeeds().out, "");
    let ran = world.okno(["search", "anything"]).succeeds().says(&["nothing found"]);
    assert_eq!(ran.out, "");
    world.okno(["compare", "anything"]).succeeds();
}

#[test]
fn empty_blank_and_binary_files_are_skipped_with_their_reason() {
    let world = World::new();
    world.write("in/empty.md", "").write("in/blank.txt", " \n\t\r\n \u{3000}\n");
    world
        .write("in/picture.gif", b"GIF89a\x01\0\x01\0\0\0\0")
        .write("in/noise.txt", [0u8, 1, 2, 255, 254, 0, 7].repeat(99));
    world
        .write("in/paper.pdf", "%PDF-1.7\n%\u{e2}\u{e3}\n")
        .write("in/blank.jsonl", "\n\n")
        .write("in/good.md", "A good file.");
    let report = world.index(["in"]);
    assert_eq!(counts(&report)[0], 1);
    let skipped = skipped(&report);
    for (place, reason) in [
        ("empty.md", "no text"),
        ("blank.txt", "no text"),
        ("picture.gif", "GIF image"),
        ("noise.txt", "binary"),
        ("paper.pdf", "PDF"),
        ("blank.jsonl", "no text"),
    ] {
        assert!(skipped[place].contains(reason), "{place}: {}", skipped[place]);
    }
    assert_eq!(skipped.len(), 6);
    let ran = world.okno(["index", "in"]).succeeds().says(&["6 skipped:", "  empty.md – no text"]);
    assert_eq!(ran.out, "");
    world.okno(["index", "in", "--strict"]).ends_with(1).says(&["6 skipped", "--strict"]);
    assert_eq!(world.names(), ["good.md"], "--strict fails after the work is done");
}

#[test]
fn many_skipped_files_are_summed_up() {
    let world = World::new();
    for i in 0..30 {
        world.write(&format!("in/{i}.txt"), "");
    }
    world.okno(["index", "in"]).ends_with(1).says(&["the index is empty, because everything was skipped"]);
    world.write("in/good.md", "Tea is brewed.");
    let ran = world.okno(["index", "in"]).succeeds().says(&["30 skipped:", "and 10 more (--json lists all)"]);
    assert!(ran.err.lines().count() < 30);
    assert_eq!(skipped(&world.index(["in"])).len(), 30);
}

#[cfg(unix)]
#[test]
fn files_and_folders_without_permission_are_reported_and_kept() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world
        .write("in/secret.md", "A secret about foxes.")
        .write("in/closed/note.md", "A closed note.")
        .write("in/open.md", "An open note.");
    world.index(["in"]);
    let allow = |name: &str, mode: u32| {
        std::fs::set_permissions(world.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    world.write("in/secret.md", "A changed secret.");
    allow("in/secret.md", 0o000);
    allow("in/closed", 0o000);
    let root = std::fs::read(world.path("in/secret.md")).is_ok();
    let report = world.index(["in"]);
    allow("in/secret.md", 0o644);
    allow("in/closed", 0o755);
    if root {
        support::say_skipped("this user may read everything");
        return;
    }
    assert_eq!(skipped(&report).keys().collect::<Vec<_>>(), ["closed", "secret.md"]);
    assert_eq!(world.names(), ["closed/note.md", "open.md", "secret.md"], "what cannot be read is not gone");
}

/// A link could lead anywhere, out of the folder or back into it: none is followed, and each is named.
#[cfg(unix)]
#[test]
fn links_loops_and_broken_links_are_reported_and_not_followed() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    world.write("in/a/note.md", "A note about loops.").write("outside/secret.md", "A secret about loops.");
    for (from, to) in
        [("in", "a/up"), ("in/self", "self"), ("nowhere", "broken.md"), ("in/a/note.md", "link.md"), ("outside", "out")]
    {
        symlink(world.path(from), world.path("in").join(to)).unwrap();
    }
    let report = world.index(["in"]);
    assert_eq!(
        skipped(&report).into_keys().collect::<Vec<_>>(),
        ["a/up", "broken.md", "link.md", "out", "self"],
        "{report}"
    );
    assert_eq!(world.names(), ["a/note.md"]);
    assert_eq!(world.found("loops"), ["a/note.md"]);
}

#[cfg(unix)]
#[test]
fn pipes_and_sockets_are_not_waited_for() {
    let world = World::new();
    world.write("in/note.md", "A note.");
    std::os::unix::net::UnixListener::bind(world.path("in/socket")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(world.path("in/pipe.md")).status();
    assert!(made.is_ok_and(|status| status.success()));
    let skipped = skipped(&world.index(["in"]));
    assert_eq!(world.names(), ["note.md"]);
    assert!(skipped["socket"].contains("socket") && skipped["pipe.md"].contains("pipe"), "{skipped:?}");
    world.okno(["index", "in", "--strict"]).ends_with(1).says(&["2 skipped"]);
}

#[test]
fn a_huge_file_is_skipped_at_once() {
    let world = World::new();
    world.write("in/good.md", "A good file.").write("in/dump.txt", "It begins like text.\n");
    // 500 MB that take no room: the hole reads as zeros.
    std::fs::File::options().append(true).open(world.path("in/dump.txt")).unwrap().set_len(500 << 20).unwrap();
    let begun = Instant::now();
    let report = world.index(["in"]);
    assert!(begun.elapsed() < Duration::from_secs(5), "it was read");
    assert!(skipped(&report)["dump.txt"].contains("500 MiB is more than the limit"), "{report}");
    assert_eq!(world.names(), ["good.md"]);
    world.write("in/long.md", "A sentence. ".repeat(3000));
    let report = world.index(["in", "--max-file-size", "10k"]);
    assert!(skipped(&report).contains_key("long.md"));
}

#[test]
fn one_word_or_line_without_end_is_read() {
    let world = World::new();
    world
        .write("in/word.txt", "x".repeat(300_000))
        .write("in/line.txt", "tall grass ".repeat(30_000))
        .write("in/zh.txt", "长江的水".repeat(30_000));
    assert_eq!(counts(&world.index(["in"]))[0], 3);
    for question in ["tall grass", "长江"] {
        // A sentence has at most a thousand characters, which in Chinese are as many tokens.
        let answer = world.search(&[question, "--budget", "1000"]);
        assert!(number(&answer, "tokens") <= 1000);
        assert!(!contexts(&answer).is_empty(), "{question}: a sentence without end is cut where it must be");
    }
}

#[test]
fn chinese_in_any_encoding_is_found_by_chinese_questions() {
    let utf8 = "青海湖的候鸟在春天回来。";
    let wide = |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{feff}高原上的牧民养着白色的牦牛。".encode_utf16().flat_map(bytes).collect()
    };
    let world = World::new();
    world.write("in/gb.txt", GB18030).write("in/big5.txt", BIG5).write("in/mark.txt", format!("\u{feff}{utf8}"));
    world.write("in/le.txt", wide(u16::to_le_bytes)).write("in/be.txt", wide(u16::to_be_bytes));
    assert_eq!(counts(&world.index(["in"]))[0], 5);
    for (question, name, exact) in [
        ("渡口的钟声传到哪里", "gb.txt", "对岸的村子"),
        ("夜市的珍珠奶茶", "big5.txt", "珍珠奶茶最受歡迎"),
        // Simplified characters find traditional text.
        ("台湾夜市受欢迎的小吃", "big5.txt", "夜市有許多小吃"),
        ("候鸟什么时候回来", "mark.txt", "候鸟在春天回来"),
        ("牦牛是什么颜色", "be.txt", "白色的牦牛"),
    ] {
        let answer = world.search(&[question]);
        let best = &contexts(&answer)[0];
        assert_eq!(
            (text(best, "doc_id").as_str(), text(best, "text").contains(exact)),
            (name, true),
            "{question}: {best}"
        );
    }
    assert_eq!(world.text("mark.txt"), utf8, "without the byte order mark");
}

#[test]
fn utf8_with_a_broken_byte_is_read() {
    let world = World::new();
    let mut slightly = "The heron stands in the reeds and waits. ".repeat(100).into_bytes();
    slightly[500] = 0xff;
    world.write("in/slightly.txt", slightly);
    world.index(["in"]);
    assert_eq!(world.found("heron in the reeds"), ["slightly.txt"]);
}

#[test]
fn broken_lines_of_a_jsonl_file_are_named_and_the_others_read() {
    let world = World::new();
    let lines = [
        json!({"doc_id": "good", "text": "The good line."}).to_string(),
        "{broken".to_owned(),
        String::new(),
        json!({"doc_id": "good", "text": "The same name again."}).to_string(),
        json!({"doc_id": "blank", "text": "  "}).to_string(),
        json!({"doc_id": "number", "text": 7}).to_string(),
        json!({"doc_id": "none"}).to_string(),
        "[1, 2]".to_owned(),
        "null".to_owned(),
        json!({"text": "A line without a name."}).to_string(),
    ];
    world.write("in/lines.jsonl", lines.join("\n"));
    let report = world.index(["in"]);
    let skipped = skipped(&report);
    assert_eq!(
        skipped.keys().collect::<Vec<_>>(),
        [2, 4, 5, 6, 7, 8, 9].map(|n| format!("lines.jsonl:{n}")).iter().collect::<Vec<_>>()
    );
    assert!(skipped["lines.jsonl:7"].contains("no field `text` or `content`"), "{skipped:?}");
    assert_eq!(world.names(), ["good", "lines.jsonl:10"]);
    world.write(
        "other.jsonl",
        "{\"name\": \"n\", \"body\": \"Other fields.\"}\n{\"name\": \"m\", \"body\": \"More.\"}\n",
    );
    world.index(["other.jsonl", "--jsonl-fields", "id=name,text=body"]);
    assert!(world.names().contains(&"n".to_owned()));
}

#[cfg(unix)]
#[test]
fn names_and_texts_cannot_command_the_terminal() {
    let world = World::new();
    let evil = "in/red\u{1b}[31m\nline\u{9b}2J\u{7}.md";
    let front = "---\ntitle: \"Ti\u{1b}tle\"\nkey\u{1b}: \"va\u{1b}lue\"\n---\n# He\u{1b}[5mad\n\nThe herring \
        \u{1b}]0;owned\u{7} swims.\u{8}\n";
    // Long enough not to be taken for a binary file.
    world.write(evil, format!("{front}{}", "It swims on and on.\n".repeat(20)));
    world.write("in/empty\u{1b}[2J.md", "").write("in/plain.txt", "The herring swims too. \u{1b}[31mRed.");
    let ran = world.okno(["index", "in"]).succeeds();
    assert!(!has_control(&ran.err), "{:?}", ran.err);
    assert!(ran.err.contains("empty\\u{1b}[2J.md"), "the name is shown escaped, so that it can be told: {:?}", ran.err);
    let name = evil.strip_prefix("in/").unwrap();
    for command in [
        &["search", "herring"][..],
        &["search", "herring", "--explain"],
        &["compare", "herring"],
        &["documents"],
        &["status"],
        &["show", name],
        &["show", "no\u{1b}[31mthing"],
        &["index", "no\u{1b}[31mthing"],
        &["search", "x", "--filter", "a\u{1b}[31m = 1"],
        &["search", "x", "--recipe", "\u{1b}[31m"],
        &["remove", "--root", "\u{1b}[31m"],
        &["--index", "\u{1b}[31m", "status"],
    ] {
        let ran = world.okno(command);
        assert!(!has_control(&ran.out) && !has_control(&ran.err), "{command:?}: {ran:?}");
    }
    let names: Vec<String> = world.names();
    assert!(names.contains(&name.to_owned()), "programs get the name as it is: {names:?}");
    assert!(!world.okno(["search", "herring", "--json"]).succeeds().out.contains('\u{1b}'), "JSON escapes it");
}
