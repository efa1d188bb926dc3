//! Several replicas over one database: who owns a session, a hub or a match, and who takes it over when its owner
//! dies. Decisions only: the database stands behind the port [`Coordination`], and time is passed in.
//!
//! A replica has a **lease** ([`Membership`]), which it renews while it runs. A **resource** belongs to one replica for as
//! long as the lease of that replica lasts; nothing is renewed per resource. A message goes through [`Routing`]: it is
//! handled by the replica that owns its session, in one hop if need be, or by one that takes the session over. A
//! [`Keeper`] does the same for what runs once in the whole cluster. [`Replica`] carries their steps to the database and
//! to other replicas.
//!
//! Leases decide who works, never what is true. Two replicas may both believe that they own a session: a machine that was
//! suspended, a database whose clock jumped, an owner that another replica cannot reach. So every write is fenced by a
//! key of the log, and a writer that meets another's entry gives up what it remembers, reads again, and answers what is
//! stored.

mod keeper;
mod keeping;
mod membership;
mod port;
mod pulse;
mod replica;
mod routing;

pub use keeper::{Duty, Keeper};
pub use keeping::{Tenure, keep};
pub use membership::{Lease, LeaseSettings, Membership};
pub use port::{
    Claim, Coordinated, Coordination, CoordinationError, Epoch, Holding, Kind, Owner, Renewal,
    Resource, Term,
};
pub use pulse::Pulse;
pub use replica::{Clock, Delivery, Occupied, Replica};
pub use routing::{Arrival, Event, Failure, Refusal, Routing, Step, Unforwarded, View};
