//! An index that may be read and not written to.

use super::{Ran, World, contexts, text};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;

fn set_modes(folder: &Path, file_mode: u32, folder_mode: u32) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            set_modes(&path, file_mode, folder_mode);
        } else {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(file_mode)).unwrap();
        }
    }
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(folder_mode)).unwrap();
}

/// Runs the program as somebody who may not write: root may always.
fn as_nobody(world: &World, arguments: &[&str]) -> Ran {
    let mut command = world.command();
    // A test cannot ask for its own user without a library; the owner of what it writes is its user.
    let root = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(world.path("")).unwrap()) == 0;
    if root {
        command.uid(65534).gid(65534);
    }
    Ran::of(command.args(arguments))
}

/// Was broken: opening wrote lock files, so that nothing could be searched.
#[test]
fn an_index_without_permission_to_write_is_searched() {
    let world = World::with_tea();
    for lock in ["lock.mdb", "writer.lock"] {
        world.delete(&format!(".okno/{lock}"));
    }
    std::fs::set_permissions(world.path(""), std::fs::Permissions::from_mode(0o555)).unwrap();
    set_modes(&world.path(".okno"), 0o444, 0o555);
    let answer = as_nobody(&world, &["search", "--json", "tea"]).succeeds().json();
    assert_eq!(text(&contexts(&answer)[0], "doc_id"), "tea.md");
    as_nobody(&world, &["status"]).succeeds();
    as_nobody(&world, &["check"]).succeeds();
    as_nobody(&world, &["index"]).refuses().says(&["open for reading only", "make its folder"]);
    as_nobody(&world, &["--lang", "zh", "index"]).refuses().says(&["只能读取"]);
    assert!(!world.path(".okno/lock.mdb").exists(), "nothing was written");
    // So that the folder can be deleted.
    std::fs::set_permissions(world.path(""), std::fs::Permissions::from_mode(0o755)).unwrap();
    set_modes(&world.path(".okno"), 0o644, 0o755);
    world.index(["notes"]);
}
