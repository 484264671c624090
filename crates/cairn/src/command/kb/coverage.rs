//! `cairn kb coverage`.

use cairn_kb::tools::{
    CoverageBy, CoverageInput, CoverageOutput, CoverageRow, CoverageSummary, ReqRow, SymbolRow,
};
use clap::{Args, ValueEnum};

use super::Call;
use super::options::PageArgs;
use super::text::table;
use crate::command::answer::{joined, json, text};
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;
use crate::terminal::Look;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb coverage                        requirements that lack a scenario or a test
  cairn kb coverage --all                  fully covered ones, too
  cairn kb coverage --by symbol            symbols that implement no requirement
  cairn kb coverage --by type              number of entities of each type
  cairn kb coverage --tag security --json

Of the symbols of a requirement, those that a dependent requirement or a test leads to count as
transitive; --no-transitive leaves them out.";

/// Which report.
#[derive(Debug, Args)]
pub(crate) struct CoverageArgs {
    /// Rows of the report
    #[arg(long, value_name = "ROWS", value_enum, default_value_t = By::Req)]
    by: By,

    /// Only entities with any of these tags; can be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,

    /// Include rows where nothing is missing
    #[arg(long)]
    all: bool,

    /// Count only symbols that implement the requirement itself
    #[arg(long)]
    no_transitive: bool,

    #[command(flatten)]
    page: PageArgs,
}

/// Rows of a coverage report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    Req,
    Symbol,
    Type,
}

/// Reports coverage.
pub(super) fn coverage(call: &Call<'_>, arguments: CoverageArgs) -> Result<(), Failure> {
    let CoverageArgs { by, tags, all, no_transitive, page } = arguments;
    let PageArgs { limit, offset } = page;
    let by = match by {
        By::Req => CoverageBy::Req,
        By::Symbol => CoverageBy::Symbol,
        By::Type => CoverageBy::Type,
    };
    let include_transitive = Some(!no_transitive);
    let input =
        CoverageInput { by, tags, include_passing: all, include_transitive, limit, offset, request_id: None };
    let tree = call.tree()?;
    let output =
        tree.ask(Needs::Store, async |client| client.kb_coverage(&tree.id, tree.branch(), &input).await)?;
    print(&if call.as_json { json(&output) } else { to_text(&output, Look::of_stdout()) })
}

fn to_text(output: &CoverageOutput, look: Look) -> String {
    let (mut reqs, mut symbols, mut types) = (Vec::new(), Vec::new(), Vec::new());
    for row in &output.rows {
        match row {
            CoverageRow::Req(row) => reqs.push(req(row)),
            CoverageRow::Symbol(row) => symbols.push(symbol(row)),
            CoverageRow::Type(row) => types.push([row.kind.to_string(), row.count.to_string()]),
        }
    }
    let mut out = String::new();
    if !reqs.is_empty() {
        let heads =
            ["ID", "STATUS", "PRIORITY", "SCENARIOS", "TESTS", "SYMBOLS", "TRANSITIVE", "GAPS", "TITLE"];
        out += &table(heads, reqs, look);
    }
    if !symbols.is_empty() {
        out += &table(["ID", "STATUS", "REQUIREMENTS", "TESTS", "GAPS", "TITLE"], symbols, look);
    }
    if !types.is_empty() {
        out += &table(["TYPE", "ENTITIES"], types, look);
    }
    out + &look.dim(&summary(&output.summary)) + "\n"
}

fn req(row: &ReqRow) -> [String; 9] {
    [
        text(&row.id),
        text(&row.status),
        text(row.priority.as_deref().unwrap_or("-")),
        row.scenario_count.to_string(),
        row.test_count.to_string(),
        row.direct_symbol_count.to_string(),
        row.transitive_symbol_count.to_string(),
        joined(&row.gaps),
        text(&row.title),
    ]
}

fn symbol(row: &SymbolRow) -> [String; 6] {
    [
        text(&row.id),
        text(&row.status),
        row.direct_requirement_count.to_string(),
        row.test_count.to_string(),
        joined(&row.gaps),
        text(&row.title),
    ]
}

/// The counts that the report has.
fn summary(summary: &CoverageSummary) -> String {
    let CoverageSummary {
        total,
        evaluated,
        fully_covered,
        uncovered,
        not_applicable,
        missing_scenario,
        missing_test,
        missing_scenario_and_test,
    } = summary;
    let counts = [
        ("must be covered", evaluated),
        ("fully covered", fully_covered),
        ("uncovered", uncovered),
        ("not applicable", not_applicable),
        ("without scenario", missing_scenario),
        ("without test", missing_test),
        ("without both", missing_scenario_and_test),
    ];
    let counts = counts.iter().filter_map(|(name, count)| Some(format!("{} {name}", (**count)?)));
    [format!("{total} in all")].into_iter().chain(counts).collect::<Vec<_>>().join(", ")
}
