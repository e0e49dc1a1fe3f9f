//! `okno ask`: an answer in words, printed as it is generated, with the places it is based on.

use crate::globals::Globals;
use crate::locale::say;
use crate::model::{self, ModelTable};
use crate::output::{self, CitedTogether, Paint, understood};
use crate::search_flags::{SearchFlags, query};
use crate::{conversation, opening, settings};
use anyhow::Result;
use clap::Args;
use okno::answer::{Citation, Event, MadeWholeBy, Reply, ReplyOptions, Turn, reply, request, whole_question};
use okno::config::Settings;
use okno::generate::{Asker, ChatRole, GenerateError, Generator, Prompts, Request};
use okno::{Answer, Context, Engine};
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A question and how to answer it.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag
pub struct AskArgs {
    /// The question
    question: String,
    /// The recipe [default: the index's own]
    #[arg(long)]
    recipe: Option<String>,
    #[command(flatten)]
    search: SearchFlags,
    /// Continue the last conversation with this index: "and how long does it take?"
    #[arg(long = "continue")]
    continued: bool,
    /// Print the answer when it is complete, not while it is generated
    #[arg(long)]
    no_stream: bool,
    /// Print the prompt without sending it
    #[arg(long)]
    show_prompt: bool,
    /// The language model that answers: `[models.NAME]` of `okno.toml` [default: that of `[model]`]
    #[arg(long, value_name = "NAME", conflicts_with = "no_model")]
    model: Option<String>,
    /// Answer with passages of the documents, even if a language model is set up
    #[arg(long)]
    no_model: bool,
}

/// When the answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Printing {
    /// While it is generated.
    Streamed,
    /// When it is complete.
    Whole,
}

/// Whether the answer was to come from a model, and whether there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ModelState {
    /// There is a model, or none was wanted.
    AsAsked,
    /// None is set up.
    NotSetUp,
}

pub fn run(globals: &Globals, args: &AskArgs) -> Result<()> {
    if args.question.trim().is_empty() {
        anyhow::bail!(say!("the question is empty – write what you want to know", "问题是空的 —— 请写出想知道的内容"));
    }
    let mut engine = opening::open_to_search(globals.index(), args.search.rerank.as_deref())?;
    let settings = settings::of(engine.folder())?;
    let picked = ModelTable::picked(&settings, args.model.as_deref())?;
    let mut options = model::reply_options(&settings, &picked, engine.folder())?;
    let model = if args.no_model { None } else { model::generator(&picked, &settings::secrets(engine.folder()))? };
    let mut turns = if args.continued { conversation::turns(engine.folder()) } else { Vec::new() };
    let asker = model.as_deref().map(|generator| Asker { generator, prompts: &options.prompts });
    let whole = whole_question(&args.question, &turns, asker);
    if whole.by != MadeWholeBy::Nobody {
        output::note(&say!("asked as: {}", "按此提问：{}", output::printable(&whole.question)));
    }
    let found = search(&mut engine, &settings, args, &whole.question, model.as_ref(), &options.prompts)?;
    let pictures = |context: &Context| engine.pictures(context);
    options.pictures = picked.config.vision.unwrap_or(false).then_some(&pictures);
    if args.show_prompt {
        return show(globals, &request(&found, &options));
    }
    let notes_before = understood::notes(&found.understood).into_iter().chain(understood::unhelped(&found.steps));
    notes_before.filter(|_| !globals.json).for_each(|note| output::note(&note));
    let printing = if globals.json || args.no_stream { Printing::Whole } else { Printing::Streamed };
    let reply = answer(found, model.as_deref(), &options, printing)?;
    turns.push(Turn { question: args.question.clone(), answer: reply.text.clone() });
    conversation::keep(engine.folder(), turns);
    if globals.json {
        return output::json(&json(&reply));
    }
    print(&reply, printing)?;
    notes(&reply, if model.is_none() && !args.no_model { ModelState::NotSetUp } else { ModelState::AsAsked });
    let others: Vec<&str> = settings.values().models.keys().map(String::as_str).collect();
    if model.is_none() && !args.no_model && !others.is_empty() {
        output::note(&say!("`--model` picks one of: {}", "可用 `--model` 选择：{}", others.join(", ")));
    }
    Ok(())
}

fn search(
    engine: &mut Engine,
    settings: &Settings,
    args: &AskArgs,
    question: &str,
    model: Option<&Arc<dyn Generator>>,
    prompts: &Prompts,
) -> Result<Answer> {
    let mut query = query(question, args.recipe.as_deref(), &args.search)?;
    settings::fill(&mut query, settings, engine)?;
    query = query.to_answer(model.is_some());
    if !args.no_model {
        model::attach(engine, &query)?;
    }
    // No step is named: the model that answers may write a query over rows.
    if query.sql_by_model && engine.generator().is_none() {
        engine.reconfigure(|builder| builder.generator(model.cloned()).prompts(prompts.clone()))?;
    }
    Ok(engine.search(&query)?)
}

/// Generates the answer, and prints it meanwhile if it is streamed.
fn answer(
    found: Answer,
    model: Option<&dyn Generator>,
    options: &ReplyOptions<'_>,
    printing: Printing,
) -> Result<Reply> {
    let live = printing == Printing::Streamed;
    let mut out = std::io::stdout();
    let mut failed = None;
    let done = reply(found, model, options, &mut |event| {
        let Event::Text(text) = event else { return ControlFlow::Continue(()) };
        let written =
            if live { write!(out, "{}", output::printable_text(text)).and_then(|()| out.flush()) } else { Ok(()) };
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    match (done, failed) {
        // Standard output was closed: `okno ask … | head`.
        (Err(okno::Error::Generate(GenerateError::Stopped)), Some(error)) => Err(error.into()),
        (done, _) => {
            if live && done.is_err() {
                writeln!(out)?;
            }
            Ok(done?)
        }
    }
}

fn json(reply: &Reply) -> serde_json::Value {
    okno::shapes::reply(reply)
}

/// The request, role by role.
fn show(globals: &Globals, request: &Request) -> Result<()> {
    if globals.json {
        let messages: Vec<_> =
            request.messages.iter().map(|m| serde_json::json!({"role": m.role, "text": m.text})).collect();
        return output::json(&serde_json::json!({"messages": messages, "temperature": request.temperature}));
    }
    let mut out = std::io::stdout().lock();
    for message in &request.messages {
        let role = match message.role {
            ChatRole::System => "system",
            ChatRole::User => "user",
            ChatRole::Assistant => "assistant",
        };
        writeln!(out, "=== {role}\n{}\n", output::printable_text(&message.text))?;
    }
    Ok(())
}

fn print(reply: &Reply, printing: Printing) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let paint = Paint::of(&out);
    if printing == Printing::Whole {
        write!(out, "{}", output::printable_text(&reply.text))?;
    }
    if !reply.text.ends_with('\n') {
        writeln!(out)?;
    }
    let places = places(&reply.citations);
    if !places.is_empty() {
        writeln!(out)?;
    }
    let names = places.iter().map(|citation| (citation.document.as_str(), citation.root.as_str()));
    let cited = CitedTogether::new(names);
    for citation in places {
        let at = cited.place(&citation.document, &citation.root, citation.lines);
        let number = paint.bold(&format!("[{}]", citation.number));
        writeln!(out, "{number} {}{}", paint.bold(&at), paint.dim(&about(citation)))?;
        writeln!(out, "    {}", output::printable(&output::shortened(&citation.text, 160)))?;
    }
    Ok(())
}

/// Each citation once, by number and position.
fn places(citations: &[Citation]) -> Vec<&Citation> {
    let mut places: Vec<&Citation> = citations.iter().collect();
    places.sort_by_key(|citation| (citation.number, citation.start, citation.end));
    places.dedup_by_key(|citation| (citation.number, citation.start, citation.end));
    places
}

/// Page and headings.
fn about(citation: &Citation) -> String {
    let labels = citation.page_labels.clone().or_else(|| citation.pages.map(|(a, b)| (a.to_string(), b.to_string())));
    let page = labels.map(|(first, last)| if first == last { first } else { format!("{first}–{last}") });
    let page = page.map(|page| say!("  p. {}", "  第 {} 页", output::printable(&page))).unwrap_or_default();
    let mut path = vec![citation.title.as_str()];
    path.extend(citation.headings.iter().map(String::as_str).filter(|heading| *heading != citation.title));
    path.retain(|part| !part.is_empty());
    if path.is_empty() { page } else { format!("{page}  {}", output::printable(&path.join(" › "))) }
}

/// What the reader should know about the answer besides the answer.
fn notes(reply: &Reply, model: ModelState) {
    if model == ModelState::NotSetUp && reply.found {
        output::note(&say!("these are the most relevant passages of your documents.", "以上是文档中最相关的段落。"));
    }
    if model == ModelState::NotSetUp {
        output::note(&model::how_to_set_up());
    }
    if let (Some(model), false) = (&reply.by, reply.cached) {
        let (prompt, completion) = (reply.usage.prompt, reply.usage.completion);
        output::note(&say!("{}: {} + {} tokens", "{}：{} + {} 词元", output::printable(model), prompt, completion));
    }
    if reply.found && reply.by.is_some() && reply.citations.is_empty() {
        output::note(&say!(
            "warning: this answer has no citations – run `okno search` to see what was found",
            "注意：这个回答没有引用任何出处 —— 用 `okno search` 查看找到的内容"
        ));
    }
    if reply.removed > 0 {
        output::note(&say!("{} invalid citations were removed", "已移除 {} 个无效的引用", reply.removed));
    }
    if reply.contained > 0 {
        output::note(&say!(
            "{} links, images or tags were made inactive",
            "已使 {} 个链接、图片或标签失效",
            reply.contained
        ));
    }
    if reply.shown < reply.contexts.contexts.len() {
        output::note(&say!(
            "the model could only read {} of {} contexts – lower --budget, or use a model with a longer context",
            "模型只能读取 {} / {} 段上下文 —— 请减小 --budget，或换用上下文更长的模型",
            reply.shown,
            reply.contexts.contexts.len()
        ));
    }
    if reply.cut {
        output::note(&say!(
            "the answer was truncated at its limit – raise `model.max_tokens`",
            "回答达到长度上限被截断 —— 请增大 `model.max_tokens`"
        ));
    }
}
