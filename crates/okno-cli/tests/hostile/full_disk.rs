//! What a full disk does, in a small file system that vanishes with the process that mounted it.

use super::*;
use std::process::Command;

/// Runs a script in which `$disk` is a file system of this many kilobytes; `None` where that is not allowed.
fn on_small_disk(world: &World, kilobytes: usize, script: &str) -> Option<Ran> {
    let mut command = Command::new("unshare");
    let script = format!("mount -t tmpfs -o size={kilobytes}k none \"$disk\" || exit 77\n{script}");
    command.args(["-rm", "sh", "-c", &script]).current_dir(world.path(""));
    command
        .env("okno", env!("CARGO_BIN_EXE_okno"))
        .env("disk", world.path("disk"))
        .env("sample", sample())
        .env("LANG", "C");
    std::fs::create_dir_all(world.path("disk")).unwrap();
    let output = command.output().ok()?;
    let ran = Ran::from(output);
    let refused = ran.status.code() == Some(77) || ran.err.contains("unshare");
    (!refused).then_some(ran)
}

#[test]
fn a_full_disk_is_said_with_a_next_step_and_nothing_committed_is_lost() {
    let world = World::new();
    world.write("small/note.md", "A note about herons.");
    let script = r#"
        export OKNO_INDEX="$disk/index"
        "$okno" index small 2>/dev/null && echo first
        "$okno" index "$sample" && echo second
        "$okno" search herons --json
    "#;
    let mut failures = 0;
    for kilobytes in [250, 400, 600, 800] {
        let Some(ran) = on_small_disk(&world, kilobytes, script) else {
            support::say_skipped("no file system may be mounted here");
            return;
        };
        assert!(ran.out.starts_with("first\n"), "{kilobytes}: {ran:?}");
        let rest = ran.out.strip_prefix("first\n").unwrap();
        if !rest.starts_with("second\n") {
            failures += 1;
            assert!(ran.err.starts_with("error: ") && ran.err.contains("space"), "{kilobytes}: {}", ran.err);
        }
        let answer: Value = serde_json::from_str(rest.strip_prefix("second\n").unwrap_or(rest)).unwrap();
        assert!(answer.to_string().contains("A note about herons."), "{kilobytes}: what was committed is gone");
    }
    assert!(failures > 1, "the disks were not small enough to fill");
}

/// The same without a file system of our own: the shell limits the size of files, which writes then run into.
#[test]
fn a_file_that_may_not_grow_is_said_with_a_next_step_and_the_next_run_completes() {
    let world = World::new();
    world.write("small/note.md", "A note about herons.");
    world.index(["small"]);
    for blocks in [60, 150, 400] {
        let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &limited, env!("CARGO_BIN_EXE_okno"), "index"]).arg(sample());
        let ran = Ran::of(command.current_dir(world.path("")).env("LANG", "C").env_remove("OKNO_INDEX"));
        assert!(ran.status.code().is_some_and(|code| code < 2), "{ran:?}");
        if !ran.status.success() {
            ran.refuses();
        }
        assert_eq!(world.found("herons")[0], "note.md", "{blocks}");
    }
    world.okno(["index", sample().to_str().unwrap()]).succeeds();
    assert_eq!(number(&world.status(), "documents"), 27);
}
