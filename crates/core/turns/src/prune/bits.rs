//! Sets of numbers that were given one after the other: a bit each.

#[derive(Debug, Clone, Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    pub(crate) const fn new() -> Self {
        Bits(Vec::new())
    }

    pub(crate) fn insert(&mut self, number: u64) {
        let Ok(word) = usize::try_from(number / 64) else { return };
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    pub(crate) fn contains(&self, number: u64) -> bool {
        let word = usize::try_from(number / 64).ok().and_then(|word| self.0.get(word));
        word.is_some_and(|word| word & (1 << (number % 64)) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_in_and_nothing_else() {
        let mut bits = Bits::default();
        let numbers = [0, 1, 63, 64, 65, 1000, 4096];
        numbers.iter().for_each(|number| bits.insert(*number));
        for number in 0..5000 {
            assert_eq!(bits.contains(number), numbers.contains(&number), "{number}");
        }
        assert!(!bits.contains(u64::MAX));
    }
}
