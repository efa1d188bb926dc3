//! `drover health`: the health check for containers and operators.

use super::api_call::{Asked, Said, base, call, named};
use super::common::Common;
use crate::config::Flags;
use crate::plain::plain_line;
use serde_json::Value;
use std::io::Write as _;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The daemon's REST address, such as http://127.0.0.1:8081; by default from the configuration.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Check that it accepts new matches and can write, not just that it is alive.
    #[arg(long)]
    ready: bool,
}

pub(super) fn run(common: &Common, args: &Args) -> anyhow::Result<ExitCode> {
    let root = match &args.url {
        Some(url) => named(url)?.to_owned(),
        None => base(common.load(&Flags::new())?.config.api.listen),
    };
    let path = if args.ready { "/readyz" } else { "/healthz" };
    let said = call(&Asked {
        method: "GET",
        url: &format!("{root}{path}"),
        token: None,
        body: "",
    })?;
    writeln!(std::io::stdout().lock(), "{root}: {}", words(&said))?;
    Ok(if said.status == 200 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// How it is, in words: `alive`, `ready`, what is scarce, or why it is not ready.
fn words(said: &Said) -> String {
    let body: Value = serde_json::from_str(&said.body).unwrap_or_default();
    let text = match (
        said.status,
        body["status"].as_str(),
        body["detail"].as_str(),
    ) {
        (200, Some(status), _) => {
            let scarce = body["scarce"].as_array().into_iter().flatten();
            let scarce = scarce.filter_map(Value::as_str);
            let all: Vec<&str> = [status].into_iter().chain(scarce).collect();
            all.join("; ")
        }
        (503, _, Some(why)) => format!("not ready: {why}"),
        (status, _, why) => format!("it answers {status}: {}", why.unwrap_or(said.body.trim())),
    };
    plain_line(&text)
}

#[cfg(test)]
mod tests {
    use super::{Said, words};

    #[test]
    fn health_is_said_in_words() {
        for (status, body, expected) in [
            (200, r#"{"status":"alive"}"#, "alive"),
            (
                200,
                r#"{"status":"ready","scarce":["sessions are scarce"]}"#,
                "ready; sessions are scarce",
            ),
            (
                503,
                r#"{"title":"unavailable","status":503,"detail":"the daemon is draining"}"#,
                "not ready: the daemon is draining",
            ),
            (404, "no such page\n", "it answers 404: no such page"),
        ] {
            let body = body.to_owned();
            assert_eq!(words(&Said { status, body }), expected);
        }
    }
}
