//! `drover systemd`: the units of `deploy/`, for this executable.

use anyhow::Context as _;
use std::io::Write as _;

const SERVICE: &str = include_str!("../../deploy/drover.service");
const SOCKET: &str = include_str!("../../deploy/drover.socket");
/// The executable named in the units of `deploy/`.
const SHIPPED: &str = "/usr/bin/drover";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only this unit.
    #[arg(value_enum)]
    unit: Option<Unit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Unit {
    Service,
    Socket,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let own = std::env::current_exe().context("this executable's path is unknown")?;
    let mut out = std::io::stdout().lock();
    if args.unit != Some(Unit::Socket) {
        if args.unit.is_none() {
            writeln!(out, "# /etc/systemd/system/drover.service")?;
        }
        write!(
            out,
            "{}",
            SERVICE.replace(SHIPPED, &own.display().to_string())
        )?;
    }
    if args.unit.is_none() {
        writeln!(out, "\n# /etc/systemd/system/drover.socket")?;
    }
    if args.unit != Some(Unit::Service) {
        write!(out, "{SOCKET}")?;
    }
    Ok(())
}
