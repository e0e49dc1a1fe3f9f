//! `okno keys`: who may use a server, and for what.

use crate::globals::Globals;
use crate::locale::say;
use crate::values::day;
use crate::{address, output};
use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use okno::document::{Date, group_names};
use okno_server::{KeyFile, KeyRole, NamedKey};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Make a key and print it; it is not stored and cannot be shown again
    Make(KeyMakeArgs),
    /// List the keys: names, roles and days, not the keys themselves
    List,
    /// Revoke a key; a running server refuses it at once
    Revoke {
        /// Its name
        name: String,
    },
}

/// The key to make.
#[derive(Debug, Args)]
pub struct KeyMakeArgs {
    /// Its name: who or what will use it
    name: String,
    /// What its holder may do
    #[arg(long)]
    role: RoleName,
    /// The last day on which it is accepted (UTC), e.g. `2027-01-31` [default: until it is revoked]
    #[arg(long, value_name = "DATE", value_parser = day)]
    expires: Option<Date>,
    /// The groups of its holder, commas between: they see documents for everybody and those for these groups
    #[arg(long, value_name = "GROUPS")]
    groups: Option<String>,
}

/// What the holder of a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RoleName {
    /// Search, ask and read documents
    Search,
    /// The same, and upload documents
    Add,
    /// Everything: also remove documents, start and stop jobs, read feedback
    Administer,
}

impl From<RoleName> for KeyRole {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Search => Self::Search,
            RoleName::Add => Self::Add,
            RoleName::Administer => Self::Administer,
        }
    }
}

pub fn run(globals: &Globals, command: &KeysCommand) -> Result<()> {
    let file = KeyFile::beside(&address::folder(globals.index()));
    match command {
        KeysCommand::Make(args) => make(globals, &file, args),
        KeysCommand::List => list(globals, &file),
        KeysCommand::Revoke { name } => {
            file.revoke(name)?;
            output::note(&say!("revoked `{}`", "已撤销 `{}`", name));
            Ok(())
        }
    }
}

fn make(globals: &Globals, file: &KeyFile, args: &KeyMakeArgs) -> Result<()> {
    let groups: Option<BTreeSet<String>> = args.groups.as_deref().map(|names| group_names(names).into_iter().collect());
    let key = file.make(&args.name, args.role.into(), args.expires, groups.clone())?;
    if globals.json {
        let expires = args.expires.map(|day| day.to_string());
        output::json(&json!({
            "name": args.name, "role": KeyRole::from(args.role), "expires": expires, "groups": groups, "key": key,
        }))?;
    } else {
        writeln!(std::io::stdout(), "{key}")?;
    }
    output::note(&say!(
        "keep it now: only its hash is stored, in `{}`",
        "请立即保存：`{}` 中只存其哈希",
        output::printable(&file.path().display().to_string())
    ));
    Ok(())
}

fn list(globals: &Globals, file: &KeyFile) -> Result<()> {
    let keys = file.read()?;
    if globals.json {
        return keys.unwrap_or_default().iter().try_for_each(|key| output::json_line(&key_json(key)));
    }
    match &keys {
        None => output::note(&say!(
            "no keys; `okno keys make NAME --role search` makes one",
            "没有密钥；用 `okno keys make 名称 --role search` 生成"
        )),
        Some(keys) if keys.is_empty() => output::note(&say!(
            "all keys are revoked, and a server accepts none; delete `{}` to require none",
            "密钥已全部撤销，服务不接受任何密钥；若不再要求密钥，请删除 `{}`",
            output::printable(&file.path().display().to_string())
        )),
        Some(keys) => {
            for key in keys {
                writeln!(std::io::stdout(), "{}", key_line(key))?;
            }
        }
    }
    Ok(())
}

fn key_json(key: &NamedKey) -> Value {
    json!({
        "name": key.name, "role": key.role, "made": key.made, "expires": key.expires, "expired": key.is_expired(),
        "groups": key.groups,
    })
}

fn key_line(key: &NamedKey) -> String {
    let made = String::from(key.made);
    let until = match key.expires.map(String::from) {
        None => String::new(),
        Some(day) if key.is_expired() => say!(", expired {}", "，已于 {} 过期", day),
        Some(day) => say!(", expires {}", "，{} 到期", day),
    };
    let made = say!("made {}", "生成于 {}", made);
    let groups = key.groups.as_ref().map(|groups| groups.iter().cloned().collect::<Vec<_>>().join(", "));
    let groups =
        groups.map(|groups| say!("  groups {}", "  用户组 {}", output::printable(&groups))).unwrap_or_default();
    format!("{}  {}  {made}{until}{groups}", output::printable(&key.name), key.role)
}
