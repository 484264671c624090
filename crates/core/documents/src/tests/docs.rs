//! The page about documents tells the truth.

use crate::{Document, Problem, ProblemClass, parse_markdown, parse_symbols};

const PAGE: &str = include_str!("../../../../../docs/kb-documents.md");

fn blocks(language: &str) -> Vec<&'static str> {
    let opening = format!("```{language}\n");
    let blocks = PAGE.split(&opening).skip(1);
    blocks.map(|block| block.split_once("```\n").expect("a block ends").0).collect()
}

#[track_caller]
fn is_right(document: &Document) {
    assert_eq!(document.problems, []);
    assert!(!document.entities.is_empty());
}

#[test]
fn its_examples_are_documents_without_problems() {
    let documents = blocks("markdown");
    assert_eq!(documents.len(), 3);
    for text in documents {
        is_right(&parse_markdown("documentation/requirements/example.md", text.as_bytes(), None));
    }
    for text in blocks("yaml") {
        is_right(&parse_symbols("documentation/symbols.yaml", text.as_bytes()));
    }
}

#[test]
fn its_problem_is_what_such_a_document_has() {
    let text = "---\ntype: req\ntitle: Sessions: idle ones end\n---\n";
    let document = parse_markdown("documentation/requirements/idle.md", text.as_bytes(), None);
    // Commands print the hint on a line of its own.
    let problem = Problem { hint: None, ..document.problems[0].clone() };
    let hint = document.problems[0].hint.as_deref().expect("a hint");
    assert_eq!(format!("{problem}\n    {hint}\n"), blocks("text")[0]);
}

#[test]
fn its_table_has_every_class_of_problems() {
    let table = PAGE.split_once("## Problems").expect("a heading").1;
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows: Vec<&str> = rows.filter_map(|row| row.rsplit_once(" | ")).map(|(start, _)| start).collect();
    let word = |class: ProblemClass| if class.is_error() { "error" } else { "warning" };
    let expected: Vec<String> =
        ProblemClass::ALL.iter().map(|class| format!("{class}` | {}", word(*class))).collect();
    assert_eq!(rows, expected);
}
