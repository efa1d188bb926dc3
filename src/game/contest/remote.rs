//! A bot that somebody else decides for: what it receives becomes lines, and it acts as the answer says that is
//! handed in. It never waits: until there is an answer that the rules allow, its fallback acts.

use super::interface::{Contest, Decision};
use crate::game::{Bot, Budget, Illegal, Progress};
use crate::misread::Misread;
use crate::neutral::{Body, Line, Post, ToProgram, written};
use serde::Deserialize as _;
use serde_json::Value;

/// The bot.
pub(super) struct Remote<C: Contest> {
    fallback: Box<dyn Bot<C>>,
    post: Post,
    known: C::Known,
    /// Decisions so far.
    asked: u64,
    /// The decision that is due.
    due: Option<Due<C::Act>>,
}

/// A decision that is due.
#[derive(Clone)]
struct Due<A> {
    /// What the program decided, if the rules allow it.
    decided: Option<A>,
    /// What the fallback decided, once it has thought to its end: a bot may remember what it does, so it is not asked
    /// again.
    instead: Option<A>,
}

impl<C: Contest> Remote<C> {
    /// A bot whose lines go to `post`, and for whom `fallback` acts.
    pub(super) fn new(fallback: Box<dyn Bot<C>>, post: Post) -> Self {
        Self {
            fallback,
            post,
            known: C::Known::default(),
            asked: 0,
            due: None,
        }
    }

    /// The decision is asked for, unless it is already.
    fn ask(&mut self, view: &C::View, ask: &C::Ask) {
        if self.due.is_some() {
            return;
        }
        self.asked += 1;
        self.due = Some(Due {
            decided: None,
            instead: None,
        });
        if self.post.is_native() {
            // It has the message that asks.
            let (number, rest) = (self.asked, String::new());
            return self.post.push(Line::Ask { number, rest });
        }
        let acts = C::listed(&self.decision(view, ask));
        self.post
            .push(Line::ask(self.asked, &Body { ask, view, acts }));
    }

    fn decision<'a>(&'a self, view: &'a C::View, ask: &'a C::Ask) -> Decision<'a, C> {
        let known = &self.known;
        Decision { known, view, ask }
    }

    /// The act that an answer stands for.
    fn read(&self, view: &C::View, ask: &C::Ask, answer: Value) -> Result<C::Act, Illegal> {
        match (self.post.frame(), answer) {
            (Some(frame), Value::String(reply)) => {
                C::act_of_reply(&self.decision(view, ask), frame.as_bytes(), &reply)
            }
            (_, answer) => {
                let misread = |why: serde_json::Error| {
                    let why = why.to_string();
                    Illegal(format!("it is no act: {}", Misread::from(&*why)))
                };
                C::Act::deserialize(answer).map_err(misread)
            }
        }
    }

    /// Looks at an answer that was handed in.
    fn look(&mut self, view: &C::View, ask: &C::Ask) {
        let Some(answer) = self.post.answered(self.asked) else {
            return;
        };
        let act = self.read(view, ask, answer);
        let legal = act.and_then(|act| {
            C::judge(&self.decision(view, ask), &act)?;
            Ok(act)
        });
        let (decided, verdict) = match legal {
            Ok(act) => (Some(act), Ok(())),
            Err(why) => (None, Err(why)),
        };
        self.post.judge(verdict);
        if let Some(due) = &mut self.due {
            due.decided = decided;
        }
    }
}

/// A copy thinks for itself: its questions go nowhere.
impl<C: Contest> Clone for Remote<C> {
    fn clone(&self) -> Self {
        Self {
            fallback: self.fallback.clone(),
            post: Post::default(),
            known: self.known.clone(),
            asked: self.asked,
            due: self.due.clone(),
        }
    }
}

impl<C: Contest> Bot<C> for Remote<C> {
    fn observe(&mut self, event: &C::Event) {
        C::learn(&mut self.known, event);
        if !self.post.is_native() {
            let seen: ToProgram<&C::View, &C::Ask, &C::Act, &C::Event> = ToProgram::Seen { event };
            self.post.push(Line::Plain(written(&seen)));
        }
        self.fallback.observe(event);
    }

    fn decide(&mut self, view: &C::View, ask: &C::Ask, budget: Budget<'_>) -> C::Act {
        self.ponder(view, ask, budget).0
    }

    fn ponder(&mut self, view: &C::View, ask: &C::Ask, slice: Budget<'_>) -> (C::Act, Progress) {
        self.ask(view, ask);
        self.look(view, ask);
        let known = self.due.as_ref();
        let known = known.and_then(|due| due.decided.as_ref().or(due.instead.as_ref()));
        if let Some(act) = known {
            return (act.clone(), Progress::Done);
        }
        let (act, progress) = self.fallback.ponder(view, ask, slice);
        if let (Progress::Done, Some(due)) = (progress, &mut self.due) {
            due.instead = Some(act.clone());
        }
        (act, progress)
    }

    fn answered(&mut self, view: &C::View, ask: &C::Ask, act: Option<&C::Act>) {
        self.ask(view, ask);
        self.due = None;
        let (number, act_text) = (self.asked, written(&act));
        self.post.push(Line::Played {
            number,
            act: act_text,
        });
        self.fallback.answered(view, ask, act);
    }
}
