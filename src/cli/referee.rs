//! `drover referee`: runs a game's referee for others.

use super::play_args::{game, rule_options};
use super::play_keep::open_recording;
use crate::link::{HttpOptions, Reach};
use crate::referee::{Host, HostSettings, Recording, ServerSettings, Unrecorded, serve};
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use games::Kit;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

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
    /// Where to listen.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:56789")]
    pub listen: SocketAddr,
    /// Most matches at once.
    #[arg(long, value_name = "N", default_value = "200")]
    pub matches_max: NonZeroUsize,
    /// Which addresses players may have.
    #[arg(long, value_enum, default_value_t = Targets::Any)]
    pub targets: Targets,
    /// A refused connection or one cut before an answer counts at once, instead of being tried
    /// again until the time is over.
    #[arg(long)]
    pub no_retry: bool,
    /// A rule option, such as trade_payment=exchange; may be given more than once.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub options: Vec<String>,
    /// Keep every match in this database; those that a stop cuts are then taken up at the next start.
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,
    /// How many seconds running matches have to end after Ctrl-C.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub drain: u64,
}

/// Serves until Ctrl-C, then lets matches end.
///
/// # Errors
/// A command line that makes no sense, an address that cannot be bound, a database that cannot be
/// opened.
pub async fn run(args: RefereeArgs) -> anyhow::Result<()> {
    let kit = game(&args.game)?;
    let listener = TcpListener::bind(args.listen)
        .await
        .with_context(|| format!("cannot listen on {}", args.listen))?;
    eprintln!(
        "{} referee on http://{}/",
        kit.game(),
        listener.local_addr()?
    );
    let stop = CancellationToken::new();
    let cancel = stop.clone();
    tokio::spawn(async move {
        // Without signals it serves until the process is killed.
        if tokio::signal::ctrl_c().await.is_ok() {
            cancel.cancel();
        }
    });
    referee(kit, &args, listener, stop).await
}

/// Serves any game on a bound listener until `stop`, for [`run`] and for tests.
///
/// # Errors
/// As [`run`].
pub async fn referee(
    kit: &'static dyn Kit,
    args: &RefereeArgs,
    listener: TcpListener,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let recording: Arc<dyn Recording> = match &args.store {
        Some(path) => open_recording(path).await?,
        None => Arc::new(Unrecorded),
    };
    let settings = HostSettings {
        matches_max: args.matches_max.get(),
        http: HttpOptions {
            retry_connect: !args.no_retry,
            resend: !args.no_retry,
            reach: match args.targets {
                Targets::Any => Reach::Any,
                Targets::Loopback => Reach::Loopback,
            },
        },
        options: rule_options(kit, &args.options)?,
        ..HostSettings::default()
    };
    let host = Host::open(kit, settings, recording).await?;
    let resumed = host.resume().await?;
    if resumed > 0 {
        eprintln!("{resumed} matches go on");
    }
    serve(Arc::clone(&host), listener, ServerSettings::default(), stop).await?;
    host.drain(Duration::from_secs(args.drain)).await;
    Ok(())
}
