//! What is drawn in Microsoft's documents: the text of shapes on a sheet, and charts as tables.
//!
//! A chart keeps a copy of the cells that it shows: the names of its series, its categories and values. They are
//! written as a table, behind the chart's titles.

use std::collections::{BTreeMap, HashMap};

use super::super::rendering::Rendering;
use super::archive::Archive;
use super::xml::{XmlEvent, resolved, walk};

/// Cells of one chart; one that has more shows a data set.
const MOST_CELLS: usize = 20_000;

/// The paragraphs of all shapes.
fn paragraphs(xml: &str) -> Vec<String> {
    let (mut found, mut text, mut in_text) = (Vec::new(), String::new(), false);
    walk(xml, |node| match node {
        XmlEvent::Open(element) if element.name == "t" => in_text = true,
        XmlEvent::Open(element) if element.name == "br" => text.push('\n'),
        XmlEvent::Text(part) if in_text => text.push_str(part),
        XmlEvent::Close("t") => in_text = false,
        XmlEvent::Close("p") => found.push(std::mem::take(&mut text)),
        _ => {}
    });
    found.retain(|text| !text.trim().is_empty());
    found
}

/// The text of the shapes on each sheet of a workbook, by the name of the sheet.
pub(super) fn of_sheets(archive: &mut Archive<'_>) -> HashMap<String, Vec<String>> {
    let mut found = HashMap::new();
    if !archive.names().iter().any(|name| name.starts_with("xl/drawings/drawing")) {
        return found;
    }
    let targets = archive.relations_of("xl/workbook.xml");
    let mut sheets = Vec::new();
    walk(&archive.text("xl/workbook.xml").unwrap_or_default(), |node| {
        if let XmlEvent::Open(element) = node
            && element.name == "sheet"
            && let (Some(name), Some(target)) =
                (element.attribute("name"), element.attribute("id").and_then(|id| targets.get(&id)))
        {
            sheets.push((name, resolved("xl", target)));
        }
    });
    for (name, part) in sheets {
        for drawing in archive.targets_of(&part, "drawings/drawing") {
            let texts = archive.text(&drawing).map(|xml| paragraphs(&xml)).unwrap_or_default();
            found.entry(name.clone()).or_insert_with(Vec::new).extend(texts);
        }
    }
    found
}

/// A chart.
#[derive(Debug, Default)]
pub(super) struct Chart {
    /// Its own title, then those of its axes.
    titles: Vec<String>,
    series: Vec<ChartSeries>,
}

#[derive(Debug, Default)]
struct ChartSeries {
    name: String,
    /// Categories and values by their number.
    categories: BTreeMap<usize, String>,
    values: BTreeMap<usize, String>,
}

/// What a value of a chart is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ChartPart {
    Title,
    Name,
    Category,
    Value,
}

impl Chart {
    pub fn read(xml: &str) -> Self {
        let (mut chart, mut part, mut text, mut number) = (Self::default(), None, None, 0);
        walk(xml, |node| match node {
            XmlEvent::Open(element) => match element.name {
                "ser" => chart.series.push(ChartSeries::default()),
                "title" => part = Some(ChartPart::Title),
                "tx" if part.is_none() => part = Some(ChartPart::Name),
                "cat" | "xVal" => part = Some(ChartPart::Category),
                "val" | "yVal" => part = Some(ChartPart::Value),
                "pt" => number = element.number("idx").unwrap_or(0),
                "v" | "t" => text = Some(String::new()),
                _ => {}
            },
            XmlEvent::Text(letters) => text.iter_mut().for_each(|text| text.push_str(letters)),
            XmlEvent::Close("v" | "t") => chart.take(part, number, text.take().unwrap_or_default()),
            XmlEvent::Close("title" | "cat" | "xVal" | "val" | "yVal") => part = None,
            XmlEvent::Close("tx") if part == Some(ChartPart::Name) => part = None,
            XmlEvent::Close("p") if part == Some(ChartPart::Title) => chart.titles.push(String::new()),
            XmlEvent::Close(_) => {}
        });
        chart
    }

    fn take(&mut self, part: Option<ChartPart>, number: usize, text: String) {
        match (part, self.series.last_mut()) {
            // A title is written in pieces.
            (Some(ChartPart::Title), _) => match self.titles.last_mut() {
                Some(title) => title.push_str(&text),
                None => self.titles.push(text),
            },
            (Some(ChartPart::Name), Some(series)) => series.name.push_str(&text),
            (Some(ChartPart::Category), Some(series)) => _ = series.categories.insert(number, text),
            (Some(ChartPart::Value), Some(series)) => _ = series.values.insert(number, text),
            _ => {}
        }
    }

    pub fn write(&self, rendering: &mut Rendering) {
        for title in self.titles.iter().filter(|title| !title.trim().is_empty()) {
            rendering.paragraph(title);
        }
        let mut categories: BTreeMap<usize, &str> = BTreeMap::new();
        for series in &self.series {
            let own = series.categories.iter().map(|(number, name)| (*number, name.as_str()));
            for (number, name) in own.chain(series.values.keys().map(|number| (*number, ""))) {
                let known = categories.entry(number).or_default();
                *known = if known.is_empty() { name } else { *known };
            }
        }
        if categories.len().saturating_mul(self.series.len()) > MOST_CELLS {
            return;
        }
        let names = self.series.iter().map(|series| series.name.as_str());
        let mut rows: Vec<Vec<&str>> = vec![std::iter::once("").chain(names).collect()];
        for (number, name) in categories {
            let values = self.series.iter().map(|series| series.values.get(&number).map_or("", String::as_str));
            rows.push(std::iter::once(name).chain(values).collect());
        }
        rendering.table(&rows);
    }
}

/// The charts that a part names, by their relations.
pub(super) fn charts_of(archive: &mut Archive<'_>, part: &str) -> HashMap<String, Chart> {
    let (folder, _) = part.rsplit_once('/').unwrap_or(("", part));
    let named = archive.relations_of(part).into_iter().filter(|(_, target)| target.contains("charts/chart"));
    let named: Vec<(String, String)> = named.map(|(id, target)| (id, resolved(folder, &target))).collect();
    named.into_iter().filter_map(|(id, target)| Some((id, Chart::read(&archive.text(&target)?)))).collect()
}
