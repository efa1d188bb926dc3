//! `drover token add|list|revoke`: asks a running daemon, which holds the database.

use super::common::{Common, notify};
use super::output::{Format, short_time, write_rows};
use super::remote::Remote;
use crate::clock::moment;
use anyhow::Context as _;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use std::io::Write as _;

const PATH: &str = "/api/v1/tokens";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Create a token and print it: it is shown only this once.
    Add {
        /// Its name: letters, digits, dots, dashes and underscores.
        name: String,
        /// read: public data; admin: everything; bot:NAME: also what our bot of this name knows while it plays;
        /// entrant:NAME: the same for seats with this name. May be repeated.
        #[arg(long = "scope", required = true, value_name = "SCOPE")]
        scopes: Vec<String>,
        /// The output format. table: the token alone.
        #[arg(long, value_enum, default_value_t)]
        output: Format,
        #[command(flatten)]
        remote: Remote,
    },
    /// List the tokens that have not been revoked, except the configured one.
    List {
        /// The output format.
        #[arg(long, value_enum, default_value_t)]
        output: Format,
        #[command(flatten)]
        remote: Remote,
    },
    /// Revoke a token: the next request that uses it is refused.
    Revoke {
        /// Its name or number.
        which: String,
        #[command(flatten)]
        remote: Remote,
    },
}

pub(super) fn run(common: &Common, args: &Args) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match &args.verb {
        Verb::Add {
            name,
            scopes,
            output,
            remote,
        } => {
            let body = json!({ "name": name, "scopes": scopes }).to_string();
            let made = read(&remote.reach(common)?.ask("POST", PATH, &body)?)?;
            let token = made["token"].as_str().context("the daemon sent no token")?;
            match output {
                Format::Table => writeln!(out, "{token}")?,
                output => {
                    let row = [cells(&made, *output), vec![token.to_owned()]].concat();
                    let headings = [&HEADINGS[..], &["token"]].concat();
                    write_rows(&mut out, *output, &headings, &[row], &made)?;
                }
            }
        }
        Verb::List { output, remote } => {
            let list = read(&remote.reach(common)?.ask("GET", PATH, "")?)?;
            let items = list["items"]
                .as_array()
                .context("the daemon sent no list")?;
            let rows: Vec<Vec<String>> = items.iter().map(|item| cells(item, *output)).collect();
            write_rows(&mut out, *output, &HEADINGS, &rows, &list)?;
            if rows.is_empty() && *output == Format::Table {
                notify("no token was made: drover token add NAME --scope SCOPE");
            }
        }
        Verb::Revoke { which, remote } => {
            let path = format!("{PATH}/{}", utf8_percent_encode(which, NON_ALPHANUMERIC));
            let gone = read(&remote.reach(common)?.ask("DELETE", &path, "")?)?;
            let name = gone["name"].as_str().unwrap_or(which);
            writeln!(out, "{name} is revoked")?;
        }
    }
    Ok(())
}

const HEADINGS: [&str; 5] = ["id", "name", "scopes", "created", "last_used"];

fn cells(token: &Value, output: Format) -> Vec<String> {
    let text = |key: &str| match &token[key] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let at = |key: &str| match (output, moment(&text(key))) {
        (Format::Table, Some(at_us)) => short_time(at_us),
        _ => text(key),
    };
    let scopes = token["scopes"].as_array().into_iter().flatten();
    let scopes: Vec<&str> = scopes.filter_map(Value::as_str).collect();
    vec![
        text("id"),
        text("name"),
        scopes.join(" "),
        at("created"),
        at("last_used"),
    ]
}

fn read(body: &str) -> anyhow::Result<Value> {
    serde_json::from_str(body).with_context(|| format!("the daemon sent no JSON: {body}"))
}
