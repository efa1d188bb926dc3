//! The frozen seeded generator. Deals, bots and tests draw from here and from nowhere else.
//!
//! Xoshiro256++ whose state is filled by SplitMix64 of (seed, stream). The bounded draw and the
//! shuffle are our own because library versions change theirs; `tests::vectors` pins every bit.

use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// One stream of random numbers. The same (seed, stream) gives the same numbers for ever.
#[derive(Clone, Debug)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// Opens stream `stream` of `seed`. Deals use the deal's number as the stream, bots their seat's.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut mix = SplitMix(seed ^ SplitMix(stream.wrapping_mul(0xD1B5_4A32_D192_ED03)).next());
        let mut state = [0u8; 32];
        for word in state.chunks_exact_mut(8) {
            word.copy_from_slice(&mix.next().to_le_bytes());
        }
        Self(Xoshiro256PlusPlus::from_seed(state))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A whole number in `0..bound`, exactly uniform (Lemire's multiply and reject). `bound` 0 gives 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        let bound = u64::from(bound);
        let mut wide = (self.bits() >> 32) * bound;
        if wide & 0xFFFF_FFFF < bound {
            let floor = (1u64 << 32) % bound.max(1);
            while wide & 0xFFFF_FFFF < floor {
                wide = (self.bits() >> 32) * bound;
            }
        }
        (wide >> 32) as u32
    }

    /// A real number in `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A real number in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// True with probability `p` (values outside 0..=1 mean never and always).
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Fisher–Yates from the last place down.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u32 + 1) as usize;
            items.swap(last, other);
        }
    }
}

struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn streams_differ_and_repeat() {
        let draw = |seed, stream| Rng::new(seed, stream).bits();
        assert_eq!(draw(7, 3), draw(7, 3));
        assert_ne!(draw(7, 3), draw(7, 4));
        assert_ne!(draw(7, 3), draw(8, 3));
    }

    #[test]
    fn below_is_uniform() {
        let mut rng = Rng::new(1, 0);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[rng.below(7) as usize] += 1;
        }
        for count in counts {
            assert!((9_600..10_400).contains(&count), "{counts:?}");
        }
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.below(1), 0);
    }
}
