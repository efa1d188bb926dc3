//! The frozen seeded generator. Deals, bots and tests draw from here and from nowhere else.
//!
//! Xoshiro256++ whose state is filled by SplitMix64 of (seed, stream). The bounded draw and the
//! shuffle are our own because library versions change theirs; `tests::vectors` pins every bit.

use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// One stream of random numbers. The same (seed, stream) gives the same numbers for ever.
///
/// ```
/// use drover_game::rng::Rng;
///
/// let (mut deal, mut again) = (Rng::new(7, 1), Rng::new(7, 1));
/// assert_eq!(deal.bits(), again.bits());
/// assert!(deal.below(6) < 6);
/// ```
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

    /// A bot's own stream of its seed, apart from the deal's.
    #[must_use]
    pub fn for_bot(seed: u64) -> Self {
        Self::new(seed, 1 << 32)
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

    /// Computed by an independent implementation; must never change.
    #[test]
    fn vectors() {
        let bits = |seed, stream, count| {
            let mut rng = Rng::new(seed, stream);
            (0..count).map(|_| rng.bits()).collect::<Vec<_>>()
        };
        assert_eq!(
            bits(1, 0, 4),
            [
                0x4887_886c_7244_e091,
                0x4cfa_fb3b_6cc3_ea99,
                0xfbce_2116_7403_a2c1,
                0x2a5a_56f4_77b6_1858
            ]
        );
        assert_eq!(
            bits(20_101_123, 7, 2),
            [0x4441_83b0_7838_457a, 0x886d_e5aa_9630_ca5a]
        );
        let mut rng = Rng::new(42, 3);
        let dice: Vec<u32> = (0..12).map(|_| rng.below(6)).collect();
        assert_eq!(dice, [1, 3, 4, 1, 0, 0, 0, 0, 0, 3, 0, 4]);
        let wide: Vec<u32> = (0..4).map(|_| rng.below(3_000_000_000)).collect();
        assert_eq!(
            wide,
            [974_587_890, 608_552_751, 1_636_671_966, 1_017_699_944]
        );
        let mut items: Vec<u8> = (0..10).collect();
        Rng::new(5, 5).shuffle(&mut items);
        assert_eq!(items, [9, 7, 6, 4, 3, 0, 8, 5, 2, 1]);
    }

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
