//! Files read, files left out, and signals: collected while files are examined, within limits.

use std::collections::{BTreeMap, BTreeSet};

use crate::candidate::Provider;
use crate::limits::{AUTOPILOT_EXCLUDED_MAX, AUTOPILOT_SIGNALS_PER_KIND_MAX, AUTOPILOT_WARNINGS_MAX};
use crate::output::{DiscoverySummary, ScanWarning};
use crate::provider::language::language_of;
use crate::provider::topology::TestFile;
use crate::provider::{Findings, signal};
use crate::signal::{SignalKind, SourceSignal};
use crate::tree::{Excluded, ListedFile, Skipped};

/// The place of a signal among those of its kind.
type SignalKey = (String, Option<u32>, String);

/// Everything that is told beside the candidates.
#[derive(Debug, Default)]
pub(crate) struct Discovery {
    files_listed: u64,
    files_read: u64,
    bytes_read: u64,
    languages: BTreeSet<String>,
    frameworks: BTreeSet<String>,
    excluded: Vec<Excluded>,
    excluded_count: u64,
    signals: BTreeMap<SignalKind, BTreeMap<SignalKey, SourceSignal>>,
    signal_counts: BTreeMap<SignalKind, u64>,
    warnings: BTreeSet<ScanWarning>,
    warning_count: u64,
    pub(crate) is_truncated: bool,
}

impl Discovery {
    /// Takes over the listing. Entries that were wanted and cannot be read are warnings, too.
    pub(crate) fn listed(&mut self, files: u64, mut excluded: Vec<Excluded>, is_truncated: bool) {
        self.files_listed = files;
        self.is_truncated |= is_truncated;
        excluded.sort_unstable();
        excluded.dedup();
        for entry in &excluded {
            if !entry.reason.is_policy() {
                self.remark(&entry.path, entry.reason, entry.reason.message());
            }
        }
        self.excluded_count = excluded.len() as u64;
        // The walk lists whole folders; those of the root come first, as they say most.
        excluded.sort_by_key(|entry| entry.path.matches('/').count());
        excluded.truncate(AUTOPILOT_EXCLUDED_MAX);
        self.excluded = excluded;
    }

    pub(crate) fn excluded(&self) -> &[Excluded] {
        &self.excluded
    }

    /// Counts a file that was examined, and the frameworks that it names.
    pub(crate) fn file(&mut self, findings: &Findings) {
        self.files_read += u64::from(findings.bytes.is_some());
        self.bytes_read += findings.bytes.unwrap_or(0);
        self.frameworks.extend(findings.frameworks.iter().map(|name| (*name).to_owned()));
    }

    pub(crate) fn remarks(&mut self, warnings: Vec<ScanWarning>, is_truncated: bool) {
        self.is_truncated |= is_truncated;
        warnings.into_iter().for_each(|warning| self.warn(warning));
    }

    pub(crate) fn remark(&mut self, path: &str, reason: Skipped, message: &str) {
        self.warn(ScanWarning { path: path.to_owned(), reason, message: message.to_owned() });
    }

    fn warn(&mut self, warning: ScanWarning) {
        if self.warnings.insert(warning) {
            self.warning_count += 1;
            if self.warnings.len() > AUTOPILOT_WARNINGS_MAX {
                self.warnings.pop_last();
            }
        }
    }

    pub(crate) fn signal(&mut self, signal: SourceSignal) {
        *self.signal_counts.entry(signal.kind).or_default() += 1;
        let of_kind = self.signals.entry(signal.kind).or_default();
        of_kind.insert((signal.path.clone(), signal.line, signal.title.clone()), signal);
        if of_kind.len() > AUTOPILOT_SIGNALS_PER_KIND_MAX {
            of_kind.pop_last();
        }
    }

    /// Adds the signal of a test file.
    pub(crate) fn test_file(&mut self, file: &TestFile) {
        let framework = file.framework.map(|framework| format!(" ({framework})")).unwrap_or_default();
        self.signal(signal(SignalKind::TestFile, &file.path, None, format!("test file{framework}")));
    }

    pub(crate) fn languages(&mut self, files: &[ListedFile]) {
        let found: BTreeSet<&str> = files.iter().filter_map(|file| language_of(&file.path)).collect();
        self.languages = found.into_iter().map(str::to_owned).collect();
    }

    pub(crate) fn frameworks<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        self.frameworks.extend(names.map(str::to_owned));
    }

    /// Returns the summary; the counts of candidates are left to the caller.
    pub(crate) fn summary(&self, has_run: bool, per_provider: &BTreeMap<Provider, u64>) -> DiscoverySummary {
        let ran: &[Provider] = if has_run { &Provider::ALL } else { &[] };
        let count = |provider: &Provider| per_provider.get(provider).copied().unwrap_or(0);
        DiscoverySummary {
            files_listed: self.files_listed,
            files_read: self.files_read,
            bytes_read: self.bytes_read,
            providers_run: ran.to_vec(),
            provider_counts: ran.iter().map(|one| (one.text().to_owned(), count(one))).collect(),
            detected_languages: self.languages.iter().cloned().collect(),
            detected_test_frameworks: self.frameworks.iter().cloned().collect(),
            excluded_roots: self.excluded.clone(),
            excluded_count: self.excluded_count,
            signal_counts: self
                .signal_counts
                .iter()
                .map(|(kind, count)| (kind.text().to_owned(), *count))
                .collect(),
            truncated: self.is_truncated,
            scan_warnings: self.warnings.iter().cloned().collect(),
            scan_warning_count: self.warning_count,
            ..DiscoverySummary::default()
        }
    }

    /// Returns the signals: by kind, then by path and line.
    pub(crate) fn into_signals(self) -> Vec<SourceSignal> {
        self.signals.into_values().flat_map(BTreeMap::into_values).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_limits_and_everything_is_counted() {
        let mut discovery = Discovery::default();
        for n in (0..1_000).rev() {
            discovery.remark(&format!("{n:04}"), Skipped::NotText, "x");
            let path = format!("{n:04}");
            discovery.signal(signal(SignalKind::TestHeading, &path, Some(1), "t".to_owned()));
        }
        let excluded = |n: u32| Excluded { path: format!("d/{n:04}"), reason: Skipped::Gitignored };
        let root = Excluded { path: "vendor".to_owned(), reason: Skipped::HardDeny };
        discovery.listed(7, (0..1_000).map(excluded).chain([root]).collect(), false);
        let summary = discovery.summary(true, &BTreeMap::new());
        assert_eq!(
            (summary.scan_warning_count, summary.scan_warnings.len()),
            (1_000, AUTOPILOT_WARNINGS_MAX)
        );
        assert_eq!(summary.scan_warnings[0].path, "0000");
        assert_eq!((summary.excluded_count, summary.excluded_roots.len()), (1_001, AUTOPILOT_EXCLUDED_MAX));
        assert_eq!(summary.excluded_roots[0].path, "vendor");
        assert_eq!(summary.signal_counts["test_heading"], 1_000);
        assert_eq!(discovery.into_signals().len(), AUTOPILOT_SIGNALS_PER_KIND_MAX);
    }

    #[test]
    fn what_the_policy_excludes_is_no_warning() {
        let mut discovery = Discovery::default();
        let entry = |path: &str, reason| Excluded { path: path.to_owned(), reason };
        let excluded = vec![entry("a", Skipped::Gitignored), entry("b", Skipped::TooMany)];
        discovery.listed(0, excluded, true);
        let summary = discovery.summary(false, &BTreeMap::new());
        assert_eq!(summary.scan_warnings.len(), 1);
        assert_eq!(summary.scan_warnings[0].path, "b");
        assert!(summary.truncated && summary.providers_run.is_empty());
    }
}
