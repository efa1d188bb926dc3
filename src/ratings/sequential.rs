//! Whether one player is better than another, asked after every block of games, and stopped at any answer.
//!
//! Looking at an interval again and again until it leaves one half proves anything in the end. This test may be
//! looked at as often as one likes: it bets. Were neither player better, no way to bet on the blocks to come could
//! be expected to win, and capital that began as 1 would ever reach 1 / (1 - level) with a probability of at most
//! 1 - level (Ville's inequality). The stake is unknown beforehand, so that the capital is split over many. Nothing
//! is assumed of how results scatter or depend on each other within a block, nor of how pairs come to meet: a
//! sequential probability ratio test on blocks would need the former, and two more margins.

/// Stakes over which the capital is split, each as a share of the highest one.
const STAKES: usize = 12;
/// The highest stake: a block that is lost outright costs that share of it.
const STAKE_MAX: f64 = 2.0;

/// What has been shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing yet.
    Open,
    /// The first player is better.
    Better,
    /// The first player is worse.
    Worse,
}

/// A test that goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct SequentialTest {
    /// The logarithm of the capital that it takes.
    needed: f64,
    blocks: u64,
    /// Logarithms of the capital on each stake: on the first player, and on the second.
    capital: [[f64; STAKES]; 2],
    /// The highest sums so far.
    highest: [f64; 2],
    verdict: Verdict,
}

impl SequentialTest {
    /// A test at this level, such as 0.95: either wrong verdict has a probability of at most 1 - level, however
    /// long it goes on.
    #[must_use]
    pub fn new(level: f64) -> Self {
        Self {
            needed: -(1.0 - level.clamp(0.0, 1.0 - f64::EPSILON)).ln(),
            blocks: 0,
            capital: [[0.0; STAKES]; 2],
            highest: [0.0; 2],
            verdict: Verdict::Open,
        }
    }

    /// Adds a block: the first player's share, from 0 to 1, of all results between the two over one deck, in all
    /// rotations. Blocks are what must be fair between equals, not single games.
    pub fn add(&mut self, share: f64) {
        let lead = share.clamp(0.0, 1.0) - 0.5;
        self.blocks += 1;
        for ((capital, highest), lead) in self
            .capital
            .iter_mut()
            .zip(&mut self.highest)
            .zip([lead, -lead])
        {
            for (number, capital) in (1..).zip(capital.iter_mut()) {
                let stake = STAKE_MAX * f64::from(number) / (STAKES as f64 + 1.0);
                *capital += (stake * lead).ln_1p();
            }
            let most = capital.iter().copied().fold(f64::MIN, f64::max);
            let sum: f64 = capital.iter().map(|capital| (capital - most).exp()).sum();
            *highest = highest.max(most + (sum / STAKES as f64).ln());
        }
        if self.verdict == Verdict::Open {
            self.verdict = match self.highest.map(|highest| highest >= self.needed) {
                [true, _] => Verdict::Better,
                [_, true] => Verdict::Worse,
                _ => Verdict::Open,
            };
        }
    }

    /// What has been shown; once shown it stays.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// At which level it is shown so far that the first player is better, from 0 to 1, and that it is worse.
    #[must_use]
    pub fn levels(&self) -> (f64, f64) {
        let [better, worse] = self.highest.map(|highest| 1.0 - (-highest).exp());
        (better, worse)
    }

    /// How many blocks it has seen.
    #[must_use]
    pub const fn blocks(&self) -> u64 {
        self.blocks
    }
}
