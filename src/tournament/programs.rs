//! Whether the programs of a tournament can play at all.

use super::cup::Cup;
use crate::link::program::ProgramOptions;
use crate::programs::{Bots, Launch, Opening, try_out};
use crate::referee::SeatSpec;
use crate::referee::arbiter::{self, ProgramRules};
use games::{DialogueSetup, Kit};
use serde_json::Value;
use std::sync::Arc;
use std::thread::Builder;
use std::time::Duration;

/// How long a program may take for its first answer until it is taken to be whole.
const TRIED_WITHIN: Duration = Duration::from_secs(2);
/// Programs that are tried at once.
const TRIED_AT_ONCE: usize = 32;

/// Those of its programs that cannot be started, or end instead of answering, as sentences that name them. Blocks for up
/// to two seconds, or for every 32 programs so long.
#[must_use]
pub fn broken(cup: &Cup, rules: &ProgramRules) -> Vec<String> {
    let is_tried = |spec: &SeatSpec| matches!(spec, SeatSpec::Program(_) | SeatSpec::Bot(_));
    let programs = cup.entrants.iter();
    let programs: Vec<_> = programs.filter(|entrant| is_tried(&entrant.spec)).collect();
    let line_up = cup.kit.line_up(&cup.options, cup.seats);
    let seats = line_up.map_or(cup.seats, |line_up| line_up.owners.len());
    let mut broken = Vec::new();
    for some in programs.chunks(TRIED_AT_ONCE) {
        std::thread::scope(|scope| {
            let tries = some.iter().map(|entrant| {
                let native = move |options: ProgramOptions| {
                    let kit = cup.kit;
                    arbiter::try_out(kit, &options, &cup.options, seats, rules, TRIED_WITHIN)
                        .ok()?
                };
                let work = move || match &entrant.spec {
                    SeatSpec::Program(program) => native(rules.options(cup.kit, program)),
                    SeatSpec::Bot(name) => {
                        // That one is not found is reported elsewhere.
                        let launch = rules.bots.bots.find(&name.to_string())?;
                        match launch.is_native() {
                            true => native(rules.native(cup.kit, &launch)),
                            false => try_bot(cup.kit, launch, &rules.bots.bots),
                        }
                    }
                    _ => None,
                };
                (&entrant.name, Builder::new().spawn_scoped(scope, work))
            });
            for (name, tried) in tries.collect::<Vec<_>>() {
                // What cannot be tried now may well be started later.
                let tried = tried.ok().and_then(|tried| tried.join().ok()?);
                broken.extend(
                    tried.map(|why| format!("entrant {name:?}: its program cannot play: {why}")),
                );
            }
        });
    }
    broken
}

/// Why a user's bot that speaks the neutral protocol cannot play; `None` if it can.
fn try_bot(kit: &'static dyn Kit, launch: Arc<Launch>, bots: &Bots) -> Option<String> {
    let setup = DialogueSetup::new("", 1);
    let opening = Opening::new(kit, "", false, Value::Null, &setup);
    try_out(bots, launch, opening, TRIED_WITHIN)
}
