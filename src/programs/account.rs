//! What a program did with the decisions that it was asked for in a match: which were its own.

use super::conduct::Conduct;
use games::seat::Taken;
use games::{Part, Participation, is_earned};
use parking_lot::Mutex;
use std::sync::Arc;

/// The account of a program in a match, kept while it plays. Its clones are the same one.
#[derive(Clone, Debug, Default)]
pub struct Account(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    /// In their order.
    decisions: Vec<Taken>,
    conduct: Option<Conduct>,
}

impl Account {
    /// Notes who took a decision.
    pub fn took(&self, taken: Taken) {
        self.0.lock().decisions.push(taken);
    }

    /// The program has ended: how it behaved, with how it took part. An answer that came when its fallback had been asked
    /// was late, whatever the program's own thread saw.
    pub(super) fn ended(&self, conduct: Conduct) -> Conduct {
        let count = |what: &dyn Fn(Taken) -> bool| {
            let kept = self.0.lock();
            kept.decisions.iter().filter(|taken| what(**taken)).count() as u64
        };
        let conduct = Conduct {
            answered: count(&|taken| matches!(taken, Taken::Own | Taken::Refused)),
            late: count(&|taken| taken == Taken::Late),
            participation: Some(self.participation()),
            ..conduct
        };
        self.0.lock().conduct = Some(conduct.clone());
        conduct
    }

    /// Whether there was any decision to take.
    pub(super) fn is_used(&self) -> bool {
        !self.0.lock().decisions.is_empty()
    }

    /// How it behaved, once it has ended.
    #[must_use]
    pub fn conduct(&self) -> Option<Conduct> {
        self.0.lock().conduct.clone()
    }

    /// Who took each decision, in their order.
    #[must_use]
    pub fn taken(&self) -> Vec<Taken> {
        self.0.lock().decisions.clone()
    }

    /// How it takes part so far. It has crashed if it runs no more; it is silent or refused if it left more decisions to its
    /// fallback than it may, or the last ones.
    #[must_use]
    pub fn participation(&self) -> Participation {
        let kept = self.0.lock();
        let asked = kept
            .decisions
            .iter()
            .filter(|taken| **taken != Taken::Forced);
        let asked: Vec<Taken> = asked.copied().collect();
        let of = |what: &dyn Fn(Taken) -> bool| asked.iter().filter(|taken| what(**taken)).count();
        let fallback = of(&Taken::is_fallback);
        let turn = |at: usize| u32::try_from(at + 1).unwrap_or(u32::MAX);
        let last = asked.iter().rposition(|taken| !taken.is_fallback());
        let last = last.map_or(0, |at| at + 1);
        let (how, turn) = match asked.get(last) {
            Some(Taken::Gone) => (Part::Crashed, Some(turn(last))),
            Some(first) if !is_earned(0, (asked.len() - last) as u64) => {
                (first.part(), Some(turn(last)))
            }
            _ if is_earned(asked.len() as u64, fallback as u64) => (Part::Played, None),
            _ => {
                let kinds = [Taken::Gone, Taken::Refused, Taken::Late];
                let most = kinds
                    .into_iter()
                    .max_by_key(|kind| of(&|taken| taken == *kind));
                let first = asked.iter().position(|taken| taken.is_fallback());
                (most.map_or(Part::Played, Taken::part), first.map(turn))
            }
        };
        // Everybody may read this: how a program failed and what it said is its owner's to know.
        let sentence = match how {
            Part::Crashed => "it was not running, or not reached",
            Part::Refused => "its answers were not legal",
            Part::Silent => "it did not answer in time",
            Part::Played | Part::Dropped => "",
        };
        Participation {
            how,
            turn,
            detail: sentence.to_owned(),
            decisions: Some(u32::try_from(asked.len()).unwrap_or(u32::MAX)),
            fallback: Some(u32::try_from(fallback).unwrap_or(u32::MAX)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Account, Taken};

    #[track_caller]
    fn check(decisions: &str, expected: &str) {
        let account = Account::default();
        for letter in decisions.chars() {
            account.took(match letter {
                'o' => Taken::Own,
                'l' => Taken::Late,
                'r' => Taken::Refused,
                'g' => Taken::Gone,
                _ => Taken::Forced,
            });
        }
        let part = account.participation();
        let (fallback, decisions) = (part.fallback.unwrap(), part.decisions.unwrap());
        let message = format!("{fallback}/{decisions} {} {}", part.words(), part.detail);
        assert_eq!(message.trim(), expected);
    }

    #[test]
    fn a_program_has_played_if_it_came_back_and_left_little() {
        check("", "0/0 played");
        check("f", "0/0 played");
        check("oofoo", "0/4 played");
        check("olgo", "2/4 played");
        check("oool", "1/4 played");
        check(
            "ooog",
            "1/4 crashed at turn 4 it was not running, or not reached",
        );
        check(
            "ooofgg",
            "2/5 crashed at turn 4 it was not running, or not reached",
        );
        check("oolll", "3/5 silent from turn 3 it did not answer in time");
        check("rrrr", "4/4 refused from turn 1 its answers were not legal");
        check(
            "orlrro",
            "4/6 refused from turn 2 its answers were not legal",
        );
        check(
            "gggooo",
            "3/6 crashed at turn 1 it was not running, or not reached",
        );
        check("lllgg", "5/5 silent from turn 1 it did not answer in time");
    }
}
