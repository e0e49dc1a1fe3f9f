//! The shelf: the folder where weights are kept, one sub-folder per model.
//!
//! ```text
//! …/okno/models/
//!   bge-small-zh-v1.5/
//!     card.toml        what the model is, and the hash of each file
//!     model.onnx tokenizer.json
//! ```
//!
//! A model is added from a package ([`Shelf::add`]) or from the hub ([`Shelf::pull`]), completely or not at all: its
//! folder is made under a temporary name, tested and then renamed, so that unusable weights never replace usable ones.
//! Files on the shelf are never changed, so a card's hashes are those of its files.

mod choose;
mod package;
mod pull;

pub use package::{Package, PackageEntry};
pub use pull::{HUB, Pulling, SILENCE};

use crate::registry::{self, Card, ModelKind};
use crate::{Error, Result, WeightPackages};
use sha2::{Digest, Sha256};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The file that says what a model is.
const CARD: &str = "card.toml";

/// The folder of models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shelf {
    folder: PathBuf,
}

/// A model on the shelf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// What it is.
    pub card: Card,
    /// Where its files are.
    pub folder: PathBuf,
}

impl Model {
    /// The path of one of its files, by the name it has on the shelf.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Its name, and a hash of everything that its results depend on: `bge-small-zh-v1.5@0123456789ab`.
    pub fn identity(&self) -> String {
        let mut hash = Sha256::new();
        for file in &self.card.files {
            hash.update(format!("{}\0{}\0", file.name, file.sha256.as_deref().unwrap_or_default()));
        }
        hash.update(self.card.settings());
        format!("{}@{}", self.card.name, &hex(&hash.finalize())[..12])
    }

    /// Bytes on disk.
    pub fn bytes(&self) -> u64 {
        let size = |file: &registry::ModelFile| fs_err::metadata(self.file(&file.name)).map_or(0, |about| about.len());
        self.card.files.iter().map(size).sum()
    }

    /// Reads all files again and compares their hashes; the names of those that differ.
    pub fn verify(&self) -> Result<Vec<String>> {
        let mut wrong = Vec::new();
        for file in &self.card.files {
            let mut reader = fs_err::File::open(self.file(&file.name))?;
            if Some(hash_and_copy(&mut reader, &mut std::io::sink())?) != file.sha256 {
                wrong.push(file.name.clone());
            }
        }
        Ok(wrong)
    }

    /// The model, if it is of this kind.
    pub fn of_kind(self, wanted: ModelKind) -> Result<Self> {
        if self.card.kind == wanted {
            return Ok(self);
        }
        Err(Error::Kind { name: self.card.name, is: self.card.kind, wanted })
    }
}

/// Tests a new model before it is put on the shelf; returns its completed card, or why it cannot be used.
pub type Trial<'a> = &'a dyn Fn(&Model) -> Result<Card>;

impl Shelf {
    /// The shelf in a folder, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The user's shelf: `$OKNO_MODELS`, else `okno/models` in the folder where the system wants such data.
    pub fn of_user() -> Result<Self> {
        let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(own) = folder("OKNO_MODELS") {
            return Ok(Self::new(own));
        }
        let data = folder("XDG_DATA_HOME")
            .or_else(|| folder("LOCALAPPDATA"))
            .or_else(|| Some(folder("HOME")?.join(".local").join("share")));
        Ok(Self::new(data.ok_or(Error::NoShelf)?.join("okno").join("models")))
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The models on it, by name. Folders without a valid card are ignored.
    pub fn models(&self) -> Result<Vec<Model>> {
        if !self.folder.exists() {
            return Ok(Vec::new());
        }
        let mut models = Vec::new();
        for entry in fs_err::read_dir(&self.folder)? {
            let folder = entry?.path();
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !name.starts_with('.') {
                models.extend(read(&folder).filter(|model| model.card.name == name));
            }
        }
        models.sort_by(|a, b| a.card.name.cmp(&b.card.name));
        Ok(models)
    }

    /// A model by name.
    pub fn get(&self, name: &str) -> Result<Model> {
        let name = name.to_ascii_lowercase();
        registry::check_name(&name)?;
        if let Some(model) = read(&self.folder.join(&name)) {
            return Ok(model);
        }
        match registry::find(&name)? {
            Some(card) => {
                let packages = WeightPackages(package_names(&card));
                Err(Error::Missing { name, shelf: self.folder.clone(), packages })
            }
            None => Err(Error::Unknown { name, known: self.names()? }),
        }
    }

    /// All valid names: of the registry, and of the shelf.
    pub fn names(&self) -> Result<Vec<String>> {
        let on_shelf = self.models()?.into_iter().map(|model| model.card.name);
        let mut names: Vec<String> = registry::known()?.into_iter().map(|card| card.name).chain(on_shelf).collect();
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// Adds a model from a package or a folder. Its card names the files to look for; their hashes are added to it.
    pub fn add(&self, mut card: Card, package: &Path, only: Option<&str>, trial: Trial<'_>) -> Result<Model> {
        registry::check_name(&card.name)?;
        let opened = Package::open(package)?;
        let chosen = choose::files(&card, &opened.entries()?, only)
            .map_err(|flaw| Error::Package { path: package.to_owned(), flaw })?;
        let staging = self.staging(&card.name)?;
        let targets: Vec<(String, PathBuf)> =
            chosen.iter().map(|found| (found.entry.clone(), staging.join(&found.file.name))).collect();
        let hashes = opened.extract(&targets).inspect_err(|_| drop(fs_err::remove_dir_all(&staging)))?;
        card.files = chosen.into_iter().map(|found| found.file).collect();
        for (file, hash) in card.files.iter_mut().zip(hashes) {
            file.sha256 = Some(hash);
        }
        self.put(card, &staging, trial)
    }

    /// Removes a model from the shelf; an error if it is not there.
    pub fn remove(&self, name: &str) -> Result<()> {
        let model = self.get(name)?;
        // Renamed first, so that no process opens an incomplete model.
        let gone = self.folder.join(format!(".{}.gone", model.card.name));
        if gone.exists() {
            // Left by a run that was stopped here; nothing is renamed onto a folder that holds something.
            fs_err::remove_dir_all(&gone)?;
        }
        fs_err::rename(&model.folder, &gone)?;
        Ok(fs_err::remove_dir_all(gone)?)
    }

    /// An empty folder for a model that is being added.
    fn staging(&self, name: &str) -> Result<PathBuf> {
        let staging = self.folder.join(format!(".{name}.part"));
        if staging.exists() {
            fs_err::remove_dir_all(&staging)?;
        }
        fs_err::create_dir_all(&staging)?;
        Ok(staging)
    }

    /// Tests a folder with all files and renames it to its final name; an unusable one is deleted, and an older model
    /// stays.
    fn put(&self, card: Card, staging: &Path, trial: Trial<'_>) -> Result<Model> {
        let arrived = Model { card, folder: staging.to_owned() };
        let card = trial(&arrived).inspect_err(|_| drop(fs_err::remove_dir_all(staging)))?;
        let text = toml::to_string(&card).map_err(|error| Error::Registry { cause: error.to_string() })?;
        let mut file = fs_err::File::create(staging.join(CARD))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        let (place, old) = (self.folder.join(&card.name), self.folder.join(format!(".{}.old", card.name)));
        if place.exists() {
            drop(fs_err::remove_dir_all(&old));
            fs_err::rename(&place, &old)?;
        }
        fs_err::rename(staging, &place)?;
        // If this fails, the rest is hidden and replaced next time.
        drop(fs_err::remove_dir_all(&old));
        Ok(Model { card, folder: place })
    }
}

/// The packages that hold a model's weights, for messages.
pub fn package_names(card: &Card) -> Vec<String> {
    card.packages.iter().map(|package| format!("{} `{}`", package.registry, package.name)).collect()
}

fn read(folder: &Path) -> Option<Model> {
    let card: Card = toml::from_str(&fs_err::read_to_string(folder.join(CARD)).ok()?).ok()?;
    Some(Model { card, folder: folder.to_owned() })
}

/// Copies everything; returns the hash of what was copied.
fn hash_and_copy(from: &mut dyn Read, to: &mut dyn Write) -> std::io::Result<String> {
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        let count = from.read(&mut buffer)?;
        if count == 0 {
            return Ok(hex(&hash.finalize()));
        }
        hash.update(&buffer[..count]);
        to.write_all(&buffer[..count])?;
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
