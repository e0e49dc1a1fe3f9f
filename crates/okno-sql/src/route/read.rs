//! A question is read against one table: which column, which values, which comparisons.
//!
//! Every word has to be explained – by the form, a column, a value of a cell, the name of the table, or as a filler.
//! One word that is not, and the question is no question about this table: the usual search answers it. Precision comes
//! before reach.

use super::form::{
    COMPARISONS, COMPARISONS_BEHIND, FILLERS, FILLING_CHARACTERS, OF_PRICE, PRICES, RowForm, form, position,
};
use crate::import::cell_value;
use crate::quoted;
use okno::document::table::Table;
use rusqlite::types::Value;
use std::collections::BTreeSet;

/// Characters of a value that a question may name, at most.
const LONGEST_NAME: usize = 40;

/// Columns that count or name rows: nobody asks for their mean.
const COUNTERS: &[&str] = &["id", "index", "no", "no.", "#", "编号", "序号", "year", "年份", "年"];

/// What a question asks of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowQuestion {
    /// What is selected: `count(*) AS "count"`, `*`.
    pub select: String,
    /// Conditions on rows; empty where all count.
    pub conditions: String,
    /// Whether the question names the table.
    pub is_named: bool,
}

/// A question, and how much of it is explained.
struct ExplainedWords<'q> {
    text: &'q str,
    done: Vec<bool>,
}

impl<'q> ExplainedWords<'q> {
    fn new(text: &'q str) -> Self {
        Self { text, done: vec![false; text.len()] }
    }

    /// Explains the first place of a phrase that nothing else explains; returns where it ends.
    fn take(&mut self, phrase: &str) -> Option<usize> {
        let mut from = 0;
        while let Some(at) = position(self.text, phrase, from) {
            let end = at + phrase.len();
            if !self.done[at..end].iter().any(|done| *done) {
                self.done[at..end].fill(true);
                return Some(end);
            }
            from = end;
        }
        None
    }

    /// The same for a name, which may be in the singular or plural.
    fn take_name(&mut self, name: &str) -> Option<usize> {
        let latin = name.ends_with(|c: char| c.is_ascii_alphabetic());
        let plural = name.strip_suffix('y').map_or_else(|| format!("{name}s"), |stem| format!("{stem}ies"));
        let forms = [name.to_owned(), plural, format!("{name}es"), singular(name)];
        forms.iter().take(if latin { 4 } else { 1 }).find_map(|form| self.take(form))
    }

    fn is_whole(&self) -> bool {
        let is_done = |(at, c): (usize, char)| self.done[at] || !c.is_alphanumeric();
        self.text.char_indices().all(is_done)
    }

    fn take_fillers(&mut self) {
        for filler in FILLERS {
            while self.take(filler).is_some() {}
        }
        for (at, c) in self.text.char_indices() {
            if FILLING_CHARACTERS.contains(c) {
                self.done[at..at + c.len_utf8()].fill(true);
            }
        }
    }
}

/// A column as a question may mean it.
struct AskedColumn<'t> {
    name: &'t str,
    words: String,
    is_number: bool,
    values: BTreeSet<String>,
}

/// Reads a question against a table; `names` are what it may be called.
pub fn read(question: &str, table: &Table, names: &[String]) -> Option<RowQuestion> {
    let text = question.to_lowercase();
    let (form, word) = form(&text)?;
    let columns = columns(table);
    let mut explained = ExplainedWords::new(&text);
    explained.take(word);
    let mut conditions = values(&columns, &mut explained)?;
    let compared = comparisons(&columns, &mut explained);
    let is_narrowed = !conditions.is_empty() || !compared.is_empty();
    let is_compared = !compared.is_empty();
    conditions.extend(compared);
    let mentioned = mentioned(&columns, &mut explained);
    let is_named = names.iter().filter(|name| explained.take_name(&name.to_lowercase()).is_some()).count() > 0;
    explained.take_fillers();
    if !explained.is_whole() {
        return None;
    }
    let number = mentioned.iter().copied().find(|column| column.is_number);
    let is_condition = |column: &AskedColumn<'_>| {
        let name = quoted(column.name);
        conditions.iter().any(|condition| condition.strip_prefix(&name).is_some_and(|rest| rest.starts_with(' ')))
    };
    // A column that is neither counted nor a condition: `how many have a website` asks for more than is read here.
    let is_beside = |of: Option<&AskedColumn<'_>>| {
        let is_used = |column: &&AskedColumn<'_>| of.is_some_and(|of| of.name == column.name) || is_condition(column);
        !mentioned.iter().all(is_used)
    };
    let price = || {
        let priced =
            |column: &&AskedColumn<'_>| PRICES.iter().any(|part| column.words.contains(part)) && column.is_number;
        let mut candidates = columns.iter().filter(priced);
        candidates.next().filter(|_| OF_PRICE.iter().any(|of| word.contains(of)) && candidates.next().is_none())
    };
    let select = match form {
        // `How many cups do the Blues have?` is in one cell.
        RowForm::Count if number.is_some() => return None,
        RowForm::Sum | RowForm::Average if is_beside(number) => return None,
        RowForm::Count => match mentioned.as_slice() {
            _ if is_named && is_beside(None) => return None,
            _ if is_named => "count(*) AS \"count\"".to_owned(),
            [] if is_narrowed => "count(*) AS \"count\"".to_owned(),
            [of] => format!("count(DISTINCT {}) AS \"count\"", quoted(of.name)),
            _ => return None,
        },
        RowForm::Sum => format!("sum({}) AS {}", quoted(number?.name), quoted(&format!("sum of {}", number?.name))),
        RowForm::Average => {
            format!("avg({}) AS {}", quoted(number?.name), quoted(&format!("average {}", number?.name)))
        }
        RowForm::Greatest | RowForm::Least => {
            let of = quoted(number.or_else(price)?.name);
            let function = if form == RowForm::Greatest { "max" } else { "min" };
            let among =
                if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
            conditions.push(format!("{of} = (SELECT {function}({of}) FROM {{table}}{among})"));
            "*".to_owned()
        }
        RowForm::All if is_narrowed && (is_compared || word != "which") => "*".to_owned(),
        RowForm::All => return None,
    };
    Some(RowQuestion { select, conditions: conditions.join(" AND "), is_named })
}

fn columns(table: &Table) -> Vec<AskedColumn<'_>> {
    let column = |(at, name): (usize, &'_ String)| {
        let cells: Vec<Value> = table.rows.iter().filter_map(|row| row.get(at)).map(|cell| cell_value(cell)).collect();
        let held = cells.iter().filter(|cell| **cell != Value::Null).count();
        let numbers = cells.iter().filter(|cell| matches!(cell, Value::Integer(_) | Value::Real(_))).count();
        let words = name.trim().to_lowercase().replace(['_', '-'], " ");
        let words = words.split(['(', '（', '[']).next().unwrap_or_default().trim().to_owned();
        let counts = COUNTERS.contains(&words.as_str()) || words.ends_with(" id");
        // One cell that is no number – `n/a`, `98 452` – and a sum of the others would be wrong.
        let is_number = numbers > 1 && numbers == held && !counts;
        let text = |cell: Value| if let Value::Text(text) = cell { Some(text) } else { None };
        let is_name =
            |text: &String| (2..=LONGEST_NAME).contains(&text.chars().count()) && text.chars().any(char::is_alphabetic);
        (words, is_number, cells.into_iter().filter_map(text).filter(is_name).collect())
    };
    let all = table.header.iter().enumerate();
    all.map(|(at, name)| {
        let (words, is_number, values) = column((at, name));
        AskedColumn { name: name.trim(), words, is_number, values }
    })
    .collect()
}

/// Conditions for the values that a question names; `None` where a value may be of two columns.
fn values(columns: &[AskedColumn<'_>], explained: &mut ExplainedWords<'_>) -> Option<Vec<String>> {
    let mut all: Vec<(&AskedColumn<'_>, &String)> =
        columns.iter().flat_map(|column| column.values.iter().map(move |value| (column, value))).collect();
    all.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
    let mut conditions = Vec::new();
    for (column, value) in all {
        let lower = value.to_lowercase();
        let is_filler = FILLERS.contains(&lower.as_str()) || columns.iter().any(|column| column.words == lower);
        if is_filler || explained.take(&lower).is_none() {
            continue;
        }
        let elsewhere = |other: &AskedColumn<'_>| other.name != column.name && other.values.contains(value);
        if columns.iter().any(elsewhere) {
            return None;
        }
        conditions.push(format!("{} = '{}'", quoted(column.name), value.replace('\'', "''")));
    }
    Some(conditions)
}

/// Conditions for numbers: a column, a comparison, a number.
fn comparisons(columns: &[AskedColumn<'_>], explained: &mut ExplainedWords<'_>) -> Vec<String> {
    let mut conditions = Vec::new();
    for column in columns.iter().filter(|column| column.is_number && !column.words.is_empty()) {
        let Some(at) = position(explained.text, &column.words, 0) else { continue };
        let end = at + column.words.len();
        let Some((operator, number, stop)) = compared(&explained.text[end..]) else { continue };
        explained.done[at..end + stop].fill(true);
        conditions.push(format!("{} {operator} {number}", quoted(column.name)));
    }
    conditions
}

/// `over 100`, `超过 100`, `在 100 以上`: the operator, the number, and where it ends.
fn compared(text: &str) -> Option<(&'static str, String, usize)> {
    let rest = text.trim_start_matches([' ', '在', '是', '为', '的']);
    let rest = ["is ", "are ", "of "].iter().find_map(|filler| rest.strip_prefix(filler)).unwrap_or(rest);
    let before = COMPARISONS.iter().find(|(word, _)| rest.starts_with(word));
    let digits =
        before.map_or(rest, |(word, _)| &rest[word.len()..]).trim_start_matches([' ', '$', '¥', '￥', '€', '£']);
    let length = digits.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(digits.len());
    let written = digits[..length].trim_end_matches(['.', ',']);
    let number = written.replace(',', "");
    number.parse::<f64>().ok()?;
    let after = &digits[written.len()..];
    let start = text.len() - after.len();
    if let Some((_, operator)) = before {
        return Some((operator, number, start));
    }
    let behind = after.trim_start_matches([' ', '元', '块']);
    let (word, operator) = COMPARISONS_BEHIND.iter().find(|(word, _)| behind.starts_with(word))?;
    Some((operator, number, text.len() - behind.len() + word.len()))
}

/// The columns that a question names, those with longer names first.
fn mentioned<'c, 't>(columns: &'c [AskedColumn<'t>], explained: &mut ExplainedWords<'_>) -> Vec<&'c AskedColumn<'t>> {
    let mut sorted: Vec<&AskedColumn<'_>> =
        columns.iter().filter(|column| column.words.chars().any(char::is_alphabetic)).collect();
    sorted.sort_by_key(|column| std::cmp::Reverse(column.words.len()));
    sorted.into_iter().filter(|column| explained.take_name(&column.words).is_some()).collect()
}

/// `teas` → `tea`, `companies` → `company`.
fn singular(name: &str) -> String {
    match (name.strip_suffix("ies"), name.strip_suffix('s')) {
        (Some(stem), _) => format!("{stem}y"),
        (None, Some(stem)) => stem.to_owned(),
        (None, None) => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[&str]]) -> Table {
        let cells = |row: &&[&str]| row.iter().map(ToString::to_string).collect();
        Table { header: cells(&rows[0]), rows: rows[1..].iter().map(cells).collect() }
    }

    fn teas() -> Table {
        table(&[
            &["Name", "Country", "Price (€)", "Id"],
            &["Sencha", "Japan", "30", "1"],
            &["Keemun", "China", "25.50", "2"],
            &["Longjing", "China", "120", "3"],
        ])
    }

    fn sql(question: &str, table: &Table, name: &str) -> Option<String> {
        let RowQuestion { select, conditions, .. } = read(question, table, &[name.to_owned()])?;
        Some(format!("{select} | {conditions}"))
    }

    #[test]
    fn plain_forms_are_read() {
        for (question, expected) in [
            ("How many teas are there?", "count(*) AS \"count\" | "),
            ("How many teas are from China?", "count(*) AS \"count\" | \"Country\" = 'China'"),
            ("how many countries are there", "count(DISTINCT \"Country\") AS \"count\" | "),
            ("What is the average price of the teas?", "avg(\"Price (€)\") AS \"average Price (€)\" | "),
            (
                "What is the average price of teas from China?",
                "avg(\"Price (€)\") AS \"average Price (€)\" | \"Country\" = 'China'",
            ),
            ("all teas with price over 100", "* | \"Price (€)\" > 100"),
            ("List all teas with a price of at least 25.50", "* | \"Price (€)\" >= 25.50"),
        ] {
            assert_eq!(sql(question, &teas(), "teas").as_deref(), Some(expected), "{question}");
        }
        let dearest = sql("Which tea is the most expensive?", &teas(), "teas").unwrap();
        assert!(dearest.contains("SELECT max(\"Price (€)\") FROM {table}"), "{dearest}");
    }

    #[test]
    fn plain_forms_are_read_in_chinese() {
        let teas = table(&[
            &["名称", "产地", "价格", "库存"],
            &["龙井", "浙江", "120", "5"],
            &["祁红", "安徽", "¥30", "70"],
            &["瓜片", "安徽", "90", "8"],
        ]);
        for (question, expected) in [
            ("茶叶有多少种？", "count(*) AS \"count\" | "),
            ("产地是安徽的茶叶有多少？", "count(*) AS \"count\" | \"产地\" = '安徽'"),
            ("平均价格是多少", "avg(\"价格\") AS \"average 价格\" | "),
            ("价格超过 80 的所有茶叶", "* | \"价格\" > 80"),
            ("列出价格在100元以上的茶叶", "* | \"价格\" >= 100"),
            ("库存合计是多少", "sum(\"库存\") AS \"sum of 库存\" | "),
        ] {
            assert_eq!(sql(question, &teas, "茶叶").as_deref(), Some(expected), "{question}");
        }
        for question in ["最贵的茶叶是哪一款？", "哪一种茶叶价格最高？", "库存最少的是哪一个"]
        {
            assert!(sql(question, &teas, "茶叶").is_some(), "{question}");
        }
    }

    #[test]
    fn a_word_that_nothing_explains_leaves_the_question_to_search() {
        for question in [
            "How many cups of tea should I drink?",
            "How many teas does Anna like?",
            "What is the average price of coffee?",
            "Which tea is best for the morning?",
            "Why is Longjing the most expensive tea?",
            "What does Sencha cost?",
            "How hot should water for Sencha be?",
            "龙井多少钱",
            "Which teas are from China?",
            "How many",
            "all teas",
            "How many teas have a country?",
            "What is the average price by country?",
            "How many teas and countries are there?",
        ] {
            assert_eq!(sql(question, &teas(), "teas"), None, "{question}");
        }
    }

    #[test]
    fn a_column_with_anything_but_numbers_is_neither_added_nor_compared() {
        let permits = table(&[&["State", "Permits"], &["Alabama", "10"], &["California", "98 452"], &["Ohio", "7"]]);
        assert_eq!(sql("What is the sum of permits?", &permits, "permits"), None);
        assert_eq!(sql("Which state has the most permits?", &permits, "permits"), None);
        let two = table(&[&["名称", "库存", "价格"], &["龙井", "1", "2"], &["祁红", "3", "4"]]);
        assert_eq!(sql("库存和价格的合计", &two, "茶叶"), None);
        assert!(sql("最贵的茶叶是什么？", &two, "茶叶").is_some());
    }

    #[test]
    fn a_number_that_stands_in_a_cell_is_not_counted() {
        let cups = table(&[&["Team", "Location", "Stanley Cups"], &["Blues", "STL", "1"], &["Flyers", "PHI", "2"]]);
        assert_eq!(sql("How many Stanley Cups do the Blues have?", &cups, "stanley cups"), None);
        let most = sql("Which team has the most Stanley Cups?", &cups, "cups").unwrap();
        assert!(most.contains("max(\"Stanley Cups\")"), "{most}");
    }

    #[test]
    fn values_with_quotes_stay_values() {
        let table = table(&[&["Name", "Price"], &["O'Hara", "1"], &["B", "2"]]);
        let asked = sql("How many rows are O'Hara?", &table, "people").unwrap();
        assert!(asked.ends_with("\"Name\" = 'O''Hara'"), "{asked}");
    }
}
