//! A bot's side of the wire: text in, fold, decision, text out.

use super::cards::{Animal, Compass};
use super::dialect::{ANSWER_WITHIN, Fields, read, read_answer, write_answer};
use super::facts::Facts;
use super::fold::{Fold, Verdict};
use super::guard::fallback;
use super::message::Message;
use super::models::{Evidence, Guess, Observer, Who};
use super::rules::{Act, Ask, Koehandel, is_in_order};
use super::scene::Watch;
use super::view::{Bounds, View};
use drover_game::explain::{Explanation, explain};
use drover_game::game::{Bot, Budget, Cause, Progress};
use drover_game::reasons::{Belief, PROBABILITY};
use drover_game::scene::Scene;
use drover_game::wire::{Dialogue, Ending, Fact, Frame, Lesson, Next, WireError};
use serde_json::{Value, json};
use std::collections::VecDeque;

/// Texts of one match that are remembered at most, to know which came again. A match of 40 auctions and
/// 400 turns after the deck's end has fewer.
const DIGESTS_MAX: usize = 8_192;
/// Answers of one match that are remembered at most, newest first to stay.
const ANSWERS_MAX: usize = 1_024;

/// One seat's side of one match, played by any bot.
pub struct Player {
    fold: Fold,
    facts: Facts,
    watch: Watch,
    observer: Observer,
    /// Who the rivals are, or may be; none where models are not to be used.
    who: Option<Box<Who>>,
    bot: Box<dyn Bot<Koehandel>>,
    /// A digest of every text received.
    digests: Vec<u32>,
    /// What was asked and answered, in order.
    answers: VecDeque<(Ask, Box<str>)>,
    /// An earlier answer is being given again.
    repeating: bool,
}

impl Player {
    /// A player before the first message.
    #[must_use]
    pub fn new(bot: Box<dyn Bot<Koehandel>>, who: Option<Box<Who>>) -> Self {
        Self {
            fold: Fold::new(),
            facts: Facts::default(),
            watch: Watch::default(),
            observer: Observer::default(),
            who,
            bot,
            digests: Vec::new(),
            answers: VecDeque::new(),
            repeating: false,
        }
    }

    /// Takes a row in if it can be; says whether it did.
    fn take(&mut self, message: &Message, frame: &[u8], again: bool) -> bool {
        if self.fold.drop_doubtful(message) {
            let why = "the settlement before it came again, for its second row did not follow";
            self.facts.unsound("the row before", why);
        }
        match self.fold.judge(message, again) {
            Verdict::Fits => self.observe(message, again),
            Verdict::Fixed(why) => {
                if !self.fold.joined_late(message) && self.fold.is_certain() {
                    self.facts.rebuilt(why);
                }
                for message in self.fold.fix(message) {
                    self.observe(&message, again);
                }
            }
            Verdict::Unsound(why) => {
                let text = String::from_utf8_lossy(frame);
                self.facts.unsound(text.trim(), why);
                return false;
            }
        }
        true
    }

    /// What is answered to a question that is not folded: what was answered to it first, or what needs no
    /// thought.
    fn answer_again(&mut self, message: &Message) -> Next {
        let Some(ask) = self.fold.asked(message) else {
            return Next::Wait;
        };
        let first = self.answers.iter().rfind(|(asked, _)| *asked == ask);
        let text = match first {
            Some((_, text)) => text.to_string(),
            None => write_answer(&fallback(self.fold.view(), &ask)),
        };
        if text.is_empty() {
            return Next::Wait;
        }
        self.repeating = true;
        Next::Send(text)
    }

    /// What is certain of the rivals' cash, and how often they were seen to bluff, once that says something.
    fn known(&self) -> Vec<Belief> {
        let view = self.fold.view();
        let mut known = Vec::new();
        for rival in Compass::RIVALS {
            let Bounds { low, high } = view.cash[rival.index()];
            let guess = f64::from(view.guess[rival.index()]);
            let what = match low == high {
                true => "cash (certain)",
                false => "cash (certain bounds)",
            };
            let cash = Belief::amount(rival.letter(), what, guess, "money");
            known.push(cash.within(low.into(), high.into()));
            let guess = self.who.as_deref().and_then(|who| who.guess(rival));
            if let Some(guess) = guess {
                let what = format!("is {}", guess.name);
                known.push(Belief::likely(rival.letter(), what, guess.share));
            }
            let bluffs = self.observer.bluffs(rival).into_iter().flatten();
            for (rate, how) in bluffs.zip(["proved", "believed"]) {
                let what = format!("bluffs in the auctions where it bids, {how}");
                let bluffs = Belief::amount(rival.letter(), what, rate.mean, PROBABILITY);
                known.push(bluffs.within(rate.low, rate.high));
            }
        }
        known
    }

    /// Thinks again about who the rivals may be: with every turn of the reader's own, and at the end.
    fn look(&mut self) {
        let Some(who) = &mut self.who else { return };
        let nothing = Evidence::default();
        for rival in Compass::RIVALS {
            let seen = self.observer.seen(rival).unwrap_or(&nothing);
            let Some((expected, new)) = who.look(rival, seen) else {
                continue;
            };
            self.bot.observe(&expected);
            if new {
                self.facts.who(rival, who.guess(rival));
            }
        }
    }

    fn remember(&mut self, frame: &[u8]) -> bool {
        let digest = digest(frame.trim_ascii());
        let again = self.digests.contains(&digest);
        if !again && self.digests.len() < DIGESTS_MAX {
            self.digests.push(digest);
        }
        again
    }

    fn observe(&mut self, message: &Message, again: bool) {
        let before = *self.fold.view();
        let settled = self
            .fold
            .receive_again(message, again)
            .map(Message::Settled);
        self.facts.receive(message, &before, &self.fold);
        self.watch.receive(message, &self.fold);
        let first = matches!(message, Message::PaidByServer { .. });
        let (before, after) = if first {
            (None, settled)
        } else {
            (settled, None)
        };
        for message in before.iter().chain([message]).chain(&after) {
            self.bot.observe(message);
            self.observer
                .receive(message, self.fold.view(), self.fold.proves());
        }
        if matches!(message, Message::Start | Message::End(_)) {
            self.look();
        }
    }
}

impl Dialogue for Player {
    fn receive(&mut self, frame: &[u8]) -> Result<Next, WireError> {
        self.repeating = false;
        let fields = Fields::cut(frame)?;
        let Some(message) = read(&fields, &self.fold)? else {
            return Ok(Next::Wait);
        };
        let again = self.remember(frame);
        if !self.take(&message, frame, again) {
            return Ok(self.answer_again(&message));
        }
        if let Message::End(scores) = message {
            return Ok(Next::Over(Ending {
                cause: Cause::Normal,
                detail: String::new(),
                scores: scores.to_vec(),
                wins: Vec::new(),
                last_word: String::new(),
            }));
        }
        Ok(self.fold.ask().map_or(Next::Wait, |ask| Next::Think {
            limit: ANSWER_WITHIN,
            target: None,
            fallback: write_answer(&fallback(self.fold.view(), &ask)),
        }))
    }

    fn think(&mut self, slice: Budget<'_>, best: &mut Frame) -> Progress {
        let Some(ask) = self.fold.ask() else {
            return Progress::Done;
        };
        let view = self.fold.view();
        let (act, progress) = self.bot.ponder(view, &ask, slice);
        let act = if is_in_order(view, &ask, &act) {
            act
        } else {
            if progress == Progress::Done {
                self.facts.refused(&ask, &act);
            }
            fallback(view, &ask)
        };
        *best = write_answer(&act);
        progress
    }

    fn explain(&self, budget: Budget<'_>) -> Option<Explanation> {
        let ask = self.fold.ask()?;
        let view = self.fold.view();
        let write = |act: &Act| is_in_order(view, &ask, act).then(|| write_answer(act));
        let ready = write_answer(&fallback(view, &ask));
        let reasons = self.bot.clone().reasons(view, &ask, budget);
        Some(explain(reasons, write, ready, self.known()))
    }

    fn named(&mut self, rival: &str, name: &str, model: Option<&Value>) {
        let place = rival.chars().next().and_then(Compass::from_letter);
        let Some(place) = place.filter(|place| *place != Compass::S) else {
            return;
        };
        let guess = Guess::given(name);
        let Some(who) = &mut self.who else {
            self.facts.who(place, Some(&guess));
            return;
        };
        for expected in who.named(place, guess, model) {
            self.bot.observe(&expected);
            if let Message::Expected { rival, .. } = expected {
                self.facts.who(rival, who.guess(rival));
            }
        }
    }

    fn said(&mut self, frame: &str) {
        if std::mem::take(&mut self.repeating) {
            return;
        }
        let Some(ask) = self.fold.ask() else { return };
        if self.answers.len() >= ANSWERS_MAX {
            self.answers.pop_front();
        }
        self.answers.push_back((ask, frame.into()));
        let act = read_answer(&ask, frame.as_bytes()).unwrap_or(match ask {
            Ask::Turn => Act::Auction,
            _ => Act::PASS,
        });
        self.bot.answered(self.fold.view(), &ask, Some(&act));
        self.facts.said(&ask, &act);
        self.watch.said(&ask, &act, self.fold.view());
        self.fold.said(&act);
    }

    fn facts(&mut self) -> Vec<Fact> {
        self.facts.take()
    }

    fn lessons(&self) -> Vec<Lesson> {
        self.observer.lessons()
    }

    fn view(&self) -> Value {
        show_view(self.fold.view())
    }

    fn scene(&self) -> Option<Scene> {
        self.watch.scene(&self.fold)
    }
}

/// A short digest of a text: eight bytes at a time multiplied in, folded to 32 bits.
fn digest(text: &[u8]) -> u32 {
    let mix = |digest: u64, word: u64| {
        let mixed = (digest ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ mixed >> 32
    };
    let (words, rest) = text.as_chunks::<8>();
    let digest = words.iter().fold(text.len() as u64, |digest, word| {
        mix(digest, u64::from_le_bytes(*word))
    });
    let last = rest
        .iter()
        .fold(0, |word, byte| word << 8 | u64::from(*byte));
    mix(digest, last) as u32
}

/// A view as JSON: players by `S`, `W`, `N`, `E`, money by letters, cash in points.
fn show_view(view: &View) -> Value {
    let player = |place: Compass| {
        let Bounds { low, high } = view.cash[place.index()];
        let animals: serde_json::Map<String, Value> = Animal::all()
            .filter(|animal| view.owns(place, *animal) > 0)
            .map(|animal| {
                let count = view.owns(place, animal);
                (animal.letter().to_string(), count.into())
            })
            .collect();
        json!({
            "animals": animals,
            "score": super::rules::score(&view.herds[place.index()]),
            "money_cards": view.cards[place.index()],
            "cash": {"low": low, "high": high, "guess": view.guess[place.index()]},
            "exposed": view.exposed[place.index()],
            "barred": view.barred[place.index()],
        })
    };
    let players: serde_json::Map<String, Value> = Compass::ALL
        .into_iter()
        .map(|place| (place.letter().to_string(), player(place)))
        .collect();
    json!({
        "purse": view.purse.to_string(),
        "players": players,
        "deck_left": view.deck_left,
        "donkeys": view.donkeys,
        "rivals_cash": view.rivals_cash(),
    })
}
