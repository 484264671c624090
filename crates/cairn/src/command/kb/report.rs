//! `cairn kb report`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use cairn_http::{Client, ClientError};
use cairn_kb::Rule;
use cairn_kb::render::{ReportData, ReportFilter, ReportKind, html, markdown, page, text};
use cairn_kb::tools::{
    CheckInput, CheckOutput, CoverageInput, CoverageOutput, MatrixBy, MatrixInput, MatrixOutput,
    StatusOutput, SuspectInput, SuspectOutput,
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::Call;
use super::report_file::{is_standard_output, replace};
use super::tree::Tree;
use crate::command::answer::json;
use crate::command::print;
use crate::failure::Failure;
use crate::limits::{KB_REPORT_ROWS_DEFAULT, KB_REPORT_ROWS_MAX, KB_REPORT_TRIES_MAX};
use crate::progress;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb report                                  everything, as text
  cairn kb report --format html --output report.html
                                                   one page that needs no network
  cairn kb report matrix --priority must --format markdown > matrix.md
  cairn kb report matrix --tag security --gaps-only
  cairn kb report contradictions
  cairn kb report coverage --json | jq .coverage.summary

The same state of the KB gives the same bytes. A file is replaced at once, when the report is whole.
--tag applies to the matrix, to coverage, and to code, tests and scenarios with gaps; --source-file
to the matrix and these; --priority, --gaps-only and --retired to the matrix alone. Each section
names its filters.";

/// Which report.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Report
    #[arg(value_name = "REPORT", value_parser = kind(), default_value = "all")]
    kind: ReportKind,

    /// Output format [default: text; json with --json]
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<Format>,

    /// File to write; - for standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Only entities with any of these tags; can be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,

    /// Only entities with any of these priorities; can be repeated
    #[arg(long = "priority", value_name = "PRIORITY")]
    priorities: Vec<String>,

    /// Only entities whose source file contains this text
    #[arg(long, value_name = "TEXT")]
    source_file: Option<String>,

    /// Only requirements with a gap, a failing test or a suspect link
    #[arg(long)]
    gaps_only: bool,

    /// Include entities that are deprecated, removed or superseded
    #[arg(long)]
    retired: bool,

    /// Maximum rows of each table, at most 50000
    #[arg(long, value_name = "N", default_value_t = KB_REPORT_ROWS_DEFAULT,
          value_parser = clap::value_parser!(u32).range(1..=i64::from(KB_REPORT_ROWS_MAX)))]
    max_rows: u32,
}

fn kind() -> impl TypedValueParser<Value = ReportKind> {
    PossibleValuesParser::new(ReportKind::TEXTS.iter().copied())
        .map(|text| ReportKind::parse(&text).expect("it is one of the list"))
}

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Markdown,
    Json,
    Html,
}

/// Writes a report.
pub(super) fn report(call: &Call<'_>, arguments: &ReportArgs) -> Result<(), Failure> {
    let format = arguments.format.unwrap_or(if call.as_json { Format::Json } else { Format::Text });
    let file = arguments.output.as_deref().filter(|path| !is_standard_output(path));
    refuse_terminal(format, file)?;
    let tree = call.tree()?;
    let data = collect(&tree, arguments)?;
    let rendered = match format {
        Format::Text => text(&page(&data)),
        Format::Markdown => markdown(&page(&data)),
        Format::Json => json(&data),
        Format::Html => html(&page(&data)),
    };
    match file {
        None => print(&rendered),
        Some(file) => {
            replace(file, rendered.as_bytes())?;
            eprintln!("wrote {}", crate::command::answer::text(&file.display().to_string()));
            Ok(())
        }
    }
}

fn refuse_terminal(format: Format, file: Option<&Path>) -> Result<(), Failure> {
    let is_readable = format != Format::Html || file.is_some() || !std::io::stdout().is_terminal();
    if is_readable {
        return Ok(());
    }
    Err(Failure::usage("HTML is not written to a terminal").hint("add --output FILE"))
}

/// Reads everything that the report needs, all of it from one snapshot of the branch.
fn collect(tree: &Tree, arguments: &ReportArgs) -> Result<ReportData, Failure> {
    let _waiting = progress::waiting("reading the KB");
    for _ in 0..KB_REPORT_TRIES_MAX {
        let read = tree.ask(Needs::Store, async |client| {
            let mut reader = Reader { client, tree, arguments, meta: None };
            reader.read().await
        })?;
        if let Some(data) = read {
            return Ok(data);
        }
    }
    Err(Failure::new("the KB was written to while it was read").hint("try again when nobody writes to it"))
}

/// Reads results page by page.
struct Reader<'a> {
    client: &'a mut Client,
    tree: &'a Tree,
    arguments: &'a ReportArgs,
    /// State of the branch that the first page was read from.
    meta: Option<StatusOutput>,
}

/// A result, or `None` if the branch was written to meanwhile.
type Steady<T> = Result<Option<T>, ClientError>;

impl Reader<'_> {
    async fn read(&mut self) -> Steady<ReportData> {
        let kind = self.arguments.kind;
        let has = |one| kind == one || kind == ReportKind::All;
        let mut data = ReportData { filters: filters(self.arguments), ..ReportData::default() };
        if has(ReportKind::Matrix) {
            let Some(matrix) = self.matrix(MatrixBy::Req).await? else { return Ok(None) };
            data.matrix = Some(matrix);
            for by in [MatrixBy::Symbol, MatrixBy::Test, MatrixBy::Scenario] {
                let Some(untraced) = self.matrix(by).await? else { return Ok(None) };
                data.untraced.push(untraced);
            }
            let Some(suspect) = self.suspect().await? else { return Ok(None) };
            data.suspect = Some(suspect);
        }
        if has(ReportKind::Coverage) {
            let Some(coverage) = self.coverage().await? else { return Ok(None) };
            data.coverage = Some(coverage);
        }
        if has(ReportKind::Contradictions) {
            let Some(check) = self.contradictions().await? else { return Ok(None) };
            data.contradictions = Some(check);
        }
        data.meta = self.meta.clone().unwrap_or_default();
        Ok(Some(data))
    }

    /// Rows of the next page; `None` if there are enough.
    fn next(&self, have: usize, count: u64) -> Option<(u32, u32)> {
        let have = u32::try_from(have).ok()?;
        let most = self.arguments.max_rows.min(u32::try_from(count).unwrap_or(u32::MAX));
        (have < most).then(|| (have, (most - have).min(cairn_kb::limits::PAGE_MAX)))
    }

    /// Whether a page is of the snapshot that the others are of.
    fn is_steady(&mut self, meta: &StatusOutput) -> bool {
        self.meta.get_or_insert_with(|| meta.clone()).snapshot_id == meta.snapshot_id
    }

    async fn matrix(&mut self, by: MatrixBy) -> Steady<MatrixOutput> {
        let is_req = by == MatrixBy::Req;
        let mut all: Option<MatrixOutput> = None;
        let mut page = self.next(0, u64::MAX);
        while let Some((offset, limit)) = page {
            let input = MatrixInput {
                by,
                tags: self.arguments.tags.clone(),
                priorities: if is_req { self.arguments.priorities.clone() } else { Vec::new() },
                source_file: self.arguments.source_file.clone(),
                only_gaps: !is_req || self.arguments.gaps_only,
                include_retired: is_req && self.arguments.retired,
                limit: Some(limit),
                offset: Some(offset),
                request_id: None,
            };
            let more = self.client.kb_matrix(&self.tree.id, self.tree.branch(), &input).await?;
            if !self.is_steady(&more.meta) {
                return Ok(None);
            }
            let is_last = more.rows.is_empty();
            let so_far = match &mut all {
                None => all.insert(more),
                Some(so_far) => {
                    so_far.rows.extend(more.rows);
                    so_far
                }
            };
            page = self.next(so_far.rows.len(), so_far.count).filter(|_| !is_last);
        }
        Ok(all)
    }

    async fn coverage(&mut self) -> Steady<CoverageOutput> {
        let mut all: Option<CoverageOutput> = None;
        let mut page = self.next(0, u64::MAX);
        while let Some((offset, limit)) = page {
            let input = CoverageInput {
                tags: self.arguments.tags.clone(),
                include_passing: true,
                limit: Some(limit),
                offset: Some(offset),
                ..CoverageInput::default()
            };
            let more = self.client.kb_coverage(&self.tree.id, self.tree.branch(), &input).await?;
            if !self.is_steady(&more.meta) {
                return Ok(None);
            }
            let is_last = more.rows.is_empty();
            let so_far = match &mut all {
                None => all.insert(more),
                Some(so_far) => {
                    so_far.rows.extend(more.rows);
                    so_far
                }
            };
            page = self.next(so_far.rows.len(), so_far.summary.total).filter(|_| !is_last);
        }
        Ok(all)
    }

    async fn suspect(&mut self) -> Steady<SuspectOutput> {
        let mut all: Option<SuspectOutput> = None;
        let mut page = self.next(0, u64::MAX);
        while let Some((offset, limit)) = page {
            let input = SuspectInput { limit: Some(limit), offset: Some(offset), ..SuspectInput::default() };
            let more = self.client.kb_suspect(&self.tree.id, self.tree.branch(), &input).await?;
            if !self.is_steady(&more.meta) {
                return Ok(None);
            }
            let is_last = more.links.is_empty();
            let so_far = match &mut all {
                None => all.insert(more),
                Some(so_far) => {
                    so_far.links.extend(more.links);
                    so_far
                }
            };
            page = self.next(so_far.links.len(), so_far.count).filter(|_| !is_last);
        }
        Ok(all)
    }

    async fn contradictions(&mut self) -> Steady<CheckOutput> {
        // The check names its snapshot, and not the state of the branch.
        let meta = self.client.kb_status(&self.tree.id, self.tree.branch()).await?;
        if !self.is_steady(&meta) {
            return Ok(None);
        }
        let mut all: Option<CheckOutput> = None;
        let mut page = self.next(0, u64::MAX);
        while let Some((offset, limit)) = page {
            let input = CheckInput {
                rules: Some(vec![Rule::DomainContradictions]),
                limit: Some(limit),
                offset: Some(offset),
                ..CheckInput::default()
            };
            let more = self.client.kb_check(&self.tree.id, self.tree.branch(), &input).await?;
            if more.snapshot_id != meta.snapshot_id {
                return Ok(None);
            }
            let is_last = more.violations.is_empty();
            let so_far = match &mut all {
                None => all.insert(more),
                Some(so_far) => {
                    so_far.violations.extend(more.violations);
                    so_far
                }
            };
            page = self.next(so_far.violations.len(), so_far.count).filter(|_| !is_last);
        }
        Ok(all)
    }
}

/// Filters and their values.
fn filters(arguments: &ReportArgs) -> Vec<(ReportFilter, String)> {
    let said = |is_said: bool, text: &str| if is_said { text.to_owned() } else { String::new() };
    let all = [
        (ReportFilter::Tags, arguments.tags.join(", ")),
        (ReportFilter::Priorities, arguments.priorities.join(", ")),
        (ReportFilter::SourceFile, arguments.source_file.clone().unwrap_or_default()),
        (ReportFilter::Rows, said(arguments.gaps_only, "only with gaps")),
        (ReportFilter::Retired, said(arguments.retired, "included")),
    ];
    all.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}
