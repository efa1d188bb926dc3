//! Bots as they are named on the command line, and what a game adds to its [`Contest`] to be measured.

use anyhow::{Context as _, ensure};
use games::contest::{Advice, Contest};
use games::game::Bot;
use std::str::FromStr;

/// A bot that takes a seat.
pub(crate) type Seated<C> = Box<dyn Bot<C>>;

/// What a bot is seated for.
pub(crate) struct Chair<'a, C: Contest> {
    /// Seeds the bot's own chance.
    pub(crate) seed: u64,
    pub(crate) setup: &'a C::Setup,
    pub(crate) advice: Advice<'a>,
}

/// A game's strangers, knobs, maps and defaults.
pub(crate) trait Sheet: Contest {
    /// Bots of a table.
    const PLAYERS: usize;
    /// Nodes a decision.
    const NODES: u64 = 1_000;
    /// Words of the option `map` that are played on by default; none: the maps that come with the game, if any do.
    const MAPS: &'static [&'static str] = &[];
    /// The seed of block 0.
    const FIRST_SEED: u64 = 0;

    /// A bot that is not built in, or a built-in one with knobs; `None`: there is none of this name.
    ///
    /// # Errors
    /// Names the knob that does not exist.
    fn stranger(named: &Named, chair: &Chair<'_, Self>) -> anyhow::Result<Option<Seated<Self>>>;

    /// The seed of the bot on a seat in a match of this seed.
    fn bot_seed(seed: u64, seat: u64) -> u64 {
        seed.wrapping_mul(4).wrapping_add(seat)
    }

    /// The text of a map that this tool draws by a match's seed; `None`: it draws none of this name.
    fn draw(name: &str, seed: u64, players: usize) -> Option<String> {
        let _ = (name, seed, players);
        None
    }
}

/// `NAME[:KNOB=VALUE]…`: a bot, with numbers in place of its own.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) name: String,
    knobs: Vec<(String, f64)>,
}

impl FromStr for Named {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let mut words = text.split(':');
        let name = words.next().unwrap_or_default().to_owned();
        let knob = |word: &str| {
            let wrong = || format!("{text}: {word:?} is not KNOB=NUMBER");
            let (knob, value) = word.split_once('=').with_context(wrong)?;
            Ok((knob.to_owned(), value.parse().with_context(wrong)?))
        };
        let knobs = words.map(knob).collect::<anyhow::Result<_>>()?;
        Ok(Self { name, knobs })
    }
}

impl Named {
    /// The bot itself.
    pub(crate) fn seat<C: Sheet>(&self, chair: &Chair<'_, C>) -> anyhow::Result<Seated<C>> {
        if let Some(stranger) = C::stranger(self, chair)? {
            return Ok(stranger);
        }
        let bot = C::bot(&self.name, chair.seed, chair.advice);
        self.unchanged(bot.with_context(|| format!("there is no bot {:?}", self.name))?)
    }

    /// The bot of its name, which has no knobs.
    pub(crate) fn unchanged<B>(&self, bot: B) -> anyhow::Result<B> {
        self.apply(|_, _| false)?;
        Ok(bot)
    }

    /// Sets its knobs; `set` says whether there is one of this name.
    pub(crate) fn apply(&self, mut set: impl FnMut(&str, f64) -> bool) -> anyhow::Result<()> {
        for (knob, value) in &self.knobs {
            ensure!(set(knob, *value), "{} has no knob {knob}", self.name);
        }
        Ok(())
    }
}
