//! The flags of `drover referee`.

use super::game_arg::GameName;
use super::store_arg::StoreParser;
use crate::config::Location;
use games::Kit;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Runs a game's referee for players from elsewhere.
///
/// koehandel: start a match with GET /?connect&url1=http://…&url2=…, read a player's log with
/// GET /?log=ID, or open the start page in a browser.
///
/// smartdog: players dial the hub over TCP and send `join NAME HUB`; the hubs are default, solo,
/// duet, trio, quartet and those of --hub.
#[derive(Clone, Debug, clap::Args)]
pub struct RefereeArgs {
    /// The game.
    #[arg(value_parser = GameName::FROM_ELSEWHERE)]
    pub game: String,
    /// Where to listen (referee.GAME.listen; if that is not set either, 127.0.0.1:56789 for koehandel,
    /// 127.0.0.1:3002 for smartdog).
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<SocketAddr>,
    /// The maximum number of concurrent matches (referee.GAME.matches_max).
    #[arg(long, value_name = "N")]
    pub matches_max: Option<NonZeroUsize>,
    /// Koehandel: which players may be called, instead of referee.koehandel.allow: addresses, networks such
    /// as 192.168.0.0/16 and the word public (the whole public internet); separated by commas or repeated.
    /// Players on this machine are also allowed if the referee listens on a loopback address.
    #[arg(long, value_name = "TARGET", value_delimiter = ',')]
    pub allow: Vec<String>,
    /// Smart-dog: one more hub as NAME:PLAYERS or NAME:FEWEST-MOST; may be repeated (referee.smartdog.hubs).
    #[arg(long = "hub", value_name = "HUB")]
    pub hubs: Vec<String>,
    /// Smart-dog: the folder whose *.txt are the maps, played in turn (referee.smartdog.maps; if that is not
    /// set either, the built-in maps).
    #[arg(long, value_name = "DIR")]
    pub maps: Option<PathBuf>,
    /// Smart-dog: every player that joins gets `wait`, even if its arrival starts the match
    /// (referee.smartdog.always_wait).
    #[arg(long)]
    pub always_wait: bool,
    /// Koehandel: count a connection that is refused, or cut before an answer, as a failure at once, instead
    /// of retrying until the time is up.
    #[arg(long)]
    pub no_retry: bool,
    /// A rule option, such as trade_payment=exchange; may be repeated.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub options: Vec<String>,
    /// Keep every match in this database: a file, or a server's address (postgres://USER:PASSWORD@HOST/DATABASE). The
    /// default is the configured one, if there is one (store.path or store.url). Interrupted koehandel matches are resumed
    /// at the next start.
    #[arg(long, value_name = "PATH|URL", value_parser = StoreParser)]
    pub store: Option<Location>,
    /// How many seconds running matches get to end after Ctrl-C or SIGTERM; a second signal ends the process
    /// at once.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub drain: u64,
}

/// Whether the configuration has a section for this game: it has one for the first game of each wire.
pub(super) fn is_configured(kit: &dyn Kit) -> bool {
    games::met_by(kit.card().wire).is_some_and(|first| first.card().name == kit.card().name)
}
