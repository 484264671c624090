//! The report of `kb_check`: one page of violations, counts per rule, and remarks.

use super::finding::Found;
use super::table::{ROWS, Row, View};
use super::{CheckState, Rule};
use crate::limits::{CHECK_FINDINGS_MAX, CHECK_OFFSET_MAX, PAGE_DEFAULT, PAGE_MAX};
use crate::tools::{CheckInput, Diagnostic, RuleCount, Violation};
use crate::{Branch, KbError, Result};

/// A valid request for a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRequest {
    /// Rules in the order of the report, each once.
    pub rules: Vec<Rule>,
    /// Whether symbol-traceability also asks for a decision.
    pub require_adr: bool,
    /// Violations of the page.
    pub limit: u32,
    /// Violations to skip.
    pub offset: u32,
}

/// A page of violations.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckReport {
    /// Violations of the page, in the order of the rules and then of entity ids.
    pub violations: Vec<Violation>,
    /// Violations of all pages.
    pub count: u64,
    /// Violations of each rule of the request.
    pub counts: Vec<RuleCount>,
    /// Remarks about the check itself.
    pub diagnostics: Vec<Diagnostic>,
}

impl CheckRequest {
    /// Reads the arguments of a call. `configured` are the rules that are on where the call names none, `require_adr`
    /// the setting where the call has none.
    ///
    /// Fails if the page is larger, or further away, than allowed.
    pub fn new(input: &CheckInput, configured: &[Rule], require_adr: bool) -> Result<Self> {
        let wanted = input.rules.as_deref().unwrap_or(configured);
        let bounded = |parameter: &'static str, value: Option<u32>, default: u32, max: u32| {
            let value = value.unwrap_or(default);
            let wrong = || KbError::argument(parameter, format!("{value} is more than the {max} allowed"));
            (value <= max).then_some(value).ok_or_else(wrong)
        };
        Ok(CheckRequest {
            rules: Rule::ALL.iter().copied().filter(|rule| wanted.contains(rule)).collect(),
            require_adr: input.require_adr.unwrap_or(require_adr),
            limit: bounded("limit", input.limit, PAGE_DEFAULT, PAGE_MAX)?,
            offset: bounded("offset", input.offset, 0, CHECK_OFFSET_MAX)?,
        })
    }
}

impl Rule {
    /// Rules that are on unless the request or the configuration says otherwise.
    pub fn defaults() -> Vec<Rule> {
        Rule::ALL.iter().copied().filter(|rule| rule.is_default()).collect()
    }
}

impl CheckState {
    /// Returns a page of the violations of a branch. The branch is the one that the state followed.
    pub fn report(&self, branch: &Branch, request: &CheckRequest) -> CheckReport {
        let view = View { branch, derived: &self.derived };
        let mut report = CheckReport::default();
        let mut skip = request.offset as usize;
        let mut room = request.limit as usize;
        for (row, found) in self.rows(request) {
            let rule = row.rule;
            report.count += found.count() as u64;
            report.counts.push(RuleCount { rule, count: found.count() as u64 });
            self.remark(rule, found, &mut report.diagnostics);
            let shown = found.shown();
            let page = found.rows().skip(skip).take(if skip < shown { room } else { 0 });
            let before = report.violations.len();
            report.violations.extend(page.map(|finding| (row.explain)(view, finding)));
            room -= report.violations.len() - before;
            skip = skip.saturating_sub(shown);
        }
        report
    }

    fn rows(&self, request: &CheckRequest) -> impl Iterator<Item = (&'static Row, &Found)> {
        let wanted = |row: &Row| {
            request.rules.contains(&row.rule)
                && row.require_adr.is_none_or(|require_adr| require_adr == request.require_adr)
        };
        ROWS.iter().zip(&self.found).filter(move |(row, _)| wanted(row))
    }

    fn remark(&self, rule: Rule, found: &Found, diagnostics: &mut Vec<Diagnostic>) {
        let mut cut = |message: String, suggestion: &str| {
            diagnostics.push(Diagnostic {
                category: "limits".to_owned(),
                severity: "warning".to_owned(),
                message,
                suggestion: Some(suggestion.to_owned()),
            });
        };
        if found.is_cut() {
            let (shown, count) = (found.shown(), found.count());
            let message = format!(
                "{rule}: {shown} of {count} violations can be shown; the limit is {CHECK_FINDINGS_MAX}"
            );
            cut(message, "correct some and check again");
        }
        if rule == Rule::NoCycles && self.derived.cycles.is_cut() {
            let message = format!(
                "{rule}: some cycles are missing, because requirements depend on each other in too many ways"
            );
            cut(message, "break the cycles that are shown and check again");
        }
        let groups = self.derived.contradictions.cut_groups();
        if rule == Rule::DomainContradictions && groups > 0 {
            let message = format!("{rule}: some contradictions are missing in {groups} groups of claims");
            cut(message, "resolve those that are shown and check again");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(input: CheckInput) -> Result<CheckRequest> {
        CheckRequest::new(&input, &Rule::defaults(), false)
    }

    #[test]
    fn rules_come_in_the_order_of_the_report_and_defaults_leave_out_the_strict_ones() {
        assert_eq!(request(CheckInput::default()).unwrap().rules, Rule::ALL[..8]);
        let named = vec![Rule::StrictFactShape, Rule::NoCycles, Rule::StrictFactShape];
        let named = request(CheckInput { rules: Some(named), ..CheckInput::default() }).unwrap();
        assert_eq!(named.rules, [Rule::NoCycles, Rule::StrictFactShape]);
    }

    #[test]
    fn pages_have_a_limit() {
        let page = |limit, offset| {
            request(CheckInput { limit: Some(limit), offset: Some(offset), ..CheckInput::default() }).is_ok()
        };
        assert!(page(PAGE_MAX, CHECK_OFFSET_MAX));
        assert!(!page(PAGE_MAX + 1, 0));
        assert!(!page(1, CHECK_OFFSET_MAX + 1));
    }
}
