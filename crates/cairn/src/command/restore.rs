//! `cairn restore`.

use std::path::Path;

use cairn_base::ErrorCode;
use cairn_embedded::{EmbeddedOptions, Progress, Restored};
use cairn_seam::{Stage, Store, StoreError};
use serde_json::json;

use crate::failure::Failure;
use crate::open;
use crate::signals::StopFlag;

/// Makes a data directory of a backup, and opens it once to prove that it opens.
pub(super) fn restore(data_dir: Option<&Path>, backup: &Path, as_json: bool) -> Result<(), Failure> {
    let (data_dir, settings) = super::settings(data_dir, &[])?;
    let dir = &data_dir.path;
    let is_new = !dir.exists();
    open::create_dir(dir)?;
    let restored = restore_into(dir, backup, &open::options(&settings.config)?);
    if restored.is_err() && is_new {
        // It is empty; an empty directory that stays harms nobody.
        let _ = std::fs::remove_dir(dir);
    }
    let restored = restored?;
    open::embedded(dir, &settings.config, open::Loss::Refuse)?.close()?;
    report(dir, backup, restored, as_json)
}

fn restore_into(dir: &Path, backup: &Path, options: &EmbeddedOptions) -> Result<Restored, Failure> {
    let stop = StopFlag::listen()?;
    let mut on_stage = |Stage { name, done, total }: Stage<'_>| {
        if let Some(tell) = &options.progress {
            tell(name, Progress { done, total });
        }
        !stop.is_set()
    };
    cairn_embedded::restore(backup, dir, options, &mut on_stage).map_err(explain)
}

fn explain(error: StoreError) -> Failure {
    if let StoreError::Occupied { .. } = error {
        return Failure::usage(error.to_string())
            .hint("name another directory with --data-dir, or move this one away; nothing was changed");
    }
    if let StoreError::Stopped = error {
        return Failure::new("stopped; nothing was restored");
    }
    let is_damaged = error.code() == ErrorCode::Damaged;
    let failure = Failure::from(error);
    if is_damaged {
        return failure.hint("the backup was cut or changed: use another copy of it; nothing was restored");
    }
    failure
}

fn report(dir: &Path, backup: &Path, restored: Restored, as_json: bool) -> Result<(), Failure> {
    let Restored { position, files, bytes } = restored;
    if as_json {
        let line = json!({
            "data_dir": dir.to_string_lossy(),
            "backup": backup.to_string_lossy(),
            "position": position.0,
            "files": files,
            "bytes": bytes,
        });
        return super::print(&format!("{line}\n"));
    }
    super::print(&format!(
        "restored {} from {}: {files} files, {bytes} bytes\nstart the server with `cairn --data-dir {} serve`\n",
        dir.display(),
        backup.display(),
        dir.display(),
    ))
}
