//! Numbers folded into one.

/// A 64-bit digest of a sequence of words. Not for secrets: it tells apart what differs by accident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(u64);

impl Digest {
    /// Of nothing.
    pub const EMPTY: Self = Self(0x243f_6a88_85a3_08d3);

    /// Folds in one word, by the mixing function of SplitMix64.
    pub fn word(&mut self, word: u64) {
        let mut z = (self.0 ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = z ^ (z >> 31);
    }

    /// Folds in the bits of numbers.
    pub fn numbers(&mut self, numbers: impl IntoIterator<Item = f64>) {
        for number in numbers {
            self.word(number.to_bits());
        }
    }

    /// What came out.
    pub fn value(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One bit anywhere, the order and the sign of a zero all show.
    #[test]
    fn small_differences_show() {
        let of = |numbers: &[f64]| {
            let mut digest = Digest::EMPTY;
            digest.numbers(numbers.iter().copied());
            digest
        };
        let plain = of(&[1.0, 2.0, 0.0]);
        for other in [&[1.0_f64.next_up(), 2.0, 0.0][..], &[2.0, 1.0, 0.0], &[1.0, 2.0, -0.0], &[1.0, 2.0]] {
            assert_ne!(of(other), plain, "{other:?}");
        }
    }
}
