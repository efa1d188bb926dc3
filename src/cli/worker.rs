//! `drover worker`: plays planned matches of a database's tournaments.

use super::common::{Common, concurrency, on_all_cores};
use super::logging;
use super::stopping::on_signal;
use super::store_arg::StoreArg;
use super::tournament_tables::Tables;
use super::usage::refuse;
use super::users_bots;
use crate::config::Location;
use crate::history::GameRules;
use crate::link::program::no_isolation;
use crate::referee::SeatSpec;
use crate::store::{Durability, Settings, Store};
use crate::tournament::{Engagement, Entrant, Hired, Players, Worker, fetch, referee_of, work};
use futures_util::future::BoxFuture;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What a worker plays, and for how long.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    store: StoreArg,
    /// Matches at once; the default is one a core.
    #[arg(long, value_name = "C", value_parser = concurrency)]
    concurrency: Option<NonZeroUsize>,
    /// Also play matches of entrants that are commands (cmd:, run), which the tournament names: each is isolated from the others,
    /// but runs as this user.
    #[arg(long)]
    allow_cmd: bool,
    /// End once there was nothing to play for so long, such as 30s.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    until_idle: Option<Duration>,
    /// Its name in the queue; the default is this machine's, and the process's number.
    #[arg(long)]
    name: Option<String>,
}

pub(super) fn run(common: &Common, args: Args) -> anyhow::Result<()> {
    let config = common.load(&args.store.flags())?.config;
    if let Location::File(path) = config.store.location() {
        return refuse(format!(
            "{} is a file, which one process has: play with drover tournament run FILE --workers, whose workers are in \
             that process, or name a server's database with --store postgres://…",
            path.display()
        ));
    }
    if let (true, Some(why)) = (args.allow_cmd, no_isolation()) {
        return refuse(format!(
            "--allow-cmd: programs cannot be isolated from each other here ({why}): let the system create user namespaces"
        ));
    }
    logging::start(&config.log)?;
    on_all_cores(async {
        let stop = on_signal();
        let settings = Settings {
            durability: Durability::Process,
            packs: false,
            ..Settings::configured(&config.store, GameRules::all())
        };
        let store = Store::open(&settings).await?;
        let worker = worker(common, store.clone(), &args, &stop);
        tracing::info!(
            name = worker.name,
            database = %store.location(),
            concurrency = worker.concurrency,
            "looking for matches"
        );
        let played = work(&worker, &stop).await;
        tracing::info!(matches = played, "ended");
        store.close().await;
        Ok(())
    })
}

fn worker(common: &Common, store: Store, args: &Args, stop: &CancellationToken) -> Worker {
    Worker {
        players: Arc::new(Here {
            common: common.clone(),
            store: store.clone(),
            stop: stop.clone(),
        }),
        store,
        name: args.name.clone().unwrap_or_else(own_name),
        concurrency: args.concurrency.unwrap_or_else(cores),
        cmd: args.allow_cmd,
        until_idle: args.until_idle,
    }
}

/// A worker within the process of a run, whose programs play here anyway.
pub(super) fn within(
    common: &Common,
    store: Store,
    concurrency: NonZeroUsize,
    stop: &CancellationToken,
) -> Worker {
    Worker {
        players: Arc::new(Here {
            common: common.clone(),
            store: store.clone(),
            stop: stop.clone(),
        }),
        store,
        name: own_name(),
        concurrency,
        cmd: true,
        until_idle: None,
    }
}

/// One match a core.
pub(super) fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

fn own_name() -> String {
    let host = rustix::system::uname();
    let (host, process) = (host.nodename().to_string_lossy(), std::process::id());
    format!("{host}:{process}")
}

/// Plays in this process, with the users' bots that the run has: from this configuration's shelf or the database.
struct Here {
    common: Common,
    store: Store,
    /// Ends what is being built.
    stop: CancellationToken,
}

impl Players for Here {
    fn hire(&self, engagement: Engagement) -> BoxFuture<'_, anyhow::Result<Hired>> {
        Box::pin(async move {
            let Engagement {
                mut cup,
                terms,
                tournament,
                recording,
                concurrency,
            } = engagement;
            let shelf = users_bots::shelf(&self.common, &self.stop)?;
            let carried = tokio::select! {
                () = self.stop.cancelled() => anyhow::bail!("stopped before it began"),
                carried = fetch(&self.store, &shelf, &terms.bots) => carried?,
            };
            users_bots::enter_from(&self.common, Some(&carried), &mut cup, None)?;
            let runs = |entrant: &&Entrant| matches!(entrant.spec, SeatSpec::Program(_));
            if let Some(entrant) = cup.entrants.iter().find(runs)
                && let Some(why) = no_isolation()
            {
                anyhow::bail!("entrant {:?} cannot be isolated here: {why}", entrant.name);
            }
            let tables = Tables {
                cup: &cup,
                concurrency,
                replays_max: terms.replays_max,
                isolates: true,
                // Nobody dials a worker.
                within: Duration::ZERO,
                referee: &referee_of(&tournament),
                recording: &recording,
            };
            let (player, server) = tables.player(&mut None).await?;
            Ok(Hired {
                player: Arc::new(player),
                end: Box::pin(server.stop()),
                cup,
            })
        })
    }
}
