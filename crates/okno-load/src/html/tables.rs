//! The cells of one table, and its rendering as Markdown rows.

/// More columns than this come from careless `colspan`s.
const WIDEST_SPAN: usize = 16;

#[derive(Debug, Default)]
pub(super) struct HtmlCell {
    pub text: String,
    pub links: usize,
    pub anchors: usize,
}

#[derive(Debug)]
pub(super) struct HtmlTable {
    pub region: usize,
    rows: Vec<Vec<HtmlCell>>,
    in_cell: bool,
    /// The open cell covers this many columns.
    columns: usize,
    /// The table lays out a page; its cells are paragraphs and are no longer collected.
    layout: bool,
}

impl HtmlTable {
    pub fn new(region: usize) -> Self {
        Self { region, rows: Vec::new(), in_cell: false, columns: 1, layout: false }
    }

    /// Whether text goes into a cell now.
    pub fn collects(&self) -> bool {
        self.in_cell && !self.layout
    }

    pub fn row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub fn cell(&mut self, columns: usize) {
        if self.rows.is_empty() {
            self.row();
        }
        (self.in_cell, self.columns) = (true, columns.clamp(1, WIDEST_SPAN));
        if let Some(row) = self.rows.last_mut() {
            row.push(HtmlCell::default());
        }
    }

    pub fn end_cell(&mut self) {
        self.in_cell = false;
        if let Some(row) = self.rows.last_mut() {
            row.extend((1..self.columns).map(|_| HtmlCell::default()));
        }
        self.columns = 1;
    }

    /// Adds text to the open cell; a cell is one line.
    pub fn add(&mut self, text: &str, links: usize, anchors: usize) {
        let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) else { return };
        for word in text.split_whitespace() {
            if !cell.text.is_empty() {
                cell.text.push(' ');
            }
            cell.text.push_str(word);
        }
        cell.links += links;
        cell.anchors += anchors;
    }

    /// All cells with text so far; the table collects no more.
    pub fn dissolve(&mut self) -> Vec<HtmlCell> {
        self.layout = true;
        let rows = std::mem::take(&mut self.rows);
        rows.into_iter().flatten().filter(|cell| !cell.text.is_empty()).collect()
    }

    /// Markdown rows with the letters in links, if this is a table of data: two rows and two columns at least.
    pub fn rendered(&mut self) -> Option<(String, usize, usize)> {
        self.rows.retain(|row| row.iter().any(|cell| !cell.text.is_empty()));
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        if self.layout || self.rows.len() < 2 || columns < 2 {
            return None;
        }
        let mut text = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            write_row(&mut text, row);
            if at == 0 {
                text.push_str("\n|");
                text.push_str(&" --- |".repeat(row.len()));
            }
        }
        let cells = || self.rows.iter().flatten();
        Some((text, cells().map(|cell| cell.links).sum(), cells().map(|cell| cell.anchors).sum()))
    }
}

fn write_row(text: &mut String, row: &[HtmlCell]) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push('|');
    for cell in row {
        text.push(' ');
        text.push_str(&cell.text.replace('|', "\\|"));
        text.push_str(if cell.text.is_empty() { "|" } else { " |" });
    }
}
