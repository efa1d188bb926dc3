//! The progress of `drover tournament run`: a bar with the leaders on a terminal, a line a round elsewhere.

use super::common::notify;
use crate::tournament::standings::{Live, PlayedGame};
use crate::tournament::{Cup, Watch};
use games::text::counted;
use indicatif::{ProgressBar, ProgressStyle};
use ratings::schedule::Round;
use std::io::IsTerminal as _;

/// How many leaders are named.
const LEADERS: usize = 4;

/// The standings while it is played: a bar on a terminal, a line a round elsewhere.
pub(super) struct Progress {
    names: Vec<String>,
    live: Live,
    rounds: Option<u32>,
    bar: Option<ProgressBar>,
    matches: u64,
}

impl Progress {
    /// The progress of a tournament of which these matches were played before.
    pub(super) fn new(cup: &Cup, played: &[PlayedGame]) -> Self {
        let mut live = Live::default();
        played.iter().for_each(|game| live.add(game));
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(0);
            match ProgressStyle::with_template("{prefix} {bar:20} {pos}/{len} matches  {msg}") {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        Self {
            names: cup
                .entrants
                .iter()
                .map(|entrant| entrant.name.clone())
                .collect(),
            live,
            rounds: cup.format.rounds(&cup.field()),
            bar,
            matches: played.len() as u64,
        }
    }

    /// The leaders by the live ladder.
    fn leaders(&self) -> String {
        let standing = self.live.standing().into_iter();
        let leaders = standing.take(LEADERS).filter_map(|(entrant, rating)| {
            let name = self.names.get(entrant)?;
            Some(format!("{name} {rating:.0}"))
        });
        leaders.collect::<Vec<_>>().join(", ")
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Watch for Progress {
    fn round(&mut self, round: &Round, matches: usize) {
        let number = round.number + 1;
        // Play-offs come on top of the rounds that are known.
        let of = self.rounds.filter(|rounds| number <= *rounds);
        let of = of.map_or(String::new(), |rounds| format!(" of {rounds}"));
        match &self.bar {
            Some(bar) => {
                bar.set_prefix(format!("round {number}{of}"));
                bar.set_length(matches as u64);
                bar.set_position(0);
            }
            None => {
                let (why, played) = (&round.why, self.matches);
                let mut line = format!("round {number}{of} ({why}): {}", counted(matches, "match"));
                if played > 0 {
                    let leaders = self.leaders();
                    let played = counted(played, "match");
                    line.push_str(&format!("; live ratings after {played}: {leaders}"));
                }
                notify(&line);
            }
        }
    }

    fn waits(&mut self, why: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| notify(why)),
            None => notify(why),
        }
    }

    fn ended(&mut self, game: &PlayedGame) {
        self.matches += 1;
        self.live.add(game);
        if let Some(bar) = &self.bar {
            bar.inc(1);
            bar.set_message(self.leaders());
        }
    }
}
