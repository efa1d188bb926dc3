//! `drover drain`: asks a running daemon over its REST interface to stop gracefully.

use super::api_call::{Asked, base, call};
use super::args::Common;
use crate::config::Flags;
use anyhow::bail;
use std::io::Write as _;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The daemon's REST address; by default from the configuration, like its token.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
}

pub(super) fn run(common: &Common, args: &Args) -> anyhow::Result<ExitCode> {
    let config = common.load(&Flags::new())?.config;
    let root = match &args.url {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None => base(config.api.listen),
    };
    let said = call(&Asked {
        method: "POST",
        url: &format!("{root}/api/v1/drain"),
        token: config.api.token.reveal(),
        body: "",
    })?;
    match said.status {
        200..=299 => {
            writeln!(
                std::io::stdout().lock(),
                "draining: it ends when its matches have, or after drain.limit_s"
            )?;
            Ok(ExitCode::SUCCESS)
        }
        401 | 403 => bail!("the daemon wants another token: set `api.token` as it has it"),
        status => bail!("the daemon answered {status}: {}", said.body.trim()),
    }
}
