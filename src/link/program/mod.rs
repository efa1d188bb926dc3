//! A player's program on pipes: started in its own process group, talked to line by line with a deadline, and
//! ended with nothing left behind. Plain blocking calls, for a separate thread.
//!
//! Limits are set from outside (`start`, `limits`), standard error is drained into a ring (`stderr`), a program is ended by
//! message, then SIGTERM, then SIGKILL (`start/ending`), and processes that left its group are cleaned up (`orphans`).
//!
//! # The guard
//!
//! Between us and the program stands a guard (`guard`, the hidden verb `program-guard`). It starts the program in a user,
//! process and mount namespace of its own, and in an IPC namespace where the system allows it, in a session without a
//! terminal; it reports the program's process over a pipe, ends as it ended, and kills all of it once the process that
//! started the guard is gone. A guard is used, and not a signal at the parent's death: that signal follows the thread that
//! started the program, reaches no grandchildren, and a process cannot move itself into a namespace of processes.
//!
//! What the guard is to do, and everything that the program's owner chose, it reads from a file in memory (`orders`): each
//! of our processes next to a program begins in `/` with an empty environment, and its words, folder and variables
//! count only from its `exec` on. A program that is not confined gets its own `/tmp`, `/var/tmp` and `/dev/shm`, with what
//! it names there put back (`covers`).
//!
//! # Confinement
//!
//! Where its processes are limited or its files confined, the guard starts a process of our own in the program's place
//! (`becoming`). It joins its cgroup first, unshares mounts and network, mounts `/proc` and a scratch folder, covers the
//! folders of sockets and of the daemon's files with empty ones, limits memory, CPU time and processes, gives up all rights,
//! closes what it inherited, remounts everything else read-only, applies the Landlock rules (`confinement`) and the filter
//! of system calls (`calls`), and becomes the program by `exec`. If it cannot, it reports why over a pipe that `exec` closes.
//! `protections` tries all that and reports what this machine lacks; what it found to hold must hold at each start of a
//! confined program, or the start is refused.
//!
//! The memory limit counts a process's data segment, not its address space, of which runtimes reserve far more than they
//! use; in a cgroup it counts the whole group. A user bot without a cgroup is inspected once a second, with everything that
//! descends from its guard (`together`) and what that holds without mapping it (`held`).

mod becoming;
mod calls;
mod cgroup;
mod confinement;
mod covers;
mod guard;
mod held;
mod interpreter;
mod job;
mod limits;
mod load;
mod orders;
mod orphans;
mod paths;
mod pipes;
mod protection;
mod protections;
mod spec;
mod start;
mod stderr;
mod together;
mod waking;

pub use becoming::Becoming;
pub use becoming::running::become_program;
pub use cgroup::Cgroup;
pub use confinement::Confinement;
pub use guard::{Guard, end_like, first, guard, no_isolation};
pub use job::Job;
pub use load::{Load, Machine, MachineReport};
pub use orders::{Execution, Orders, VERB};
pub use orphans::{Marker, adopt_orphans, kill_all, sweep};
pub use pipes::{LineFault, ready};
pub use protection::{Held, MEMORY, NO_CGROUP, Protection};
pub use protections::protections;
pub use spec::{ProgramSpec, StartError, find};
pub use start::ending::Ended;
pub use start::{Program, ProgramLimits, ProgramOptions};
pub use stderr::StderrMark;
pub use waking::Waking;
