//! A machine with a replica: its processes, what stops them, and how they handle and forward messages.

use super::database::{Entry, Port, Session, Taken, ask};
use super::world::{BASE, Fault, Message, Mistake, World};
use drover::cluster::{
    Arrival, Clock, Delivery, Epoch, Failure, Kind, LeaseSettings, Owner, Refusal, Replica,
    Resource, Tenure, Unforwarded, keep,
};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::sync::{Mutex as Turns, oneshot};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

/// A connection to another replica is tried for this long.
const CONNECT_WITHIN: Duration = Duration::from_millis(300);
/// A connection on which nothing comes back is given up after this.
const BROKEN_AFTER: Duration = Duration::from_millis(1_500);
/// How long what is drained goes on receiving messages.
const DRAIN: Duration = Duration::from_millis(700);
/// What runs once in the cluster.
const SINGLETONS: u32 = 3;

pub fn singletons() -> impl Iterator<Item = Resource> {
    (0..SINGLETONS).map(|number| Resource::new(Kind::Hub, number.to_string()))
}

/// A machine.
#[derive(Default)]
pub struct Node {
    pub state: Mutex<State>,
}

#[derive(Default)]
pub struct State {
    life: Option<Arc<Life>>,
    lives: u32,
    stopped_until: Option<Instant>,
    /// Whether nobody even refuses a connection.
    silent: bool,
    /// How long its clocks stood still.
    lost: Duration,
    pub resumed: Option<Instant>,
    pub wall_hours: i64,
    pub cut_until: Option<Instant>,
    /// When it could not work: from, until.
    pub unwell: Vec<(Instant, Instant)>,
}

impl State {
    fn is_stopped(&self) -> bool {
        self.stopped_until
            .is_some_and(|until| until > Instant::now())
    }

    /// Since when it can work, if it could not before.
    pub fn well_since(&self, now: Instant) -> Option<Instant> {
        let ended = self.unwell.iter().map(|(_, until)| *until);
        ended.filter(|until| *until <= now).max()
    }

    /// Since when it cannot work.
    pub fn unwell_since(&self) -> Option<Instant> {
        let now = Instant::now();
        let mut unwell = self.unwell.iter();
        let found = unwell.find(|(from, until)| *from <= now && now < *until);
        found.map(|(from, _)| *from)
    }
}

/// A process.
struct Life {
    id: String,
    replica: Arc<Replica>,
    sessions: Mutex<BTreeMap<u32, Arc<Turns<Option<Memory>>>>>,
    over: AtomicBool,
    /// Messages that it has.
    calls: AtomicUsize,
    /// What wakes each of its tasks, by number.
    tasks: Mutex<BTreeMap<u64, Waker>>,
    /// Ends what it does by itself.
    stop: CancellationToken,
}

impl Life {
    fn wake(&self) {
        let tasks = std::mem::take(&mut *self.tasks.lock());
        tasks.into_values().for_each(Waker::wake);
    }
}

/// What a process remembers of a session.
struct Memory {
    epoch: Epoch,
    at: Option<usize>,
    session: Session,
}

/// A task of a process, which does nothing while that is stopped, and ends with it.
struct Task<F> {
    world: Arc<World>,
    node: usize,
    life: Arc<Life>,
    number: u64,
    work: Option<Pin<Box<F>>>,
}

impl<F: Future<Output = ()>> Future for Task<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.life.over.load(Ordering::Relaxed) {
            self.work = None;
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        self.life.tasks.lock().insert(self.number, waker);
        if self.world.nodes[self.node].state.lock().is_stopped() {
            return Poll::Pending;
        }
        let polled = match &mut self.work {
            Some(work) => work.as_mut().poll(context),
            None => Poll::Ready(()),
        };
        if polled.is_ready() {
            self.life.tasks.lock().remove(&self.number);
        }
        polled
    }
}

fn spawn(
    world: &Arc<World>,
    node: usize,
    life: &Arc<Life>,
    work: impl Future<Output = ()> + Send + 'static,
) {
    tokio::spawn(Task {
        world: Arc::clone(world),
        node,
        life: Arc::clone(life),
        number: world.number(),
        work: Some(Box::pin(work)),
    });
}

impl Node {
    /// Starts a process.
    pub fn start(world: &Arc<World>, node: usize) {
        let id = {
            let mut state = world.nodes[node].state.lock();
            if state.life.is_some() {
                return;
            }
            state.lives += 1;
            format!("{node}.{}", state.lives)
        };
        let port = Port {
            world: Arc::clone(world),
            node,
            id: id.clone(),
        };
        let life = Arc::new(Life {
            id,
            replica: Replica::new(Arc::new(port), LeaseSettings::default(), clock(world, node)),
            sessions: Mutex::default(),
            over: AtomicBool::new(false),
            calls: AtomicUsize::new(0),
            tasks: Mutex::default(),
            stop: CancellationToken::new(),
        });
        world.nodes[node].state.lock().life = Some(Arc::clone(&life));
        let (replica, forever) = (Arc::clone(&life.replica), CancellationToken::new());
        spawn(world, node, &life, async move {
            replica.renew_until(&forever).await;
        });
        for resource in singletons() {
            let (near, own) = (Arc::clone(world), Arc::clone(&life));
            spawn(world, node, &life, async move {
                let run = |tenure| singleton(&near, node, &own, &resource, tenure);
                keep(&own.replica, &resource, &own.stop, run).await;
            });
        }
    }

    fn end(world: &World, node: usize) -> Option<Arc<Life>> {
        let life = world.nodes[node].state.lock().life.take()?;
        life.over.store(true, Ordering::Relaxed);
        life.wake();
        Some(life)
    }

    fn note_unwell(world: &World, node: usize, lasts: Duration) -> Instant {
        let now = Instant::now();
        let mut state = world.nodes[node].state.lock();
        state.unwell.push((now, now + lasts));
        now + lasts
    }

    pub fn crash(world: &Arc<World>, node: usize, lasts: Duration) {
        if Node::end(world, node).is_none() {
            return;
        }
        let until = Node::note_unwell(world, node, lasts);
        world.nodes[node].state.lock().silent = world.chance(0.5);
        let world = Arc::clone(world);
        tokio::spawn(async move {
            sleep_until(until).await;
            Node::start(&world, node);
        });
    }

    pub fn stop(world: &Arc<World>, node: usize, lasts: Duration, clocks: bool) {
        {
            let state = world.nodes[node].state.lock();
            if state.is_stopped() || state.life.is_none() {
                return;
            }
        }
        let until = Node::note_unwell(world, node, lasts);
        world.nodes[node].state.lock().stopped_until = Some(until);
        let world = Arc::clone(world);
        tokio::spawn(async move {
            sleep_until(until).await;
            let life = {
                let mut state = world.nodes[node].state.lock();
                if clocks {
                    state.lost += lasts;
                    state.resumed = Some(until);
                }
                state.life.clone()
            };
            world.log(&format!("{node} goes on"));
            if let Some(life) = life {
                life.wake();
            }
        });
    }

    pub fn cut_off(world: &World, node: usize, lasts: Duration) {
        let until = Node::note_unwell(world, node, lasts);
        world.nodes[node].state.lock().cut_until = Some(until);
    }

    /// Hands over and starts again, as in a rolling upgrade.
    pub fn drain(world: &Arc<World>, node: usize) {
        let state = world.nodes[node].state.lock();
        let Some(life) = state.life.clone().filter(|life| !life.stop.is_cancelled()) else {
            return;
        };
        drop(state);
        life.stop.cancel();
        let (near, own) = (Arc::clone(world), Arc::clone(&life));
        spawn(world, node, &life, async move {
            let enough = CancellationToken::new();
            let handing = own.replica.hand_over_until(&enough);
            tokio::select! {
                biased;
                () = handing => {}
                () = sleep(DRAIN) => {}
            }
            {
                // Nobody is let in any more, and who is in gets an answer.
                let mut state = near.nodes[node].state.lock();
                (state.life, state.silent) = (None, false);
            }
            while own.calls.load(Ordering::Relaxed) > 0 {
                sleep(Duration::from_millis(20)).await;
            }
            own.replica.leave().await;
            own.over.store(true, Ordering::Relaxed);
            tokio::spawn(async move {
                sleep(Duration::from_millis(500)).await;
                Node::start(&near, node);
            });
        });
    }
}

fn clock(world: &Arc<World>, node: usize) -> Clock {
    let world = Arc::clone(world);
    Arc::new(move || {
        let state = world.nodes[node].state.lock();
        let now = BASE + world.began.elapsed();
        let jumped = Duration::from_secs(3_600 * state.wall_hours.unsigned_abs());
        match world.mistake {
            Some(Mistake::WallClock) if state.wall_hours < 0 => now - jumped,
            Some(Mistake::WallClock) => now + jumped,
            _ => now - state.lost,
        }
    })
}

async fn singleton(
    world: &Arc<World>,
    node: usize,
    life: &Arc<Life>,
    resource: &Resource,
    tenure: Tenure,
) {
    while !life.stop.is_cancelled() {
        if tenure.may_act() {
            world.acts(node, &life.id, resource, tenure.epoch());
        }
        sleep(Duration::from_millis(50)).await;
    }
}

/// A message on its way.
#[derive(Clone, Copy)]
pub struct Envelope {
    pub message: Message,
    pub within: Duration,
    pub forwarded: bool,
    /// How many replicas have sent it on.
    pub hops: u32,
    /// When its referee has sent it, and whether the clocks of a machine on its way have stood still since.
    pub sent: Instant,
    pub delayed: bool,
}

/// What a message was answered with; `None`: it came too late, after later ones.
pub type Said = Option<u64>;

/// What comes of a call.
pub enum Called {
    Refused,
    Silent,
    Taken(oneshot::Receiver<Result<Said, Refusal>>),
}

/// Sends a message to a machine.
pub fn call(world: &Arc<World>, node: usize, envelope: Envelope) -> Called {
    if envelope.hops > 1 {
        let why = format!(
            "{:?} was forwarded {} times",
            envelope.message, envelope.hops
        );
        world.book.lock().is_wrong(why);
    }
    let life = {
        let state = world.nodes[node].state.lock();
        match &state.life {
            Some(life) => Arc::clone(life),
            None if state.silent => return Called::Silent,
            None => return Called::Refused,
        }
    };
    life.calls.fetch_add(1, Ordering::Relaxed);
    let (reply, answer) = oneshot::channel();
    let mut work = Work {
        world: Arc::clone(world),
        node,
        life: Arc::clone(&life),
        envelope,
    };
    spawn(world, node, &life, async move {
        let replica = Arc::clone(&work.life.replica);
        let arrival = match work.world.mistake {
            Some(Mistake::ForgetsStops) => Arrival {
                deadline: replica.now() + envelope.within,
                forwarded: envelope.forwarded,
            },
            _ => replica.arrival(envelope.within, envelope.forwarded),
        };
        let session = envelope.message.resource();
        let said = replica.deliver(&session, arrival, &mut work).await;
        work.world.wire().await;
        // Who has sent it may have gone.
        let _ = reply.send(said);
        work.life.calls.fetch_sub(1, Ordering::Relaxed);
    });
    Called::Taken(answer)
}

/// What a replica does with a message.
struct Work {
    world: Arc<World>,
    node: usize,
    life: Arc<Life>,
    envelope: Envelope,
}

impl Delivery for Work {
    type Answer = Said;

    async fn handle(&mut self, epoch: Epoch) -> Result<Said, Failure> {
        let message = self.envelope.message;
        let session = {
            let mut sessions = self.life.sessions.lock();
            Arc::clone(sessions.entry(message.player).or_default())
        };
        let mut session = session.lock().await;
        if session.as_ref().is_some_and(|memory| memory.epoch != epoch) {
            *session = None;
        }
        if session.is_none() {
            *session = Some(self.load(epoch).await?);
        }
        let Some(memory) = session.as_mut() else {
            return Err(Failure::Away);
        };
        let entries = &memory.session.entries;
        if let Some(known) = entries.iter().find(|entry| entry.message == message) {
            return Ok(Some(known.answer));
        }
        if entries.last().is_some_and(|last| last.message > message) {
            let delayed = self.is_delayed();
            self.world.book.lock().stale(message, delayed);
            return Ok(None);
        }
        let slow = self.world.strikes(Fault::SlowThinking);
        self.world
            .pause_us(if slow { 400_000 } else { 20_000 })
            .await;
        // Thinking depends on time: nobody comes to the same answer again.
        let answer = self.world.rng.lock().bits();
        match self.append(memory, answer).await {
            true => Ok(Some(answer)),
            false => {
                *session = None;
                match self.world.mistake {
                    Some(Mistake::AnswersAnother) => Ok(Some(answer)),
                    _ => Err(Failure::Fenced),
                }
            }
        }
    }

    async fn forward(&mut self, owner: &Owner, within: Duration) -> Result<Said, Unforwarded> {
        let to: usize = owner.address.parse().expect("a node's number");
        self.world.book.lock().forwards += 1;
        let answer = self.forwarded(to, within).await;
        match self.world.mistake {
            Some(Mistake::WaitsForOwner) => answer.map_err(|_| Unforwarded::NotOwner),
            _ => answer,
        }
    }
}

impl Work {
    fn is_delayed(&self) -> bool {
        let resumed = self.world.nodes[self.node].state.lock().resumed;
        self.envelope.delayed || resumed.is_some_and(|at| at >= self.envelope.sent)
    }

    async fn load(&self, epoch: Epoch) -> Result<Memory, Failure> {
        let player = self.envelope.message.player;
        let found = ask(&self.world, self.node, move |tables, _| {
            tables.newest(player)
        })
        .await;
        let found = found.map_err(|_| Failure::Away)?;
        let (at, session) = found.map_or((None, None), |(at, session)| (Some(at), Some(session)));
        Ok(Memory {
            epoch,
            at,
            session: session.unwrap_or(Session {
                generation: 0,
                entries: Vec::new(),
                writer: self.node,
            }),
        })
    }

    /// Whether the message and its answer are stored, as the session's next entry or as the first one of a new session.
    async fn append(&self, memory: &mut Memory, answer: u64) -> bool {
        let Message { match_, .. } = self.envelope.message;
        let last = memory.session.entries.last();
        let goes_on = last.is_some_and(|last| last.message.match_ == match_);
        let seq = if goes_on {
            memory.session.entries.len()
        } else {
            0
        };
        let entry = Entry {
            seq,
            message: self.envelope.message,
            answer,
        };
        let (at, generation) = (memory.at.filter(|_| goes_on), memory.session.generation + 1);
        let (node, first, mistake) = (self.node, entry.clone(), self.world.mistake);
        let stored = ask(&self.world, node, move |tables, _| {
            let at = match at {
                Some(at) => {
                    tables.append(at, first, mistake != Some(Mistake::NoFence))?;
                    at
                }
                None => tables.open(generation, first, mistake != Some(Mistake::NoGenerations))?,
            };
            let before = std::mem::replace(&mut tables.sessions[at].writer, node);
            Ok::<_, Taken>((at, before))
        });
        match stored.await {
            Ok(Ok((at, before))) => {
                if !goes_on {
                    memory.session.entries.clear();
                    memory.session.generation = generation;
                }
                memory.at = Some(at);
                memory.session.entries.push(entry);
                self.world
                    .took_over(self.envelope.message, self.node, before);
                true
            }
            Ok(Err(Taken)) => {
                self.world.book.lock().fenced += 1;
                false
            }
            Err(_) => {
                self.world.book.lock().unknown += 1;
                self.world.mistake == Some(Mistake::AnswersUnstored)
            }
        }
    }

    async fn forwarded(&self, to: usize, within: Duration) -> Result<Said, Unforwarded> {
        let world = &self.world;
        if world.are_apart(self.node, to) {
            sleep(CONNECT_WITHIN).await;
            return Err(Unforwarded::Unreached);
        }
        let envelope = Envelope {
            within,
            forwarded: world.mistake != Some(Mistake::ForwardsTwice),
            hops: self.envelope.hops + 1,
            delayed: self.is_delayed(),
            ..self.envelope
        };
        // What is on its way arrives, even if its sender is stopped.
        let near = Arc::clone(world);
        let calling = tokio::spawn(async move {
            near.wire().await;
            call(&near, to, envelope)
        });
        let answer = match calling.await {
            Ok(Called::Taken(answer)) => answer,
            Ok(Called::Silent) => {
                sleep(CONNECT_WITHIN).await;
                return Err(Unforwarded::Unreached);
            }
            Ok(Called::Refused) | Err(_) => return Err(Unforwarded::Unreached),
        };
        let broken = async {
            let mut apart = Duration::ZERO;
            while apart < BROKEN_AFTER {
                sleep(Duration::from_millis(250)).await;
                match world.are_apart(self.node, to) {
                    true => apart += Duration::from_millis(250),
                    false => apart = Duration::ZERO,
                }
            }
        };
        let answer = async {
            let answer = answer.await;
            while world.are_apart(self.node, to) {
                sleep(Duration::from_millis(250)).await;
            }
            answer
        };
        tokio::select! {
            biased;
            answer = answer => match answer {
                Ok(Ok(said)) => Ok(said),
                Ok(Err(Refusal::NotOwner)) => Err(Unforwarded::NotOwner),
                _ => Err(Unforwarded::Unreached),
            },
            () = broken => Err(Unforwarded::Unreached),
        }
    }
}
