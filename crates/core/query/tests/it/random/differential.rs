//! The engine and the naive evaluator give the same answers.

use cairn_base::Value;
use cairn_kip::KipCode;
use cairn_kip::tree::{Command, Find, Slot};
use cairn_query::{Allowance, Budget, Format, Found, Options, Pass, Passes};
use proptest::prelude::*;

use super::case::{AnyCase, Case};
use super::graph::Size;
use super::load::Loaded;
use super::tree::here;
use super::words::{ATTRIBUTES, TYPES};
use crate::naive::{self, Answer};

/// Rows beyond which an answer is not read in pages.
const PAGED_ROWS_MAX: usize = 60;

/// Cases of each test; `PROPTEST_CASES` says otherwise.
pub(super) fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { cases };
    ProptestConfig { cases, max_shrink_iters: 20_000, failure_persistence: None, ..default }
}

/// What the engine says: a result, or the code of its refusal.
fn ask(loaded: &Loaded, find: &Find, format: Format) -> Result<Found, KipCode> {
    ask_with(loaded, find, format, &Options::default())
}

fn ask_with(loaded: &Loaded, find: &Find, format: Format, options: &Options) -> Result<Found, KipCode> {
    let mut budget = Budget::new(loaded.clock(), Allowance::default());
    let found = loaded.view(|view| cairn_query::find_with(view, find, format, options, &mut budget));
    found.map_err(|error| error.into_kip().code)
}

/// Every way to an answer: without each of the passes in turn, with each of them alone, with none, and with
/// pages so small that every scan has many.
fn ways() -> Vec<Options> {
    let passes = Pass::ALL.iter().flat_map(|pass| [Passes::ALL.without(*pass), Passes::NONE.with(*pass)]);
    let passes = passes.chain([Passes::ALL, Passes::NONE]);
    // Where a lookup costs nothing, indexes are used whenever there are any.
    let whole = Options { reads_per_lookup: 1, ..Options::default() };
    passes
        .flat_map(|passes| [Options { passes, ..whole }, Options { passes, page_rows: 2, ..whole }])
        .collect()
}

/// The same for everybody but for what is wished for.
fn answered(found: Result<Found, KipCode>) -> Result<(Value, Option<String>), KipCode> {
    found.map(|found| (found.result, found.next_cursor))
}

/// The query as text, with the elements that the graph got.
fn shown(loaded: &Loaded, find: &Find) -> String {
    let mut text = cairn_kip::format(&Command::Find(find.clone()));
    let is_own = |concept: &&naive::Concept| TYPES.contains(&concept.kind.as_str());
    for concept in loaded.world.concepts.iter().filter(is_own) {
        let attributes = Value::Object(concept.attributes.clone()).to_json();
        text += &format!("\n  C:{} {} {} {attributes:.200}", concept.id, concept.kind, concept.name);
    }
    for link in loaded.world.links.iter().filter(|link| link.predicate != "belongs_to_domain") {
        let ends = [link.subject, link.object].map(|end| loaded.world.id_text(end));
        let attributes = Value::Object(link.attributes.clone()).to_json();
        text += &format!("\n  P:{} ({}, {}, {}) {attributes}", link.id, ends[0], link.predicate, ends[1]);
    }
    text
}

pub(super) fn rows_of(rows: &[Vec<Value>]) -> Value {
    Value::Array(rows.iter().map(|row| Value::Array(row.clone())).collect())
}

fn is_limited_to_nothing(find: &Find) -> bool {
    find.limit.as_ref().is_some_and(|limit| limit.node == Slot::Is(0))
}

fn check_answer(case: &Case) -> Result<(), TestCaseError> {
    let loaded = Loaded::new(&case.graph);
    let find = loaded.named(&case.find);
    let answered = ask(&loaded, &find, Format::Rows);
    match naive::find(&loaded.world, &find) {
        Answer::TooMany => {}
        Answer::Refused(codes) => {
            let code = answered.as_ref().err();
            let is_expected = code.is_some_and(|code| codes.contains(code));
            prop_assert!(is_expected, "expected {codes:?}, got {answered:?}\n{}", shown(&loaded, &find));
        }
        Answer::Rows { rows, total } => {
            let query = shown(&loaded, &find);
            let Ok(found) = answered else {
                return Err(TestCaseError::fail(format!("refused: {answered:?}\n{query}")));
            };
            let expected = rows_of(&rows).to_json();
            prop_assert_eq!(found.result.to_json(), expected, "{}", query);
            let is_more = total > rows.len() && !is_limited_to_nothing(&find);
            prop_assert_eq!(found.next_cursor.is_some(), is_more, "next_cursor of {}", query);
            if !is_limited_to_nothing(&find) {
                let columns = ask(&loaded, &find, Format::Columns).map(|found| found.result.to_json());
                prop_assert_eq!(columns, Ok(naive::columns(&find, &rows).to_json()), "columns of {}", query);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn answers_are_those_of_the_naive_evaluator(case in AnyCase(Size::SMALL)) {
        check_answer(&case)?;
    }

    #[test]
    fn every_way_leads_to_the_same_answer(case in AnyCase(Size::SMALL)) {
        let loaded = Loaded::new(&case.graph);
        let find = loaded.named(&case.find);
        let expected = answered(ask(&loaded, &find, Format::Rows));
        for key in ATTRIBUTES.iter().take(case.graph.concepts.len() % 7) {
            loaded.index(key);
        }
        for options in ways() {
            let found = answered(ask_with(&loaded, &find, Format::Rows, &options));
            // Which of several mistakes is told depends on which is come by first.
            if let (Err(_), Err(_)) = (&found, &expected) {
                continue;
            }
            prop_assert_eq!(&found, &expected, "{:?}\n{}", options, shown(&loaded, &find));
        }
    }

    #[test]
    fn pages_put_together_are_the_whole_answer(case in AnyCase(Size::SMALL)) {
        let loaded = Loaded::new(&case.graph);
        let whole = Find { limit: None, ..loaded.named(&case.find) };
        let Ok(Found { result: Value::Array(rows), .. }) = ask(&loaded, &whole, Format::Rows) else {
            return Ok(());
        };
        if rows.len() > PAGED_ROWS_MAX {
            return Ok(());
        }
        let mut page = Find { limit: Some(here(Slot::Is(case.page_rows))), ..whole.clone() };
        let mut seen = Vec::new();
        let options = Options { page_rows: 2, reads_per_lookup: 1, ..Options::default() };
        for key in ["rank", "label", "any"] {
            loaded.index(key);
        }
        loop {
            let found = ask_with(&loaded, &page, Format::Rows, &options);
            let Ok(Found { result: Value::Array(some), next_cursor, .. }) = found else {
                return Err(TestCaseError::fail(format!("no page: {found:?}\n{}", shown(&loaded, &page))));
            };
            prop_assert!(some.len() as u64 <= case.page_rows);
            seen.extend(some);
            let Some(cursor) = next_cursor.filter(|_| seen.len() <= rows.len()) else { break };
            page.cursor = Some(here(Slot::Is(cursor)));
        }
        let put_together = Value::Array(seen).to_json();
        prop_assert_eq!(put_together, Value::Array(rows).to_json(), "{}", shown(&loaded, &page));
    }

    #[test]
    fn a_query_written_down_and_read_again_is_the_same(case in AnyCase(Size::SMALL)) {
        let loaded = Loaded::new(&case.graph);
        let find = loaded.named(&case.find);
        let text = cairn_kip::format(&Command::Find(find.clone()));
        let again = match cairn_kip::parse(&text) {
            Ok(Command::Find(again)) => again,
            Ok(other) => return Err(TestCaseError::fail(format!("{other:?}\n{text}"))),
            // What the parser refuses is a mistake in a tree too, though perhaps not the only one.
            Err(error) => {
                let answer = naive::find(&loaded.world, &find);
                let is_mistake = matches!(&answer, Answer::Refused(codes) if codes.contains(&error.code));
                prop_assert!(is_mistake, "{error:?}\n{text}");
                return Ok(());
            }
        };
        prop_assert_eq!(&again, &find, "{}", text);
        let answers = [find, again].map(|find| ask(&loaded, &find, Format::Rows).map(|found| found.result.to_json()));
        prop_assert_eq!(&answers[0], &answers[1], "{}", text);
    }
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn answers_about_larger_graphs_are_those_of_the_naive_evaluator(case in AnyCase(Size::LARGE)) {
        check_answer(&case)?;
    }
}
