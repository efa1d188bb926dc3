//! `drover referee`: runs a game's referee for others.

use super::args::{Common, on_all_cores};
use super::logging;
use super::play_args::{game, rule_options};
use super::play_keep::open_recording;
use super::usage::UsageError;
use crate::config::{Config, Flags};
use crate::daemon::Signals;
use crate::link::{HttpOptions, Reach};
use crate::referee::{Host, HostSettings, Recording, ServerSettings, Unrecorded, serve};
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use games::{Kit, TableSetup};
use serde_json::Value;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Where the original listens.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 56_789);
/// The game whose referee the configuration describes.
const CONFIGURED: &str = "koehandel";
/// The exit code of a second signal.
const CUT: i32 = 130;

/// Which addresses players may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Targets {
    /// Every address. Whoever reaches the referee can make it call any http URL that this machine
    /// reaches: bind it where only trusted people come, or choose loopback.
    Any,
    /// This machine only.
    Loopback,
}

/// Runs a game's referee for players who come from elsewhere.
///
/// Start a match with GET /?connect&url1=http://…&url2=…, read a player's log with GET /?log=ID,
/// or open the start page in a browser.
#[derive(Clone, Debug, Args)]
pub struct RefereeArgs {
    /// The game.
    pub game: String,
    /// Where to listen (referee.koehandel.listen; if that is not set either, 127.0.0.1:56789).
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<SocketAddr>,
    /// Most matches at once (referee.koehandel.matches_max).
    #[arg(long, value_name = "N")]
    pub matches_max: Option<NonZeroUsize>,
    /// Which addresses players may have (referee.koehandel.loopback_only).
    #[arg(long, value_enum)]
    pub targets: Option<Targets>,
    /// A refused connection or one cut before an answer counts at once, instead of being tried
    /// again until the time is over.
    #[arg(long)]
    pub no_retry: bool,
    /// A rule option, such as trade_payment=exchange; may be given more than once.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub options: Vec<String>,
    /// Keep every match in this database; those that a stop cuts are then taken up at the next start
    /// (store.path, if the configuration sets it).
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,
    /// How many seconds running matches have to end after Ctrl-C or SIGTERM; a second signal ends
    /// at once.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub drain: u64,
}

/// Serves until Ctrl-C or SIGTERM, then lets matches end.
pub(super) fn run(common: &Common, args: RefereeArgs) -> anyhow::Result<ExitCode> {
    let kit = game(&args.game)?;
    let loaded = common.load(&Flags::default())?;
    logging::start(&loaded.config.log)?;
    let settings = settings(kit, &args, &loaded.config)?;
    let store = args.store.clone().or_else(|| {
        let path = || loaded.config.store.path.clone();
        loaded.is_set("store.path").then(path)
    });
    let listen = args
        .listen
        .or(loaded.config.referee.koehandel.listen)
        .unwrap_or(LISTEN);
    on_all_cores(async {
        let mut signals = Signals::new().context("signals cannot be heard")?;
        let listener = TcpListener::bind(listen)
            .await
            .with_context(|| format!("cannot listen on {listen}"))?;
        let address = listener.local_addr()?;
        eprintln!("{} referee on http://{address}/", kit.game());
        let stop = CancellationToken::new();
        let cancel = stop.clone();
        tokio::spawn(async move {
            let name = signals.next().await;
            tracing::info!(by = name, "draining");
            cancel.cancel();
            signals.next().await;
            std::process::exit(CUT);
        });
        let recording: Arc<dyn Recording> = match &store {
            Some(path) => open_recording(path).await?,
            None => Arc::new(Unrecorded),
        };
        let host = Host::open(kit, settings, recording).await?;
        let resumed = host.resume().await?;
        if resumed > 0 {
            eprintln!("{resumed} matches go on");
        }
        serve(Arc::clone(&host), listener, ServerSettings::default(), stop).await?;
        host.drain(Duration::from_secs(args.drain)).await;
        Ok(ExitCode::SUCCESS)
    })
}

/// The configuration with the flags over it.
fn settings(
    kit: &'static dyn Kit,
    args: &RefereeArgs,
    config: &Config,
) -> anyhow::Result<HostSettings> {
    let set = &config.referee.koehandel;
    let loopback = args
        .targets
        .map_or(set.loopback_only, |targets| targets == Targets::Loopback);
    let ours = if kit.game() == CONFIGURED {
        set.options.clone()
    } else {
        Value::Null
    };
    let options = overlaid(ours, rule_options(kit, &args.options)?);
    // A wrong value is told now, not to the first who wants to play.
    kit.table(&TableSetup {
        seed: 0,
        options: options.clone(),
        market: 1,
        ids: (1..=*kit.seats().end() as u64).collect(),
    })
    .map_err(|error| UsageError(format!("--option: {error}")))?;
    Ok(HostSettings {
        referee: set.name.clone(),
        matches_max: args.matches_max.map_or(set.matches_max, NonZeroUsize::get),
        http: HttpOptions {
            retry_connect: !args.no_retry,
            resend: !args.no_retry,
            reach: if loopback {
                Reach::Loopback
            } else {
                Reach::Any
            },
        },
        options,
        ..HostSettings::default()
    })
}

/// Options with those of the flags over them.
fn overlaid(ours: Value, flags: Value) -> Value {
    match (ours, flags) {
        (Value::Object(mut ours), Value::Object(flags)) => {
            ours.extend(flags);
            Value::Object(ours)
        }
        (ours, Value::Null) => ours,
        (_, flags) => flags,
    }
}
