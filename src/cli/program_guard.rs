//! `drover program-guard`: what stands between `play` and a program. Not for people.

use crate::link::program::{become_program, end_like, first, guard};
use clap::Parser;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Is the guard of a program.
#[derive(Debug, Parser)]
struct Args {
    /// What the guard is to do, or what the program is that this process becomes.
    #[arg(long, value_name = "PATH", required_unless_present_any = ["first", "bare_first"])]
    orders: Option<PathBuf>,
    /// Be the first process of a namespace.
    #[arg(long, conflicts_with = "orders")]
    first: bool,
    /// The same for a program whose own process mounts what it needs.
    #[arg(long, conflicts_with_all = ["orders", "first"])]
    bare_first: bool,
    /// After which number those of other processes there begin.
    #[arg(long, value_name = "N")]
    number: Option<i32>,
    /// Confine this process and become the program.
    #[arg(long = "become", requires = "orders")]
    becomes: bool,
    /// The number of the open file in which to report why it cannot become the program.
    #[arg(long, value_name = "FD", requires = "becomes")]
    report: Option<i32>,
}

/// Is a guard; the second of these words is its verb.
pub(super) fn run(mut arguments: Vec<OsString>) -> anyhow::Result<ExitCode> {
    arguments.remove(1);
    let args = Args::parse_from(arguments);
    match args.orders {
        Some(orders) if args.becomes => become_program(&orders, args.report)?,
        Some(orders) => end_like(guard(&orders)?),
        None => first(args.first, args.number)?,
    }
    Ok(ExitCode::SUCCESS)
}
