//! A question is read against one table: which column, which values, which comparisons.
//!
//! Every word has to be explained – by the form, a column, a value of a cell, the name of the table, or as a filler.
//! One word that is not, and the question is no question about this table: the usual search answers it. Precision comes
//! before reach.

use super::asked::{AskedColumn, ExplainedWords, columns};
use super::conditions::{comparisons, joined, values};
use super::form::{NUMBERS, OF_PRICE, PRICES, RowForm, TOP, form};
use crate::quoted;
use crate::words::position;
use okno::document::table::Table;

/// What stands between the values of a cell that has several: they are not told apart.
const SEVERAL: &[char] = &[',', ';', '/', '、', '，', '；', '&'];

/// What a question asks of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowQuestion {
    /// What is selected: `count(*) AS "count"`, `*`.
    pub select: String,
    /// Conditions on rows, which all hold.
    pub conditions: Vec<String>,
    /// Which of the rows are asked for, where it is those with an extreme.
    pub extreme: Option<Extreme>,
    /// In which order; empty where that does not matter.
    pub order: String,
    /// Whether the question names the table.
    pub is_named: bool,
}

/// The rows with the greatest or least numbers of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extreme {
    column: String,
    is_greatest: bool,
    count: usize,
}

impl Extreme {
    /// The condition on rows of a table, among those that meet other conditions. Rows with the same number are all in.
    pub fn condition(&self, table: &str, among: &str) -> String {
        let Self { column, is_greatest, count } = self;
        let among = if among.is_empty() { String::new() } else { format!(" WHERE {among}") };
        if *count == 1 {
            let function = if *is_greatest { "max" } else { "min" };
            return format!("{column} = (SELECT {function}({column}) FROM {table}{among})");
        }
        let (compared, order) = if *is_greatest { (">=", "DESC") } else { ("<=", "ASC") };
        let held = if among.is_empty() { " WHERE" } else { " AND" };
        format!(
            "{column} {compared} (SELECT {column} FROM {table}{among}{held} {column} IS NOT NULL \
             ORDER BY {column} {order} LIMIT 1 OFFSET {})",
            count - 1
        )
    }
}

/// Reads a question against a table; `names` are what it may be called, `totals` rows that are none, counted from 1.
pub fn read(question: &str, table: &Table, totals: &[usize], names: &[String]) -> Option<RowQuestion> {
    let text = question.to_lowercase();
    let (form, word) = form(&text)?;
    let columns = columns(table, totals);
    let mut explained = ExplainedWords::new(&text);
    let count = match form {
        RowForm::Greatest | RowForm::Least => ranked(word, &mut explained)?,
        _ => explained.take(word).map(|_| 1)?,
    };
    let mut found = values(&columns, &mut explained)?;
    let compared = comparisons(&columns, &mut explained);
    let is_compared = !compared.is_empty();
    found.extend(compared);
    let is_narrowed = !found.is_empty();
    let conditions = joined(&mut found, &mut explained)?;
    let mentioned = mentioned(&columns, &mut explained);
    let is_named = names.iter().filter(|name| explained.take_name(&name.to_lowercase()).is_some()).count() > 0;
    explained.take_fillers();
    if !explained.is_whole() {
        return None;
    }
    let number = mentioned.iter().copied().find(|column| column.is_number);
    let is_condition = |column: &AskedColumn<'_>| found.iter().any(|condition| condition.column == column.name);
    // A column that is neither counted nor a condition: `how many have a website` asks for more than is read here.
    let is_beside = |of: Option<&AskedColumn<'_>>| {
        let is_used = |column: &&AskedColumn<'_>| of.is_some_and(|of| of.name == column.name) || is_condition(column);
        !mentioned.iter().all(is_used)
    };
    let mut asked = RowQuestion { select: "*".to_owned(), conditions, extreme: None, order: String::new(), is_named };
    match form {
        // `How many cups do the Blues have?` is in one cell.
        RowForm::Count if number.is_some() => return None,
        RowForm::Sum | RowForm::Average if is_beside(number) => return None,
        RowForm::Count => {
            // `how many are of kind X` counts rows, not kinds.
            let own: Vec<&AskedColumn<'_>> = mentioned.iter().copied().filter(|column| !is_condition(column)).collect();
            asked.select = counted(is_named, is_narrowed, &own)?;
        }
        RowForm::Sum => asked.select = computed("sum", "sum of", number?),
        RowForm::Average => asked.select = computed("avg", "average", number?),
        // `the stock of the tea with the highest price`: which of the two is highest is not read.
        RowForm::Greatest | RowForm::Least if mentioned.iter().filter(|column| column.is_number).count() > 1 => {
            return None;
        }
        RowForm::Greatest | RowForm::Least => {
            let column = quoted(number.or_else(|| price(&columns, word))?.name);
            let is_greatest = form == RowForm::Greatest;
            if count > 1 {
                asked.order = format!(" ORDER BY {column} {}", if is_greatest { "DESC" } else { "ASC" });
            }
            asked.extreme = Some(Extreme { column, is_greatest, count });
        }
        RowForm::All if is_narrowed && (is_compared || word != "which") => {}
        RowForm::All => return None,
    }
    Some(asked)
}

/// What counts rows, or the different values of one column; `mentioned` are columns that are no condition.
fn counted(is_named: bool, is_narrowed: bool, mentioned: &[&AskedColumn<'_>]) -> Option<String> {
    match mentioned {
        [] if is_named || is_narrowed => Some("count(*) AS \"count\"".to_owned()),
        _ if is_named => None,
        // Cells with several values hold more than they count for.
        [of] if !of.texts.iter().any(|text| text.contains(SEVERAL)) => {
            Some(format!("count(DISTINCT {}) AS \"count\"", quoted(of.name)))
        }
        _ => None,
    }
}

fn computed(function: &str, told: &str, column: &AskedColumn<'_>) -> String {
    format!("{function}({}) AS {}", quoted(column.name), quoted(&format!("{told} {}", column.name)))
}

/// The column of prices, where the word is about prices and there is only one.
fn price<'c, 't>(columns: &'c [AskedColumn<'t>], word: &str) -> Option<&'c AskedColumn<'t>> {
    let priced = |column: &&AskedColumn<'_>| PRICES.iter().any(|part| column.words.contains(part)) && column.is_number;
    let mut candidates = columns.iter().filter(priced);
    candidates.next().filter(|_| OF_PRICE.iter().any(|of| word.contains(of)) && candidates.next().is_none())
}

/// How many rows an extreme asks for: `top 3`, `the three cheapest`, `前三名`, `最贵的三个`, `最贵的是哪三个`. `None` where
/// the words of a rank have no number.
fn ranked(word: &'static str, explained: &mut ExplainedWords<'_>) -> Option<usize> {
    let end = explained.take(word)?;
    let start = end - word.len();
    let text = explained.text;
    if let Some((count, length)) = number(text[end..].trim_start_matches(' ')).filter(|_| is_rank(word)) {
        let from = text.len() - text[end..].trim_start_matches(' ').len();
        explained.done[from..from + length].fill(true);
        // `by` says what is ranked by.
        explained.take("by");
        return Some(count);
    }
    if is_rank(word) {
        return None;
    }
    let mut counts = Vec::new();
    // `the 3 cheapest`
    let before = text[..start].trim_end();
    let first = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric()).len();
    if let Some((count, _)) = number(&before[first..]).filter(|(_, length)| first + length == before.len()) {
        counts.push((count, first..before.len()));
    }
    // `最贵的三个`, `哪三个`, `前三个`, `top 3`
    let behind = ["的", "的前", "前", "哪", "top ", "的是哪", "is ", "are "];
    for mark in behind {
        let from = if ["哪", "前", "top "].contains(&mark) {
            position(text, mark.trim(), 0).map(|at| at + mark.len())
        } else {
            text[end..].starts_with(mark).then_some(end + mark.len())
        };
        let Some(from) = from.filter(|from| *from <= text.len()) else { continue };
        if let Some((count, length)) = text.get(from..).and_then(number) {
            counts.push((count, from - mark.len()..from + length));
        }
    }
    let count = counts.first().map_or(1, |(count, _)| *count);
    if counts.iter().any(|(other, _)| *other != count) {
        return None;
    }
    for (_, span) in counts {
        explained.done[span].fill(true);
    }
    Some(count)
}

fn is_rank(word: &str) -> bool {
    word == "前" || TOP.iter().any(|(top, _)| *top == word)
}

/// A number from 2 to 100 that a text begins with, in digits or as a word, and its length.
fn number(text: &str) -> Option<(usize, usize)> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    // `top 10%` and `3.5` are no counts of rows.
    let follows =
        |length: usize| !text[length..].starts_with(|c: char| c.is_ascii_alphanumeric() || ".%％".contains(c));
    if digits > 0 {
        let count = text[..digits].parse().ok().filter(|count| (2..=100).contains(count))?;
        return follows(digits).then_some((count, digits));
    }
    let (word, count) = NUMBERS.iter().find(|(word, _)| text.starts_with(word))?;
    let rest = &text[word.len()..];
    // `三十` is another number.
    let goes_on = NUMBERS.iter().any(|(more, _)| !more.is_ascii() && rest.starts_with(more));
    (follows(word.len()) && !goes_on).then_some((*count, word.len()))
}

/// The columns that a question names, those with longer names first.
fn mentioned<'c, 't>(columns: &'c [AskedColumn<'t>], explained: &mut ExplainedWords<'_>) -> Vec<&'c AskedColumn<'t>> {
    let mut sorted: Vec<&AskedColumn<'_>> =
        columns.iter().filter(|column| column.words.chars().any(char::is_alphabetic)).collect();
    sorted.sort_by_key(|column| std::cmp::Reverse(column.words.len()));
    sorted.into_iter().filter(|column| explained.take_name(&column.words).is_some()).collect()
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
        let asked = read(question, table, &[], &[name.to_owned()])?;
        let conditions = asked.conditions("t", &[]);
        Some(format!("{} | {}{}", asked.select, conditions.trim_start_matches(" WHERE "), asked.order))
    }

    #[test]
    fn plain_forms_are_read() {
        for (question, expected) in [
            ("How many teas are there?", "count(*) AS \"count\" | "),
            ("How many teas are from China?", "count(*) AS \"count\" | \"Country\" = 'China'"),
            ("how many countries are there", "count(DISTINCT \"Country\") AS \"count\" | "),
            // Counted the different values of the condition's own column: one.
            ("How many rows have country China?", "count(*) AS \"count\" | \"Country\" = 'China'"),
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
        assert!(dearest.contains("SELECT max(\"Price (€)\") FROM t"), "{dearest}");
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
            "What does price mean?",
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
        assert_eq!(sql("价格最高的茶叶的库存是多少？", &two, "茶叶"), None, "two columns, one of them highest");
    }

    #[test]
    fn a_number_that_stands_in_a_cell_is_not_counted() {
        let cups = table(&[&["Team", "Location", "Stanley Cups"], &["Blues", "STL", "1"], &["Flyers", "PHI", "2"]]);
        assert_eq!(sql("How many Stanley Cups do the Blues have?", &cups, "stanley cups"), None);
        let most = sql("Which team has the most Stanley Cups?", &cups, "cups").unwrap();
        assert!(most.contains("max(\"Stanley Cups\")"), "{most}");
    }

    #[test]
    fn a_rank_asks_for_several_rows() {
        let order = |direction: &str, operator: &str, offset: usize| {
            format!(
                "* | \"Price (€)\" {operator} (SELECT \"Price (€)\" FROM t WHERE \"Price (€)\" IS NOT NULL \
                 ORDER BY \"Price (€)\" {direction} LIMIT 1 OFFSET {offset}) ORDER BY \"Price (€)\" {direction}"
            )
        };
        for question in ["top 2 teas by price", "What are the two most expensive teas?", "the 2 most expensive teas"] {
            assert_eq!(sql(question, &teas(), "teas"), Some(order("DESC", ">=", 1)), "{question}");
        }
        for question in ["the three cheapest teas", "Which are the 3 cheapest teas?"] {
            assert_eq!(sql(question, &teas(), "teas"), Some(order("ASC", "<=", 2)), "{question}");
        }
        let table = table(&[&["名称", "价格"], &["龙井", "120"], &["祁红", "30"], &["瓜片", "90"]]);
        for question in [
            "最贵的两款茶叶",
            "价格最高的前两款茶叶是什么",
            "最贵的茶叶是哪两款？",
            "价格前二的茶叶",
            "价格最高的2种茶叶",
        ] {
            let read = sql(question, &table, "茶叶").unwrap_or_default();
            assert!(read.ends_with("DESC LIMIT 1 OFFSET 1) ORDER BY \"价格\" DESC"), "{question}: {read}");
        }
        let two = "价格最低的两个茶叶";
        assert!(sql(two, &table, "茶叶").unwrap().ends_with("ASC LIMIT 1 OFFSET 1) ORDER BY \"价格\" ASC"));
        for question in [
            "top teas",
            "top 2% of teas by price",
            "前两行",
            "the second most expensive tea",
            "价格第二高的茶叶",
            "最贵的三十款茶叶",
        ] {
            let read = sql(question, &table, "茶叶").or_else(|| sql(question, &teas(), "teas"));
            assert_eq!(read, None, "{question}");
        }
    }

    #[test]
    fn ranges_and_what_joins_conditions_are_read() {
        for (question, expected) in [
            ("all teas with price between 20 and 40", "* | \"Price (€)\" BETWEEN 20 AND 40"),
            ("all teas with a price from 20 to 40", "* | \"Price (€)\" BETWEEN 20 AND 40"),
            ("all teas with price over 20 and below 40", "* | \"Price (€)\" > 20 AND \"Price (€)\" < 40"),
            ("all teas with price below 26 or over 100", "* | (\"Price (€)\" < 26 OR \"Price (€)\" > 100)"),
            (
                "How many teas are from China and have a price over 30?",
                "count(*) AS \"count\" | \"Country\" = 'China' AND \"Price (€)\" > 30",
            ),
            (
                "How many teas are from China or Japan?",
                "count(*) AS \"count\" | (\"Country\" = 'China' OR \"Country\" = 'Japan')",
            ),
            (
                "all teas from China or Japan with price over 26",
                "* | (\"Country\" = 'China' OR \"Country\" = 'Japan') AND \"Price (€)\" > 26",
            ),
        ] {
            assert_eq!(sql(question, &teas(), "teas").as_deref(), Some(expected), "{question}");
        }
        let table = table(&[
            &["名称", "产地", "价格", "库存"],
            &["龙井", "浙江", "120", "5"],
            &["祁红", "安徽", "30", "70"],
            &["毛峰", "福建", "90", "8"],
        ]);
        for (question, expected) in [
            ("价格在20到40之间的所有茶叶", "* | \"价格\" BETWEEN 20 AND 40"),
            ("价格20至40的所有茶叶", "* | \"价格\" BETWEEN 20 AND 40"),
            ("价格介于20和40之间的茶叶有哪些", "* | \"价格\" BETWEEN 20 AND 40"),
            ("价格超过50且库存低于6的所有茶叶", "* | \"价格\" > 50 AND \"库存\" < 6"),
            ("价格低于50或高于100的所有茶叶", "* | (\"价格\" < 50 OR \"价格\" > 100)"),
            ("价格低于50或者库存低于6的所有茶叶", "* | (\"价格\" < 50 OR \"库存\" < 6)"),
            ("产地是安徽或浙江的茶叶有多少种", "count(*) AS \"count\" | (\"产地\" = '安徽' OR \"产地\" = '浙江')"),
        ] {
            assert_eq!(sql(question, &table, "茶叶").as_deref(), Some(expected), "{question}");
        }
        // Not sure: both words, values of one column with `and`, a range that falls, a word that joins nothing.
        for question in [
            "价格低于50或高于100且库存低于6的所有茶叶",
            "价格在40到20之间的所有茶叶",
            "价格超过50以下的所有茶叶",
            "价格低于50或库存的所有茶叶",
        ] {
            assert_eq!(sql(question, &table, "茶叶"), None, "{question}");
        }
        for question in [
            "How many teas are from China and Japan?",
            "all teas from China or with price over 100 and from Japan",
            "all teas with price 20 and 40",
            "How many teas are from China or?",
        ] {
            assert_eq!(sql(question, &teas(), "teas"), None, "{question}");
        }
    }

    #[test]
    fn values_that_other_cells_hold_too_are_not_counted() {
        let table = table(&[
            &["Name", "Place", "Tags", "Price"],
            &["A", "Chile", "red, blue", "$1"],
            &["B", "Santiago, Chile", "red", "€2"],
            &["C", "peru", "blue", "$3"],
            &["D", "Peru", "green", "$3"],
        ]);
        assert_eq!(sql("How many rows are from Chile?", &table, "people"), None);
        assert_eq!(sql("How many tags are there?", &table, "people"), None);
        assert_eq!(sql("What is the sum of price?", &table, "people"), None, "two currencies");
        let peru = sql("How many rows are from Peru?", &table, "people").unwrap();
        assert!(peru.ends_with("\"Place\" IN ('Peru', 'peru')"), "{peru}");
    }

    #[test]
    fn values_with_quotes_stay_values() {
        let table = table(&[&["Name", "Price"], &["O'Hara", "1"], &["B", "2"]]);
        let asked = sql("How many rows are O'Hara?", &table, "people").unwrap();
        assert!(asked.ends_with("\"Name\" = 'O''Hara'"), "{asked}");
    }
}
