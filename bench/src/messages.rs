//! What a real referee sends: one seat's messages of a whole match, over and over under new numbers.

use anyhow::Context as _;
use games::{Kit, Nodes, PlaySetup, Seat};
use std::fmt::Write as _;

/// One seat's messages of one match, without market and id.
pub(crate) struct Script(Vec<String>);

impl Script {
    /// Records a match among quick built-in bots.
    pub(crate) fn record(kit: &dyn Kit) -> anyhow::Result<Self> {
        let quick = kit
            .card()
            .bots
            .iter()
            .filter(|card| !card.thinks)
            .max_by_key(|card| card.rung);
        let bot = quick
            .context("the game has no bot that answers at once")?
            .name;
        let bots = vec![bot.to_owned(); *kit.card().seats.end()];
        let setup = PlaySetup::recorded(bots, 1, serde_json::Value::Null);
        let played = kit.play(&setup, &Nodes(0))?;
        let received = played
            .transcript
            .into_iter()
            .filter(|line| line.seat == Seat(0));
        let rest = received.map(|line| {
            let fields = line.call.split('&');
            let rest =
                fields.filter(|field| !field.starts_with("market=") && !field.starts_with("id="));
            rest.collect::<Vec<_>>().join("&")
        });
        Ok(Self(rest.collect()))
    }

    /// How many messages a match has.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Writes request number `number` of connection `connection` into `out`.
    pub(crate) fn request(&self, path: &str, connection: usize, number: usize, out: &mut String) {
        let (round, step) = (number / self.0.len(), number % self.0.len());
        let rest = self.0.get(step).map_or("", String::as_str);
        out.clear();
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "GET {path}?market={}&id={}&{rest} HTTP/1.1\r\nHost: bench\r\n\r\n",
            round + 1,
            connection + 1
        );
    }
}
