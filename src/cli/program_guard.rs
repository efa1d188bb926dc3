//! `drover program-guard`: what stands between `play` and a program. Not for people.

use crate::link::program::{
    Becoming, Confinement, GuardDuty, Held, become_program, end_like, first, guard,
};
use clap::Parser;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Is the guard of a program.
#[derive(Debug, Parser)]
struct Args {
    /// Give the program namespaces of its own; without a program, try whether that is possible.
    #[arg(long)]
    isolate: bool,
    /// Be the first process of such a namespace.
    #[arg(long, conflicts_with_all = ["isolate", "words"])]
    first: bool,
    /// The same for a program whose own process mounts what it needs.
    #[arg(long, conflicts_with_all = ["isolate", "first", "words"])]
    bare_first: bool,
    /// Confine this process and become the program.
    #[arg(long = "become")]
    becomes: bool,
    /// Print which protections do not hold.
    #[arg(long)]
    probe: bool,
    /// The number of the open file in which to tell why it cannot become the program.
    #[arg(long, value_name = "FD")]
    told: Option<i32>,
    /// Processes and threads at once.
    #[arg(long, value_name = "N")]
    processes: Option<u32>,
    /// Memory of each process in bytes.
    #[arg(long, value_name = "BYTES", requires = "scratch_mib")]
    memory: Option<u64>,
    /// CPU time of each process.
    #[arg(long, value_name = "SECONDS", requires = "scratch_mib")]
    cpu: Option<u64>,
    /// Protections without which the program is not started.
    #[arg(long, value_name = "NAMES", requires = "scratch_mib", default_value_t)]
    must: Held,
    /// Confine the program's files and network, with a scratch folder of this size.
    #[arg(long, value_name = "MIB")]
    scratch_mib: Option<u32>,
    /// The cgroup that it joins.
    #[arg(long, value_name = "PATH")]
    cgroup: Option<PathBuf>,
    /// What it may read beside the system's files.
    #[arg(long, value_name = "PATH", requires = "scratch_mib")]
    read: Vec<PathBuf>,
    /// Folders that are hidden from it.
    #[arg(long, value_name = "PATH", requires = "scratch_mib")]
    hide: Vec<PathBuf>,
    /// The process that starts the guard.
    #[arg(long, value_name = "PID")]
    parent: Option<i32>,
    /// How much lower than the usual priority the guard's and the program's is.
    #[arg(long, value_name = "N", default_value_t)]
    nice: u8,
    /// Where to report the program's process.
    #[arg(long, value_name = "PATH")]
    report: Option<PathBuf>,
    /// The program and its arguments.
    #[arg(last = true, value_name = "PROGRAM ARGS")]
    words: Vec<OsString>,
}

/// Is a guard; the second of these words is its verb.
pub(super) fn run(mut arguments: Vec<OsString>) -> anyhow::Result<ExitCode> {
    arguments.remove(1);
    let args = Args::parse_from(arguments);
    if args.first || args.bare_first {
        first(args.first)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (read, hidden) = (args.read, args.hide);
    let becoming = Becoming {
        isolated: args.isolate,
        processes: args.processes,
        memory: args.memory,
        cpu_seconds: args.cpu,
        must: args.must,
        cgroup: args.cgroup,
        confinement: args.scratch_mib.map(|scratch_mib| Confinement {
            read,
            hidden,
            scratch_mib,
        }),
    };
    if args.becomes {
        become_program(&becoming, args.told, &args.words)?;
        return Ok(ExitCode::SUCCESS);
    }
    end_like(guard(&GuardDuty {
        isolates: args.isolate,
        parent: args.parent,
        nice: args.nice,
        report: args.report,
        becoming,
        probes: args.probe,
        words: args.words,
    })?)
}
