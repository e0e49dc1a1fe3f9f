//! `okno probe-upload`: loads a file from standard input with a limit on memory and gives nothing. `okno serve` runs it
//! for each upload, so that a file that ends the process of its loader does not end the server.

use crate::memory_limit::limit_memory;
use anyhow::Result;
use clap::Args;
use okno::document::Loaded;
use okno::load::{HEAD, JsonlFields, Loader, Sink, SkipReason, Source, accepting, builtin_for};
use std::io::Read;
use std::path::PathBuf;

/// What to load.
#[derive(Debug, Args)]
pub struct ProbeUploadArgs {
    /// Bytes of memory that loading may take
    #[arg(long, value_name = "BYTES")]
    memory: u64,
    /// The file's name
    name: PathBuf,
    /// The file, if it does not come from standard input
    file: Option<PathBuf>,
}

/// Less than what the threads of the server have, so that what fits here fits there.
const STACK: usize = 3 << 19;

pub fn run(args: &ProbeUploadArgs) -> Result<()> {
    limit_memory(args.memory.saturating_add(STACK as u64));
    let args = (args.name.clone(), args.file.clone());
    let loading = std::thread::Builder::new().stack_size(STACK).spawn(move || load(&args.0, args.1))?;
    // A panic inside is an ordinary reason to skip a file: loaders are guarded. One outside ends the process.
    loading.join().unwrap_or_else(|_| std::process::abort())
}

fn load(name: &std::path::Path, file: Option<PathBuf>) -> Result<()> {
    let mut content = Vec::new();
    let mut out = KeptDocuments::default();
    let loaders = builtin_for(JsonlFields::default(), false);
    let told = name.to_string_lossy();
    if let Some(file) = file {
        let mut head = Vec::new();
        std::fs::File::open(&file)?.take(HEAD as u64).read_to_end(&mut head)?;
        if let Ok(loader) = accepting(name, &head, &loaders) {
            // A file that is skipped with a reason did no harm.
            let source = Source { path: &file, name: &told, modified: None, content: None, inside: None };
            let _ = loader.load(&source, &mut Dropped);
        }
        return Ok(());
    }
    std::io::stdin().lock().read_to_end(&mut content)?;
    if let Ok(loader) = accepting(name, &content[..content.len().min(HEAD)], &loaders) {
        // A file that is skipped with a reason did no harm.
        let source = Source { path: name, name: &told, modified: None, content: Some(&content), inside: None };
        let _ = loader.load(&source, &mut out);
    }
    Ok(())
}

/// Keeps documents, as the server does.
#[derive(Default)]
struct KeptDocuments(Vec<Loaded>);

impl Sink for KeptDocuments {
    fn document(&mut self, loaded: Loaded) {
        self.0.push(loaded);
    }

    fn skip(&mut self, _: &str, _: SkipReason) {}
}

/// Keeps nothing: large files are stored while they are read.
struct Dropped;

impl Sink for Dropped {
    fn document(&mut self, _: Loaded) {}

    fn skip(&mut self, _: &str, _: SkipReason) {}
}
