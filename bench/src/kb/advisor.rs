//! The semantic advisor and the suggestion of predicates, one sentence after the other on one thread.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use cairn_kb::tools::{SemanticAdvisorInput, SuggestPredicatesInput};
use cairn_kb::{Receipt, SuggestionKind};

use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::spread::{Spread, median};

/// Sentences of requirements: most express a claim, some express none.
const SENTENCES: &[&str] = &[
    "Customer data must be retained for 7 years.",
    "A user must have at most 3 active sessions.",
    "If the upload fails, the client shall fall back to the cached copy.",
    "When the user navigates away with unsaved annotation edits, the editor must auto-save the draft and return to idle mode.",
    "Login attempts must be rate limited to 5 attempts per minute.",
    "Only administrators can delete projects.",
    "The invoice service must notify the accountant by email.",
    "Exports must process rows in batches of 500.",
    "Order totals must reference an existing customer.",
    "Every mutation is recorded in the audit log.",
    "Session tokens expire after 30 minutes.",
    "The search page should feel quick and friendly.",
    "This chapter describes the history of the project.",
    "The API must return within 200 ms.",
    "Archived documents must be deleted after 90 days unless the owner objects.",
    "Draft and published states must be mutually exclusive.",
    "The theme defaults to dark mode.",
    "Payments must retry up to 3 times and must be idempotent by request id.",
    "Personal data must be stored in the EU region.",
    "Colours follow the brand book, such as blue for links.",
];

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let inputs: Vec<SemanticAdvisorInput> = SENTENCES.iter().map(|text| requirement(text)).collect();
    let receipts: Vec<Receipt> = inputs.iter().map(advise).collect::<Result<_>>()?;
    let found: usize = receipts.iter().map(|receipt| receipt.suggestions.len()).sum();
    ensure!(found >= SENTENCES.len() / 2, "only {found} suggestions for {} sentences", SENTENCES.len());
    let strict = receipts[0].suggestions.first().map(|suggestion| suggestion.kind);
    ensure!(strict == Some(SuggestionKind::StrictProperty), "a retention gives {strict:?}");
    let (rounds, repeats) = (setting.pick(5, 1), setting.pick(1_000, 20));
    let advised = measure(rounds, repeats, |number| {
        black_box(advise(black_box(&inputs[number]))?);
        Ok(())
    })?;
    show(report, "kb_semantic_advisor", &advised, Some(Target::AtLeast(2_000.0)));
    let asked: Vec<SuggestPredicatesInput> = SENTENCES
        .iter()
        .map(|text| SuggestPredicatesInput { text: (*text).to_owned(), ..SuggestPredicatesInput::default() })
        .collect();
    let suggested = measure(rounds, repeats, |number| {
        black_box(asked[number].run(&[]).context("suggesting")?);
        Ok(())
    })?;
    show(report, "kb_suggest_predicates", &suggested, None);
    let longest = "The service must be available and must retry ".repeat(1_400);
    let began = Instant::now();
    black_box(advise(&requirement(&longest))?);
    report.add(
        Figure::new(
            "kb_semantic_advisor of 64 KB of clauses",
            crate::spread::ms(began.elapsed()),
            Unit::Millis,
        )
        .beside("one call"),
    );
    Ok(())
}

fn requirement(text: &str) -> SemanticAdvisorInput {
    SemanticAdvisorInput { text: text.to_owned(), ..SemanticAdvisorInput::default() }
}

/// The receipt of a requirement.
fn advise(input: &SemanticAdvisorInput) -> Result<Receipt> {
    Ok(input.run().context("advising")?.receipt)
}

/// Sentences per second of each round, and the time of each call.
struct Measured {
    per_second: Vec<f64>,
    calls: Spread,
}

fn measure(rounds: usize, repeats: usize, mut one: impl FnMut(usize) -> Result<()>) -> Result<Measured> {
    let (mut per_second, mut calls) = (Vec::new(), Vec::<Duration>::new());
    for _ in 0..rounds {
        let began = Instant::now();
        for number in (0..SENTENCES.len()).cycle().take(SENTENCES.len() * repeats) {
            let call = Instant::now();
            one(number)?;
            calls.push(call.elapsed());
        }
        per_second.push((SENTENCES.len() * repeats) as f64 / began.elapsed().as_secs_f64());
    }
    Ok(Measured { per_second, calls: Spread::new(calls) })
}

fn show(report: &mut Report, name: &str, measured: &Measured, target: Option<Target>) {
    let figure =
        Figure::new(format!("{name}, one core"), median(measured.per_second.clone()), Unit::PerSecond);
    let figure =
        figure.beside(format!("{}, longest {:.2} ms", measured.calls.shown(), measured.calls.max_ms()));
    report.add(match target {
        Some(target) => figure.target(target),
        None => figure,
    });
}
