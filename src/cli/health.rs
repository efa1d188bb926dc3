//! `drover health`: the health check for containers and operators.

use super::api_call::{Asked, base, call};
use super::common::Common;
use crate::config::Flags;
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
        Some(url) => url.trim_end_matches('/').to_owned(),
        None => base(common.load(&Flags::new())?.config.api.listen),
    };
    let path = if args.ready { "/readyz" } else { "/healthz" };
    let said = call(&Asked {
        method: "GET",
        url: &format!("{root}{path}"),
        token: None,
        body: "",
    })?;
    writeln!(
        std::io::stdout().lock(),
        "{} {}",
        said.status,
        said.body.trim()
    )?;
    Ok(if said.status == 200 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
