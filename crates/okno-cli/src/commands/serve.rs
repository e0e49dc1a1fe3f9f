//! `okno serve` and `okno mcp`: the indexes opened, the parts put together, and handed to the server.

use crate::globals::Globals;
use crate::indexing::{self, IndexChoices};
use crate::locale::say;
use crate::model::{self, ModelTable};
use crate::program::limited;
use crate::values::{ip, number, rate};
use crate::{address, embedder, errors, opening, output, settings};
use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use okno::config::Settings;
use okno::generate::{GenerateError, Generator};
use okno_server::{
    AuditSettings, KeyFile, LogFormat, NamedIndex, NamedModel, PageReader, RateLimit, RequestLimits, ServeSettings,
    ServerParts, TlsFiles, UploadProbe,
};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Where the key is looked for when no file is named.
const KEY: &str = "OKNO_API_KEY";

/// What loading an upload may take, unless the configuration says otherwise: the largest file that is loaded at once
/// has 64 MB, and a rendered text may take many times that.
const LOAD_MEMORY: u64 = 2 << 30;
const LOAD_TIME: Duration = Duration::from_mins(1);

/// What drawing a page may take, or less where loading may take less: people wait for it.
const PAGE_TIME: Duration = Duration::from_secs(15);

/// Where and for whom to serve.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The IP address to listen on; one that other machines can reach needs a key
    #[arg(long, value_name = "ADDRESS", value_parser = ip, default_value = "127.0.0.1")]
    host: IpAddr,
    /// The port; 0 chooses a free one
    #[arg(long, value_parser = number::<u16>, default_value_t = 7765)]
    port: u16,
    /// A file with a key that may do everything [default: the variable `OKNO_API_KEY`, if it is set]; see `okno keys`
    #[arg(long, value_name = "FILE")]
    api_key_file: Option<PathBuf>,
    /// Trust this header of a proxy for the groups of whoever sends a request, e.g. `X-Groups`; the proxy must replace
    /// what clients send in it
    #[arg(long, value_name = "HEADER")]
    groups_header: Option<String>,
    /// Allow requests from web pages of this origin, e.g. `https://notes.example`
    #[arg(long, value_name = "ORIGIN")]
    cors: Vec<String>,
    /// Allow requests to index files in this folder, besides those already indexed
    #[arg(long, value_name = "FOLDER")]
    allow: Vec<PathBuf>,
    /// How many requests each key may send, e.g. `60/min`; more get 429
    #[arg(long, value_name = "RATE", value_parser = rate)]
    rate: Option<RateLimit>,
    /// How much each key may upload, e.g. `500MB/day`
    #[arg(long, value_name = "RATE", value_parser = rate)]
    upload_quota: Option<RateLimit>,
    /// Serve HTTPS with this certificate (PEM, with those above it); read again when the file changes
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Write a line of JSON for every request to this file: when, key, route, documents
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// Write questions to the audit log as well
    #[arg(long, requires = "audit")]
    audit_questions: bool,
    /// Log format; `OKNO_LOG` sets the level
    #[arg(long, alias = "log-format", value_name = "FORMAT", default_value = "text")]
    log: LogName,
}

/// The format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogName {
    /// Plain lines
    Text,
    /// One JSON object per line
    Json,
}

pub fn run(globals: &Globals, args: &ServeArgs) -> Result<()> {
    let parts = parts(globals)?;
    let limits = limits(globals)?;
    let settings = ServeSettings {
        host: args.host,
        port: args.port,
        key: key(args.api_key_file.as_deref())?,
        keys: Some(KeyFile::beside(&address::folder(Some(&first_index(globals))))),
        groups_header: args.groups_header.clone(),
        cors: args.cors.clone(),
        audit: args.audit.clone().map(|file| AuditSettings { file, questions: args.audit_questions }),
        rate: args.rate,
        upload_quota: args.upload_quota,
        tls: tls(args),
        allowed: args.allow.clone(),
        limits,
    };
    let _logging = okno_server::log(match args.log {
        LogName::Text => LogFormat::Text,
        LogName::Json => LogFormat::Json,
    });
    okno_server::serve(parts, &settings, |address| ready(globals, args, address), okno_server::interrupted())?;
    Ok(())
}

/// The certificate; each of the flags requires the other.
fn tls(args: &ServeArgs) -> Option<TlsFiles> {
    let (certificate, key) = args.tls_cert.clone().zip(args.tls_key.clone())?;
    Some(TlsFiles { certificate, key })
}

/// The index whose configuration and keys are those of the server.
fn first_index(globals: &Globals) -> PathBuf {
    globals.index().map_or_else(|| address::folder(None), |given| named(given).1)
}

/// What requests may cost, as the configuration of the first index says.
fn limits(globals: &Globals) -> Result<RequestLimits> {
    let settings = settings::of(&first_index(globals))?;
    let own = &settings.values().serve;
    let mut limits = RequestLimits { query: own.query_limits(), ..RequestLimits::default() };
    limits.recipes = own.max_recipes.unwrap_or(limits.recipes);
    limits.filter = own.max_filter.unwrap_or(limits.filter);
    limits.time = own.timeout.map_or(limits.time, Duration::from_secs_f64);
    limits.connections.connections = own.max_connections.unwrap_or(limits.connections.connections);
    Ok(limits)
}

/// Prints the server's URL; as JSON on standard output for a program that started it.
fn ready(globals: &Globals, args: &ServeArgs, address: SocketAddr) {
    let scheme = if args.tls_cert.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{address}");
    if globals.json {
        // The server also runs if standard output is closed.
        let _ = output::json_line(&serde_json::json!({ "url": url }));
    }
    output::note(&say!("serving on {} – press Ctrl-C to stop", "服务地址 {} —— 按 Ctrl-C 结束", url));
}

/// `okno mcp`: one agent, over standard input and output.
pub fn mcp(globals: &Globals) -> Result<()> {
    Ok(okno_server::mcp_stdio(parts(globals)?)?)
}

/// The key in a file, or in the environment.
fn key(file: Option<&Path>) -> Result<Option<String>> {
    let given = match file {
        Some(file) => Some(
            std::fs::read_to_string(file)
                .with_context(|| say!("cannot read the key from `{}`", "无法读取 `{}` 中的密钥", file.display()))?,
        ),
        None => std::env::var(KEY).ok(),
    };
    let key = given.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
    if let (Some(file), None) = (file, &key) {
        bail!(say!("`{}` is empty; it should contain a key", "`{}` 是空的；应当含有密钥", file.display()));
    }
    Ok(key)
}

/// The parts of a server: the indexes that were named, or the nearest.
fn parts(globals: &Globals) -> Result<ServerParts> {
    let named: Vec<(Option<String>, PathBuf)> = match (&globals.store, &globals.index[..]) {
        (Some(address), _) => vec![(None, address.clone())],
        (None, []) => vec![(None, address::folder(None))],
        (None, given) => given.iter().map(|given| named(given)).collect(),
    };
    let (mut indexes, mut generator): (Vec<NamedIndex>, _) = (Vec::new(), None);
    let models = models(&first_index(globals))?;
    for (name, folder) in named {
        let name = name.unwrap_or_else(|| usual_name(&folder));
        if indexes.iter().any(|known| known.name == name) {
            bail!(say!(
                "two indexes have the name `{}` – give them names: `--index work=DIR --index home=DIR`",
                "有两个索引都叫 `{}` —— 请分别命名：`--index work=目录 --index home=目录`",
                name
            ));
        }
        let (index, own) = index(name, &folder)?;
        // The first index's model answers questions; each index's own helps to search it.
        generator = if indexes.is_empty() { own } else { generator };
        indexes.push(index);
    }
    Ok(ServerParts { indexes, generator, models, pages: Some(page_reader(&settings::of(&first_index(globals))?)?) })
}

/// The models that can be picked, of the first index's configuration; one whose service does not answer is left out.
fn models(folder: &Path) -> Result<Vec<NamedModel>> {
    let (settings, secrets) = (settings::of(folder)?, settings::secrets(folder));
    let mut models = Vec::new();
    for name in settings.values().models.keys() {
        let table = ModelTable::picked(&settings, Some(name))?;
        let generator = match model::generator(&table, &secrets) {
            Err(error) if error.is::<GenerateError>() => {
                let name = output::printable(name);
                output::note(&say!(
                    "the model `{}` is left out: {}",
                    "没有启用模型 `{}`：{}",
                    name,
                    errors::message(&error)
                ));
                continue;
            }
            made => made?,
        };
        let Some(generator) = generator else { continue };
        let replies = model::reply_options(&settings, &table, folder)?;
        models.push(NamedModel {
            name: name.clone(),
            generator,
            replies,
            vision: table.config.vision.unwrap_or(false),
        });
    }
    Ok(models)
}

/// `work=DIR` is a name and a folder, unless there is a folder of that very name.
fn named(given: &Path) -> (Option<String>, PathBuf) {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
    match given.to_str().and_then(|given| given.split_once('=')) {
        Some((name, folder)) if is_name(name) && !given.exists() => (Some(name.to_owned()), folder.into()),
        _ => (None, given.to_owned()),
    }
}

/// `.okno` of a folder is called as the folder is, anything else as itself; an index on a server without its options.
fn usual_name(folder: &Path) -> String {
    let address = folder.to_str().filter(|_| address::is_remote(folder));
    let folder = address.and_then(|address| address.split('?').next()).map_or(folder, Path::new);
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let of = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let own = of(&whole).unwrap_or_default();
    let name = if own == address::FOLDER { whole.parent().and_then(of).unwrap_or(own) } else { own };
    // A comma stands between names.
    name.trim_start_matches('.').replace(',', "_")
}

/// Opens an index, or creates an empty one, to which documents can be uploaded.
fn index(name: String, folder: &Path) -> Result<(NamedIndex, Option<Arc<dyn Generator>>)> {
    let mut engine = match opening::open_to_search(Some(folder), None) {
        Err(error) if matches!(error.downcast_ref(), Some(okno::Error::NoIndex(_))) => {
            drop(embedder::open_or_create(okno::Engine::builder(), folder, None, &settings::of(folder)?)?);
            output::note(&say!("created an empty index in {}", "已在 {} 建立空索引", folder.display()));
            opening::open_to_search(Some(folder), None)?
        }
        opened => opened?,
    };
    let own = settings::of(folder)?;
    let (usual, secrets) = (ModelTable::usual(&own), settings::secrets(folder));
    let (replies, generator) = (model::reply_options(&own, &usual, folder)?, model::generator(&usual, &secrets)?);
    let prompts = replies.prompts.clone();
    let guard = upload_probe(&engine, &own)?;
    engine.reconfigure(|builder| builder.generator(generator.clone()).prompts(prompts).load_guard(Some(guard)))?;
    let engine = Arc::new(engine);
    let (asked, configured) = (Arc::clone(&engine), folder.to_owned());
    let index = NamedIndex {
        name,
        engine,
        replies,
        vision: usual.config.vision.unwrap_or(false),
        complete: Arc::new(move |query| settings::fill(query, &own, &asked)),
        // Read again for each job, so that changes of `okno.toml` apply to the next one.
        options: Arc::new(move || indexing::options(IndexChoices::default(), settings::of(&configured)?.values())),
    };
    Ok((index, generator))
}

/// Draws pages in a process of this program.
fn page_reader(settings: &Settings) -> Result<PageReader> {
    let own = &settings.values().serve;
    let time = own.load_timeout.map_or(PAGE_TIME, Duration::from_secs_f64).min(PAGE_TIME);
    Ok(PageReader::new(limited(load_memory(settings), "read-page")?, time, cfg!(feature = "page-pictures")))
}

fn load_memory(settings: &Settings) -> u64 {
    settings.values().serve.load_memory.map_or(LOAD_MEMORY, |bytes| bytes.0)
}

/// Loads uploads in a process of this program first.
fn upload_probe(engine: &okno::Engine, settings: &Settings) -> Result<Arc<UploadProbe>> {
    let own = &settings.values().serve;
    let time = own.load_timeout.map_or(LOAD_TIME, Duration::from_secs_f64);
    let mut command = limited(load_memory(settings), "probe-upload")?;
    command.push("--".into());
    Ok(Arc::new(UploadProbe::new(engine.beside(), command, time)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_have_names() {
        assert_eq!(named(Path::new("work=/data/w")), (Some("work".into()), "/data/w".into()));
        assert_eq!(named(Path::new("/data/a=b")), (None, "/data/a=b".into()));
        assert_eq!(usual_name(Path::new("/data/notes/.okno")), "notes");
        assert_eq!(usual_name(Path::new("/data/squad")), "squad");
        assert_eq!(usual_name(Path::new("milvus://host:1/books?index=hnsw")), "books");
        let (name, place) = named(Path::new("lib=milvus://host:1/books?index=hnsw"));
        assert_eq!((name.as_deref(), place), (Some("lib"), "milvus://host:1/books?index=hnsw".into()));
        assert_eq!(named(Path::new("milvus://host:1/books?index=hnsw")).0, None);
        assert_eq!(usual_name(Path::new("opensearch://one:1,two:2/books?shards=6")), "books");
    }
}
