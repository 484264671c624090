//! `cairn restore`.

use std::path::Path;

use cairn_base::ErrorCode;
use cairn_embedded::{EmbeddedOptions, Progress, RestoreHow, Restored};
use cairn_http::IntoWire;
use cairn_seam::{Stage, StoreError};
use cairn_wire::maintenance::ReportedMissing;
use serde_json::json;

use super::backup::missing_lines;
use crate::failure::Failure;
use crate::open;
use crate::signals::StopFlag;

/// Makes a data directory of a backup, and opens it once to prove that it opens.
pub(super) fn restore(
    data_dir: Option<&Path>,
    backup: &Path,
    accept_missing: bool,
    as_json: bool,
) -> Result<(), Failure> {
    let (data_dir, settings) = super::settings(data_dir, &[])?;
    let dir = &data_dir.path;
    let how = RestoreHow { accept_missing, prove: true };
    let restored = restore_into(dir, backup, &open::options(&settings.config)?, how)?;
    report(dir, backup, restored, as_json)
}

fn restore_into(
    dir: &Path,
    backup: &Path,
    options: &EmbeddedOptions,
    how: RestoreHow,
) -> Result<Restored, Failure> {
    let stop = StopFlag::listen()?;
    let mut on_stage = |Stage { name, done, total }: Stage<'_>| {
        if let Some(tell) = &options.progress {
            tell(name, Progress { done, total });
        }
        !stop.is_set()
    };
    cairn_embedded::restore(backup, dir, options, how, &mut on_stage).map_err(|error| explain(error, backup))
}

fn explain(error: StoreError, backup: &Path) -> Failure {
    let failure = Failure::from(error.clone());
    if let StoreError::Occupied { .. } = error {
        return Failure::usage(error.to_string())
            .hint("name another directory with --data-dir, or move this one away; nothing was changed");
    }
    if let StoreError::Stopped = error {
        return Failure::new("stopped; nothing was restored");
    }
    if let StoreError::PartialBackup { .. } = error {
        return failure
            .hint("use an older backup that is whole, or restore what there is with --accept-missing");
    }
    if let StoreError::Io { .. } = error {
        return failure.hint("nothing was restored; check both paths and that you may use them");
    }
    let is_of_backup = matches!(&error, StoreError::Damaged(at) if at.file == backup);
    if is_of_backup {
        return failure.hint("the backup was cut or changed: use another copy of it; nothing was restored");
    }
    if error.code() == ErrorCode::Damaged {
        return failure.hint(
            "what was backed up is damaged: use another backup, or restore what there is with --accept-missing; \
             nothing was restored",
        );
    }
    failure
}

fn report(dir: &Path, backup: &Path, restored: Restored, as_json: bool) -> Result<(), Failure> {
    let Restored { position, files, bytes, missing, unopened } = restored;
    let left_out = missing.left_out;
    let missing: Vec<ReportedMissing> = missing.places.into_iter().map(IntoWire::into_wire).collect();
    if as_json {
        let mut line = json!({
            "data_dir": dir.to_string_lossy(),
            "backup": backup.to_string_lossy(),
            "position": position.to_stored(),
            "files": files,
            "bytes": bytes,
        });
        if !missing.is_empty() || unopened.is_some() {
            line["missing"] = json!(missing);
            line["missing_left_out"] = json!(left_out);
            line["opens"] = json!(unopened.is_none());
        }
        super::print(&format!("{line}\n"))?;
    } else {
        super::print(&format!(
            "{}restored {} from {}: {files} files, {bytes} bytes\n",
            missing_lines(&missing, left_out),
            dir.display(),
            backup.display(),
        ))?;
    }
    if let Some(error) = unopened {
        let message = format!("restored, but the store does not open: {error}");
        return Err(Failure::damaged(message)
            .hint("`cairn salvage --to DIR` rebuilds a store from every transaction that can be read"));
    }
    if as_json {
        return Ok(());
    }
    super::print(&format!("start the server with `cairn --data-dir {} serve`\n", dir.display()))
}
