//! Commands and environments become headings, items, tables, code and words.

use super::super::markup;
use super::super::rendering::{Rendering, one_line};
use super::accents::{accented, is_accent, sign};
use super::macros::Macros;
use super::scan::Scanner;
use super::tables;
use okno_document::{ImageSource, Metadata, Value};

/// Groups, arguments and environments inside of each other; deeper ones are not read.
const DEEPEST: usize = 40;
/// Macros that are expanded in a document, and the letters of what they stand for.
const MOST_EXPANSIONS: usize = 20_000;
const MOST_EXPANDED: usize = 2 << 20;

/// A document in the making.
#[derive(Default)]
pub(super) struct Typesetter {
    rendering: Rendering,
    metadata: Metadata,
    macros: Macros,
    text: String,
    /// Open lists: how many items a counting one has.
    lists: Vec<Option<usize>>,
    /// The marker of the open item.
    item: Option<String>,
    depth: usize,
    expansions: usize,
    expanded: usize,
}

/// Commands whose arguments – so many – are for the typesetter.
const SILENT: [(&str, usize); 44] = [
    ("label", 1),
    ("vspace", 1),
    ("hspace", 1),
    ("usepackage", 1),
    ("input", 1),
    ("include", 1),
    ("bibliography", 1),
    ("bibliographystyle", 1),
    ("setlength", 2),
    ("addtolength", 2),
    ("setcounter", 2),
    ("pagestyle", 1),
    ("thispagestyle", 1),
    ("color", 1),
    ("definecolor", 3),
    ("hypersetup", 1),
    ("newenvironment", 3),
    ("renewenvironment", 3),
    ("newtheorem", 2),
    ("theoremstyle", 1),
    ("documentclass", 1),
    ("RequirePackage", 1),
    ("cline", 1),
    ("cmidrule", 1),
    ("rule", 2),
    ("fontsize", 2),
    ("selectlanguage", 1),
    ("graphicspath", 1),
    ("captionsetup", 1),
    ("newcounter", 1),
    ("stepcounter", 1),
    ("refstepcounter", 1),
    ("addcontentsline", 3),
    ("markboth", 2),
    ("index", 1),
    ("nocite", 1),
    ("rowcolor", 1),
    ("cellcolor", 1),
    ("arrayrulecolor", 1),
    ("newlength", 1),
    ("phantom", 1),
    ("vphantom", 1),
    ("hphantom", 1),
    ("thanks", 1),
];
/// Environments of formulas.
const FORMULAS: [&str; 12] = [
    "equation",
    "equation*",
    "align",
    "align*",
    "gather",
    "gather*",
    "displaymath",
    "eqnarray",
    "eqnarray*",
    "multline",
    "multline*",
    "math",
];
const CODE: [&str; 6] = ["verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "alltt"];
const TABLES: [&str; 8] = ["tabular", "tabular*", "tabularx", "tabulary", "longtable", "supertabular", "tblr", "array"];
const DRAWINGS: [&str; 6] = ["tikzpicture", "pgfpicture", "picture", "comment", "filecontents", "filecontents*"];

impl Typesetter {
    /// Reads what stands before the document; what follows is its body.
    pub fn preamble<'t>(&mut self, text: &'t str) -> &'t str {
        let Some(begins) = text.find("\\begin{document}") else { return text };
        let mut head = Scanner::new(&text[..begins]);
        while let Some(letter) = head.next() {
            match letter {
                '%' => head.skip_comment(),
                '\\' => match head.name() {
                    "title" => {
                        head.option();
                        let title = self.inner(head.argument());
                        self.metadata.set("title", Value::Text(one_line(&title)));
                    }
                    "author" => {
                        head.option();
                        let author = one_line(&self.inner(head.argument()));
                        if author.len() <= 300 && !author.is_empty() {
                            self.metadata.set("author", Value::Text(author));
                        }
                    }
                    "newcommand" | "renewcommand" | "providecommand" | "DeclareMathOperator" => {
                        self.macros.define(&mut head);
                    }
                    "def" => self.macros.define_plain(&mut head),
                    _ => {}
                },
                _ => {}
            }
        }
        if let Some(title) = self.metadata.get("title").map(ToString::to_string) {
            self.rendering.heading(1, &title);
        }
        let body = &text[begins + "\\begin{document}".len()..];
        &body[..body.find("\\end{document}").unwrap_or(body.len())]
    }

    /// The document.
    pub fn finish(mut self) -> (Rendering, Metadata) {
        self.end_paragraph();
        (self.rendering, self.metadata)
    }

    /// Reads a body.
    pub fn read(&mut self, text: &str) {
        if self.depth >= DEEPEST {
            return;
        }
        self.depth += 1;
        let mut text = Scanner::new(text);
        while let Some(letter) = text.next() {
            match letter {
                '%' => text.skip_comment(),
                '\\' => self.command(&mut text),
                '{' | '}' => {}
                '~' => self.text.push(' '),
                '\n' if text.rest().trim_start_matches([' ', '\t', '\r']).starts_with('\n') => self.end_paragraph(),
                '\n' | '\t' | '\r' | ' ' => self.space(),
                '$' if text.take("$") => {
                    let formula = text.until("$$");
                    self.formula(formula);
                }
                '$' => {
                    let formula = text.until("$");
                    self.text.push_str(&format!("${formula}$"));
                }
                '-' if text.take("--") => self.text.push('—'),
                '-' if text.take("-") => self.text.push('–'),
                '`' if text.take("`") => self.text.push('“'),
                '`' => self.text.push('‘'),
                '\'' if text.take("'") => self.text.push('”'),
                letter => self.text.push(letter),
            }
        }
        self.depth -= 1;
    }

    fn space(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }

    /// The words of an argument.
    fn inner(&mut self, source: &str) -> String {
        let outer = std::mem::take(&mut self.text);
        let item = self.item.take();
        self.read(source);
        self.item = item;
        std::mem::replace(&mut self.text, outer).trim().to_owned()
    }

    fn end_paragraph(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.trim().is_empty() {
            return;
        }
        match self.item.take() {
            Some(marker) => self.rendering.item(self.lists.len().saturating_sub(1), &marker, &text),
            None => _ = self.rendering.paragraph(text.trim()),
        }
    }

    fn formula(&mut self, formula: &str) {
        self.end_paragraph();
        self.rendering.paragraph(&format!("$${}$$", formula.trim()));
    }

    fn command(&mut self, text: &mut Scanner<'_>) {
        let name = text.name();
        let word = name.starts_with(|c: char| c.is_ascii_alphabetic());
        if word {
            text.take("*");
        }
        if let Some(level) = level(name) {
            let short = text.option().is_some();
            let title = text.braced();
            if let Some(title) = title.or(short.then_some("")) {
                let title = self.inner(title);
                self.end_paragraph();
                self.rendering.heading(level, &title);
            }
            return;
        }
        if is_accent(name)
            && text.peek().is_some_and(|next| next == '{' || next.is_alphabetic() || next == '\\' || !word)
        {
            return self.accent(name, text);
        }
        if let Some(sign) = sign(name) {
            self.text.push_str(sign);
            // A space behind a command only ends it.
            if word {
                let rest = text.rest();
                text.at += rest.len() - rest.trim_start_matches(' ').len();
                text.take("{}");
            }
            return;
        }
        if let Some((_, arguments)) = SILENT.iter().find(|(silent, _)| *silent == name) {
            text.option();
            (0..*arguments).for_each(|_| _ = text.braced());
            text.option();
            return;
        }
        self.known(name, text);
    }

    fn accent(&mut self, name: &str, text: &mut Scanner<'_>) {
        let argument = text.argument().trim();
        let letter = argument
            .strip_prefix('\\')
            .map_or_else(|| argument.to_owned(), |name| sign(name).unwrap_or(name).to_owned());
        let mut letters = letter.chars();
        if let Some(first) = letters.next() {
            self.text.push(accented(name, first).unwrap_or(first));
        }
        self.text.extend(letters);
    }

    fn known(&mut self, name: &str, text: &mut Scanner<'_>) {
        match name {
            "begin" => {
                let environment = text.argument().trim();
                self.environment(environment, text);
            }
            "end" => _ = text.argument(),
            "item" => self.begin_item(text),
            "\\" | "tabularnewline" => {
                text.option();
                self.text.push('\n');
            }
            "[" => {
                let formula = text.until("\\]");
                self.formula(formula);
            }
            "(" => {
                let formula = text.until("\\)");
                self.text.push_str(&format!("${}$", formula.trim()));
            }
            "verb" | "lstinline" => {
                if let Some(sign) = text.next() {
                    let code = text.until(sign.encode_utf8(&mut [0; 4]));
                    self.text.push_str(code);
                }
            }
            "newcommand" | "renewcommand" | "providecommand" | "DeclareMathOperator" => self.macros.define(text),
            "def" => self.macros.define_plain(text),
            "title" | "author" | "date" | "maketitle" => {
                text.option();
                let argument = text.braced().map(|argument| self.inner(argument)).unwrap_or_default();
                if name == "title" && !argument.is_empty() && self.metadata.get("title").is_none() {
                    self.metadata.set("title", Value::Text(one_line(&argument)));
                    self.rendering.heading(1, &argument);
                }
            }
            "caption" | "captionof" => {
                text.option();
                if name == "captionof" {
                    text.argument();
                }
                let caption = self.inner(text.argument());
                self.end_paragraph();
                self.rendering.paragraph(&caption);
            }
            "footnote" | "footnotetext" => {
                text.option();
                let note = self.inner(text.argument());
                self.text.push_str(&format!(" ({note})"));
            }
            "cite" | "citep" | "citet" | "citeauthor" | "autocite" | "parencite" | "textcite" => {
                text.option();
                text.option();
                let keys = text.argument();
                self.text.push_str(&format!("[{}]", one_line(keys)));
            }
            "ref" | "eqref" | "autoref" | "cref" | "Cref" | "pageref" | "nameref" | "url" | "path" => {
                let target = text.argument();
                self.text.push_str(target.trim());
            }
            "href" | "textcolor" | "colorbox" | "parbox" | "raisebox" | "foreignlanguage" => {
                text.option();
                text.argument();
                text.option();
                let words = self.inner(text.argument());
                self.text.push_str(&words);
            }
            "multicolumn" | "multirow" => {
                text.argument();
                text.option();
                text.argument();
                text.option();
                let words = self.inner(text.argument());
                self.text.push_str(&words);
            }
            "includegraphics" => {
                text.option();
                let file = text.argument().trim().to_owned();
                self.end_paragraph();
                self.rendering.image("", "", ImageSource::Reference(file));
            }
            "bibitem" => {
                text.option();
                let key = text.argument();
                self.end_paragraph();
                self.text.push_str(&format!("[{}] ", key.trim()));
            }
            _ => self.other(name, text),
        }
    }

    /// A macro of the author, or a command that nobody knows: the words that it is given are kept.
    fn other(&mut self, name: &str, text: &mut Scanner<'_>) {
        self.expansions += 1;
        if self.expansions <= MOST_EXPANSIONS
            && let Some(expanded) = self.macros.expanded(name, text)
        {
            self.expanded += expanded.len();
            if self.expanded <= MOST_EXPANDED {
                self.read(&expanded);
            }
            // `\name{}` ends the name, and so does a space.
            if !text.take("{}") {
                text.take(" ");
            }
            return;
        }
        text.option();
        // The braces of an argument are passed over like those of a group.
        let rest = text.rest();
        text.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }

    fn begin_item(&mut self, text: &mut Scanner<'_>) {
        self.end_paragraph();
        let label = text.option().map(|label| self.inner(label));
        let marker = match self.lists.last_mut() {
            Some(Some(count)) => {
                *count += 1;
                format!("{count}.")
            }
            _ => "-".to_owned(),
        };
        if self.lists.is_empty() {
            self.lists.push(None);
        }
        self.item = Some(marker);
        if let Some(label) = label.filter(|label| !label.is_empty()) {
            self.text.push_str(&format!("{label}: "));
        }
    }

    fn environment(&mut self, name: &str, text: &mut Scanner<'_>) {
        if CODE.contains(&name) {
            let options = if name == "alltt" { None } else { text.option() };
            let language = if name == "minted" { Some(text.argument()) } else { options.and_then(language) };
            let code = text.until(&format!("\\end{{{name}}}"));
            self.end_paragraph();
            return markup::code(&mut self.rendering, language.unwrap_or_default(), code);
        }
        if DRAWINGS.contains(&name) {
            text.body(name);
            return;
        }
        if FORMULAS.contains(&name) {
            let formula = text.body(name);
            return self.formula(formula);
        }
        if TABLES.contains(&name) {
            return self.table(name, text);
        }
        let body = text.body(name);
        self.end_paragraph();
        match name {
            "itemize" | "enumerate" | "description" | "compactitem" | "compactenum" | "inparaenum" => {
                self.lists.push(name.contains("enum").then_some(0));
                let mut inner = Scanner::new(body);
                inner.option();
                self.read(inner.rest());
                self.end_paragraph();
                self.lists.pop();
            }
            "abstract" => {
                self.rendering.heading(2, "Abstract");
                self.read(body);
            }
            _ => {
                let mut inner = Scanner::new(body);
                let arguments = match name {
                    "minipage" | "multicols" | "thebibliography" | "adjustbox" | "subfigure" | "wraptable" => 1,
                    "wrapfigure" => 2,
                    _ => 0,
                };
                let title = inner.option().filter(|_| !matches!(name, "figure" | "figure*" | "table" | "table*"));
                (0..arguments).for_each(|_| _ = inner.braced());
                let _ = title;
                self.read(inner.rest());
            }
        }
        self.end_paragraph();
    }

    fn table(&mut self, name: &str, text: &mut Scanner<'_>) {
        let body = text.body(name);
        let mut inner = Scanner::new(body);
        inner.option();
        if matches!(name, "tabular*" | "tabularx" | "tabulary") {
            inner.braced();
        }
        inner.braced();
        let mut rows = Vec::new();
        for row in tables::cells(inner.rest()) {
            let mut cells: Vec<String> = Vec::new();
            for cell in row {
                let words = one_line(&self.inner(without_rules(cell)));
                cells.push(words);
                cells.extend((1..tables::span(without_rules(cell))).map(|_| String::new()));
            }
            rows.push(cells);
        }
        // A table in the cell of another is words of that cell.
        if self.depth > 1 && !self.text.trim().is_empty() && self.item.is_none() {
            let words: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
            return self.text.push_str(&words.join(" "));
        }
        self.end_paragraph();
        self.rendering.table(&rows);
    }
}

/// A cell without the lines that are drawn above it.
fn without_rules(cell: &str) -> &str {
    let mut cell = cell.trim_start();
    let rules = [
        "\\hline",
        "\\toprule",
        "\\midrule",
        "\\bottomrule",
        "\\endhead",
        "\\endfirsthead",
        "\\endfoot",
        "\\centering",
    ];
    while let Some(rest) = rules.iter().find_map(|rule| cell.strip_prefix(rule)) {
        cell = rest.trim_start();
    }
    cell
}

fn level(name: &str) -> Option<u8> {
    Some(match name {
        "part" | "chapter" => 1,
        "section" => 2,
        "subsection" => 3,
        "subsubsection" => 4,
        "paragraph" => 5,
        "subparagraph" => 6,
        _ => return None,
    })
}

/// The language among the options of a listing.
fn language(options: &str) -> Option<&str> {
    let at = options.find("language=")?;
    options[at + 9..].split([',', ']']).next().map(str::trim)
}
