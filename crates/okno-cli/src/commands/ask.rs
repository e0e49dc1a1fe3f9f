//! `okno ask`: an answer in words, said as it comes, with every place it rests on.

use crate::args::{Cli, How};
use crate::locale::say;
use crate::output::{self, Paint};
use crate::{model, place, settings, understood};
use anyhow::Result;
use clap::Args;
use okno::answer::{Citation, Event, Reply, ReplyOptions, reply, request};
use okno::config::Settings;
use okno::generate::{GenerateError, Generator, Prompts, Request, Role};
use okno::{Answer, Context, Engine};
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;

/// A question and how to answer it.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag
pub struct AskArgs {
    /// The question
    pub question: String,
    /// The recipe [default: the index's own]
    #[arg(long)]
    pub recipe: Option<String>,
    #[command(flatten)]
    pub how: How,
    /// Print the answer when it is complete, not as it comes
    #[arg(long)]
    pub no_stream: bool,
    /// Print what the model would be sent, and ask nothing
    #[arg(long)]
    pub show_prompt: bool,
    /// Answer with sentences of the documents, whatever model is set up
    #[arg(long)]
    pub no_model: bool,
}

pub fn run(cli: &Cli, args: &AskArgs) -> Result<()> {
    let mut engine = place::open_to_ask(cli.index(), args.how.rerank.as_deref())?;
    let settings = settings::of(engine.folder())?;
    let found = search(&mut engine, &settings, args)?;
    let mut options = options(&settings, engine.folder())?;
    let pictures = |context: &Context| engine.pictures(context);
    options.pictures = settings.values().model.vision.unwrap_or(false).then_some(&pictures);
    if args.show_prompt {
        return show(cli, &request(&found, &options));
    }
    let notes_before = understood::notes(&found.understood).into_iter().chain(understood::unhelped(&found.steps));
    notes_before.filter(|_| !cli.json).for_each(|note| output::note(&note));
    let model = if args.no_model { None } else { model::generator(&settings, &settings::secrets(engine.folder()))? };
    let live = !cli.json && !args.no_stream;
    let reply = answer(found, model.as_deref(), &options, live)?;
    if cli.json {
        return output::json(&json(&reply));
    }
    print(&reply, live)?;
    notes(&reply, model.is_none() && !args.no_model);
    Ok(())
}

fn search(engine: &mut Engine, settings: &Settings, args: &AskArgs) -> Result<Answer> {
    let mut query = super::search::query(&args.question, args.recipe.as_deref(), &args.how)?;
    settings::fill(&mut query, settings, engine)?;
    if !args.no_model {
        crate::helper::attach(engine, &query)?;
    }
    Ok(engine.search(&query)?)
}

/// How replies are made here: with the user's own prompts where there are some, and without the fields a model may not see.
pub fn options(settings: &Settings, index: &Path) -> Result<ReplyOptions<'static>> {
    let values = settings.values();
    let folder = match &values.model.prompts {
        Some(named) => Some(settings::beside(index).join(named)),
        None => Some(settings::beside(index).join("okno-prompts")).filter(|folder| folder.is_dir()),
    };
    if let Some(missing) = folder.as_ref().filter(|folder| !folder.is_dir()) {
        anyhow::bail!(say!(
            "`{}` (`model.prompts`) is no folder",
            "`{}`(`model.prompts`)不是文件夹",
            missing.display()
        ));
    }
    Ok(ReplyOptions {
        prompts: folder.map(|folder| Prompts::with_folder(&folder)).transpose()?.unwrap_or_default(),
        temperature: Some(values.model.temperature()),
        max_tokens: values.model.max_tokens,
        hidden: values.fields.keys().filter(|field| !values.prompts(field)).cloned().collect(),
        ..ReplyOptions::default()
    })
}

/// Asks, printing what comes where that is wanted.
fn answer(found: Answer, model: Option<&dyn Generator>, options: &ReplyOptions<'_>, live: bool) -> Result<Reply> {
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
        // Whoever read has gone: `okno ask … | head`.
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
fn show(cli: &Cli, request: &Request) -> Result<()> {
    if cli.json {
        let messages: Vec<_> =
            request.messages.iter().map(|m| serde_json::json!({"role": m.role, "text": m.text})).collect();
        return output::json(&serde_json::json!({"messages": messages, "temperature": request.temperature}));
    }
    let mut out = std::io::stdout().lock();
    for message in &request.messages {
        let role = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        writeln!(out, "=== {role}\n{}\n", output::printable_text(&message.text))?;
    }
    Ok(())
}

fn print(reply: &Reply, live: bool) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let paint = Paint::new(out.is_terminal());
    if !live {
        write!(out, "{}", output::printable_text(&reply.text))?;
    }
    if !reply.text.ends_with('\n') {
        writeln!(out)?;
    }
    let places = places(&reply.citations);
    if !places.is_empty() {
        writeln!(out)?;
    }
    for citation in places {
        let number = paint.bold(&format!("[{}]", citation.number));
        writeln!(out, "{number} {}{}", paint.bold(&place_of(citation)), paint.dim(&about(citation)))?;
        writeln!(out, "    {}", output::printable(&output::shortened(&citation.text, 160)))?;
    }
    Ok(())
}

/// Each place once, by number, then by where it is.
fn places(citations: &[Citation]) -> Vec<&Citation> {
    let mut places: Vec<&Citation> = citations.iter().collect();
    places.sort_by_key(|citation| (citation.number, citation.start, citation.end));
    places.dedup_by_key(|citation| (citation.number, citation.start, citation.end));
    places
}

/// `guide/tea.md:12-14`, clickable in most terminals and editors.
fn place_of(citation: &Citation) -> String {
    let name = output::printable(&citation.document);
    match citation.lines {
        (first, last) if first == last => format!("{name}:{first}"),
        (first, last) => format!("{name}:{first}-{last}"),
    }
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
fn notes(reply: &Reply, no_model: bool) {
    if no_model && reply.found {
        output::note(&say!("these are the best sentences of your documents.", "以上是文档中最相关的句子。"));
    }
    if no_model {
        output::note(&how_to_set_up());
    }
    if let (Some(model), false) = (&reply.by, reply.cached) {
        let (prompt, completion) = (reply.usage.prompt, reply.usage.completion);
        output::note(&say!("{}: {} + {} tokens", "{}:{} + {} 词元", output::printable(model), prompt, completion));
    }
    if reply.found && reply.by.is_some() && reply.citations.is_empty() {
        output::note(&say!(
            "careful: this answer cites nothing – `okno search` shows what was found",
            "注意:这个回答没有引用任何出处 —— 用 `okno search` 查看找到的内容"
        ));
    }
    if reply.removed > 0 {
        output::note(&say!(
            "{} citations pointed to nothing and were removed",
            "已移除 {} 个没有对应出处的引用",
            reply.removed
        ));
    }
    if reply.contained > 0 {
        output::note(&say!(
            "{} links, images or tags were taken apart",
            "已拆除 {} 个链接、图片或标签",
            reply.contained
        ));
    }
    if reply.shown < reply.contexts.contexts.len() {
        output::note(&say!(
            "the model could only read {} of {} contexts – lower --budget, or use one that reads more",
            "模型只能读取 {} / {} 段上下文 —— 请减小 --budget,或换用上下文更长的模型",
            reply.shown,
            reply.contexts.contexts.len()
        ));
    }
    if reply.cut {
        output::note(&say!(
            "the answer was cut at its limit – raise `model.max_tokens`",
            "回答达到长度上限被截断 —— 请增大 `model.max_tokens`"
        ));
    }
}

pub fn how_to_set_up() -> String {
    say!(
        "no language model is set up.\nSet one up with a key (`DASHSCOPE_API_KEY`, `OPENAI_API_KEY` or `DEEPSEEK_API_KEY`, in the environment or `.env`), or run one here and write into `okno.toml`:\n  [model]\n  provider = \"ollama\"   # or vllm, llama.cpp; any other service: base_url = \"http://…/v1\"",
        "没有设置语言模型。\n设置方法:在环境变量或 `.env` 里写入密钥(`DASHSCOPE_API_KEY`、`OPENAI_API_KEY` 或 `DEEPSEEK_API_KEY`),或在本机运行模型并在 `okno.toml` 里写:\n  [model]\n  provider = \"ollama\"   # 或 vllm、llama.cpp;其他服务:base_url = \"http://…/v1\""
    )
}
