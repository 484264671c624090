//! `cairn salvage`.

use std::path::{Path, PathBuf};

use cairn_base::ErrorCode;
use cairn_embedded::{EmbeddedOptions, EmbeddedStore, Progress};
use cairn_engine::{SalvageReport, Traces, rebuild_after_loss};
use cairn_seam::{Item, LostRange, SalvagedStore, Stage, Store, StoreError};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::open;
use crate::signals::StopFlag;

/// The complete report, in the new directory.
const REPORT: &str = "salvage-report.json";
/// What stands in the text of each list; the rest is counted.
const SHOWN_MAX: usize = 20;

/// Makes a new data directory of everything that can be read in a damaged one.
pub(super) fn salvage(data_dir: Option<&Path>, to: &Path, as_json: bool) -> Result<(), Failure> {
    let (data_dir, settings) = super::settings(data_dir, &[])?;
    let from = &data_dir.path;
    check_places(from, to)?;
    let unfinished = unfinished(to)?;
    let options = open::options(&settings.config)?;
    let done = salvage_into(from, &unfinished, &options);
    let (salvaged, report) = match done {
        Ok(done) => done,
        Err(failure) => {
            // It holds nothing but what was just written.
            let _ = std::fs::remove_dir_all(&unfinished);
            return Err(failure);
        }
    };
    let told = to_json(from, to, &salvaged, &report);
    name(&unfinished, to, &told)?;
    if as_json {
        super::print(&format!("{told}\n"))
    } else {
        super::print(&to_text(from, to, &salvaged, &report))
    }
}

/// The damaged directory is there, and the new one is another.
fn check_places(from: &Path, to: &Path) -> Result<(), Failure> {
    if !from.is_dir() {
        return Err(Failure::usage(format!("there is no directory {}", from.display()))
            .hint("name the damaged data directory with --data-dir"));
    }
    let real = |path: &Path| {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        absolute.canonicalize().unwrap_or(absolute)
    };
    if real(to).starts_with(real(from)) {
        return Err(Failure::usage(format!("{} is inside of the damaged directory", to.display()))
            .hint("name a directory elsewhere with --to: nothing is written to the damaged one"));
    }
    let is_free = to.read_dir().map_or(!to.exists(), |mut entries| entries.next().is_none());
    if !is_free {
        return Err(Failure::usage(format!("{} is in the way", to.display()))
            .hint("name an empty directory, or one that is not there yet; nothing was changed"));
    }
    Ok(())
}

/// Where the new directory is until it is whole.
fn unfinished(to: &Path) -> Result<PathBuf, Failure> {
    let mut name = to.as_os_str().to_owned();
    name.push(".unfinished");
    let path = PathBuf::from(name);
    if path.symlink_metadata().is_ok() {
        return Err(Failure::usage(format!("{} is left of an earlier salvage", path.display()))
            .hint("remove it; nothing was changed"));
    }
    Ok(path)
}

fn salvage_into(
    from: &Path,
    to: &Path,
    options: &EmbeddedOptions,
) -> Result<(SalvagedStore, SalvageReport), Failure> {
    open::create_dir(to)?;
    let stop = StopFlag::listen()?;
    let mut on_stage = |Stage { name, done, total }: Stage<'_>| {
        if let Some(tell) = &options.progress {
            tell(name, Progress { done, total });
        }
        !stop.is_set()
    };
    let mut traces = Traces::default();
    let salvaged =
        cairn_embedded::salvage(from, to, options.clone(), &mut traces, &mut on_stage).map_err(explain)?;
    let store = EmbeddedStore::open(to, options.clone())?;
    let report = rebuild_after_loss(&store, &traces, &salvaged, &*options.clock, &mut on_stage)?;
    store.close()?;
    Ok((salvaged, report))
}

fn explain(error: StoreError) -> Failure {
    if let StoreError::Stopped = error {
        return Failure::new("stopped; nothing was salvaged");
    }
    let is_damaged = error.code() == ErrorCode::Damaged;
    let failure = Failure::from(error);
    if is_damaged { failure.hint("nothing of it can be read: restore a backup") } else { failure }
}

/// Gives the finished directory its name.
fn name(unfinished: &Path, to: &Path, report: &Value) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::io(format!("write {}", to.display()), &error);
    let path = unfinished.join(REPORT);
    let text = serde_json::to_string_pretty(report).map_err(|error| failed(error.into()))? + "\n";
    crate::private_file::write_new(&path, text.as_bytes(), "")?;
    std::fs::rename(unfinished, to).map_err(failed)?;
    crate::private_file::folder_of(to).and_then(|folder| folder.sync_all()).map_err(failed)
}

fn to_json(from: &Path, to: &Path, salvaged: &SalvagedStore, report: &SalvageReport) -> Value {
    let item = |item: &Item| {
        json!({
            "tenant": item.tenant.0,
            "space": item.space.0,
            "kind": item.kind,
            "id": item.id,
            "detail": item.detail,
        })
    };
    let items = |items: &[Item]| items.iter().map(item).collect::<Vec<_>>();
    let range = |lost: &LostRange| {
        json!({
            "file": lost.file,
            "offset": lost.offset,
            "bytes": lost.bytes,
            "positions": [lost.positions.start, lost.positions.end],
            "tenants": lost.tenants.iter().map(|tenant| tenant.0).collect::<Vec<_>>(),
            "detail": lost.detail,
        })
    };
    json!({
        "data_dir": from.to_string_lossy(),
        "to": to.to_string_lossy(),
        "bytes": salvaged.bytes,
        "transactions": salvaged.transactions,
        "blobs": salvaged.blobs,
        "rebuilt_records": report.rebuilt_records,
        "lost": items(&report.lost),
        "orphans": items(&report.orphans),
        "moved_heads": items(&report.moved),
        "lost_bytes": salvaged.lost.iter().map(range).collect::<Vec<_>>(),
        "notes": salvaged.notes,
        "warnings": report.warnings,
    })
}

fn to_text(from: &Path, to: &Path, salvaged: &SalvagedStore, report: &SalvageReport) -> String {
    let mut text = format!(
        "salvaged {} into {}: {}, {} and {} of log\n",
        from.display(),
        to.display(),
        super::counted(salvaged.transactions, "transaction"),
        super::counted(salvaged.blobs, "blob"),
        super::counted(salvaged.bytes, "byte"),
    );
    text += &by_kind("lost", &report.lost);
    text += &one_by_one("left without what it refers to", &report.orphans);
    text += &one_by_one("heads that moved", &report.moved);
    let ranges: Vec<String> = salvaged.lost.iter().map(range_line).collect();
    text += &section("damaged places", &ranges);
    for line in salvaged.notes.iter().chain(&report.warnings) {
        text += &format!("note: {line}\n");
    }
    if report.lost.is_empty() && salvaged.lost.is_empty() {
        text += "nothing is lost\n";
    }
    text + &format!(
        "everything is listed in {}\nsettings (cairn.toml) and the folder identity are not copied\n",
        to.join(REPORT).display()
    )
}

fn range_line(lost: &LostRange) -> String {
    match lost.bytes {
        0 => format!("{} at byte {}: {}", lost.file, lost.offset, lost.detail),
        bytes => format!("{} at byte {}: {bytes} bytes, {}", lost.file, lost.offset, lost.detail),
    }
}

/// Ids of one tenant and kind in a line.
fn by_kind(title: &str, items: &[Item]) -> String {
    let mut lines = Vec::new();
    for group in items.chunk_by(|a, b| (a.tenant, a.space, a.kind) == (b.tenant, b.space, b.kind)) {
        let ids: Vec<&str> = group.iter().take(SHOWN_MAX).map(|item| item.id.as_str()).collect();
        let more = group.len().saturating_sub(SHOWN_MAX);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let first = &group[0];
        lines.push(format!(
            "tenant {}: {} {}{more}",
            first.tenant,
            super::counted(group.len() as u64, first.kind),
            ids.join(", ")
        ));
    }
    section(title, &lines)
}

fn one_by_one(title: &str, items: &[Item]) -> String {
    let line = |item: &Item| format!("tenant {}: {} {}: {}", item.tenant, item.kind, item.id, item.detail);
    section(title, &items.iter().map(line).collect::<Vec<_>>())
}

fn section(title: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut text = format!("{title}:\n");
    for line in lines.iter().take(SHOWN_MAX) {
        text += &format!("  {line}\n");
    }
    if lines.len() > SHOWN_MAX {
        text += &format!("  and {} more\n", lines.len() - SHOWN_MAX);
    }
    text
}

#[cfg(test)]
mod tests {
    use cairn_base::{SpaceId, TenantId};

    use super::*;

    fn item(tenant: u32, kind: &'static str, id: &str) -> Item {
        let detail = "its parent, turn 7, is lost".to_owned();
        Item { tenant: TenantId(tenant), space: SpaceId::NONE, kind, id: id.to_owned(), detail }
    }

    #[test]
    fn text_is_bounded_and_counts_the_rest() {
        let many: Vec<Item> = (1..=SHOWN_MAX + 5).map(|id| item(1, "turn", &id.to_string())).collect();
        let text = by_kind("lost", &many);
        assert!(text.starts_with("lost:\n  tenant 1: 25 turns 1, 2, 3"), "{text}");
        assert!(text.ends_with("20 and 5 more\n"), "{text}");
        let two = by_kind("lost", &[item(1, "turn", "8"), item(2, "context", "9")]);
        assert_eq!(two, "lost:\n  tenant 1: 1 turn 8\n  tenant 2: 1 context 9\n");
        let text = one_by_one("left", &many);
        assert_eq!(text.lines().count(), 1 + SHOWN_MAX + 1);
        assert!(text.ends_with("  and 5 more\n"));
        assert_eq!(by_kind("lost", &[]), "");
    }
}
