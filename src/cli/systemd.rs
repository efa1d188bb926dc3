//! `drover systemd`: the units of `deploy/`, for this executable, and what can be added to them.

use anyhow::Context as _;
use std::io::Write as _;

const SERVICE: &str = include_str!("../../deploy/drover.service");
const SOCKET: &str = include_str!("../../deploy/drover.socket");
const BOTS: &str = include_str!("../../deploy/bots.conf");
const SHIMS: &str = include_str!("../../deploy/shims.conf");
/// The executable named in the units of `deploy/`.
const SHIPPED: &str = "/usr/bin/drover";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only this unit, or this drop-in.
    #[arg(value_enum)]
    unit: Option<Unit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Unit {
    /// The daemon.
    Service,
    /// Its socket for callbacks, which stays open when it is restarted.
    Socket,
    /// A drop-in for machines on which users' own bots play.
    Bots,
    /// A drop-in for machines on which arbiters under other users start our shims.
    Shims,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let own = std::env::current_exe().context("this executable's path is unknown")?;
    let service = SERVICE.replace(SHIPPED, &own.display().to_string());
    let mut out = std::io::stdout().lock();
    Ok(match args.unit {
        Some(Unit::Service) => write!(out, "{service}"),
        Some(Unit::Socket) => write!(out, "{SOCKET}"),
        Some(Unit::Bots) => write!(out, "{BOTS}"),
        Some(Unit::Shims) => write!(out, "{SHIMS}"),
        None => write!(
            out,
            "# /etc/systemd/system/drover.service\n{service}\n# /etc/systemd/system/drover.socket\n{SOCKET}"
        ),
    }?)
}
