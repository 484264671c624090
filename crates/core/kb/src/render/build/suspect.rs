//! Suspect links.

use super::super::model::{Row, Scope, Section, Span, Table, Tone};
use super::cells::{column, cut, tile};
use crate::tools::{ChangedEnds, SuspectLink, SuspectOutput};

/// Links whose ends changed after they were made.
pub(super) fn section(suspect: &SuspectOutput, scope: Scope) -> Section {
    Section {
        anchor: "suspect",
        title: "Suspect links",
        about: "An end of these links says something else than when the link was made. Look whether the link still holds, \
                then accept it."
            .to_owned(),
        tiles: vec![
            tile("suspect", suspect.count, Tone::Warn),
            tile("can be compared", suspect.known, Tone::Info),
            tile("older than the comparison", suspect.unknown, Tone::Plain),
        ],
        bar: None,
        table: Some(Table {
            caption: "Suspect links with the ends that changed",
            columns: ["Source", "Link", "Target", "Changed"].map(column).into(),
            rows: suspect.links.iter().map(row).collect(),
            count: suspect.count,
            empty: "No end of a link has changed.".to_owned(),
        }),
        scope,
    }
}

fn row(link: &SuspectLink) -> Row {
    let end = |id: &str, title: &str| vec![vec![Span::Id(id.to_owned())], vec![Span::Text(cut(title))]];
    let changed = match link.changed {
        ChangedEnds::Source => "source",
        ChangedEnds::Target => "target",
        ChangedEnds::Both => "source and target",
    };
    Row {
        cells: vec![
            end(&link.from, &link.from_title),
            vec![vec![Span::Text(link.relation.text().to_owned())]],
            end(&link.to, &link.to_title),
            vec![vec![Span::Badge(Tone::Info, changed.to_owned())]],
        ],
        is_gap: true,
    }
}
