//! The seam through which randomness comes in.

use std::fmt;
use std::fmt::Debug;

use parking_lot::Mutex;

/// A source of random bytes.
pub trait Entropy: Send + Sync + Debug {
    /// Fills `out` with random bytes.
    fn fill(&self, out: &mut [u8]);

    /// A random number, every value equally likely.
    fn next_u64(&self) -> u64 {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }
}

/// The operating system's random source. Fit for secrets.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, out: &mut [u8]) {
        getrandom::fill(out)
            .expect("ids and tokens must not be guessable, so without the system's randomness we stop");
    }
}

/// Random bytes that are the same for the same seed: for tests and simulations, never for secrets.
pub struct SeededEntropy {
    seed: u64,
    state: Mutex<u64>,
}

impl SeededEntropy {
    /// A source whose whole output follows from `seed`.
    pub fn new(seed: u64) -> Self {
        SeededEntropy { seed, state: Mutex::new(seed) }
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, out: &mut [u8]) {
        // Locked for the whole call: bytes of two threads interleave by call, never within one.
        let mut state = self.state.lock();
        for chunk in out.chunks_mut(8) {
            chunk.copy_from_slice(&split_mix(&mut state).to_le_bytes()[..chunk.len()]);
        }
    }
}

impl fmt::Debug for SeededEntropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The seed is what one needs to see a failure again.
        write!(f, "SeededEntropy({})", self.seed)
    }
}

/// One step of the SplitMix64 generator.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let [a, b, other] = [7, 7, 8].map(SeededEntropy::new);
        let mut bytes = [[0; 13]; 3];
        for (source, out) in [&a, &b, &other].into_iter().zip(&mut bytes) {
            source.fill(out);
        }
        assert_eq!(bytes[0], bytes[1]);
        assert_ne!(bytes[0], bytes[2]);
        assert_eq!(a.next_u64(), b.next_u64());
        assert_ne!(a.next_u64(), a.next_u64());
    }

    #[test]
    fn the_generator_matches_the_published_first_outputs() {
        let source = SeededEntropy::new(0);
        assert_eq!(source.next_u64(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(source.next_u64(), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn the_system_fills_all_of_the_buffer() {
        let mut bytes = [0; 64];
        SystemEntropy.fill(&mut bytes);
        // A half left at zero by chance: once in 2^256.
        assert!(bytes[..32].iter().any(|byte| *byte != 0) && bytes[32..].iter().any(|byte| *byte != 0));
        assert_ne!(SystemEntropy.next_u64(), SystemEntropy.next_u64());
    }
}
