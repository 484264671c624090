//! The rules that a check runs: those of the command line, else those of the working tree's settings.

use cairn_kb::Rule;
use cairn_worktree::KbChecks;

/// Every rule, and whether it is on by default.
pub(super) fn defaults() -> impl Iterator<Item = (&'static str, bool)> {
    Rule::ALL.iter().map(|rule| (rule.text(), rule.is_default()))
}

/// The rules that settings switch on or leave on; `None` if they change nothing.
pub(crate) fn configured(checks: &KbChecks) -> Option<Vec<Rule>> {
    if checks.rules.is_empty() {
        return None;
    }
    let is_on = |rule: &Rule| checks.rules.get(rule.text()).copied().unwrap_or(rule.is_default());
    Some(Rule::ALL.iter().copied().filter(is_on).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_switch_rules_on_and_off() {
        let mut checks = KbChecks::default();
        assert_eq!(configured(&checks), None);
        checks.rules.insert("no-cycles".to_owned(), false);
        checks.rules.insert("strict-fact-shape".to_owned(), true);
        let rules = configured(&checks).expect("they say something");
        assert!(!rules.contains(&Rule::NoCycles) && rules.contains(&Rule::StrictFactShape), "{rules:?}");
        assert!(!rules.contains(&Rule::StrictReqFactPairing) && rules.len() == 8, "{rules:?}");
    }
}
