//! A match's numbers on the wire: drawn so that they cannot be guessed.

use super::started::StartError;
use crate::referee::record::Recording;
use crate::secrets::{self, NoRandomness};
use games::rng::Rng;

/// The highest number of a match or player: the maximum of a signed 32-bit number.
pub const NUMBER_MAX: u32 = i32::MAX as u32;
/// How often numbers are redrawn if they are in use.
const DRAWS_MAX: usize = 64;
/// The stream of a seed from which numbers are drawn: no deal uses it.
const STREAM: u64 = u64::MAX;

/// The numbers of one match and its players on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// The match, 1 to [`NUMBER_MAX`].
    pub market: u64,
    /// Each seat's player, 1 to [`NUMBER_MAX`], all different.
    pub ids: Vec<u64>,
}

/// Where numbers come from.
#[derive(Clone, Debug)]
pub enum Draw {
    /// The system's randomness: unpredictable.
    System,
    /// A seed: a repeated run gets the same numbers.
    Seeded(Box<Rng>),
}

impl Draw {
    /// From a seed, if there is one.
    #[must_use]
    pub fn new(seed: Option<u64>) -> Self {
        seed.map_or(Self::System, |seed| {
            Self::Seeded(Box::new(Rng::new(seed, STREAM)))
        })
    }

    /// The seed of one of many matches played from one seed.
    #[must_use]
    pub fn seed(seed: u64, number: u64) -> u64 {
        Rng::new(seed, number).bits()
    }

    /// Numbers that are not in use, neither in the recording nor by others: `claim` says whether they are
    /// free there, and claims them in place of any claimed before.
    ///
    /// # Errors
    /// [`StartError`] if the recording cannot be read, or no free numbers are found.
    pub async fn free(
        mut self,
        recording: &Recording,
        game: &str,
        seats: usize,
        mut claim: impl FnMut(&Numbers) -> bool,
    ) -> Result<Numbers, StartError> {
        for _ in 0..DRAWS_MAX {
            let drawn = self.numbers(seats)?;
            if claim(&drawn) && !recording.used(game, drawn.market, &drawn.ids).await? {
                return Ok(drawn);
            }
        }
        Err(StartError::NoNumbers)
    }

    fn numbers(&mut self, seats: usize) -> Result<Numbers, NoRandomness> {
        let market = self.number()?;
        let mut ids = Vec::with_capacity(seats);
        while ids.len() < seats {
            let id = self.number()?;
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        Ok(Numbers { market, ids })
    }

    fn number(&mut self) -> Result<u64, NoRandomness> {
        match self {
            Self::Seeded(rng) => Ok(1 + u64::from(rng.below(NUMBER_MAX))),
            Self::System => loop {
                let number = secrets::bits()? & u64::from(NUMBER_MAX);
                if number > 0 {
                    return Ok(number);
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Draw, NUMBER_MAX};
    use crate::referee::Recording;
    use std::collections::HashSet;

    #[tokio::test]
    async fn numbers_are_drawn_over_the_whole_range_and_again_if_they_are_used() {
        let nowhere = Recording::none();
        let drawn = async |seed: Option<u64>| {
            let draw = Draw::new(seed).free(&nowhere, "koehandel", 4, |_| true);
            draw.await.unwrap()
        };
        let mut seen = HashSet::new();
        let mut high = 0;
        for _ in 0..200 {
            let numbers = drawn(None).await;
            for number in numbers.ids.iter().chain([&numbers.market]) {
                assert!((1..=u64::from(NUMBER_MAX)).contains(number));
                high += usize::from(*number > u64::from(NUMBER_MAX) / 2);
                seen.insert(*number);
            }
        }
        assert!(seen.len() > 990, "{} of 1000 differ", seen.len());
        assert!((350..650).contains(&high), "{high} of 1000 are high");
        assert_eq!(drawn(Some(7)).await, drawn(Some(7)).await);
        assert_ne!(drawn(Some(7)).await, drawn(Some(8)).await);
        assert_ne!(Draw::seed(7, 0), Draw::seed(7, 1));

        let mut refused = Vec::new();
        let draw = Draw::new(Some(7)).free(&nowhere, "koehandel", 4, |numbers| {
            refused.push(numbers.market);
            refused.len() > 2
        });
        let third = draw.await.unwrap().market;
        assert_eq!(
            (refused[0], refused[2]),
            (drawn(Some(7)).await.market, third)
        );
        let none = Draw::new(None).free(&nowhere, "koehandel", 4, |_| false);
        assert!(
            none.await
                .unwrap_err()
                .to_string()
                .contains("no free number")
        );
    }
}
