//! [`Coordination`]: what replicas need of the database that they share.

use futures_util::future::BoxFuture;
use std::fmt;
use std::time::Duration;

/// A time in which one replica owned one resource without a break. Greater than all epochs given before, of whatever
/// resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub u64);

/// A time in which the lease of one replica did not lapse. Greater than all terms given before, of whatever replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub u64);

/// What can be owned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The sessions of one match, by what routes its messages.
    Session,
    /// A connection to a hub, by the hub's entry in the configuration.
    Hub,
    /// A match of our own referee, by its id.
    Match,
    /// A tournament, by its name.
    Tournament,
    /// What is done once for the database.
    Housekeeping,
}

impl Kind {
    /// Its word in the database.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Kind::Session => "session",
            Kind::Hub => "hub",
            Kind::Match => "match",
            Kind::Tournament => "tournament",
            Kind::Housekeeping => "housekeeping",
        }
    }
}

/// Something that one replica at a time owns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Resource {
    /// What it is.
    pub kind: Kind,
    /// Its name, unique within its kind.
    pub name: Box<str>,
}

impl Resource {
    /// The resource of this name.
    #[must_use]
    pub fn new(kind: Kind, name: impl Into<Box<str>>) -> Self {
        let name = name.into();
        Self { kind, name }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.word(), self.name)
    }
}

/// The replica that owns a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Its id, unique for each start of a process.
    pub replica: Box<str>,
    /// Where other replicas reach it: host and port.
    pub address: Box<str>,
    /// Since when it has owned it.
    pub epoch: Epoch,
}

/// A resource that a replica has owned since this epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// What it owns.
    pub resource: Resource,
    /// Since when.
    pub epoch: Epoch,
}

/// What comes of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The claimer owns it. In the epoch of its last claim nobody else has owned it since.
    Ours(Epoch),
    /// Somebody else owns it, and is alive by the database's clock.
    Theirs(Owner),
}

/// Why the database has not decided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CoordinationError {
    /// It cannot be reached, or does not answer. What was asked for may have happened.
    #[error("the database is away: {0}")]
    Away(String),
    /// The claimer's own lease has lapsed: it is renewed first. Nothing has happened.
    #[error("this replica's lease has lapsed")]
    Lapsed,
}

/// What comes of a request to the database.
pub type Coordinated<'a, T> = BoxFuture<'a, Result<T, CoordinationError>>;

/// What a renewal leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renewal {
    /// The term of the lease.
    pub term: Term,
    /// How many replicas have a lease, this one included.
    pub replicas: usize,
}

/// The leases and owners of one database, as one replica uses them. Each method is one atomic statement there, and by
/// its clock alone a lease has expired or not. Callers bound how long they wait.
pub trait Coordination: Send + Sync {
    /// Extends this replica's lease to `length` from now on; counts the replicas with a lease. The same term as before means that it did not lapse in
    /// between, so that nobody can have claimed what the replica owns; the first one begins a term.
    ///
    /// # Errors
    /// [`CoordinationError::Away`].
    fn renew(&self, length: Duration) -> Coordinated<'_, Renewal>;

    /// Claims a resource that nobody owns, or whose owner's lease has lapsed since it claimed it, or was given up. `over`: also from the
    /// replica that has owned it since then, though it is alive; from no other one. While this replica owns it, it keeps
    /// its epoch.
    ///
    /// # Errors
    /// [`CoordinationError`].
    fn claim<'a>(&'a self, resource: &'a Resource, over: Option<Epoch>) -> Coordinated<'a, Claim>;

    /// Gives up each of these that this replica has owned since the epoch named; with others nothing happens.
    ///
    /// # Errors
    /// [`CoordinationError::Away`].
    fn release<'a>(&'a self, held: &'a [Holding]) -> Coordinated<'a, ()>;

    /// Gives up the lease, and with it all that this replica owns.
    ///
    /// # Errors
    /// [`CoordinationError::Away`].
    fn leave(&self) -> Coordinated<'_, ()>;
}
