//! The model of a page: sections with tiles, a bar and a table.

/// A page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// Names and values about the whole page.
    pub facts: Vec<(String, String)>,
    /// Its sections.
    pub sections: Vec<Section>,
}

/// A section of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    /// Its name in addresses: lower-case letters and hyphens.
    pub anchor: &'static str,
    /// Its title.
    pub title: &'static str,
    /// One or two sentences about it.
    pub about: String,
    /// What it is about.
    pub scope: Scope,
    /// Its figures.
    pub tiles: Vec<Tile>,
    /// Parts of a whole.
    pub bar: Option<Bar>,
    /// Its table.
    pub table: Option<Table>,
}

/// Filters of a section.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Names and values of filters that apply.
    pub filters: Vec<(String, String)>,
    /// Names of filters that were asked for, and do not apply.
    pub not_applied: Vec<String>,
}

impl Scope {
    /// The line about filters that do not apply.
    pub(super) fn note(&self) -> Option<String> {
        let names = self.not_applied.join(", ");
        (!names.is_empty()).then(|| format!("Not filtered by: {names}"))
    }

    /// The text in place of rows where nothing is counted.
    pub(super) fn none(&self, things: &str) -> String {
        if self.filters.is_empty() {
            format!("No {things}.")
        } else {
            format!("No {things} pass the filters.")
        }
    }
}

/// A figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// What is counted.
    pub label: String,
    /// The count.
    pub value: u64,
    /// Its judgement.
    pub tone: Tone,
}

/// Parts of a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bar {
    /// What the whole is.
    pub label: &'static str,
    /// Its parts, in their order.
    pub parts: Vec<Tile>,
}

/// A judgement. It is never shown by colour alone: what has a tone has a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tone {
    /// As it should be.
    Good,
    /// Worth a look.
    Warn,
    /// Wrong.
    Bad,
    /// A remark.
    Info,
    /// No judgement.
    #[default]
    Plain,
}

impl Tone {
    /// Its name in a style sheet.
    pub fn name(self) -> &'static str {
        match self {
            Tone::Good => "good",
            Tone::Warn => "warn",
            Tone::Bad => "bad",
            Tone::Info => "info",
            Tone::Plain => "plain",
        }
    }
}

/// A table. The first column names the row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// Its caption.
    pub caption: &'static str,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Rows that there are; more than are shown if some were left out.
    pub count: u64,
    /// The text in place of rows if there are none.
    pub empty: String,
}

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its head.
    pub head: &'static str,
    /// Whether it holds numbers.
    pub is_number: bool,
}

/// A row of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// Its cells, one for each column.
    pub cells: Vec<Cell>,
    /// Whether something is missing or wrong in it.
    pub is_gap: bool,
}

/// A cell: lines, one below the other.
pub type Cell = Vec<Line>;

/// A line of a cell.
pub type Line = Vec<Span>;

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    /// Plain text.
    Text(String),
    /// The id of an entity.
    Id(String),
    /// Text of less weight.
    Dim(String),
    /// A short judgement.
    Badge(Tone, String),
}

impl Span {
    /// Its text.
    pub fn text(&self) -> &str {
        match self {
            Span::Text(text) | Span::Id(text) | Span::Dim(text) | Span::Badge(_, text) => text,
        }
    }
}

/// The line below a table that has more rows than are shown.
pub(super) fn cut_note(table: &Table) -> Option<String> {
    let shown = table.rows.len() as u64;
    (shown < table.count).then(|| {
        format!(
            "{shown} of {} rows are shown; the others were left out, and the counts include them.",
            table.count
        )
    })
}
