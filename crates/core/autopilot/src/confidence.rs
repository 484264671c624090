//! The confidence in a whole result, and the policy that follows from it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::activation::ActivationMode;

/// Confidence in a whole result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ResultConfidence {
    /// From 0 to 1.
    pub score: f64,
    /// Its level.
    pub level: Level,
    /// Everything that moved the score, in order.
    pub reasons: Vec<String>,
    /// What may be done with the result.
    pub policy: Policy,
}

/// A level of confidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// More than 0.70.
    High,
    /// 0.40 and more.
    Medium,
    /// Less.
    Low,
}

/// What may be done with a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// The plan may be applied after it is approved.
    FullActions,
    /// Candidates are to be reviewed one by one.
    ReviewRequired,
    /// Nothing of it is to be applied.
    HandoffOnly,
}

/// What a score depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Observed {
    pub(crate) mode: ActivationMode,
    pub(crate) has_candidates: bool,
    pub(crate) has_context: bool,
    pub(crate) has_signals: bool,
}

impl ResultConfidence {
    pub(crate) fn of(observed: Observed) -> Self {
        let Observed { mode, has_candidates, has_context, has_signals } = observed;
        let mut score = if has_candidates { 68 } else { 44 };
        let mut reasons = vec![format!(
            "0.{score} {}",
            if has_candidates { "candidates were found" } else { "no candidates were found" }
        )];
        let mut add = |points: i32, reason: &str| {
            score += points;
            let sign = if points < 0 { '-' } else { '+' };
            reasons.push(format!("{sign}0.{:02} {reason}", points.abs()));
        };
        match mode.may_apply() {
            true => add(12, "the workspace lets the plan be applied"),
            false => add(-24, "the workspace blocks the plan"),
        }
        match mode {
            ActivationMode::ColdStartBootstrap => add(10, "the KB is begun from nothing"),
            ActivationMode::RepairBootstrap => add(-5, "paths of the settings need repair"),
            ActivationMode::AttachedThinHandoff => add(-12, "the KB is in use and small"),
            ActivationMode::AttachedSeededHandoff => add(-18, "the KB is in use"),
            ActivationMode::VendoredBlocked => add(-25, "there is no project"),
        }
        if has_context {
            add(8, "the project was described");
        }
        if has_signals {
            add(4, "the repository has more evidence than candidates");
        }
        if !has_candidates {
            add(-8, "there is nothing to apply");
        }
        let score = score.clamp(0, 100);
        let (level, policy) = match score {
            71.. => (Level::High, Policy::FullActions),
            40..=70 => (Level::Medium, Policy::ReviewRequired),
            _ => (Level::Low, Policy::HandoffOnly),
        };
        ResultConfidence { score: f64::from(score) / 100.0, level, reasons, policy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_add_up() {
        let check = |mode, candidates, context, signals, score, level| {
            let observed =
                Observed { mode, has_candidates: candidates, has_context: context, has_signals: signals };
            let confidence = ResultConfidence::of(observed);
            assert_eq!((confidence.score, confidence.level), (score, level), "{observed:?}");
        };
        check(ActivationMode::ColdStartBootstrap, true, false, false, 0.90, Level::High);
        check(ActivationMode::ColdStartBootstrap, true, true, true, 1.0, Level::High);
        check(ActivationMode::ColdStartBootstrap, false, false, false, 0.58, Level::Medium);
        check(ActivationMode::ColdStartBootstrap, false, true, true, 0.70, Level::Medium);
        check(ActivationMode::RepairBootstrap, true, false, false, 0.39, Level::Low);
        check(ActivationMode::RepairBootstrap, true, true, false, 0.47, Level::Medium);
        check(ActivationMode::AttachedSeededHandoff, false, false, false, 0.0, Level::Low);
        check(ActivationMode::VendoredBlocked, false, true, false, 0.0, Level::Low);
    }
}
