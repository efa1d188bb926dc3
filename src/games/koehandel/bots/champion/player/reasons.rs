//! Why the champion decides as it does: its candidates as the race left them, and what it believes of its rivals.

use super::{Champion, Search};
use crate::bots::champion::candidates::Candidate;
use crate::bots::styles::KINDS;
use crate::cards::Compass;
use crate::rules::{Act, Ask};
use crate::view::View;
use drover_game::game::Budget;
use drover_game::reasons::{Belief, Reasons, Weighed};

/// Types less likely than this are not reported.
const SHARE_MIN: f32 = 0.05;

impl Champion {
    /// Decides and says why.
    pub(super) fn reason(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Reasons<Act> {
        if let Some(limit) = self.settled_limit(view, ask) {
            let act = self.answer(view, ask, Candidate::Limit(limit));
            return Reasons {
                rule: Some(format!(
                    "It goes on bidding up to {limit}, the limit that it chose for this card."
                )),
                beliefs: self.cash(),
                ..Reasons::from_act(act)
            };
        }
        let search = self.searched(view, ask, budget);
        let chosen = search.race.choice();
        let options = (0..search.candidates.len())
            .map(|at| self.weighed(view, ask, &search, at))
            .collect::<Vec<_>>();
        let choice = options.get(chosen);
        let act = choice.map_or(Act::PASS, |choice| choice.act);
        let mut beliefs = self.cash();
        for (rival, weights) in Compass::RIVALS.into_iter().zip(&search.weights) {
            let mut types: Vec<_> = KINDS.iter().zip(weights).collect();
            types.retain(|(_, weight)| **weight >= SHARE_MIN);
            types.sort_by(|one, other| other.1.total_cmp(one.1));
            beliefs.extend(types.into_iter().map(|(kind, weight)| {
                let what = format!("type {}", kind.name);
                Belief::likely(rival.letter(), what, f64::from(*weight))
            }));
        }
        Reasons {
            nodes: search.nodes,
            options,
            beliefs,
            ..Reasons::from_act(act)
        }
    }

    /// A candidate: its value is the base policy's and the gain over it.
    fn weighed(&mut self, view: &View, ask: &Ask, search: &Search, at: usize) -> Weighed<Act> {
        let (base, gain) = (search.race.base(), search.race.gain(at));
        let tried = gain.count > 0.0;
        let candidate = search.candidates.get(at).copied();
        let candidate = candidate.unwrap_or(Candidate::Act(Act::PASS));
        let mut plan = match candidate {
            Candidate::Limit(limit) => format!("bids up to {limit}"),
            Candidate::Act(_) => String::new(),
        };
        if at == 0 {
            let more = if plan.is_empty() { "" } else { ", " };
            plan.push_str(&format!("{more}as its base policy would"));
        }
        let error = if at == 0 { base.error() } else { gain.error() };
        Weighed {
            act: self.answer(view, ask, candidate),
            plan,
            value: tried.then(|| base.mean() + gain.mean()),
            error: (gain.count > 1.0).then_some(error),
            visits: Some(gain.count as u64),
            chosen: at == search.race.choice(),
        }
    }

    /// The rivals' cash in the deals that it holds possible.
    fn cash(&self) -> Vec<Belief> {
        let cash = |rival: Compass| {
            let deals = self.memory.belief.cash(rival).map(f64::from).collect();
            Belief::sampled(rival.letter(), "cash (believed)", deals, "money")
        };
        Compass::RIVALS.into_iter().filter_map(cash).collect()
    }
}
