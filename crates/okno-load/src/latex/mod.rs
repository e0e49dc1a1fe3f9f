//! LaTeX (`.tex`): sections, lists, tables, code and captions; rendered as Markdown would write it.
//!
//! Commands that mark words are dropped and their words kept, so that a sentence is found as it reads; formulas stay
//! as they are written. Short macros of the author are expanded, within bounds. What is for the typesetter – packages,
//! lengths, labels, drawings – is left out. No crate was found that turns LaTeX into text: those that parse it stop at
//! the syntax tree.

mod accents;
mod commands;
mod macros;
mod scan;
mod tables;

use std::path::Path;

use self::commands::Typesetter;
use super::{Loader, Sink, SkipReason, Source, has_extension, textual};

/// Reads LaTeX documents and parts of them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Latex;

impl Loader for Latex {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        let begins = memchr::memmem::find(head, b"\\documentclass").is_some()
            && (path.extension().is_none() || has_extension(path, &["txt"]))
            && head.trim_ascii_start().starts_with(b"\\");
        (has_extension(path, &["tex", "latex", "ltx"]) || begins) && textual(path, head)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let text = source.text()?;
        let mut typesetter = Typesetter::default();
        let body = typesetter.preamble(&text);
        typesetter.read(body);
        let (rendering, metadata) = typesetter.finish();
        out.document(rendering.finish(source, "latex", metadata)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;
    use okno_document::Value;

    fn tex(text: &str) -> okno_document::Loaded {
        check(&Latex, "a.tex", text.as_bytes()).documents.remove(0)
    }

    #[test]
    fn a_paper() {
        let text = r#"\documentclass{article}
\usepackage{graphicx}
\newcommand{\name}{Okno}
\newcommand{\two}[2]{#2 before #1}
\title{On \emph{Tea}} \author{Ann Lee}
\begin{document}
\maketitle
\begin{abstract}Short words.\end{abstract}
\section{Green tea}\label{s}
Water of 75\,\% % not seen
heat~\cite{lee} is \textbf{not ``too'' hot} --- says \name{}. See \two{a}{b}.\footnote{A note.}

Caf\'e and na\"{\i}ve: $a_1 < b$ costs \$5.
\subsection*{Lists}
\begin{itemize}
  \item one
  \item two
  \begin{enumerate} \item inner \end{enumerate}
\end{itemize}
\begin{table}\caption{Heat}\begin{tabular}{l|r}
\hline tea & heat \\ \hline
green & 75 \\ \multicolumn{2}{c}{both} \\
\end{tabular}\end{table}
\begin{verbatim}
x = {1} % kept
\end{verbatim}
\[ E = mc^2 \]
\includegraphics[width=1cm]{tree.png}
\end{document} after"#;
        let got = tex(text);
        assert_eq!(
            got.text,
            "# On Tea\n\n## Abstract\n\nShort words.\n\n## Green tea\n\nWater of 75 % heat [lee] is not “too” hot — \
             says Okno. See b before a. (A note.)\n\n\
             Café and naïve: $a_1 < b$ costs $5.\n\n### Lists\n\n- one\n- two\n  1. inner\n\nHeat\n\n| tea | heat |\n| \
             --- | --- |\n| green | 75 |\n| both | |\n\n\
             ```\nx = {1} % kept\n```\n\n$$E = mc^2$$\n"
        );
        assert_eq!(got.title, "On Tea");
        assert_eq!(got.metadata.get("author"), Some(&Value::Text("Ann Lee".into())));
        assert_eq!(got.images.len(), 1);
    }

    #[test]
    fn macros_that_call_themselves_end() {
        let got = tex(r"\newcommand{\a}{x \a\a} \def\b{\b} words \a and \b here");
        assert!(got.text.contains("words") && got.text.contains("here"), "{}", got.text);
        assert_eq!(tex("a { b \\begin{itemize} \\item c").text, "a b\n\n- c\n");
    }
}
