//! A player's program on pipes: started in its own process group, talked to line by line with a deadline, and
//! ended with nothing left behind. Plain blocking calls, for a separate thread.

mod becoming;
mod calls;
mod cgroup;
mod confinement;
mod covers;
mod ending;
mod guard;
mod held;
mod interpreter;
mod job;
mod load;
mod orders;
mod orphans;
mod pipes;
mod protections;
mod start;
mod stderr;
mod together;

pub use becoming::{Becoming, become_program};
pub use cgroup::Cgroup;
pub use confinement::Confinement;
pub use ending::Ended;
pub use guard::{Guard, VERB, end_like, first, guard, no_isolation};
pub use job::Job;
pub use load::{Load, Machine, MachineReport};
pub use orders::{Execution, Orders};
pub use orphans::{Marker, adopt_orphans, kill_all, sweep};
pub use pipes::{LineFault, ready};
pub use protections::{Held, MEMORY, NO_CGROUP, Protection, protections};
pub use start::{Program, ProgramLimits, ProgramOptions, ProgramSpec, StartError, find};
