//! When enough has been played: `A > B at 95 %`.

use super::played::{Named, PlayedGame, blocks, sorted};
use games::stats::ClusteredMean;
use ratings::{Score, SequentialTest, Verdict};

/// A question to which a tournament is to find the answer: whether one entrant is better than another. It may be
/// asked after every round, as the test bets on blocks (the matches of one table over one deck) and may be looked
/// at as often as one likes. Either answer ends it: that the other is better too.
#[derive(Clone, Debug, PartialEq)]
pub struct Until {
    /// The number of the entrant who is thought to be better.
    pub better: usize,
    /// The number of the other.
    pub than: usize,
    /// How sure the answer must be, between 0.5 and 1.
    pub level: f64,
}

/// Why a criterion cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UntilError {
    /// It has another form.
    #[error("{0:?} is no criterion; one is \"NAME > NAME at 95 %\"")]
    Form(String),
    /// Nobody has this name.
    #[error("there is no entrant {name:?}; there are: {known}")]
    Unknown {
        /// The name.
        name: String,
        /// Those that exist.
        known: String,
    },
    /// One and the same entrant twice.
    #[error("{0:?} cannot be better than itself")]
    Itself(String),
    /// A level out of its range.
    #[error("{0:?} is no level; it must be above 50 % and below 100 %")]
    Level(String),
}

impl Until {
    /// Reads `NAME > NAME at 95 %`, or `at 0.95`. Names may contain any of these words and signs.
    ///
    /// # Errors
    /// [`UntilError`]: what is wrong with it.
    pub fn parse(text: &str, entrants: &[Named]) -> Result<Self, UntilError> {
        let form = || UntilError::Form(text.to_owned());
        let (pair, level) = text.rsplit_once(" at ").ok_or_else(form)?;
        let number = |name: &str| entrants.iter().position(|one| one.name == name.trim());
        let splits = || {
            pair.match_indices('>')
                .map(|(at, sign)| (&pair[..at], &pair[at + sign.len()..]))
        };
        let known = splits().find_map(|(one, other)| Some((number(one)?, number(other)?)));
        let Some((better, than)) = known else {
            let (one, other) = splits().next().ok_or_else(form)?;
            let name = if number(one).is_none() { one } else { other };
            let known: Vec<&str> = entrants.iter().map(|one| &*one.name).collect();
            return Err(UntilError::Unknown {
                name: name.trim().to_owned(),
                known: known.join(", "),
            });
        };
        if better == than {
            return Err(UntilError::Itself(
                pair.split('>').next().unwrap_or_default().trim().to_owned(),
            ));
        }
        Ok(Self {
            better,
            than,
            level: level_of(level.trim())
                .ok_or_else(|| UntilError::Level(level.trim().to_owned()))?,
        })
    }

    /// Asks it of all matches, given in any order: the test with its verdict.
    #[must_use]
    pub fn test(&self, games: &[PlayedGame]) -> SequentialTest {
        let mut test = SequentialTest::new(self.level);
        let games = sorted(games);
        for block in blocks(&games) {
            let mut share = ClusteredMean::default();
            for score in block
                .iter()
                .flat_map(|game| game.pairs())
                .filter_map(|(first, second, score)| self.score(first, second, score))
            {
                share.add(score.share(), 1.0);
            }
            if share != ClusteredMean::default() {
                test.add(share.value());
            }
        }
        test
    }

    /// The result as the one thought to be better sees it, if it is between the two.
    fn score(&self, first: usize, second: usize, score: Score) -> Option<Score> {
        match (first == self.better, second == self.better) {
            (true, _) if second == self.than => Some(score),
            (_, true) if first == self.than => Some(score.turned()),
            _ => None,
        }
    }

    /// How a test of this criterion stands, in a sentence.
    #[must_use]
    pub fn standing(&self, test: &SequentialTest, entrants: &[Named]) -> String {
        let name = |number: usize| entrants.get(number).map_or("", |one| &*one.name);
        let (better, than, blocks) = (name(self.better), name(self.than), test.blocks());
        // What is lost to rounding is not shown.
        let level = (1e12 * self.level).round() / 1e10;
        let (up, down) = test.levels();
        match test.verdict() {
            Verdict::Better => {
                format!("{better} is better than {than} at {level} %, shown by {blocks} decks")
            }
            Verdict::Worse => {
                format!("{than} is better than {better} at {level} %, shown by {blocks} decks")
            }
            Verdict::Open => format!(
                "{better} > {than} is open after {blocks} decks: shown at {:.1} %, the opposite at {:.1} %, of {level} %",
                100.0 * up,
                100.0 * down
            ),
        }
    }
}

fn level_of(text: &str) -> Option<f64> {
    let level = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok()? / 100.0,
        None => text.parse().ok()?,
    };
    (level > 0.5 && level < 1.0).then_some(level)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{field, game, three};
    use super::{Until, UntilError};
    use ratings::Verdict;

    #[test]
    fn criteria_are_read() {
        let entrants = field(&["a", "b", "x > y", "look at b"]);
        let parse = |text: &str| {
            Until::parse(text, &entrants).map(|until| (until.better, until.than, until.level))
        };
        assert_eq!(parse("a > b at 95 %"), Ok((0, 1, 0.95)));
        assert_eq!(parse(" b>a at 99.5%"), Ok((1, 0, 0.995)));
        assert_eq!(parse("x > y > a at 0.9"), Ok((2, 0, 0.9)));
        assert_eq!(parse("a > x > y at 0.9"), Ok((0, 2, 0.9)));
        assert_eq!(parse("a > look at b at 0.9"), Ok((0, 3, 0.9)));
        assert_eq!(parse("a > a at 0.9"), Err(UntilError::Itself("a".into())));
        for level in ["50 %", "100 %", "1", "0", "95", "NaN", "x", ""] {
            assert_eq!(
                parse(&format!("a > b at {level}")),
                Err(UntilError::Level(level.into()))
            );
        }
        for form in ["a > b", "a < b at 95 %", ""] {
            assert_eq!(parse(form), Err(UntilError::Form(form.into())));
        }
        let unknown = parse("a > c at 95 %").unwrap_err().to_string();
        assert_eq!(
            unknown,
            "there is no entrant \"c\"; there are: a, b, x > y, look at b"
        );
    }

    #[test]
    fn decks_are_what_is_bet_on() {
        let (entrants, games) = three();
        let until = Until::parse("anna > bert at 95 %", &entrants).unwrap();
        // Two decks of three results each, a win of 2 of 3 and one of 2.5 of 3: the capital on a stake s of 12,
        // 2s/13, is (1 + 2s/13 · 1/6) (1 + 2s/13 · 1/3).
        let capital: f64 = (1..=12)
            .map(|stake| 2.0 * f64::from(stake) / 13.0)
            .map(|stake| (1.0 + stake / 6.0) * (1.0 + stake / 3.0) / 12.0)
            .sum();
        let test = until.test(&games);
        assert_eq!((test.blocks(), test.verdict()), (2, Verdict::Open));
        assert!((test.levels().0 - (1.0 - 1.0 / capital)).abs() < 1e-12);
        // As the house bot sees it the second deck is a win of 2.5 of 3, after a loss of 2 of 3.
        let other = Until::parse("house > bert at 95 %", &entrants).unwrap();
        assert!(other.test(&games).levels().0 > 0.0 && other.test(&games).levels().1 > 0.0);
    }

    #[test]
    fn an_answer_ends_it_either_way() {
        let entrants = field(&["a", "b", "c"]);
        // Blocks without the two count for nothing.
        let games: Vec<_> = (0..40)
            .map(|round: u32| match round % 2 {
                0 => game(u64::from(round), round, &[0, 1], &[5, 3]),
                _ => game(u64::from(round), round, &[2, 1], &[0, 3]),
            })
            .collect();
        let verdict = |text: &str| {
            let until = Until::parse(text, &entrants).unwrap();
            let test = until.test(&games);
            (
                test.verdict(),
                test.blocks(),
                until.standing(&test, &entrants),
            )
        };
        assert!(verdict("a > b at 0.58").2.contains(" at 58 %, shown by"));
        let shown = "a is better than b at 95 %, shown by 20 decks".to_owned();
        assert_eq!(
            verdict("a > b at 95 %"),
            (Verdict::Better, 20, shown.clone())
        );
        assert_eq!(verdict("b > a at 95 %"), (Verdict::Worse, 20, shown));
        let open = "a > c is open after 0 decks: shown at 0.0 %, the opposite at 0.0 %, of 95 %";
        assert_eq!(verdict("a > c at 95 %").2, open);
    }
}
