//! Bots that play by rules: with each act they give the rule that decided.

use crate::game::{Bot, Budget, Game};
use crate::reasons::Reasons;

/// Rules to play by, such as a function of the view and the ask.
pub trait ByRule<G: Game>: Clone + Send + 'static {
    /// As [`Bot::observe`].
    fn observe(&mut self, event: &G::Event) {
        let _ = event;
    }
    /// The act, legal and at once, and the rule that decided, in a sentence.
    fn turn(&mut self, view: &G::View, ask: &G::Ask) -> (G::Act, impl ToString);
}

impl<G: Game, F, R: ToString> ByRule<G> for F
where
    F: FnMut(&G::View, &G::Ask) -> (G::Act, R) + Clone + Send + 'static,
{
    fn turn(&mut self, view: &G::View, ask: &G::Ask) -> (G::Act, impl ToString) {
        self(view, ask)
    }
}

/// A bot that plays by these rules, and names them as its reasons.
#[must_use]
pub fn by_rule<G: Game>(rules: impl ByRule<G>) -> Box<dyn Bot<G>> {
    Box::new(Ruled(rules))
}

#[derive(Clone)]
struct Ruled<R>(R);

impl<G: Game, R: ByRule<G>> Bot<G> for Ruled<R> {
    fn observe(&mut self, event: &G::Event) {
        self.0.observe(event);
    }

    fn decide(&mut self, view: &G::View, ask: &G::Ask, _: Budget<'_>) -> G::Act {
        self.0.turn(view, ask).0
    }

    fn reasons(&mut self, view: &G::View, ask: &G::Ask, _: Budget<'_>) -> Reasons<G::Act> {
        let (act, rule) = self.0.turn(view, ask);
        Reasons {
            rule: Some(rule.to_string()),
            ..Reasons::from_act(act)
        }
    }
}
