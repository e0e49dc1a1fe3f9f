//! `okno sql --ask`: the language model writes the statement, shown before it runs.

use super::SqlArgs;
use crate::globals::Globals;
use crate::locale::say;
use crate::{address, model, output, settings};
use anyhow::{Context as _, Result, bail};
use okno::generate::Asker;
use okno::understand::model::write_sql;
use okno_sql::{Database, SqlLimits, described};
use std::io::{BufRead, IsTerminal};

/// What is typed to confirm.
const YES: [&str; 4] = ["y", "yes", "是", "好"];

/// The statement for a question, once it may run; `None` if it was declined.
pub fn written(globals: &Globals, args: &SqlArgs, question: &str, database: &Database) -> Result<Option<String>> {
    let generator = model::of(&address::folder(globals.index()))?.with_context(|| {
        say!(
            "no language model is set up – name one in `okno.toml` under [model] or in the environment, or write the \
             SELECT yourself",
            "没有设置语言模型 —— 请在 `okno.toml` 的 [model] 或环境变量中指定，或自己写 SELECT"
        )
    })?;
    let prompts = model::prompts(&address::folder(globals.index()))?;
    let asker = Asker { generator: &*generator, prompts: &prompts };
    let check = |sql: &str| database.check(sql).map_err(Into::into);
    let hidden = model::hidden(&settings::of(&address::folder(globals.index()))?);
    let tables = described(database, question, &hidden, SqlLimits::default())?;
    if tables.is_empty() {
        bail!(say!(
            "no tables – index documents with tables, or name files with --from",
            "没有表格 —— 请索引含有表格的文档，或用 --from 指定文件"
        ));
    }
    let written = write_sql(question, &tables, asker, &check)?;
    // On standard error, apart from the rows.
    output::note(&output::printable_text(&written.value));
    Ok(may_run(args)?.then_some(written.value))
}

fn may_run(args: &SqlArgs) -> Result<bool> {
    if args.yes {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() {
        bail!(say!(
            "cannot ask for confirmation without a terminal – check the statement above, then add --yes or run it \
             with `okno sql`",
            "没有终端，无法确认 —— 请查看上面的语句，然后加 --yes，或用 `okno sql` 运行它"
        ));
    }
    output::note(&say!("run it? [y/N]", "执行吗？[y/N]"));
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(YES.contains(&line.trim().to_lowercase().as_str()))
}
