//! Games at a foreign arbiter's table, which starts a shim: the shim's own code, whose waiting drives the clock. Its
//! connections break, its daemon is killed, and it may be killed itself; its journals are files in a folder of the run.

use crate::image::Image;
use crate::world::{Fault, World};
use drover::gateway::shims;
use drover::link::relay::Bye;
use drover::shim::{Player, Port, ShimOptions, Thinking, Wire};
use drover::store::Direction;
use games::match_::{Attendance, Effect, Place, Rules};
use games::seat::{OwnSeat, Settings};
use games::{DialogueSetup, Kit, Match, Seat, TableSetup, Wire as GameWire};
use serde_json::Value;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::runtime::Runtime;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// Bytes on their way between a shim and the daemon.
const BUFFER: usize = 1 << 16;
/// How long the daemon may take to make room for a request.
const STUCK_WITHIN: Duration = Duration::from_millis(50);
/// Decisions of a game at most: the rest is left unplayed.
const DECISIONS_MAX: usize = 60;

/// One game as its arbiter saw it: each message, and what came back.
pub struct Game {
    referee: String,
    exchanges: Vec<(String, String)>,
    /// Whether the shim was killed before the end.
    cut: bool,
}

/// A daemon's socket in this world.
struct Socket {
    world: Arc<World>,
    runtime: Arc<Runtime>,
    path: PathBuf,
}

impl Port for Socket {
    fn socket(&self) -> &Path {
        &self.path
    }

    fn connect(&self) -> io::Result<Box<dyn Wire>> {
        let daemon = self.world.daemon();
        let daemon = daemon.filter(|_| !self.world.strikes(Fault::CutLine));
        let daemon = daemon.ok_or(ErrorKind::ConnectionRefused)?;
        let (near, far) = tokio::io::duplex(BUFFER);
        let world = Arc::clone(&self.world);
        self.runtime.spawn(async move {
            let (reading, writing) = tokio::io::split(far);
            tokio::select! {
                biased;
                () = world.death(daemon.life) => {}
                () = shims::attend(daemon.sessions.clone(), reading, writing) => {}
            }
        });
        Ok(Box::new(Connection {
            world: Arc::clone(&self.world),
            runtime: Arc::clone(&self.runtime),
            stream: Mutex::new(BufReader::new(near)),
        }))
    }

    fn pause(&self, time: Duration) {
        self.runtime.block_on(sleep(time));
    }

    fn has_threads(&self) -> bool {
        false
    }
}

struct Connection {
    world: Arc<World>,
    runtime: Arc<Runtime>,
    stream: Mutex<BufReader<DuplexStream>>,
}

impl Wire for Connection {
    fn send(&mut self, request: &str) -> io::Result<()> {
        let cut = self.world.strikes(Fault::CutLine);
        let stream = self.stream.get_mut().get_mut();
        self.runtime.block_on(async {
            if cut {
                stream.shutdown().await?;
                return Err(ErrorKind::BrokenPipe.into());
            }
            let sent = timeout(STUCK_WITHIN, stream.write_all(request.as_bytes()));
            sent.await.map_err(|_| ErrorKind::TimedOut)?
        })
    }

    fn line(&mut self, within: Duration) -> io::Result<Vec<u8>> {
        let stream = self.stream.get_mut();
        self.runtime.block_on(async {
            let mut text = Vec::new();
            let read = timeout(within, stream.read_until(b'\n', &mut text));
            read.await.map_err(|_| ErrorKind::WouldBlock)??;
            Ok(text)
        })
    }

    fn waits(&self, until: Instant) -> bool {
        self.runtime.block_on(async {
            let mut stream = self.stream.lock().await;
            timeout_at(until, stream.fill_buf()).await.is_ok()
        })
    }
}

/// Plays games one after the other, while everything else goes on.
pub fn play(runtime: &Arc<Runtime>, world: &Arc<World>, folder: &Path) -> Vec<Game> {
    let mut played = Vec::new();
    for number in 0..world.shims {
        let (kit, bots, seed) = {
            let mut rng = world.rng.lock();
            let kits = games::ALL
                .iter()
                .filter(|kit| kit.card().wire == GameWire::Stdio);
            let kits: Vec<_> = kits.collect();
            let kit = kits[rng.below(kits.len() as u32) as usize];
            let quick = kit.card().bots.iter().filter(|bot| !bot.thinks);
            let quick: Vec<_> = quick.map(|bot| bot.name).collect();
            let mut bot = || quick[rng.below(quick.len() as u32) as usize];
            let bots = std::iter::repeat_with(&mut bot).take(*kit.card().seats.end());
            let bots: Vec<_> = bots.collect();
            (*kit, bots, rng.bits() >> 12)
        };
        let options = ShimOptions {
            kit,
            bot: bots[0].to_owned(),
            referee: format!("arbiter{number}"),
            daemon: Some(Arc::new(Socket {
                world: Arc::clone(world),
                runtime: Arc::clone(runtime),
                path: folder.join("drover.sock"),
            })),
            thinking: Thinking {
                time: Duration::from_millis(10),
                nodes: 20,
            },
            note: |text| tracing::info!("{text}"),
        };
        played.push(game(runtime, world, options, &bots, seed));
    }
    played
}

/// The bots of the other seats, and our shim's on the first.
struct Table {
    kit: &'static dyn Kit,
    shim: Option<Player>,
    others: Vec<OwnSeat>,
    seen: Game,
}

fn game(
    runtime: &Runtime,
    world: &Arc<World>,
    options: ShimOptions,
    bots: &[&str],
    seed: u64,
) -> Game {
    let kit = options.kit;
    let seen = Game {
        referee: options.referee.clone(),
        exchanges: Vec::new(),
        cut: false,
    };
    let setup = TableSetup::numbered(seed, Value::Null, bots.len());
    let table = kit.table(&setup).expect("a match by default");
    let places = bots.iter().map(|_| Place::new(Attendance::Outside));
    let mut match_ = Match::new(table, Rules::of_wire(GameWire::Stdio)).among(places.collect());
    let other = |(place, bot): (u64, &&str)| {
        let mut seat = OwnSeat::new(Settings::nodes(20), None);
        let setup = DialogueSetup::new(*bot, seed ^ place);
        seat.wake(kit.dialogue(&setup).expect("a bot of this name"));
        seat
    };
    let mut table = Table {
        kit,
        shim: Some(Player::begin(options).expect("a bot of this name")),
        others: (1u64..).zip(&bots[1..]).map(other).collect(),
        seen,
    };
    let began = Instant::now();
    let now_us = || i64::try_from(began.elapsed().as_micros()).unwrap_or(i64::MAX);
    match_.start(now_us());
    while match_.over().is_none() && table.seen.exchanges.len() < DECISIONS_MAX {
        // Its arbiter takes its time, in which others go on.
        let pause_us = 1 + world.rng.lock().below(100_000);
        runtime.block_on(sleep(Duration::from_micros(pause_us.into())));
        let Some(effect) = match_.next(now_us()) else {
            let due_us = match_.wakes_us().unwrap_or(0).max(now_us() + 1);
            runtime.block_on(sleep(Duration::from_micros((due_us - now_us()) as u64)));
            match_.time(now_us());
            continue;
        };
        let Effect::Send(message) = effect else {
            continue;
        };
        let said = table.send(world, message.seat, &message.text);
        let wanted = message.wanted;
        for line in said.iter().flat_map(|said| said.lines()).filter(|_| wanted) {
            match_.line(message.seat, line.as_bytes(), now_us());
        }
        if let Some(shim) = &mut table.shim {
            shim.look_back();
        } else {
            break;
        }
    }
    if table.seen.exchanges.is_empty() && !table.seen.cut {
        let why = format!("{}: nothing was played", table.seen.referee);
        world.book.lock().is_wrong(why);
    }
    if let Some(conduct) = match_.conduct().first()
        && !table.seen.cut
        && conduct.missed + conduct.refused > 0
    {
        let (missed, refused) = (conduct.missed, conduct.refused);
        let why = format!(
            "{}: {missed} answers missed, {refused} refused",
            table.seen.referee
        );
        world.book.lock().is_wrong(why);
    }
    if let Some(mut shim) = table.shim {
        shim.leave(Bye {
            n: None,
            why: "the arbiter closed its pipe".to_owned(),
            hung_up: true,
        });
    }
    table.seen
}

impl Table {
    /// Sends a message to a seat; its answer, if it gives one.
    fn send(&mut self, world: &World, seat: Seat, text: &str) -> Option<String> {
        if seat == Seat(0) {
            return self.deliver(world, text);
        }
        let seat = self.others.get_mut(seat.index() - 1)?;
        let said = seat.play(text, "", &|| Duration::ZERO);
        Some(said.expect("a bot of the game's own").text + "\n")
    }

    fn deliver(&mut self, world: &World, text: &str) -> Option<String> {
        let (mut frame, mut all) = (String::new(), String::new());
        for line in text.lines() {
            frame.push_str(line);
            if !self.kit.card().dialect.completes(line.as_bytes()) {
                frame.push('\n');
                continue;
            }
            if world.strikes(Fault::KilledShim) {
                self.seen.cut = true;
                self.shim = None;
            }
            let shim = self.shim.as_mut()?;
            let frame = std::mem::take(&mut frame);
            let said = shim.answer(frame.clone(), Instant::now());
            let said = said.expect("a bot of this name");
            world.log(&format!("{} {frame:?} -> {said:?}", self.seen.referee));
            self.seen.exchanges.push((frame, said.clone()));
            all.push_str(&said);
            all.push('\n');
        }
        Some(all)
    }
}

/// Whether the daemon has each game as its arbiter saw it, whichever side decided.
pub fn compare(world: &World, games: &[Game], stored: &Image) {
    for game in games {
        let here = stored.sessions.values();
        let mut here = here.filter(|kept| kept.opened.referee == game.referee);
        let (kept, other) = (here.next(), here.next());
        if other.is_some() {
            let why = format!("{}: its game is stored twice", game.referee);
            world.book.lock().is_wrong(why);
        }
        let mut stored: Vec<(&str, &str)> = Vec::new();
        for entry in kept.iter().flat_map(|kept| &kept.entries) {
            match (entry.direction, stored.last_mut()) {
                // An answer that overrules the daemon's own comes after it.
                (Direction::Out, Some(last)) => last.1 = &entry.text,
                _ => stored.push((&entry.text, "")),
            }
        }
        let mut seen = game.exchanges.iter();
        let mut seen = seen
            .by_ref()
            .map(|(text, said)| (text.as_str(), said.as_str()));
        let differs = stored.iter().position(|kept| Some(*kept) != seen.next());
        let missing = seen.next();
        let mut book = world.book.lock();
        if let Some(at) = differs {
            let (kept, seen) = (stored[at], game.exchanges.get(at));
            let why = format!(
                "{}: message {}: stored is {kept:?}, and the arbiter saw {seen:?}",
                game.referee,
                at + 1
            );
            book.is_wrong(why);
        } else if let Some(missing) = missing {
            book.is_wrong(format!("{}: lost: {missing:?}", game.referee));
        }
    }
}
