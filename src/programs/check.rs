//! Checking a user's bot: it plays a set script of each of its games in good and bad weather, and reports in plain
//! words what to fix. The script goes on as recorded whatever the bot answers: what counts is that its answers come in
//! time and are legal.

mod findings;
mod script;
mod talk;
mod trial;

pub use findings::{Finding, Report, Weather};
pub use script::ScriptError;

use super::launch::Launch;
use crate::link::program::{Guard, Machine};
use games::Kit;
use script::Script;
use std::time::Duration;
use trial::Trial;

/// Checks a bot's play of one game in every weather. `margin`: what sessions leave of a limit for the way back.
///
/// # Errors
/// [`ScriptError`].
pub fn check(
    launch: &Launch,
    kit: &dyn Kit,
    guard: Option<Guard>,
    margin: Duration,
) -> Result<Report, ScriptError> {
    let script = Script::new(kit, launch, margin)?;
    let machine = Machine::watch();
    let mut findings = Vec::new();
    for weather in Weather::for_launch(launch) {
        let finding = Trial::run(launch, &script, guard, &machine, weather)?;
        let is_hopeless = finding.answers == 0;
        findings.push(finding);
        // A bot that says nothing in good weather says nothing in bad.
        if is_hopeless {
            break;
        }
    }
    Ok(Report {
        game: kit.card().name.to_owned(),
        findings,
    })
}
