//! Cues in prose: one row per kind.

use std::sync::LazyLock;

use regex::Regex;

use super::receipt::{AmbiguityWitness, CandidateLane, Interpretation, Signal, SignalKind};
use crate::sentence::regex;

/// A kind of cue.
struct Cue {
    kind: SignalKind,
    lane: CandidateLane,
    confidence: f64,
    /// The text that counts is the capture `e`, or the whole match.
    form: &'static str,
}

/// Characters of the evidence of a signal.
const EVIDENCE_CHARS_MAX: usize = 120;

/// Every kind of cue, in the order of receipts.
#[rustfmt::skip]
const CUES: &[Cue] = &[
    Cue { kind: SignalKind::NumericCardinality, lane: CandidateLane::StrictProperty, confidence: 0.92,
        form: r"(?:^|[\s(\[])(?P<e>(?:(?:at most|at least|exactly|no more than|up to|cap(?:s|ped)? at) )?(?:{NUMBER}|(?:zero|one|two|three|four|five|six|seven|eight|nine|ten){B}))" },
    Cue { kind: SignalKind::NumericThreshold, lane: CandidateLane::StrictProperty, confidence: 0.86,
        form: r"{B}(?:maximum|minimum|under|within|below|above|expires?|retained for)(?: \S+){0,3}? (?:{NUMBER}|(?:zero|one|two|three|four|five|six|seven|eight|nine|ten){B})" },
    Cue { kind: SignalKind::Conditional, lane: CandidateLane::Predicate, confidence: 0.82,
        form: r"{B}(?:only if|if|when|unless|except|provided that){B}" },
    Cue { kind: SignalKind::Permission, lane: CandidateLane::Predicate, confidence: 0.80,
        form: r"{B}(?:must not|cannot|can't|only|may|can|allowed|denied|forbidden){B}" },
    Cue { kind: SignalKind::StateOrDefault, lane: CandidateLane::Predicate, confidence: 0.74,
        form: r"{B}(?:states?|modes?|defaults? to|ready|disabled|enabled|terminal){B}" },
    Cue { kind: SignalKind::NormativeModal, lane: CandidateLane::ObservationReview, confidence: 0.65,
        form: r"{B}(?:must not|cannot|can't|must|shall|should|may){B}" },
    Cue { kind: SignalKind::UniversalStatement, lane: CandidateLane::ObservationReview, confidence: 0.60,
        form: r"(?m)(?:^|[.!?] )[\s*+-]*(?P<e>(?:(?:all|no)(?: [\w'/-]+){1,6}? (?:is|are|has|have|does|do|uses?|needs?|requires?|returns?|contains?|carry|carries)|(?:every|each)(?: [\w'/-]+){1,6}? (?:is|has|does|[a-z]+s))){B}" },
    Cue { kind: SignalKind::IllustrativeExample, lane: CandidateLane::ObservationReview, confidence: 0.60,
        form: r"[\w)][\s,(]+(?P<e>such as|for example|for instance|e\.g\.)" },
];

/// A number with its comparison, sign and currency, and its unit if that is written without a blank. An ordinal such as
/// `3rd` is none.
const NUMBER: &str =
    r"(?:(?:[<>]=?|[=≤≥]) ?)?[-+]?[$€£]?\d(?:[\d.,]*\d)?(?:(?:ms|s|m|h|d|[kmgt]i?b|k|x|px)?{B}|%)";

static FORMS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| CUES.iter().map(|cue| regex(&cue.form.replace("{NUMBER}", NUMBER))).collect());

/// The number of an item of a list, at the beginning of its line.
static ITEM: LazyLock<Regex> = LazyLock::new(|| regex(r"(?m)^[ \t]*\d{1,4}[.)][ \t]+"));

/// Returns the first cue of each kind in a text. A statement on all of a kind counts only without a modal verb, which
/// says the same.
pub(super) fn signals(text: &str) -> Vec<Signal> {
    let mut found: Vec<Signal> = Vec::new();
    let text = &ITEM.replace_all(text, "");
    for (cue, form) in CUES.iter().zip(FORMS.iter()) {
        let has_modal = found.iter().any(|signal| signal.kind == SignalKind::NormativeModal);
        if cue.kind == SignalKind::UniversalStatement && has_modal {
            continue;
        }
        let Some(captures) = form.captures(text) else { continue };
        let Some(evidence) = captures.name("e").or_else(|| captures.get(0)) else { continue };
        found.push(Signal {
            kind: cue.kind,
            evidence: evidence.as_str().chars().take(EVIDENCE_CHARS_MAX).collect(),
            candidate_lane: cue.lane,
            confidence: cue.confidence,
        });
    }
    found
}

/// Readings of a number.
pub(super) const NUMBER_READINGS: &[Interpretation] = &[
    Interpretation::Exactly,
    Interpretation::AtMost,
    Interpretation::AtLeast,
    Interpretation::NamedMembership,
    Interpretation::IllustrativeExample,
];

/// Readings of examples.
pub(super) const EXAMPLE_READINGS: &[Interpretation] =
    &[Interpretation::NamedMembership, Interpretation::IllustrativeExample];

/// Returns a witness for each number and for examples.
pub(super) fn witnesses(signals: &[Signal]) -> Vec<AmbiguityWitness> {
    let witness = |signal: &Signal| {
        let (readings, message) = match signal.kind {
            SignalKind::NumericCardinality => {
                (NUMBER_READINGS, "state whether the number is exact, a bound, a set of names or an example")
            }
            SignalKind::IllustrativeExample => {
                (EXAMPLE_READINGS, "state whether the list is complete or only has examples")
            }
            SignalKind::NumericThreshold
            | SignalKind::Conditional
            | SignalKind::Permission
            | SignalKind::StateOrDefault
            | SignalKind::NormativeModal
            | SignalKind::UniversalStatement => return None,
        };
        Some(AmbiguityWitness {
            signal_kind: signal.kind,
            evidence: signal.evidence.clone(),
            interpretations: readings.to_vec(),
            message: message.to_owned(),
        })
    };
    signals.iter().filter_map(witness).collect()
}

/// Returns the lane that signals point to: numbers first, then conditions, permissions and states.
pub(super) fn lane(signals: &[Signal]) -> CandidateLane {
    let order = [CandidateLane::StrictProperty, CandidateLane::Predicate, CandidateLane::ObservationReview];
    let has = |lane: &CandidateLane| signals.iter().any(|signal| signal.candidate_lane == *lane);
    order.into_iter().find(has).unwrap_or(CandidateLane::None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(SignalKind, &str)], expected_lane: CandidateLane) {
        let found = signals(text);
        let pairs: Vec<_> = found.iter().map(|signal| (signal.kind, signal.evidence.as_str())).collect();
        assert_eq!(pairs, expected, "{text}");
        assert_eq!(lane(&found), expected_lane, "{text}");
    }

    #[test]
    fn each_kind_has_its_cue() {
        use SignalKind::*;
        let (strict, predicate) = (CandidateLane::StrictProperty, CandidateLane::Predicate);
        let review = CandidateLane::ObservationReview;
        check("at most 3 carts", &[(NumericCardinality, "at most 3")], strict);
        check("It has seven doors.", &[(NumericCardinality, "seven")], strict);
        check("It costs $500.", &[(NumericCardinality, "$500")], strict);
        check("It stores at -20 degrees", &[(NumericCardinality, "-20")], strict);
        check("Load >=5 items", &[(NumericCardinality, ">=5")], strict);
        check("Latency <200ms", &[(NumericCardinality, "<200ms")], strict);
        check("See figure 3, page x", &[(NumericCardinality, "3")], strict);
        check("It weighs 1,5 kg", &[(NumericCardinality, "1,5")], strict);
        check("1. Doors shut\n 2) Bells ring\n3rd party, 95th percentile", &[], CandidateLane::None);
        check(
            "expires after 30 days",
            &[(NumericCardinality, "30"), (NumericThreshold, "expires after 30")],
            strict,
        );
        check("It is done, provided that it works.", &[(Conditional, "provided that")], predicate);
        check("Guests can look.", &[(Permission, "can")], predicate);
        check("The theme defaults to dark.", &[(StateOrDefault, "defaults to")], predicate);
        check("It shall be nice.", &[(NormativeModal, "shall")], review);
        check("It must not be.", &[(Permission, "must not"), (NormativeModal, "must not")], predicate);
        check("All mutations are recorded in the log.", &[(UniversalStatement, "All mutations are")], review);
        check("Every request carries an id.", &[(UniversalStatement, "Every request carries")], review);
        check("All doors must be shut", &[(NormativeModal, "must")], review);
        check("Roles such as admin", &[(IllustrativeExample, "such as")], review);
        check("The sky is blue. Version v12, REQ-7, candy, mustard, scan.", &[], CandidateLane::None);
    }

    #[test]
    fn numbers_and_examples_have_witnesses() {
        let found = witnesses(&signals("Users have 3 roles such as admin"));
        let readings: Vec<_> = found.iter().map(|witness| witness.interpretations.len()).collect();
        assert_eq!(readings, [5, 2]);
        assert!(witnesses(&signals("It must be.")).is_empty());
    }
}
