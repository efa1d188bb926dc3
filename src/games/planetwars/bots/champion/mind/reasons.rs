//! Why the champion decides as it does: the plans that its mind compared, and what it believes of the others.

use super::Mind;
use crate::bots::champion::chart::Names;
use crate::bots::champion::plan::Compared;
use crate::bots::champion::ships::NOBODY;
use crate::rules::{Act, View};
use drover_game::reasons::{Belief, Reasons, Weighed};

/// The largest fleets of others that are reported.
const FLEETS_SHOWN: usize = 12;

impl Mind {
    /// Why it decided on this act; `write` makes an act of a plan.
    pub(in crate::bots::champion) fn reasons(
        &self,
        names: &Names,
        view: &View,
        act: Act,
        write: impl Fn(&Compared) -> Act,
    ) -> Reasons<Act> {
        let compared = self.compared.iter().flatten();
        let options = compared.map(|compared| {
            let planned = write(compared);
            Weighed {
                plan: compared.plan(),
                chosen: planned == act,
                ..Weighed::new(planned, compared.value, compared.tried)
            }
        });
        Reasons {
            nodes: self.used(),
            options: options.collect(),
            beliefs: self.beliefs(names, view),
            ..Reasons::from_act(act)
        }
    }

    /// Whom it fights, what they have in flight, and where to.
    fn beliefs(&self, names: &Names, view: &View) -> Vec<Belief> {
        let (sides, ledger) = (self.sides(), &self.ledger);
        let hidden = view.fleets.is_none();
        let mut beliefs = Vec::new();
        for player in 1..sides.side.len() as u8 {
            let Some(id) = names.player_id(player).filter(|_| sides.of(player) <= 0) else {
                continue;
            };
            let fought = f64::from(u8::from(sides.of(player) < 0));
            beliefs.push(Belief::likely(id, "is fought as an enemy", fought));
            let at = usize::from(player);
            if ledger.attacked.get(at) == Some(&true) {
                beliefs.push(Belief::likely(id, "has attacked", 1.0));
            }
            if let Some(ships) = ledger.flying.get(at).filter(|_| hidden) {
                let ships = f64::from(*ships).max(0.0);
                beliefs.push(Belief::amount(id, "in flight (inferred)", ships, "ships"));
            }
        }
        let mut guesses: Vec<_> = ledger.guesses.iter().filter(|_| hidden).collect();
        guesses.retain(|guess| guess.owner != NOBODY);
        guesses.sort_by_key(|guess| std::cmp::Reverse(guess.ships));
        for guess in guesses.into_iter().take(FLEETS_SHOWN) {
            let goal = ledger.likeliest(guess).and_then(|to| names.id(to));
            let (Some(id), Some(from), Some(to)) =
                (names.player_id(guess.owner), names.id(guess.from), goal)
            else {
                continue;
            };
            let what = format!("fleet from planet {from}, probably to planet {to}");
            beliefs.push(Belief::amount(id, what, guess.ships.into(), "ships"));
        }
        beliefs
    }
}
