//! Reports for people: one model of a page, rendered as text, Markdown and HTML.
//!
//! The same data gives the same bytes: no time but those of the data, no order but that of the data. Everything from
//! outside is made harmless and escaped by the renderers; nothing else writes markup.

mod build;
mod escape;
mod html;
mod markdown;
mod model;
mod text;

pub use build::{ReportData, ReportFilter, ReportKind, page};
pub use html::html;
pub use markdown::markdown;
pub use model::{Bar, Cell, Column, Line, Page, Row, Scope, Section, Span, Table, Tile, Tone};
pub use text::text;

#[cfg(test)]
mod tests;
