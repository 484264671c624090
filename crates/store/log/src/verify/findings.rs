//! What was found wrong, within bounds.

use std::collections::BTreeMap;

use cairn_seam::{Finding, StoreError, limits};

/// Collects findings. The first ones are kept, the rest are counted.
#[derive(Debug, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    /// Those that were left out, by kind.
    left_out: BTreeMap<&'static str, u64>,
}

/// Kinds of files, by what their names begin with, and what findings in them are counted as.
const KINDS: [(&str, &str); 6] = [
    ("segment-", "findings_left_out_in_segments"),
    ("side-", "findings_left_out_in_side_files"),
    ("index.", "findings_left_out_in_index"),
    ("image-", "findings_left_out_in_images"),
    ("blobs/", "findings_left_out_in_blob_files"),
    ("", "findings_left_out_in_other_files"),
];

fn kind_of(file: &str) -> &'static str {
    let kind = KINDS.iter().find(|(start, _)| file.starts_with(start));
    kind.map_or("findings_left_out_in_other_files", |(_, kind)| kind)
}

impl Findings {
    /// Writes down that something is wrong. `file` is relative to the data directory.
    pub fn add(&mut self, file: impl Into<String>, offset: u64, detail: impl Into<String>) {
        let file = file.into();
        if self.kept.len() < limits::FINDINGS_MAX {
            self.kept.push(Finding { file, offset, detail: detail.into(), repaired: false });
        } else {
            *self.left_out.entry(kind_of(&file)).or_default() += 1;
        }
    }

    /// How many there are, those that were left out included.
    pub fn count(&self) -> u64 {
        self.kept.len() as u64 + self.count_left_out()
    }

    fn count_left_out(&self) -> u64 {
        self.left_out.values().sum()
    }

    /// Counts of what was left out, each with its name: in all, and by kind of file.
    pub fn left_out(&self) -> Vec<(&'static str, u64)> {
        let total = self.count_left_out();
        let all = (total > 0).then_some(("findings_left_out", total));
        all.into_iter().chain(self.left_out.iter().map(|(kind, count)| (*kind, *count))).collect()
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
        let left_out = self.count_left_out();
        (self.kept, left_out)
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
        findings.add("segment-0000000001.log", 0, "too many");
        findings.add("blobs/ab.blob", 0, "too many");
        findings.add("segment-0000000002.log", 0, "too many");
        assert_eq!(
            findings.left_out(),
            [
                ("findings_left_out", 6),
                ("findings_left_out_in_blob_files", 1),
                ("findings_left_out_in_other_files", 3),
                ("findings_left_out_in_segments", 2),
            ]
        );
        let (kept, left_out) = findings.finish();
        assert_eq!((kept.len(), left_out), (limits::FINDINGS_MAX, 6));
        let places: Vec<_> = kept[..4].iter().map(|found| (found.file.as_str(), found.offset)).collect();
        assert_eq!(places, [("a", 2), ("a", 9), ("b", 1), ("c", 0)]);
        assert!(kept[2].repaired && kept[2].detail == "first; made again");
        assert!(!kept[3].repaired);
    }
}
