//! What a full disk does, in a small file system that vanishes with the process that mounted it.
//!
//! Some sizes by default. With a file system of every number of pages, so that every write is once the first one for
//! which there is no room:
//!
//! ```text
//! OKNO_TRUST_DISK_STEP=4 cargo test --release -p okno-cli --test hostile full_disk -- --nocapture
//! ```

use super::*;
use std::collections::BTreeMap;
use std::process::Command;

/// Runs a script in which `$disk` is a file system of this many kilobytes; `None` where that is not allowed.
fn on_small_disk(world: &World, kilobytes: usize, script: &str) -> Option<Ran> {
    let mut command = Command::new("unshare");
    let script = format!("mount -t tmpfs -o size={kilobytes}k none \"$disk\" || exit 77\n{script}");
    command.args(["-rm", "sh", "-c", &script]).current_dir(world.path(""));
    command.env("okno", support::program()).env("disk", world.path("disk")).env("sample", sample()).env("LANG", "C");
    std::fs::create_dir_all(world.path("disk")).unwrap();
    let output = command.output().ok()?;
    let ran = Ran::from(output);
    let refused = ran.status.code() == Some(77) || ran.err.contains("unshare");
    (!refused).then_some(ran)
}

/// Everything that writes on a full disk, then the same with room. Prints the name of each step, its exit code and the
/// first line that it said.
const STEPS: &str = r#"
    export OKNO_INDEX="$disk/index"
    step() { name=$1; shift; "$@" > "$disk.out" 2> "$disk.err"; echo "$name $? $(head -n 1 "$disk.err")"; }
    step first "$okno" index small
    step second "$okno" index "$sample"
    step check "$okno" check
    step search "$okno" search herons --json
    grep -q 'A note about herons.' "$disk.out" && echo 'found 0'
    step backup "$okno" backup "$disk/one.backup"
    step restore "$okno" --index "$disk/copy" restore "$disk/one.backup"
    mount -o remount,size=64m "$disk"
    step index-with-room "$okno" index small "$sample"
    step check-with-room "$okno" check
    step backup-with-room "$okno" backup "$disk/one.backup"
    step restore-with-room "$okno" --index "$disk/other" restore "$disk/one.backup"
"#;

/// Enough for all of it.
const ENOUGH: usize = 2400;

/// Room for the file of locks and the first of the two pages that an index begins with. Was broken: what is left of
/// such a beginning was taken for a damaged index.
const LOCKS_AND_A_PAGE: usize = 72;

#[test]
fn a_full_disk_is_said_with_a_next_step_and_nothing_committed_is_lost() {
    let world = World::new();
    world.write("small/note.md", "A note about herons.");
    let (mut sizes, mut failures) = (0, 0);
    let spread = (4..ENOUGH).step_by(support::size("OKNO_TRUST_DISK_STEP", 300));
    for kilobytes in spread.chain([LOCKS_AND_A_PAGE]) {
        let Some(ran) = on_small_disk(&world, kilobytes, STEPS) else {
            support::say_skipped("no file system may be mounted here");
            return;
        };
        let steps: BTreeMap<&str, (&str, &str)> = ran
            .out
            .lines()
            .map(|line| line.split_once(' ').unwrap())
            .map(|(name, rest)| (name, rest.split_once(' ').unwrap_or((rest, ""))))
            .collect();
        for name in ["index-with-room", "check-with-room", "backup-with-room", "restore-with-room"] {
            assert_eq!(steps[name].0, "0", "{kilobytes}: {name}: {}", ran.out);
        }
        for name in ["first", "second", "backup", "restore"] {
            let (code, said) = steps[name];
            // Without an index there is nothing to back up, without a backup nothing to restore.
            let before = if name == "restore" { "backup" } else { "first" };
            let missing = name != "second" && name != "first" && steps[before].0 == "1";
            let full = ["space", "Input/output error"].iter().any(|word| said.contains(word));
            assert!(code == "0" || code == "1", "{kilobytes}: {name}: {}", ran.out);
            assert!(code == "0" || missing || (said.starts_with("error: ") && full), "{kilobytes}: {name}: {said}");
            failures += usize::from(code == "1" && !missing);
        }
        if steps["first"].0 == "0" {
            let there = steps["check"].0 == "0" && steps.contains_key("found");
            assert!(there, "{kilobytes}: what was committed is gone: {}", ran.out);
        }
        sizes += 1;
    }
    println!("{sizes} sizes of a full disk: {failures} commands failed and said so, nothing lost");
    assert!(failures > 3, "the disks were not small enough to fill");
}

/// Was broken: with room for the documents of a backup, but not for the file of locks, LMDB used a page of that file
/// that had no place, and the process ended with SIGBUS.
#[test]
fn a_backup_that_just_fits_is_restored_or_the_full_disk_is_said() {
    let world = World::new();
    world.write("small/note.md", "A note about herons.").index(["small"]);
    world.okno(["backup", "one.backup"]).succeeds();
    let pages = std::fs::metadata(world.path("one.backup")).unwrap().len() as usize / 4096;
    for more in [0, 1, 2, 5, 20, 400] {
        let script = "exec \"$okno\" --index \"$disk/copy\" restore one.backup";
        let Some(ran) = on_small_disk(&world, (pages + more) * 4, script) else {
            support::say_skipped("no file system may be mounted here");
            return;
        };
        if more == 400 || ran.status.success() {
            ran.succeeds();
        } else {
            ran.refuses();
        }
    }
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
        command.arg("-c").arg(&limited).arg(support::program()).arg("index").arg(sample());
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
