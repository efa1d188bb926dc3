//! `drover tournament`: what concerns whole tournaments.

use crate::link::program::no_isolation;
use clap::Subcommand;

/// The tournament verbs.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum Verb {
    /// Say how far entrants that are programs can be isolated from each other on this machine.
    Check,
}

pub(super) fn run(verb: &Verb) {
    match verb {
        Verb::Check => match no_isolation() {
            None => println!(
                "isolation: each program gets a user, process and mount namespace of its own: it cannot see or \
                 signal the processes of other entrants"
            ),
            Some(why) => println!(
                "isolation: none: a program can end the processes of other entrants ({why}); let the system \
                 create user namespaces"
            ),
        },
    }
}
