//! Why a bot decides as it does: one schema for all games. A copy of the bot thinks again ([`crate::game::Fork`]),
//! so that asking changes nothing.

use crate::reasons::{Belief, Reasons};
use serde::Serialize;
use std::fmt::Write as _;
use utoipa::ToSchema;

/// The most candidates of an explanation; the best ones are kept.
pub const CANDIDATES_MAX: usize = 16;
/// The most beliefs of an explanation; the first ones are kept.
pub const BELIEFS_MAX: usize = 64;
/// Letters of an act or a plan that are quoted in a sentence.
const QUOTED_MAX: usize = 100;

/// Why a bot decides as it does.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Explanation {
    /// What it would say with this budget: the exact text.
    pub answer: String,
    /// The same in the game's words.
    pub words: String,
    /// Nodes thought over; 0: it does not search. What a node is, the bot's description says.
    pub nodes: u64,
    /// What it compared: its choice first, also where another has a higher value that was not sure enough; then the
    /// others, the best first.
    pub candidates: Vec<Candidate>,
    /// What it believes of the others, and of what is hidden.
    pub beliefs: Vec<Belief>,
    /// The reason in one plain sentence.
    pub summary: String,
    /// Whether a rule is the reason, and no comparison.
    #[serde(skip)]
    pub by_rule: bool,
}

/// One way to go on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Candidate {
    /// The exact text of the answer.
    pub act: String,
    /// The same in the game's words.
    pub words: String,
    /// What it is meant for, beyond this answer; empty: nothing more than the answer says.
    pub plan: String,
    /// What it is worth, in the game's own unit ([`crate::GameCard::value_unit`]), where it was tried.
    pub value: Option<f64>,
    /// The standard error of `value`; of its difference to the value of the base candidate, where candidates
    /// are compared on the same samples.
    pub error: Option<f64>,
    /// How often it was tried.
    pub visits: Option<u64>,
    /// Whether it is the answer: true for exactly one.
    pub chosen: bool,
}

/// The explanation of a decision from what a copy of the bot gave as its reasons ([`crate::Bot::reasons`]). `write`
/// gives the exact text of an act, and `None` for one that is not said; `ready` is what is said then. `known` are
/// beliefs that any bot of the game has.
pub fn explain<A>(
    reasons: Reasons<A>,
    write: impl Fn(&A) -> Option<String>,
    ready: String,
    known: Vec<Belief>,
) -> Explanation {
    let said = write(&reasons.act);
    let mut candidates: Vec<Candidate> = Vec::with_capacity(reasons.options.len());
    for weighed in reasons.options {
        let Some(act) = write(&weighed.act) else {
            continue;
        };
        candidates.push(Candidate {
            chosen: weighed.chosen && Some(&act) == said.as_ref(),
            act,
            words: String::new(),
            plan: weighed.plan,
            value: weighed.value.filter(|value| value.is_finite()),
            error: weighed.error.filter(|error| error.is_finite()),
            visits: weighed.visits,
        });
    }
    let refused = said.is_none();
    let answer = said.unwrap_or(ready);
    let rule = reasons.rule.filter(|_| !refused).or_else(|| {
        let why = "The rules allow nothing that it chose, so it gives the answer that was ready.";
        refused.then(|| why.to_owned())
    });
    choose_one(&mut candidates, &answer);
    let mut beliefs = known;
    beliefs.extend(reasons.beliefs);
    beliefs.retain(Belief::is_finite);
    beliefs.truncate(BELIEFS_MAX);
    Explanation {
        answer,
        words: String::new(),
        nodes: reasons.nodes,
        beliefs,
        by_rule: rule.is_some(),
        summary: rule.unwrap_or_else(|| summary(&candidates)),
        candidates,
    }
}

impl Explanation {
    /// The same with every answer also in words, of which the sentence on candidates is made, and with the names of those
    /// whom beliefs are about.
    #[must_use]
    pub fn in_words(
        mut self,
        words: impl Fn(&str) -> String,
        who: impl Fn(&str) -> String,
    ) -> Self {
        self.words = words(&self.answer);
        for candidate in &mut self.candidates {
            candidate.words = words(&candidate.act);
        }
        for belief in &mut self.beliefs {
            belief.who = who(&belief.about);
        }
        if !self.by_rule {
            self.summary = summary(&self.candidates);
        }
        self
    }
}

/// Orders candidates and sees to it that exactly one of them, the first, is chosen.
fn choose_one(candidates: &mut Vec<Candidate>, answer: &str) {
    if candidates.is_empty() {
        return;
    }
    let value = |candidate: &Candidate| candidate.value.unwrap_or(f64::MIN);
    candidates.sort_by(|one, other| {
        let worth = value(other).total_cmp(&value(one));
        other.chosen.cmp(&one.chosen).then(worth)
    });
    if !candidates.first().is_some_and(|first| first.chosen) {
        let same = candidates.iter().position(|other| other.act == answer);
        let unseen = || Candidate {
            act: answer.to_owned(),
            ..Candidate::default()
        };
        let chosen = same.map_or_else(unseen, |at| candidates.remove(at));
        candidates.insert(0, chosen);
    }
    // The first of equals is the best of them.
    let mut met: Vec<(String, String)> = Vec::new();
    candidates.retain(|candidate| {
        let new = !met
            .iter()
            .any(|(act, plan)| *act == candidate.act && *plan == candidate.plan);
        if new {
            met.push((candidate.act.clone(), candidate.plan.clone()));
        }
        new && met.len() <= CANDIDATES_MAX
    });
    for (at, candidate) in candidates.iter_mut().enumerate() {
        candidate.chosen = at == 0;
    }
}

impl Candidate {
    /// It in a few words.
    fn quoted(&self) -> String {
        let act = match self.words.as_str() {
            "" => self.act.lines().collect::<Vec<_>>().join("; "),
            words => words.to_owned(),
        };
        let parts = [act.as_str(), self.plan.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let whole = parts.join(", ");
        let mut quoted: String = whole.chars().take(QUOTED_MAX).collect();
        if quoted.len() < whole.len() {
            quoted.push('…');
        }
        let mut quoted = format!("\"{quoted}\"");
        let round = |value: f64| (value * 1000.0).round() / 1000.0;
        match (self.value.map(round), self.error.map(round)) {
            (Some(value), Some(error)) => {
                let _ = write!(quoted, " ({value} ± {error})");
            }
            (Some(value), None) => {
                let _ = write!(quoted, " ({value})");
            }
            _ => {}
        }
        quoted
    }
}

fn summary(candidates: &[Candidate]) -> String {
    match candidates {
        [] => "It plays by fixed rules.".to_owned(),
        [only] => format!("It saw no alternative to {}.", only.quoted()),
        [chosen, next, ..] => {
            let (count, one, other) = (candidates.len(), chosen.quoted(), next.quoted());
            if next.value > chosen.value {
                format!(
                    "Of {count} candidates it keeps to {one}: that {other} is better is not sure enough."
                )
            } else {
                format!("Of {count} candidates it prefers {one} to {other}.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CANDIDATES_MAX, Candidate, Explanation, choose_one, summary};

    fn candidate(act: &str, value: f64, chosen: bool) -> Candidate {
        Candidate {
            act: act.to_owned(),
            value: Some(value),
            chosen,
            ..Candidate::default()
        }
    }

    fn acts(answer: &str, mut candidates: Vec<Candidate>) -> Vec<(String, bool)> {
        choose_one(&mut candidates, answer);
        candidates
            .into_iter()
            .map(|candidate| (candidate.act, candidate.chosen))
            .collect()
    }

    fn expected(acts: &[&str]) -> Vec<(String, bool)> {
        let acts = acts.iter().enumerate();
        acts.map(|(at, act)| ((*act).to_owned(), at == 0)).collect()
    }

    #[test]
    fn the_choice_comes_first_and_the_others_by_value() {
        let three = |chosen: &str| {
            let one = |act, value| candidate(act, value, act == chosen);
            vec![one("a", 1.0), one("b", 3.0), one("c", 2.0)]
        };
        assert_eq!(acts("a", three("a")), expected(&["a", "b", "c"]));
        assert_eq!(acts("c", three("none")), expected(&["c", "b", "a"]));
        assert_eq!(acts("d", three("none")), expected(&["d", "b", "c", "a"]));
        assert_eq!(acts("d", Vec::new()), []);
        let twice = vec![candidate("a", 1.0, true), candidate("a", 2.0, true)];
        assert_eq!(acts("a", twice), expected(&["a"]));
        let many = (0..40).map(|at| candidate(&at.to_string(), f64::from(at), at == 3));
        let kept = acts("3", many.collect());
        assert_eq!((kept.len(), kept[0].0.as_str()), (CANDIDATES_MAX, "3"));
    }

    #[test]
    fn a_summary_names_the_choice_and_the_next_best() {
        let two = [candidate("bid", 0.5, true), candidate("pass", 0.25, false)];
        let sentence = "Of 2 candidates it prefers \"bid\" (0.5) to \"pass\" (0.25).";
        assert_eq!(summary(&two), sentence);
        assert!(summary(&two[..1]).contains("no alternative to \"bid\""));
        let mut doubtful = candidate("raise", 0.75, false);
        doubtful.error = Some(0.5);
        let kept = summary(&[two[0].clone(), doubtful]);
        let sentence =
            "keeps to \"bid\" (0.5): that \"raise\" (0.75 ± 0.5) is better is not sure enough.";
        assert!(kept.ends_with(sentence), "{kept}");
        assert!(summary(&[]).contains("fixed rules"));
        let explained = Explanation {
            answer: "bid".to_owned(),
            words: String::new(),
            nodes: 0,
            candidates: two.to_vec(),
            beliefs: Vec::new(),
            summary: summary(&two),
            by_rule: false,
        };
        let words = |act: &str| format!("{act}s");
        let said = explained.clone().in_words(words, str::to_owned);
        assert_eq!((said.words.as_str(), said.answer.as_str()), ("bids", "bid"));
        assert!(said.summary.contains("prefers \"bids\" (0.5) to \"passs\""));
        // A reason that is no comparison stays as it is.
        let rule = Explanation {
            summary: "It bids.".to_owned(),
            by_rule: true,
            ..explained
        };
        assert_eq!(rule.in_words(words, str::to_owned).summary, "It bids.");
        let long = candidate(&"x".repeat(500), 0.0, true);
        assert!(summary(&[long]).len() < 160);
    }
}
