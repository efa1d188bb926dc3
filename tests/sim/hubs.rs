//! Games on hubs: our own in the daemon and a foreign one that outlives it, dialled by the daemon's own connections over
//! streams that stall and break.

use crate::called::Daemon;
use crate::image::Image;
use crate::world::{Fault, World};
use drover::config::Hub;
use drover::gateway::hubs::{Dial, HubStream, Hubs};
use drover::identities::Identities;
use drover::referee::Recording;
use drover::referee::hub::{HubServer, HubSettings};
use drover::session::Sessions;
use drover::store::{Durability, Side, Storage};
use games::{Cause, Kit, SetupError};
use serde_json::json;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream};
use tokio_util::sync::CancellationToken;

/// Our own hub, the foreign one, and the name that both referees have.
const OURS: &str = "ours:1";
const FAR: &str = "far:1";
const REFEREE: &str = "dog";
/// Bytes on their way.
const BUFFER: usize = 1 << 16;
/// Turns of a game.
const TURNS: u32 = 12;

fn kit() -> &'static dyn Kit {
    games::find("smartdog").expect("a game of this name")
}

/// A hub that keeps its matches there.
///
/// # Errors
/// What a stop cut short cannot be closed while the disk is full.
async fn hub(
    recording: Recording,
    identities: Option<Identities>,
    seed: u64,
) -> Result<Arc<HubServer>, SetupError> {
    let settings = HubSettings {
        referee: REFEREE.to_owned(),
        options: json!({ "turnsLimit": TURNS }),
        seed,
        on_line: identities.map(|identities| {
            let introduce = move |line, seated: Option<(_, games::Seat)>| match seated {
                Some((row, seat)) => identities.register_line(line, row, seat.0),
                None => identities.forget_line(line),
            };
            Arc::new(introduce) as drover::referee::hub::OnLine
        }),
        ..HubSettings::new(kit())
    };
    HubServer::open(settings, recording).await
}

/// The daemon's own hub.
pub async fn ours(store: Arc<dyn Storage>, identities: Identities) -> Arc<HubServer> {
    let recording = Recording::new(store, Durability::Power);
    loop {
        match hub(recording.clone(), Some(identities.clone()), 1).await {
            Ok(hub) => return hub,
            // The daemon ends with that, and is started again.
            Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    }
}

/// The foreign one.
pub async fn far(seed: u64) -> Arc<HubServer> {
    let opened = hub(Recording::none(), None, seed).await;
    opened.expect("official rooms")
}

/// Keeps the daemon's connections to both hubs going until the world is calm.
pub async fn play(world: Arc<World>, daemon: Arc<Daemon>, far: Arc<HubServer>) {
    let plan = |address: &str, bot: &str| Hub {
        address: address.to_owned(),
        game: kit().card().name.to_owned(),
        hub: "duet".to_owned(),
        name: "dog".to_owned(),
        bot: bot.to_owned(),
        seats: 2,
    };
    let plans = [plan(OURS, "shipped"), plan(FAR, "random")];
    let dial = dial(&world, &daemon, &far);
    let stop = CancellationToken::new();
    let sessions: Sessions = daemon.sessions.clone();
    let hubs = Hubs::dialling(&plans, &dial, &sessions, &stop);
    world.until_calm().await;
    stop.cancel();
    hubs.ended().await;
}

fn dial(world: &Arc<World>, daemon: &Arc<Daemon>, far: &Arc<HubServer>) -> Dial {
    let (world, daemon, far) = (Arc::clone(world), Arc::clone(daemon), Arc::clone(far));
    Arc::new(move |address| {
        let (world, daemon, far) = (Arc::clone(&world), Arc::clone(&daemon), Arc::clone(&far));
        Box::pin(async move {
            if world.strikes(Fault::CutLine) || world.life() != daemon.life {
                return Err(ErrorKind::ConnectionRefused.into());
            }
            let local = SocketAddr::from(([127, 0, 0, 1], world.port()));
            let (near, near_end) = tokio::io::duplex(BUFFER);
            let (far_end, served) = tokio::io::duplex(BUFFER);
            tokio::spawn(relay(Arc::clone(&world), daemon.life, near_end, far_end));
            let (read, write) = tokio::io::split(served);
            let (stop, life) = (CancellationToken::new(), daemon.life);
            tokio::spawn(async move {
                match address.as_str() {
                    FAR => far.receive(read, write, local, stop).await,
                    _ => tokio::select! {
                        biased;
                        () = world.death(life) => {}
                        () = daemon.hub.receive(read, write, local, stop) => {}
                    },
                }
            });
            let (read, write) = tokio::io::split(near);
            Ok(HubStream {
                read: Box::new(read),
                write: Box::new(write),
                local: Some(local),
            })
        })
    })
}

/// Carries bytes in both directions until one end closes, the daemon dies, or the connection breaks.
async fn relay(world: Arc<World>, life: u64, near: DuplexStream, far: DuplexStream) {
    let (near_read, near_write) = tokio::io::split(near);
    let (far_read, far_write) = tokio::io::split(far);
    tokio::select! {
        biased;
        () = world.death(life) => {}
        () = carry(&world, near_read, far_write) => {}
        () = carry(&world, far_read, near_write) => {}
    }
}

async fn carry(world: &World, mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin) {
    let mut bytes = vec![0; BUFFER];
    loop {
        let Ok(read @ 1..) = from.read(&mut bytes).await else {
            return;
        };
        world.pause(Fault::StalledLine).await;
        if world.strikes(Fault::BrokenStream) || to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}

/// Whether the ends that our players received are those that our hub has stored.
pub fn compare(world: &World, stored: &Image) {
    for (id, kept) in &stored.sessions {
        let opened = &kept.opened;
        let cause = kept.ended.as_ref().map(|(_, cause, _)| *cause);
        if cause != Some(Cause::Normal) || opened.side != Side::Player {
            continue;
        }
        let found = stored.matches.get(&opened.match_id).map(|(row, _)| row);
        let Some(row) = found.filter(|row| row.ours && row.game == kit().card().name) else {
            continue;
        };
        let mut scores = row.scores.clone();
        // Own seat first, then clockwise.
        let own = usize::from(opened.seat.unwrap_or(0)).min(scores.len());
        scores.rotate_left(own);
        let best = scores.iter().max();
        let alone = scores.iter().filter(|score| Some(*score) == best).count() == 1;
        let mut shares = scores.iter().zip(&kept.wins);
        let differs = kept.wins.len() != scores.len()
            || shares.any(|(score, share)| (*share == 1.0) != (Some(score) == best));
        if row.cause.is_none_or(|cause| cause == Cause::Cancelled) || alone && differs {
            let why = format!(
                "session {id} received {:?} as the end of match {}, and stored is {:?} {:?}",
                kept.wins, row.id, row.cause, row.scores
            );
            world.book.lock().is_wrong(why);
        }
    }
}
