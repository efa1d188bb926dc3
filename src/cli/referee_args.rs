//! The flags of `drover referee`.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Runs a game's referee for players who come from elsewhere.
///
/// koehandel: start a match with GET /?connect&url1=http://…&url2=…, read a player's log with
/// GET /?log=ID, or open the start page in a browser.
///
/// smartdog: players dial the hub over TCP and send `join NAME HUB`; the hubs are default, solo,
/// duet, trio, quartet and those of --hub.
#[derive(Clone, Debug, clap::Args)]
pub struct RefereeArgs {
    /// The game.
    pub game: String,
    /// Where to listen (referee.GAME.listen; if that is not set either, 127.0.0.1:56789 for koehandel,
    /// 127.0.0.1:3002 for smartdog).
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<SocketAddr>,
    /// Most matches at once (referee.GAME.matches_max).
    #[arg(long, value_name = "N")]
    pub matches_max: Option<NonZeroUsize>,
    /// Koehandel: which players may be called, in place of referee.koehandel.allow: addresses, networks
    /// such as 192.168.0.0/16 and the word public (the whole public internet); separated by commas or given
    /// more than once. Players on this machine, too, if the referee listens on a loopback address.
    #[arg(long, value_name = "TARGET", value_delimiter = ',')]
    pub allow: Vec<String>,
    /// Smart-dog: one more hub as NAME:PLAYERS or NAME:FEWEST-MOST; may be given more than once
    /// (referee.smartdog.hubs).
    #[arg(long = "hub", value_name = "HUB")]
    pub hubs: Vec<String>,
    /// Smart-dog: the folder whose *.txt are the maps, played in turn (referee.smartdog.maps; if that is
    /// not set either, our own maps).
    #[arg(long, value_name = "DIR")]
    pub maps: Option<PathBuf>,
    /// Smart-dog: everybody who joins hears `wait`, even if his coming makes the match begin
    /// (referee.smartdog.always_wait).
    #[arg(long)]
    pub always_wait: bool,
    /// Koehandel: a refused connection or one cut before an answer counts at once, instead of being tried
    /// again until the time is over.
    #[arg(long)]
    pub no_retry: bool,
    /// A rule option, such as trade_payment=exchange; may be given more than once.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub options: Vec<String>,
    /// Keep every match in this database; those of koehandel that a stop cuts are then taken up at the
    /// next start
    /// (store.path, if the configuration sets it).
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,
    /// How many seconds running matches have to end after Ctrl-C or SIGTERM; a second signal ends
    /// at once.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub drain: u64,
}
