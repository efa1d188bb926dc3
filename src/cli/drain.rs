//! `drover drain`: asks a running daemon over its REST interface to stop gracefully.

use super::common::Common;
use super::remote::Remote;
use std::io::Write as _;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    remote: Remote,
}

pub(super) fn run(common: &Common, args: &Args) -> anyhow::Result<()> {
    args.remote
        .reach(common)?
        .ask("POST", "/api/v1/drain", "")?;
    writeln!(
        std::io::stdout().lock(),
        "draining: it ends when its matches have, or after drain.limit_s"
    )?;
    Ok(())
}
