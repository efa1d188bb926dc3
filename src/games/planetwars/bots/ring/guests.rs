//! Mates that do not speak our words: other authors' programs say their bare numbers and pass on whatever they
//! receive. What they say is passed on, one's own number is said in turn, and they are known by theirs.

use super::word::read;
use crate::rules::PlayerId;

/// Different foreign words that are kept; more are not passed on.
const WORDS_MAX: usize = 64;
/// The first states, in which words that are nobody's number may be left from before the game.
const GARBAGE_STATES: u32 = 3;

/// What was received that is not ours.
#[derive(Clone, Debug, Default)]
pub(super) struct Guests {
    /// Players whose numbers were received, by number.
    known: Vec<PlayerId>,
    /// Foreign words in the order in which they were first received.
    words: Vec<u32>,
    /// Words that were received and not yet passed on.
    fresh: usize,
    /// Whose turn it is: our own word, one's number, then the foreign words.
    cursor: usize,
    /// Whether there was any foreign word.
    mixed: bool,
    /// What to say instead of our own word.
    say: Option<u32>,
}

impl Guests {
    /// Whether this word is not for our own way of finding a team, and then takes it in.
    pub(super) fn receive(
        &mut self,
        word: Option<u32>,
        states: u32,
        you: PlayerId,
        players: &[PlayerId],
    ) -> bool {
        let word = word.filter(|word| *word != 0 && read(*word).is_none());
        let numbered = word.filter(|word| players.binary_search(word).is_ok());
        // One's own number has been passed on: the ring has a member that is not ours, or knows of one.
        self.mixed |= numbered.is_some() || (word.is_some() && states > GARBAGE_STATES);
        if let Some(player) = numbered.filter(|player| *player != you)
            && let Err(at) = self.known.binary_search(&player)
        {
            self.known.insert(at, player);
        }
        if !self.mixed {
            return false;
        }
        if let Some(word) = word.filter(|word| *word != you)
            && !self.words.contains(&word)
            && self.words.len() < WORDS_MAX
        {
            self.words.push(word);
        }
        self.say = self.next(you);
        word.is_some()
    }

    fn next(&mut self, you: PlayerId) -> Option<u32> {
        if let Some(word) = self.words.get(self.fresh) {
            self.fresh += 1;
            return Some(*word);
        }
        let turn = self.cursor % (self.words.len() + 2);
        self.cursor = self.cursor.wrapping_add(1);
        match turn {
            0 => Some(you),
            1 => None,
            turn => self.words.get(turn - 2).copied(),
        }
    }

    /// Whether there are members that do not speak our words, so that our own say nothing of the whole.
    pub(super) fn mixed(&self) -> bool {
        self.mixed
    }

    /// Players whose numbers were received, by number.
    pub(super) fn known(&self) -> &[PlayerId] {
        &self.known
    }

    /// What to say instead of our own word.
    pub(super) fn say(&self) -> Option<u32> {
        self.say
    }
}
