//! `drover tournament`: what concerns whole tournaments.

use crate::link::program::no_isolation;
use clap::Subcommand;
use std::io::Write as _;

/// The tournament verbs.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum Verb {
    /// Say how far entrants that are programs can be isolated from each other on this machine.
    Check,
}

pub(super) fn run(verb: &Verb) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    match verb {
        Verb::Check => match no_isolation() {
            None => writeln!(
                out,
                "isolation: each program gets a user, process and mount namespace of its own: it cannot see or \
                 signal the processes of other entrants"
            )?,
            Some(why) => writeln!(
                out,
                "isolation: none: a program can end the processes of other entrants ({why}); let the system \
                 create user namespaces"
            )?,
        },
    }
    Ok(())
}
