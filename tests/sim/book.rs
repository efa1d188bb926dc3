//! What everybody outside the daemon has seen of it, and whether it keeps its promises.

use crate::disk::Disk;
use crate::image::{Image, answer};
use drover::store::{Direction, SessionId, Side};
use games::Cause;
use games::rng::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Whose session: the referee's name, its number of the match and of the player.
pub type Player = (String, u64, u64);

/// A stored answer that somebody has.
struct Given {
    session: i64,
    place: usize,
    text: String,
    said: String,
}

/// A player's last message.
struct Last {
    text: String,
    said: String,
    stored: bool,
    /// Session and place of the newest message known to be stored.
    newest: Option<(i64, usize)>,
}

/// What was shown as ended.
struct Announced {
    what: String,
    session: Option<i64>,
    match_id: Option<String>,
    cause: Cause,
    scores: Vec<i64>,
}

/// The record.
#[derive(Default)]
pub struct Book {
    /// Matches whose end was shown.
    shown: BTreeSet<String>,
    /// What the rightful referee of each player has sent, once each.
    sent: BTreeMap<Player, Vec<String>>,
    /// The last message of each player that was answered.
    last: BTreeMap<Player, Last>,
    given: Vec<Given>,
    announced: Vec<Announced>,
    pub wrong: Vec<String>,
    /// A digest of all that happened, in order.
    pub digest: u64,
    pub lines: u64,
    pub traced: bool,
    pub answers: u64,
    pub repeats: u64,
    pub defaults: u64,
    /// Players that have missed a message: what they do afterwards may be against the rules.
    pub gaps: BTreeSet<Player>,
}

/// A message and what came of it.
pub struct Answered<'a> {
    pub text: &'a str,
    pub said: &'a str,
    /// What the game answers where nothing better is known.
    pub default: &'a str,
    pub ended: Option<Cause>,
}

impl Book {
    pub fn log(&mut self, at: Duration, what: &str) {
        self.lines += 1;
        for byte in what.bytes().chain(at.as_nanos().to_le_bytes()) {
            // FNV-1a.
            self.digest = (self.digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        if self.traced {
            println!("{:>12.6} {what}", at.as_secs_f64());
        }
    }

    pub fn is_wrong(&mut self, why: String) {
        if self.wrong.len() < 20 && !self.wrong.contains(&why) {
            self.wrong.push(why);
        }
    }

    /// A player's rightful referee sends it a message.
    pub fn sends(&mut self, player: &Player, text: &str) {
        let sent = self.sent.entry(player.clone()).or_default();
        if sent.last().is_none_or(|last| last != text) {
            sent.push(text.to_owned());
        }
    }

    /// Some player, and some message that was sent to it, for strangers.
    pub fn intercepted(&self, rng: &mut Rng) -> Option<(Player, String)> {
        let any = rng.below(self.sent.len() as u32) as usize;
        let (player, sent) = self.sent.iter().nth(any)?;
        let any = rng.below(sent.len() as u32) as usize;
        Some((player.clone(), sent.get(any)?.clone()))
    }

    /// An answer of the daemon has come, which has `refused` something to store meanwhile.
    pub fn answered(&mut self, player: &Player, answer: &Answered<'_>, refused: bool, disk: &Disk) {
        let Answered {
            text,
            said,
            default,
            ended,
        } = *answer;
        self.answers += 1;
        let last = self.last.remove(player);
        let repeated = last.as_ref().filter(|last| last.text == text);
        let newest = last.as_ref().and_then(|last| last.newest);
        let found = find(&disk.durable, player, text);
        // What was not stored may have come before in the same words.
        let unstored = refused && said == default;
        let found = found.filter(|(session, place, ..)| {
            !unstored || repeated.is_some() || newest < Some((*session, *place))
        });
        self.repeats += u64::from(repeated.is_some());
        if let Some(Last { said: before, .. }) =
            repeated.filter(|last| last.stored && last.said != said)
        {
            let why = format!("{player:?}: {text:?} was answered {before:?}, and then {said:?}");
            self.is_wrong(why);
        }
        let at = found.as_ref().filter(|(_, _, answer, _)| answer == said);
        let at = at.map(|(session, place, ..)| (*session, *place));
        let last = Last {
            text: text.to_owned(),
            said: said.to_owned(),
            stored: at.is_some(),
            newest: at.max(newest),
        };
        self.last.insert(player.clone(), last);
        match found {
            Some((session, place, answer, close)) if answer == said => {
                self.given.push(Given {
                    session,
                    place,
                    text: text.to_owned(),
                    said: said.to_owned(),
                });
                if let Some(cause) = ended {
                    let scores = close.map_or_else(Vec::new, |(_, scores)| scores);
                    self.announced.push(Announced {
                        what: format!("the end of {player:?}"),
                        session: Some(session),
                        match_id: None,
                        cause,
                        scores,
                    });
                }
            }
            _ if unstored => {
                self.defaults += 1;
                self.gaps.insert(player.clone());
            }
            found => {
                let stored = found.map(|(_, _, answer, _)| answer);
                self.is_wrong(format!(
                    "{player:?}: {text:?} was answered {said:?}, and stored is {stored:?}"
                ));
            }
        }
    }

    /// One of our matches is shown as ended.
    pub fn shown(&mut self, id: &str, cause: Cause, scores: Vec<i64>, disk: &Disk) {
        if !self.shown.insert(id.to_owned()) {
            return;
        }
        let row = disk.durable.matches.get(id);
        if row.is_none_or(|(row, _)| row.cause.is_none()) {
            self.is_wrong(format!("match {id}: a result is shown before it is stored"));
        }
        self.announced.push(Announced {
            what: format!("the result of match {id}"),
            session: None,
            match_id: Some(id.to_owned()),
            cause,
            scores,
        });
    }

    /// Compares all that was given and announced with what is stored.
    pub fn compare(&mut self, stored: &Image) {
        let mut wrong = Vec::new();
        for given in &self.given {
            let entries = stored
                .session(SessionId(given.session))
                .map(|kept| &kept.entries);
            let kept = entries.and_then(|entries| {
                let entry = entries.get(given.place)?;
                Some((&entry.text, answer(entries, given.place)))
            });
            if kept.is_none_or(|kept| kept != (&given.text, &given.said)) {
                wrong.push(format!(
                    "session {}: acknowledged {:?} with {:?}, and stored is {kept:?}",
                    given.session, given.text, given.said
                ));
            }
        }
        for end in &self.announced {
            let session = end.session.and_then(|id| stored.session(SessionId(id)));
            let of_session = session.and_then(|kept| kept.ended.clone());
            let of_session = of_session.map(|(_, cause, scores)| (cause, scores));
            let row = end.match_id.as_ref().and_then(|id| stored.matches.get(id));
            let of_match = row.and_then(|(row, _)| Some((row.cause?, row.scores.clone())));
            let kept = of_session.or(of_match);
            if kept.as_ref() != Some(&(end.cause, end.scores.clone())) {
                wrong.push(format!(
                    "announced as {}: {} {:?}, and stored is {kept:?}",
                    end.what,
                    end.cause.word(),
                    end.scores
                ));
            }
        }
        wrong.into_iter().for_each(|why| self.is_wrong(why));
    }

    /// Whether the transcripts of players hold what their referees sent, in order, and nothing else.
    pub fn compare_senders(&mut self, stored: &Image) {
        let mut wrong = Vec::new();
        let players = stored.sessions.iter();
        let players = players.filter(|(_, kept)| kept.opened.side == Side::Player);
        for (id, kept) in players {
            let opened = &kept.opened;
            let player = (opened.referee.clone(), opened.market, opened.player);
            let Some(sent) = self.sent.get(&player) else {
                continue;
            };
            let mut rest = sent.iter();
            let received = kept.entries.iter();
            let received = received.filter(|entry| entry.direction == Direction::In);
            let mut before = "";
            for entry in received {
                if !rest.any(|text| *text == entry.text) {
                    wrong.push(format!(
                        "session {id} of {player:?} holds {:?} after {before:?}, which its referee has not sent then",
                        entry.text
                    ));
                    break;
                }
                before = &entry.text;
            }
        }
        wrong.into_iter().for_each(|why| self.is_wrong(why));
    }
}

type Found = (i64, usize, String, Option<(Cause, Vec<i64>)>);

/// The newest session of a player in which this message was received last: with its place there, its answer, and the
/// session's end.
fn find(stored: &Image, player: &Player, text: &str) -> Option<Found> {
    let mut newest = stored.sessions.iter().rev();
    newest.find_map(|(id, kept)| {
        let opened = &kept.opened;
        let own = opened.side == Side::Player
            && (&opened.referee, opened.market, opened.player) == (&player.0, player.1, player.2);
        let is_it = |at: &usize| {
            kept.entries[*at].direction == Direction::In && kept.entries[*at].text == text
        };
        let place = (0..kept.entries.len()).rev().find(is_it).filter(|_| own)?;
        let close = kept.ended.clone().map(|(_, cause, scores)| (cause, scores));
        Some((*id, place, answer(&kept.entries, place).to_owned(), close))
    })
}
