//! What was found wrong, within bounds.

use cairn_base::limits;
use cairn_seam::{Finding, StoreError};

/// Collects findings. The first ones are kept, the rest are counted.
#[derive(Debug, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    left_out: u64,
}

impl Findings {
    /// Writes down that something is wrong. `file` is relative to the data directory.
    pub fn add(&mut self, file: impl Into<String>, offset: u64, detail: impl Into<String>) {
        if self.kept.len() < limits::FINDINGS_MAX {
            self.kept.push(Finding { file: file.into(), offset, detail: detail.into(), repaired: false });
        } else {
            self.left_out += 1;
        }
    }

    /// How many there are, those that were left out included.
    pub fn count(&self) -> u64 {
        self.kept.len() as u64 + self.left_out
    }

    /// Files in which something was found, one for each finding that is kept.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().map(|finding| finding.file.as_str())
    }

    /// Says of everything found in a file whether it was put right; `how` tells people what was done.
    pub fn settle(&mut self, file: &str, outcome: &Result<(), StoreError>, how: &str) {
        for finding in self.kept.iter_mut().filter(|finding| finding.file == file) {
            match outcome {
                Ok(()) => {
                    finding.repaired = true;
                    finding.detail = format!("{}; {how}", finding.detail);
                }
                Err(error) => finding.detail = format!("{}; repairing failed: {error}", finding.detail),
            }
        }
    }

    /// The findings in the order of files and offsets, and how many were left out.
    pub fn finish(mut self) -> (Vec<Finding>, u64) {
        self.kept.sort_by(|one, other| (&one.file, one.offset).cmp(&(&other.file, other.offset)));
        (self.kept, self.left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_sorted_and_bounded() {
        let mut findings = Findings::default();
        findings.add("b", 1, "first");
        findings.add("a", 9, "second");
        findings.add("a", 2, "third");
        (0..limits::FINDINGS_MAX as u64).for_each(|offset| findings.add("c", offset, "more"));
        findings.settle("b", &Ok(()), "made again");
        assert_eq!(findings.count(), limits::FINDINGS_MAX as u64 + 3);
        let (kept, left_out) = findings.finish();
        assert_eq!((kept.len(), left_out), (limits::FINDINGS_MAX, 3));
        let places: Vec<_> = kept[..4].iter().map(|found| (found.file.as_str(), found.offset)).collect();
        assert_eq!(places, [("a", 2), ("a", 9), ("b", 1), ("c", 0)]);
        assert!(kept[2].repaired && kept[2].detail == "first; made again");
        assert!(!kept[3].repaired);
    }
}
