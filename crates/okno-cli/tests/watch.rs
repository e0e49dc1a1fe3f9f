//! `okno index --watch`: the index follows while others search, and Ctrl-C ends it cleanly.
#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader};
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use support::{World, signal, wait_until};

/// The lines a watch prints on standard error, as they come.
fn lines(child: &mut Child) -> Receiver<String> {
    let (tell, told) = channel();
    let err = child.stderr.take().unwrap();
    std::thread::spawn(move || BufReader::new(err).lines().map_while(Result::ok).all(|line| tell.send(line).is_ok()));
    told
}

fn next(lines: &Receiver<String>, part: &str) -> String {
    loop {
        let line = lines.recv_timeout(Duration::from_secs(20)).unwrap_or_else(|_| panic!("no line with `{part}`"));
        if line.contains(part) {
            return line;
        }
    }
}

#[test]
fn changes_are_followed_while_others_search() {
    let world = World::new();
    world.write("notes/tea.md", "Green tea wants seventy degrees.").write("notes/soup.md", "Leek soup wants butter.");
    let mut child = world.start(["index", "notes", "--watch"]);
    let told = lines(&mut child);
    next(&told, "watching");
    assert_eq!(world.names(), ["soup.md", "tea.md"], "others read while it waits");

    world.write("notes/deep/rice.md", "Rice wants rest under a towel.").delete("notes/soup.md");
    next(&told, "1 added, 0 changed, 1 removed");
    assert_eq!(world.found("rice towel")[0], "deep/rice.md");
    world.write("notes/deep/rice.md", "Rice wants salt.");
    next(&told, "0 added, 1 changed");
    assert_eq!(world.text("deep/rice.md"), "Rice wants salt.");

    // The configuration counts too, and a mistake in it ends nothing.
    world.write("notes/.okno-watch-is-hidden", "");
    world.write("okno.toml", "nonsense = 1\n").write("notes/a.md", "First.");
    next(&told, "no key `nonsense`");
    world.write("okno.toml", "[[rules]]\nset = { kind = \"note\" }\n").write("notes/b.md", "Second.");
    next(&told, "2 added");
    assert_eq!(world.documents()["b.md"]["metadata"]["kind"], "note");

    // Between two runs nothing is locked.
    world.write("other/x.md", "Another root.");
    world.index(["other"]);

    signal(&child, "INT");
    let mut status = None;
    wait_until("the watch has ended", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    assert_eq!(status.and_then(|status| status.code()), Some(0), "Ctrl-C is how a watch ends");
    assert_eq!(world.names().len(), 5);
}

#[test]
fn watching_and_strictness_exclude_each_other() {
    let world = World::new();
    world.write("notes/tea.md", "Green tea.");
    world.okno(["index", "notes", "--watch", "--strict"]).ends_with(2);
}
