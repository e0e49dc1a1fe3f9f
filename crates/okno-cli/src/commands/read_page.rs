//! `okno read-page`: draws a page of a PDF from standard input, or finds a part of its text on it, with a limit on
//! memory. `okno serve` runs it for each page, so that a file that ends its renderer does not end the server; with OCR,
//! `okno index` and `okno load` run it for scans that cannot be taken out of their file.
//!
//! Standard input has the length of the page's text as eight bytes, least first, then the text, then the file.

use crate::locale::say;
use crate::memory_limit::limit_memory;
use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use std::io::{Read, Write};

/// What of which page.
#[derive(Debug, Args)]
pub struct ReadPageArgs {
    /// Bytes of memory that reading may take
    #[arg(long, value_name = "BYTES")]
    memory: u64,
    #[command(subcommand)]
    wanted: WantedOfPage,
}

/// What is wanted of a page.
#[derive(Debug, Clone, Subcommand)]
enum WantedOfPage {
    /// A picture of the page, as PNG
    Picture {
        /// The page, from 1
        page: usize,
        /// Pixels from left to right
        width: u32,
    },
    /// Where a part of its text is, as JSON
    Marks {
        /// The page, from 1
        page: usize,
        /// The first byte of the part
        start: usize,
        /// One past the last byte
        end: usize,
    },
}

/// Forms inside of forms are read by calls inside of calls; those of the library are bounded, and this is enough.
const STACK: usize = 64 << 20;
/// The longest text of a page.
const LONGEST_TEXT: u64 = 256 << 20;

pub fn run(args: &ReadPageArgs) -> Result<()> {
    limit_memory(args.memory.saturating_add(STACK as u64));
    let wanted = args.wanted.clone();
    let reading = std::thread::Builder::new().stack_size(STACK).spawn(move || read(&wanted))?;
    reading.join().unwrap_or_else(|_| std::process::abort())
}

fn read(wanted: &WantedOfPage) -> Result<()> {
    let mut input = std::io::stdin().lock();
    let mut length = [0; 8];
    input.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > LONGEST_TEXT {
        bail!(say!("the text of the page is too long", "该页文本过长"));
    }
    let mut text = String::new();
    input.by_ref().take(length).read_to_string(&mut text)?;
    let mut file = Vec::new();
    input.read_to_end(&mut file)?;
    let answer = match *wanted {
        WantedOfPage::Picture { page, width } => picture(file, page, width)?,
        WantedOfPage::Marks { page, start, end } => marks(file, page, &text, start..end)?,
    };
    std::io::stdout().lock().write_all(&answer)?;
    Ok(())
}

#[cfg(feature = "page-pictures")]
fn picture(file: Vec<u8>, page: usize, width: u32) -> Result<Vec<u8>> {
    Ok(okno::load::page_picture(file, page, width)?)
}

#[cfg(not(feature = "page-pictures"))]
fn picture(_: Vec<u8>, _: usize, _: u32) -> Result<Vec<u8>> {
    bail!(say!("this program was built without pictures of pages", "本程序不带绘制页面的功能"))
}

#[cfg(feature = "pdf")]
fn marks(file: Vec<u8>, page: usize, text: &str, span: std::ops::Range<usize>) -> Result<Vec<u8>> {
    let marks = okno::load::marks(file, page, text, span)?;
    Ok(serde_json::to_vec(&marks)?)
}

#[cfg(not(feature = "pdf"))]
fn marks(_: Vec<u8>, _: usize, _: &str, _: std::ops::Range<usize>) -> Result<Vec<u8>> {
    bail!(say!("this program was built without PDF", "本程序不带 PDF 功能"))
}
