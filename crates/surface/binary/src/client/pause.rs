//! How long to wait before the next try.

use std::time::Duration;

use cairn_base::Entropy;

use super::config::ClientConfig;

/// The pause before try number `tries + 1`: doubled each time up to the longest, and then between half of
/// that and all of it, so that clients of a server that was away do not come back all at once.
pub(crate) fn pause(config: &ClientConfig, tries: u32) -> Duration {
    let doubled = config.pause_min.saturating_mul(1_u32.checked_shl(tries).unwrap_or(u32::MAX));
    let half = doubled.min(config.pause_max) / 2;
    half + half.mul_f64(fraction(&*config.entropy))
}

/// A number from 0 up to 1, all of them equally likely.
fn fraction(entropy: &dyn Entropy) -> f64 {
    // As many bits as the number can hold.
    (entropy.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cairn_base::SeededEntropy;

    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest_and_are_never_all_the_same() {
        let entropy = Arc::new(SeededEntropy::new(1));
        let config = ClientConfig { entropy, ..ClientConfig::default() };
        for (tries, longest_ms) in [(0, 100), (1, 200), (4, 1_600), (8, 25_600), (9, 30_000), (99, 30_000)] {
            let pauses: Vec<u128> = (0..500).map(|_| pause(&config, tries).as_millis()).collect();
            let (least, most) = (*pauses.iter().min().unwrap(), *pauses.iter().max().unwrap());
            assert!(least >= longest_ms / 2 && most <= longest_ms, "{tries}: {least} to {most}");
            assert!((most - least) * 10 > longest_ms * 4, "{tries}: {least} to {most}");
        }
        let endless = ClientConfig { pause_min: Duration::MAX, pause_max: Duration::MAX, ..config };
        assert!(pause(&endless, 3) >= Duration::MAX / 2 - Duration::from_secs(1));
    }
}
