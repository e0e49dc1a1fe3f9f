//! `okno search`: one question for a person, or many for a program.

use crate::args::{Cli, FilterBy, How, LegName, OrderName, SearchArgs};
use crate::locale::say;
use crate::{helper, output, place, settings, understood};
use anyhow::{Context as _, Result, bail};
use okno::document::Filter;
use okno::retrieve::{Expansion, Order, together};
use okno::store::Leg;
use okno::understand::model::{Step, Switches};
use okno::{Answer, Engine, Query};
use rayon::prelude::*;
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

pub fn run(cli: &Cli, args: &SearchArgs) -> Result<()> {
    let query = query(args.question.as_deref().unwrap_or_default(), args.recipe.as_deref(), &args.how)?;
    let routes = Routes::open(cli, &query, args.how.rerank.as_deref())?;
    if let Some(file) = &args.queries {
        return batch(&routes, file);
    }
    let answer = routes.search(&query.text, None)?;
    if cli.json {
        return output::json(&output::answer_json(&answer, args.explain));
    }
    for note in understood::notes(&answer.understood).into_iter().chain(understood::unhelped(&answer.steps)) {
        output::note(&note);
    }
    if answer.nothing_relevant() && !answer.contexts.is_empty() && !looks_anyway(args) {
        output::note(&nothing_relevant(&answer));
        return Ok(());
    }
    output::answer(&answer, args.explain)?;
    if answer.contexts.is_empty() {
        output::note(&nothing(&answer));
    }
    Ok(())
}

/// The indexes a question goes to, each with the question as its own settings complete it.
struct Routes {
    indexes: Vec<(Engine, Query)>,
}

impl Routes {
    fn open(cli: &Cli, query: &Query, rerank: Option<&str>) -> Result<Self> {
        let whole = |folder: &PathBuf| std::fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
        let mut seen = HashSet::new();
        let named = cli
            .index
            .iter()
            .chain(&cli.store)
            .filter(|folder| seen.insert(whole(folder)))
            .map(|folder| Some(folder.as_path()));
        let folders: Vec<Option<&Path>> =
            if cli.index.is_empty() && cli.store.is_none() { vec![None] } else { named.collect() };
        let indexes = folders.into_iter().map(|folder| {
            let mut engine = place::open_to_ask(folder, rerank)?;
            let mut query = query.clone();
            settings::fill(&mut query, &settings::of(engine.folder())?, &engine)?;
            helper::attach(&mut engine, &query)?;
            Ok((engine, query))
        });
        Ok(Self { indexes: indexes.collect::<Result<_>>()? })
    }

    fn search(&self, text: &str, filter: Option<&Filter>) -> Result<Answer> {
        let one = |(engine, query): &(Engine, Query)| {
            let mut query = Query { text: text.to_owned(), ..query.clone() };
            if let Some(own) = filter {
                query.filter = Some(match query.filter.take() {
                    Some(given) => given.and(own.clone()),
                    None => own.clone(),
                });
            }
            engine.search(&query)
        };
        let mut answers = Vec::new();
        let mut unknown = None;
        for answer in self.indexes.iter().map(one) {
            match answer {
                Ok(answer) => answers.push(answer),
                // A field that another index has leaves this one without documents.
                Err(error @ okno::Error::UnknownField { .. }) => unknown = Some(error),
                Err(error) => return Err(error.into()),
            }
        }
        match (together(answers), unknown) {
            (Some(answer), _) => Ok(answer),
            (None, Some(error)) => Err(error.into()),
            (None, None) => unreachable!("there is an index, and it answered or said why not"),
        }
    }
}

/// Whether the user wants to see also what is not relevant.
fn looks_anyway(args: &SearchArgs) -> bool {
    args.all || args.explain || args.how.min_relevance.is_some()
}

/// That what came nearest is not relevant, and what to try.
fn nothing_relevant(answer: &Answer) -> String {
    say!(
        "nothing relevant found (the nearest has a relevance of {:.2} of 1) – try other words, index more documents, or add --all to see what came nearest",
        "没有找到相关内容(最接近的相关度为 {:.2},满分 1)—— 换个说法,索引更多文档,或加 --all 查看最接近的内容",
        answer.relevance
    )
}

/// Why there is nothing, and what to try.
pub fn nothing(answer: &Answer) -> String {
    if answer.question.trim().is_empty() {
        say!("the question is empty – say what you look for", "问题是空的 —— 请写出要找的内容")
    } else if answer.recipe.k == 0 {
        say!("nothing was asked for: `-k 0`", "没有要求返回任何结果:`-k 0`")
    } else if answer.relevance > 0.0 {
        say!(
            "nothing as relevant as asked for; the nearest has a relevance of {:.2} – lower --min-relevance",
            "没有达到所要求相关度的内容;最接近的相关度为 {:.2} —— 请降低 --min-relevance",
            answer.relevance
        )
    } else if answer.stage.matching == Some(0) {
        say!(
            "no document matches the filter – `okno status` lists fields and values",
            "没有文档符合过滤条件 —— `okno status` 列出字段和取值"
        )
    } else if answer.stage.hits > 0 {
        say!(
            "a budget of {} {} is less than the best sentence takes – raise --budget",
            "{} 个{}的预算放不下最相关的一个句子 —— 请增大 --budget",
            answer.recipe.budget,
            output::unit(answer.recipe.unit)
        )
    } else {
        say!("nothing found – try other words, or fewer filters", "没有找到 —— 换个说法,或放宽过滤条件")
    }
}

/// A query as the flags say.
pub fn query(question: &str, recipe: Option<&str>, how: &How) -> Result<Query, okno::Error> {
    let expand = match (how.window, how.neighbors, &how.expand) {
        (Some(count), ..) => Some(Expansion::Window(count)),
        (_, Some(count), _) => Some(Expansion::Neighbors(count)),
        (_, _, Some(name)) => Some(name.parse()?),
        _ => None,
    };
    let filter = how.filter.as_deref().map(Filter::parse).transpose()?;
    let leg = |name: &LegName| match name {
        LegName::Dense => Leg::Dense,
        LegName::Lexical => Leg::Lexical,
    };
    // Neighbours are chunks: the recipe that searches them, unless another was named.
    let recipe = recipe.or(how.neighbors.map(|_| "neighbors"));
    let legs = how.legs.as_ref().map(|names| names.iter().map(leg).collect());
    Ok(Query {
        text: question.to_owned(),
        recipe: recipe.map(str::to_owned),
        recipe_value: None,
        legs,
        filter,
        expand,
        k: how.k,
        budget: how.budget.map(|(budget, _)| budget),
        unit: how.budget.map(|(_, unit)| unit),
        diversity: how.diversity,
        rerank_depth: how.rerank_depth,
        rerank_blend: how.rerank_blend,
        order: how.order.map(order),
        auto_filter: how.no_auto_filter.then_some(false),
        route: if matches!(how.route.as_str(), "auto" | "model") { None } else { Some(how.route.parse()?) },
        transform: steps(how)?,
        today: None,
        min_relevance: how.min_relevance,
    })
}

/// What the model does for the question, where the flags say anything about it.
fn steps(how: &How) -> Result<Option<Vec<Step>>, okno::Error> {
    let (filter, route) = (how.filter_by == FilterBy::Model, how.route == "model");
    Switches { transform: how.transform.as_deref(), filter, route, post_filter: how.post_filter }.steps()
}

fn order(name: OrderName) -> Order {
    match name {
        OrderName::Score => Order::Score,
        OrderName::Document => Order::Document,
        OrderName::Ends => Order::Ends,
    }
}

/// Questions searched at once before their lines are printed.
const BATCH: usize = 256;

/// Answers a file of questions in parallel, in order. A line that cannot be answered is told with its number, and the others are answered all the same.
fn batch(routes: &Routes, file: &Path) -> Result<()> {
    let lines =
        std::fs::read_to_string(file).with_context(|| say!("cannot read `{}`", "无法读取 `{}`", file.display()))?;
    let lines: Vec<(usize, &str)> =
        lines.trim_start_matches('\u{feff}').lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).collect();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut failed = 0;
    for lines in lines.chunks(BATCH) {
        let answers: Vec<Result<String>> = lines
            .par_iter()
            .map(|&(number, line)| {
                one(routes, line, number).with_context(|| format!("{}:{}", file.display(), number + 1))
            })
            .collect();
        for answer in answers {
            match answer {
                Ok(answer) => writeln!(out, "{answer}")?,
                Err(error) => {
                    failed += 1;
                    output::note(&output::printable_text(&crate::message(&error)));
                }
            }
        }
    }
    out.flush()?;
    if failed > 0 {
        bail!(say!("{} of {} lines could not be answered", "{} 行(共 {} 行)未能回答", failed, lines.len()));
    }
    Ok(())
}

fn one(routes: &Routes, line: &str, number: usize) -> Result<String> {
    let line: serde_json::Value = serde_json::from_str(line)?;
    let question = line["question"].as_str().or_else(|| line["query"].as_str());
    let question = question.with_context(|| say!("no field `question`", "缺少字段 `question`"))?;
    let filter = line.get("filter").filter(|filter| !filter.is_null());
    let filter = filter.map(Filter::from_json).transpose().map_err(okno::Error::from)?;
    let answer = routes.search(question, filter.as_ref())?;
    let qid = line.get("qid").cloned().unwrap_or_else(|| (number + 1).into());
    let contexts: Vec<_> = answer.contexts.iter().map(output::plain_context_json).collect();
    let (relevance, nothing) = (answer.relevance, answer.nothing_relevant());
    let mut json =
        serde_json::json!({"qid": qid, "relevance": relevance, "nothing_relevant": nothing, "contexts": contexts});
    if let Some(filter) = &answer.understood.filter {
        json["filter_read"] = filter.to_string().into();
    }
    Ok(json.to_string())
}
