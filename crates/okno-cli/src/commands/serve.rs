//! `okno serve` and `okno mcp`: the indexes opened, the parts put together, and handed to the server.

use crate::args::{Cli, IndexArgs};
use crate::locale::say;
use crate::{helper, output, place, settings};
use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use okno::generate::Generator;
use okno_server::{LogFormat, NamedIndex, RequestLimits, ServeSettings, ServerParts};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the key is looked for when no file is named.
const KEY: &str = "OKNO_API_KEY";

/// Where and for whom to serve.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The address to listen on; anything but this machine's own needs a key
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub host: IpAddr,
    /// The port; 0 takes any that is free
    #[arg(long, default_value_t = 7765)]
    pub port: u16,
    /// A file with the key that requests must show [default: the variable `OKNO_API_KEY`, if it is set]
    #[arg(long, value_name = "FILE")]
    pub api_key_file: Option<PathBuf>,
    /// Let pages of this origin ask, e.g. `https://notes.example`
    #[arg(long, value_name = "ORIGIN")]
    pub cors: Vec<String>,
    /// Let requests index files of this folder, beside those that are indexed already
    #[arg(long, value_name = "FOLDER")]
    pub allow: Vec<PathBuf>,
    /// How requests are logged; `OKNO_LOG` says how much
    #[arg(long, alias = "log-format", value_name = "FORMAT", default_value = "text")]
    pub log: LogName,
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogName {
    /// Lines for people
    Text,
    /// One JSON object a line
    Json,
}

pub fn run(cli: &Cli, args: &ServeArgs) -> Result<()> {
    let parts = parts(cli)?;
    let settings = ServeSettings {
        host: args.host,
        port: args.port,
        key: key(args.api_key_file.as_deref())?,
        cors: args.cors.clone(),
        allowed: args.allow.clone(),
        limits: RequestLimits::default(),
    };
    let _logging = okno_server::log(match args.log {
        LogName::Text => LogFormat::Text,
        LogName::Json => LogFormat::Json,
    });
    let json = cli.json;
    okno_server::serve(parts, &settings, |address| told(address, json), okno_server::interrupted())?;
    Ok(())
}

/// Says where the server is; as JSON on standard output for a program that started it.
fn told(address: SocketAddr, json: bool) {
    let url = format!("http://{address}");
    if json {
        // Nobody may listen; the server runs all the same.
        let _ = output::json_line(&serde_json::json!({ "url": url }));
    }
    output::note(&say!("serving on {} – Ctrl-C ends it", "服务地址 {} —— 按 Ctrl-C 结束", url));
}

/// `okno mcp`: one agent, over standard input and output.
pub fn mcp(cli: &Cli) -> Result<()> {
    Ok(okno_server::mcp_stdio(parts(cli)?)?)
}

/// The key in a file, or in the environment.
fn key(file: Option<&Path>) -> Result<Option<String>> {
    let given = match file {
        Some(file) => Some(
            std::fs::read_to_string(file)
                .with_context(|| say!("cannot read the key in `{}`", "无法读取 `{}` 中的密钥", file.display()))?,
        ),
        None => std::env::var(KEY).ok(),
    };
    let key = given.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
    if let (Some(file), None) = (file, &key) {
        bail!(say!("`{}` is empty; expected a key in it", "`{}` 是空的;应当含有密钥", file.display()));
    }
    Ok(key)
}

/// The parts of a server: the indexes that were named, or the nearest.
fn parts(cli: &Cli) -> Result<ServerParts> {
    let named: Vec<(Option<String>, PathBuf)> = match (&cli.store, &cli.index[..]) {
        (Some(address), _) => vec![(None, address.clone())],
        (None, []) => vec![(None, place::existing(None))],
        (None, given) => given.iter().map(|given| named(given)).collect(),
    };
    let (mut indexes, mut generator): (Vec<NamedIndex>, _) = (Vec::new(), None);
    for (name, folder) in named {
        let name = name.unwrap_or_else(|| usual_name(&folder));
        if indexes.iter().any(|known| known.name == name) {
            bail!(say!(
                "two indexes are called `{}` – name them: `--index work=DIR --index home=DIR`",
                "有两个索引都叫 `{}` —— 请分别命名:`--index work=目录 --index home=目录`",
                name
            ));
        }
        let (index, own) = index(name, &folder)?;
        // The first index's model writes the answers; each index's own helps to search it.
        generator = if indexes.is_empty() { own } else { generator };
        indexes.push(index);
    }
    Ok(ServerParts { indexes, generator })
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
    let address = folder.to_str().filter(|_| crate::remote::is_meant(folder));
    let folder = address.and_then(|address| address.split('?').next()).map_or(folder, Path::new);
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let of = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let own = of(&whole).unwrap_or_default();
    let name = if own == place::NAME { whole.parent().and_then(of).unwrap_or(own) } else { own };
    // A comma stands between names.
    name.trim_start_matches('.').replace(',', "_")
}

/// Opens an index, or makes an empty one: its documents may come by upload. Its language model, where one is set, helps to search it.
fn index(name: String, folder: &Path) -> Result<(NamedIndex, Option<Arc<dyn Generator>>)> {
    let mut engine = match place::open_to_ask(Some(folder), None) {
        Err(error) if matches!(error.downcast_ref(), Some(okno::Error::NoIndex(_))) => {
            drop(crate::embedder::open_or_create(folder, None, &settings::of(folder)?)?);
            output::note(&say!("made an empty index in {}", "已在 {} 建立空索引", folder.display()));
            place::open_to_ask(Some(folder), None)?
        }
        opened => opened?,
    };
    let own = settings::of(folder)?;
    let (replies, generator) = (super::ask::options(&own, folder)?, helper::of(folder)?);
    engine.set_generator(generator.clone());
    engine.set_prompts(replies.prompts.clone());
    let engine = Arc::new(engine);
    let (asked, configured) = (Arc::clone(&engine), folder.to_owned());
    let index = NamedIndex {
        name,
        engine,
        replies,
        vision: own.values().model.vision.unwrap_or(false),
        complete: Arc::new(move |query| settings::fill(query, &own, &asked)),
        // Read again for each job: what is changed in `okno.toml` counts from the next one on.
        options: Arc::new(move || super::index::options(&IndexArgs::default(), settings::of(&configured)?.values())),
    };
    Ok((index, generator))
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
    }
}
