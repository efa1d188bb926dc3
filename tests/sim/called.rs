//! Matches whose referee calls its players: ours in the daemon, and a foreign one that outlives it.

use crate::book::Answered;
use crate::disk::Port;
use crate::hubs;
use crate::world::{Fault, World};
use drover::gateway::shims::collect;
use drover::identities::{Identities, KnownMatch};
use drover::link::Target;
use drover::programs::Bots;
use drover::referee::hub::HubServer;
use drover::referee::{
    Host, HostSettings, HostedMatch, MatchRequest, Recording, SeatLink, SeatReply, SeatSpec,
};
use drover::session::{BotAddress, Dependencies, Key, Origin, SessionOptions, Sessions};
use drover::store::Durability;
use drover::thinking::Pool;
use futures_util::future::{BoxFuture, pending};
use games::seat::{OwnSeat, Settings};
use games::{DialogueSetup, Kit};
use serde_json::Value;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The name of our own referee, and that of the foreign one.
const OURS: &str = "ours";
const FAR: &str = "far";
/// The wait before a connection is tried again.
const RETRY: Duration = Duration::from_millis(50);
/// Nodes of a decision.
const NODES: u64 = 20;
/// After how long without a message a session ends.
pub const IDLE: Duration = Duration::from_secs(400);

/// One life of the daemon.
pub struct Daemon {
    pub life: u64,
    pub sessions: Sessions,
    host: Arc<Host>,
    /// Whether matches of the life before are resumed: new ones begin after that.
    resumed: AtomicBool,
    pub hub: Arc<HubServer>,
}

pub fn kit() -> &'static dyn Kit {
    games::find("koehandel").expect("a game of this name")
}

fn options() -> SessionOptions {
    SessionOptions {
        // No referee waits so long before it sends a message again.
        hibernate_after: Duration::from_secs(6),
        idle_limit: IDLE,
        margin: Duration::from_millis(500),
        nodes: Some(NODES),
        durability_default: Durability::Process,
        ..SessionOptions::default()
    }
}

/// Starts the daemon again and again, some time after each death.
pub async fn lives(world: Arc<World>) {
    let seed = world.rng.lock().bits();
    let far = hubs::far(seed).await;
    tokio::spawn(Arc::clone(&far).matchmake());
    loop {
        let life = world.life();
        let started = async {
            let daemon = start(&world, life).await;
            world.log("started");
            world.listens(daemon)
        };
        let daemon = tokio::select! {
            biased;
            () = world.death(life) => None,
            daemon = started => Some(daemon),
        };
        if let Some(daemon) = daemon {
            serve(&world, &daemon, &far).await;
            // What is left of it has nothing to do any more.
            tokio::spawn(async move { daemon.sessions.close().await });
        }
        let down_ms = world.rng.lock().below(2_500);
        sleep(Duration::from_millis(down_ms.into())).await;
    }
}

/// Resumes matches and looks for journals until the daemon dies.
async fn serve(world: &Arc<World>, daemon: &Arc<Daemon>, far: &Arc<HubServer>) {
    let working = async {
        if let Err(error) = daemon.host.resume().await {
            let why = format!("matches cannot be resumed: {error}");
            world.book.lock().is_wrong(why);
        }
        daemon.resumed.store(true, Ordering::Relaxed);
        if world.hubs {
            tokio::spawn(hubs::play(
                Arc::clone(world),
                Arc::clone(daemon),
                Arc::clone(far),
            ));
        }
        let socket = world.folder.join("drover.sock");
        collect(socket, daemon.sessions.clone(), Duration::from_secs(5)).await;
    };
    tokio::select! {
        biased;
        () = world.death(daemon.life) => {}
        () = working => {}
        () = Arc::clone(&daemon.hub).matchmake() => {}
    }
}

async fn start(world: &Arc<World>, life: u64) -> Daemon {
    let store = Port::open(world, life);
    let identities = Identities::default();
    let slow = Arc::clone(world);
    let parts = Dependencies {
        store: Arc::clone(&store),
        pool: Pool::on_caller(move || match slow.strikes(Fault::SlowThinking) {
            true => Duration::from_secs(6),
            false => Duration::from_millis(5),
        }),
        identities: identities.clone(),
        bots: Bots::none(),
        replica: None,
        find: games::find,
    };
    let sessions = Sessions::open(options(), parts).await;
    let sessions = sessions.expect("the model can be read");
    let (near, lines) = (Arc::clone(world), identities.clone());
    let settings = HostSettings {
        referee: OURS.to_owned(),
        call: Some(Arc::new(move |target| {
            Box::new(Seat::new(&near, Some(life), target)) as Box<dyn SeatLink>
        })),
        on_match: Some(Arc::new(move |info| {
            let row = Arc::new(info.row(OURS, Value::Null));
            let ids = info.ids.clone();
            identities.register(OURS, info.market, KnownMatch { row, ids });
        })),
        ..HostSettings::default()
    };
    let recording = Recording::new(Arc::clone(&store), Durability::Power);
    let host = Host::new(kit(), settings, recording);
    let hub = hubs::ours(store, lines).await;
    Daemon {
        life,
        sessions,
        host,
        resumed: AtomicBool::new(false),
        hub,
    }
}

impl Daemon {
    /// Notes what is shown as ended.
    pub fn note_ends(&self, world: &World) {
        for hosted in &self.host.matches() {
            let Some(end) = hosted.end.get() else {
                continue;
            };
            if let Some(why) = &end.unrecorded {
                let why = format!("match {} is not recorded: {why}", hosted.info.match_id);
                world.book.lock().is_wrong(why);
                continue;
            }
            note_refusals(world, hosted, OURS);
            let scores = end.outcome.as_ref();
            let scores = scores.map_or_else(Vec::new, |end| end.scores.values().to_vec());
            let disk = world.disk.lock();
            let mut book = world.book.lock();
            book.shown(&hosted.info.match_id, end.cause, scores, &disk);
        }
    }
}

/// No act of our bots is against the rules, unless a message never came to them.
fn note_refusals(world: &World, hosted: &HostedMatch, referee: &str) {
    let Some(end) = hosted.end.get() else { return };
    let seats = hosted.info.seats.iter().zip(&hosted.info.ids);
    for ((seat, id), conduct) in seats.zip(&end.conduct) {
        let player = (referee.to_owned(), hosted.info.market, *id);
        let mut book = world.book.lock();
        if conduct.refused > 0 && seat.contains("daemon") && !book.gaps.contains(&player) {
            let many = conduct.refused;
            book.is_wrong(format!("{many} acts of {seat}, {player:?}, were refused"));
        }
    }
}

fn request(world: &World) -> MatchRequest {
    let mut rng = world.rng.lock();
    let bots: Vec<&str> = kit().card().bots.iter().map(|bot| bot.name).collect();
    let seats = kit().card().seats.clone();
    let seats = (0..*seats.end()).map(|seat| {
        let bot = bots[rng.below(bots.len() as u32) as usize];
        let url = match rng.below(4) {
            0 if seat > 0 => format!("url:http://client/{}", rng.below(1_000)),
            _ => format!("url:http://daemon/{bot}"),
        };
        url.parse::<SeatSpec>().expect("a seat's spec")
    });
    MatchRequest {
        seats: seats.collect(),
        seed: Some(rng.bits() >> 12),
        numbers: Some(rng.bits() >> 12),
        ..MatchRequest::default()
    }
}

/// Has our referee play matches, whichever life it takes.
pub async fn own_matches(world: Arc<World>) {
    for _ in 0..world.matches {
        let request = request(&world);
        loop {
            let ready = |daemon: &Arc<Daemon>| daemon.resumed.load(Ordering::Relaxed);
            let Some(daemon) = world.daemon().filter(ready) else {
                sleep(RETRY).await;
                continue;
            };
            let started = tokio::select! {
                biased;
                () = world.death(daemon.life) => continue,
                started = daemon.host.start(request.clone()) => started,
            };
            match started {
                Ok(started) => {
                    drop(started.begin());
                    break;
                }
                // The disk is full, or numbers of a match that was cut off are in use.
                Err(error) => world.log(&format!("not started: {error}")),
            }
            sleep(RETRY).await;
        }
        let pause_ms = world.rng.lock().below(3_000);
        sleep(Duration::from_millis(pause_ms.into())).await;
    }
    while has_unfinished(&world) {
        sleep(Duration::from_millis(500)).await;
        if let Some(daemon) = world.daemon() {
            daemon.note_ends(&world);
        }
    }
}

fn has_unfinished(world: &World) -> bool {
    let disk = world.disk.lock();
    let mut rows = disk.durable.matches.values();
    rows.any(|(row, _)| row.ours && row.ended_us.is_none())
}

/// A foreign referee plays matches that nobody records.
pub async fn far_matches(world: Arc<World>) {
    let far = Arc::clone(&world);
    let settings = HostSettings {
        referee: FAR.to_owned(),
        call: Some(Arc::new(move |target| {
            Box::new(Seat::new(&far, None, target)) as Box<dyn SeatLink>
        })),
        ..HostSettings::default()
    };
    let host = Host::new(kit(), settings, Recording::none());
    for _ in 0..world.matches {
        let request = request(&world);
        match host.start(request).await {
            Ok(started) => {
                let hosted = started.begin().wait().await;
                note_refusals(&world, &hosted, FAR);
                let end = hosted.end.get().map(|end| end.cause.word());
                world.log(&format!("a foreign match ended: {end:?}"));
            }
            Err(error) => world
                .book
                .lock()
                .is_wrong(format!("no foreign match: {error}")),
        }
    }
}

/// Strangers send what they have intercepted: to the same numbers in another name, with a word that its referee has never
/// said, and in any order to a session of their own, whose bot has to think about a match that makes no sense.
pub async fn strangers(world: Arc<World>) {
    while !world.is_calm() {
        let wait_ms = 20 + world.rng.lock().below(500);
        sleep(Duration::from_millis(wait_ms.into())).await;
        if !world.strikes(Fault::Stranger) {
            continue;
        }
        let (key, texts) = {
            let mut rng = world.rng.lock();
            let many = match rng.chance(0.2) {
                true => 1 + rng.below(60),
                false => 1,
            };
            let other = rng.below(4) as u8;
            let bots = kit().card().bots;
            let bot = bots[rng.below(bots.len() as u32) as usize].name;
            let referee = Ipv4Addr::new(192, 0, 2, other).to_string();
            let bot = BotAddress::new(kit(), bot, &referee).expect("a bot of this name");
            let book = world.book.lock();
            let Some((player, text)) = book.intercepted(&mut rng) else {
                continue;
            };
            let (market, id, texts) = match rng.chance(0.3) {
                true => (player.1, player.2, vec![format!("{text}&x=stranger")]),
                false => {
                    let (market, id) = (7_000_000 + u64::from(other), u64::from(other) + 1);
                    let own = format!("market={market}&id={id}");
                    let known = (0..1 + rng.below(many)).filter_map(|_| {
                        let (player, text) = book.intercepted(&mut rng)?;
                        let theirs = format!("market={}&id={}", player.1, player.2);
                        Some(text.replace(&theirs, &own))
                    });
                    let known: Vec<String> = known.collect();
                    let any = |_| known[rng.below(known.len() as u32) as usize].clone();
                    (market, id, (0..many).map(any).collect())
                }
            };
            let bot = Arc::new(bot);
            (Key { bot, market, id }, texts)
        };
        let Some(daemon) = world.daemon() else {
            continue;
        };
        let peer = key.bot.referee().parse().expect("an address");
        for text in texts {
            let begins = begins(&text);
            let origin = Origin::new(peer, false, false);
            let sessions = &daemon.sessions;
            let calling = sessions.callback(origin, key.clone(), begins, text, Instant::now());
            tokio::select! {
                biased;
                () = world.death(daemon.life) => break,
                _ = calling => {}
            }
        }
    }
}

fn begins(text: &str) -> bool {
    let route = kit().card().dialect.route(text.as_bytes());
    route.is_ok_and(|route| route.begins)
}

/// Where a seat's player is.
enum Place {
    /// A bot of the daemon.
    Daemon(&'static str),
    /// A program of somebody else, which remembers its last answer.
    Client(Box<Client>),
}

/// A player and the line to it.
struct Seat {
    world: Arc<World>,
    /// The life of the referee, if it is ours.
    life: Option<u64>,
    place: Place,
}

impl Seat {
    fn new(world: &Arc<World>, life: Option<u64>, target: &Target) -> Self {
        let name = target.path_and_query().trim_start_matches('/');
        let place = match target.host() {
            "client" => Place::Client(Box::new(Client::new(name.parse().unwrap_or_default()))),
            _ => {
                let card = kit().card().bot(name);
                Place::Daemon(card.map_or("filler", |card| card.name))
            }
        };
        Self {
            world: Arc::clone(world),
            life,
            place,
        }
    }

    async fn exchange(&mut self, text: &str) -> SeatReply {
        match &mut self.place {
            Place::Client(client) => {
                self.world.pause(Fault::StalledLine).await;
                match self.world.strikes(Fault::LostAnswer) {
                    true => pending().await,
                    false => SeatReply::said(client.answer(text)),
                }
            }
            Place::Daemon(bot) => call(&self.world, bot, self.life, text).await,
        }
    }
}

impl SeatLink for Seat {
    fn call<'a>(
        &'a mut self,
        text: &'a str,
        within: Duration,
        wanted: bool,
    ) -> BoxFuture<'a, SeatReply> {
        Box::pin(async move {
            let world = Arc::clone(&self.world);
            let life = self.life;
            let reply = tokio::time::timeout(within, self.exchange(text)).await;
            if life.is_some_and(|life| life != world.life()) {
                // Its referee is dead.
                return pending().await;
            }
            let reply = reply.unwrap_or(SeatReply::Late);
            let said = matches!(&reply, SeatReply::Said { note: None, .. });
            if !said {
                // What its bot has answered, if it has, was not played.
                let route = kit().card().dialect.route(text.as_bytes());
                let route = route.expect("a referee's message has a route");
                let referee = if life.is_some() { OURS } else { FAR };
                let player = (referee.to_owned(), route.market, route.id);
                world.book.lock().gaps.insert(player);
            }
            if !said && wanted && world.is_undisturbed() {
                let why = format!("{text:?} has no answer though nothing was disturbed: {reply:?}");
                world.book.lock().is_wrong(why);
            }
            reply
        })
    }
}

/// One message to a bot of the daemon, sent again as our own client would, until an answer has come.
async fn call(world: &Arc<World>, bot: &str, life: Option<u64>, text: &str) -> SeatReply {
    let referee = if life.is_some() { OURS } else { FAR };
    let route = kit().card().dialect.route(text.as_bytes());
    let route = route.expect("a referee's message has a route");
    let player = (referee.to_owned(), route.market, route.id);
    let bot = BotAddress::new(kit(), bot, referee).expect("a bot of this name");
    let key = Key {
        bot: Arc::new(bot),
        market: route.market,
        id: route.id,
    };
    loop {
        let daemon = world.daemon();
        let Some(daemon) = daemon.filter(|_| !world.strikes(Fault::CutLine)) else {
            sleep(RETRY).await;
            continue;
        };
        if life.is_some_and(|life| life != world.life()) {
            return pending().await;
        }
        world.pause(Fault::StalledLine).await;
        if world.strikes(Fault::LostMessage) {
            return pending().await;
        }
        let again = world.strikes(Fault::RepeatedMessage);
        let Some(mut reply) = ask(world, &daemon, &key, &player, route.begins, text).await else {
            continue;
        };
        if again {
            match ask(world, &daemon, &key, &player, route.begins, text).await {
                Some(second) => reply = second,
                None => continue,
            }
        }
        if world.strikes(Fault::LostAnswer) {
            let silent = world.rng.lock().chance(0.5);
            match silent {
                true => return pending().await,
                // The connection broke, and the request is sent again.
                false => continue,
            }
        }
        return reply;
    }
}

/// Sends one message; `None`: the daemon died meanwhile.
async fn ask(
    world: &Arc<World>,
    daemon: &Daemon,
    key: &Key,
    player: &(String, u64, u64),
    begins: bool,
    text: &str,
) -> Option<SeatReply> {
    world.book.lock().sends(player, text);
    let refused = world.disk.lock().refused;
    let received = Instant::now();
    let calling = daemon.sessions.callback(
        Origin::default(),
        key.clone(),
        begins,
        text.to_owned(),
        received,
    );
    let answer = tokio::select! {
        biased;
        () = world.death(daemon.life) => return None,
        answer = calling => answer,
    };
    let reply = match answer {
        Ok(answer) => {
            let said = String::from_utf8_lossy(&answer.text).into_owned();
            let ended = answer.ended.as_ref().map(|ended| ended.cause);
            {
                let disk = world.disk.lock();
                let refused = disk.refused > refused;
                let mut book = world.book.lock();
                let default = kit().card().dialect.default_answer(text);
                let answered = Answered {
                    text,
                    said: &said,
                    default,
                    ended,
                };
                book.answered(player, &answered, refused, &disk);
            }
            world.log(&format!("{player:?} {text:?} -> {said:?}"));
            world.pause(Fault::StalledLine).await;
            if let Some(sending) = answer.sending {
                sending.handed();
            }
            SeatReply::said(said)
        }
        Err(refusal) => {
            world.log(&format!("{player:?} {text:?} refused: {refusal}"));
            SeatReply::Said {
                text: String::new(),
                note: Some("status 503".to_owned()),
            }
        }
    };
    Some(reply)
}

/// A foreign player: a bot that remembers its last answer, and sometimes answers nonsense.
struct Client {
    seed: u64,
    seat: Option<OwnSeat>,
    last: (String, String),
}

impl Client {
    fn new(seed: u64) -> Self {
        Self {
            seed,
            seat: None,
            last: Default::default(),
        }
    }

    fn answer(&mut self, text: &str) -> String {
        if self.last.0 == text {
            return self.last.1.clone();
        }
        if begins(text) {
            let setup = DialogueSetup::new("random", self.seed);
            let mut seat = OwnSeat::new(Settings::nodes(1), None);
            seat.wake(kit().dialogue(&setup).expect("a bot of this name"));
            self.seat = Some(seat);
        }
        let default = kit().card().dialect.default_answer(text);
        let Some(seat) = &mut self.seat else {
            return default.to_owned();
        };
        let said = seat.play(text, default, &|| Duration::ZERO);
        let said = said.expect("a bot of the game's own").text;
        let nonsense = self.seed.is_multiple_of(5) && text.len().is_multiple_of(3);
        let said = if nonsense { "?".to_owned() } else { said };
        self.last = (text.to_owned(), said.clone());
        said
    }
}
