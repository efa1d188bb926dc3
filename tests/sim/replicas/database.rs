//! The model of the database that the replicas share: leases, owners, sessions and their log, each request at one
//! moment, behind lines that are cut and through failovers that lose nothing and break every connection.

use super::world::{Fault, Message, Mistake, World};
use drover::cluster::{
    Claim, Coordinated, Coordination, CoordinationError, Epoch, Holding, Owner, Renewal, Resource,
    Term,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

/// The request got no answer. It may have been carried out.
pub struct Gone;

/// Another entry stands where this one was to stand.
pub struct Taken;

/// One answered message in the log.
#[derive(Clone, Debug)]
pub struct Entry {
    pub seq: usize,
    pub message: Message,
    pub answer: u64,
}

/// A session as it is stored.
#[derive(Clone, Debug)]
pub struct Session {
    /// Which one of its player's it is, from 1.
    pub generation: u64,
    pub entries: Vec<Entry>,
    /// The process that appended last.
    pub writer: usize,
}

struct Lease {
    expires: Duration,
    term: Term,
    address: String,
}

/// Owned by a replica for as long as this term of its lease lasts.
#[derive(Clone)]
struct Owned {
    replica: String,
    term: Term,
    epoch: Epoch,
}

/// What is stored.
#[derive(Default)]
pub struct Tables {
    replicas: BTreeMap<String, Lease>,
    owners: BTreeMap<Resource, Owned>,
    sequence: u64,
    pub sessions: Vec<Session>,
    /// By player: its sessions, oldest first.
    pub of_player: BTreeMap<u32, Vec<usize>>,
    /// Which nodes have owned a resource since when.
    pub history: BTreeMap<Resource, Vec<(Instant, usize)>>,
}

impl Tables {
    fn next(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    /// The term of a replica's lease, if it has not expired.
    fn term(&self, replica: &str, now: Duration) -> Option<Term> {
        let lease = self.replicas.get(replica)?;
        (lease.expires > now).then_some(lease.term)
    }

    /// The term in which this is owned is over, even if the clock goes back.
    fn bury(&mut self, owned: &Owned) {
        let lease = self.replicas.get(&owned.replica);
        if lease.is_some_and(|lease| lease.term == owned.term) {
            self.replicas.remove(&owned.replica);
        }
    }

    /// The replica that owns a resource, dead or alive.
    pub fn owner(&self, resource: &Resource) -> Option<(&str, Epoch)> {
        let owned = self.owners.get(resource)?;
        Some((&owned.replica, owned.epoch))
    }

    /// Appends to a session.
    pub fn append(&mut self, session: usize, entry: Entry, fenced: bool) -> Result<(), Taken> {
        let entries = &mut self.sessions[session].entries;
        if fenced && entries.len() != entry.seq {
            return Err(Taken);
        }
        entries.push(entry);
        Ok(())
    }

    /// Opens a player's session of this generation with its first entry.
    pub fn open(&mut self, generation: u64, first: Entry, fenced: bool) -> Result<usize, Taken> {
        let sessions = &self.sessions;
        let of_player = self.of_player.entry(first.message.player).or_default();
        let known = of_player
            .last()
            .map_or(0, |last| sessions[*last].generation);
        if fenced && generation != known + 1 {
            return Err(Taken);
        }
        of_player.push(self.sessions.len());
        self.sessions.push(Session {
            generation,
            entries: vec![first],
            writer: usize::MAX,
        });
        Ok(self.sessions.len() - 1)
    }

    /// The newest session of a player.
    pub fn newest(&self, player: u32) -> Option<(usize, Session)> {
        let at = *self.of_player.get(&player)?.last()?;
        Some((at, self.sessions[at].clone()))
    }
}

/// Has the database do something for a node, in one moment, and waits for its answer.
pub async fn ask<T: Send + 'static>(
    world: &Arc<World>,
    node: usize,
    work: impl FnOnce(&mut Tables, Duration) -> T + Send + 'static,
) -> Result<T, Gone> {
    let (reply, answer) = oneshot::channel();
    // What was sent is carried out, even if the sender dies.
    tokio::spawn(carry_out(Arc::clone(world), node, work, reply));
    answer.await.unwrap_or(Err(Gone))
}

async fn carry_out<T>(
    world: Arc<World>,
    node: usize,
    work: impl FnOnce(&mut Tables, Duration) -> T,
    reply: oneshot::Sender<Result<T, Gone>>,
) {
    world.wire().await;
    world.through(node).await;
    if world.is_away() {
        // Nobody listens.
        drop(reply.send(Err(Gone)));
        return;
    }
    let failovers = world.failovers();
    let slow = world.strikes(Fault::SlowCommit);
    world.pause_us(if slow { 300_000 } else { 3_000 }).await;
    if world.failovers() != failovers {
        // It was committed just before, or it was not. Nobody has seen that yet.
        if world.is_away() && world.chance(0.5) {
            world.database(work);
        }
        drop(reply.send(Err(Gone)));
        return;
    }
    let done = world.database(work);
    world.wire().await;
    world.through(node).await;
    drop(reply.send(Ok(done)));
}

impl World {
    /// Waits while a node is cut off from the database: what is on its way is lost for those who do not wait so long.
    async fn through(&self, node: usize) {
        while self.is_cut(node) {
            sleep(Duration::from_millis(200)).await;
        }
    }

    fn database<T>(&self, work: impl FnOnce(&mut Tables, Duration) -> T) -> T {
        let now = self.database_now();
        work(&mut self.tables.lock(), now)
    }
}

/// One process's connection to it.
pub struct Port {
    pub world: Arc<World>,
    pub node: usize,
    pub id: String,
}

impl Port {
    async fn asked<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Tables, Duration) -> T + Send + 'static,
    ) -> Result<T, CoordinationError> {
        let answer = ask(&self.world, self.node, work).await;
        answer.map_err(|Gone| CoordinationError::Away("gone".to_owned()))
    }
}

impl Coordination for Port {
    fn renew(&self, length: Duration) -> Coordinated<'_, Renewal> {
        let (id, address) = (self.id.clone(), self.node.to_string());
        let renewed = self.asked(move |tables, now| {
            let kept = match tables.replicas.get(&id) {
                Some(lease) if lease.expires > now => Some(lease.term),
                _ => None,
            };
            let term = kept.unwrap_or_else(|| Term(tables.next()));
            let expires = now + length;
            let lease = Lease {
                expires,
                term,
                address,
            };
            tables.replicas.insert(id, lease);
            let alive = tables.replicas.values().filter(|lease| lease.expires > now);
            Renewal {
                term,
                replicas: alive.count(),
            }
        });
        Box::pin(async move {
            let renewed = renewed.await;
            if self.world.strikes(Fault::SlowRenewal) {
                self.world.pause_us(900_000).await;
            }
            renewed
        })
    }

    fn claim<'a>(&'a self, resource: &'a Resource, over: Option<Epoch>) -> Coordinated<'a, Claim> {
        let (id, resource, node) = (self.id.clone(), resource.clone(), self.node);
        let everything = self.world.mistake == Some(Mistake::ClaimsFromTheLiving);
        Box::pin(async move {
            let work = move |tables: &mut Tables, now| {
                let term = tables.term(&id, now).ok_or(CoordinationError::Lapsed)?;
                if let Some(owned) = tables.owners.get_mut(&resource) {
                    let epoch = owned.epoch;
                    if owned.replica == id {
                        owned.term = term;
                        return Ok(Claim::Ours(epoch));
                    }
                    let owned = owned.clone();
                    let alive = tables.term(&owned.replica, now) == Some(owned.term);
                    if alive && over != Some(epoch) && !everything {
                        return Ok(Claim::Theirs(Owner {
                            address: tables.replicas[&owned.replica].address.as_str().into(),
                            replica: owned.replica.into(),
                            epoch,
                        }));
                    }
                    if !alive {
                        tables.bury(&owned);
                    }
                }
                let epoch = Epoch(tables.next());
                let owned = Owned {
                    replica: id,
                    term,
                    epoch,
                };
                tables.owners.insert(resource.clone(), owned);
                let history = tables.history.entry(resource).or_default();
                history.push((Instant::now(), node));
                Ok(Claim::Ours(epoch))
            };
            self.asked(work).await?
        })
    }

    fn release<'a>(&'a self, held: &'a [Holding]) -> Coordinated<'a, ()> {
        let (id, held) = (self.id.clone(), held.to_vec());
        Box::pin(self.asked(move |tables, _| {
            for Holding { resource, epoch } in held {
                let owned = tables.owners.get(&resource);
                if owned.is_some_and(|owned| owned.replica == id && owned.epoch == epoch) {
                    tables.owners.remove(&resource);
                }
            }
        }))
    }

    fn leave(&self) -> Coordinated<'_, ()> {
        let id = self.id.clone();
        Box::pin(self.asked(move |tables, _| drop(tables.replicas.remove(&id))))
    }
}
