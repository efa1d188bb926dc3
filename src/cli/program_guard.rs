//! `drover program-guard`: what stands between `play` and a program. Not for people.

use crate::link::program::{GuardDuty, end_like, first, guard};
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
    /// The process that starts the guard.
    #[arg(long, value_name = "PID")]
    parent: Option<i32>,
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
    if args.first {
        first()?;
        return Ok(ExitCode::SUCCESS);
    }
    end_like(guard(&GuardDuty {
        isolates: args.isolate,
        parent: args.parent,
        report: args.report,
        words: args.words,
    })?)
}
