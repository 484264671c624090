//! Opening stores as the configuration says.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use cairn_access::identity::FOLDER;
use cairn_base::ErrorCode;
use cairn_embedded::{EmbeddedOptions, EmbeddedStore, OpenReport, RESTORE_MARK};
use cairn_seam::StoreError;

use crate::config::{Config, FILE_NAME};
use crate::failure::Failure;
use crate::{dir_access, key_file, progress};

/// What to do about damaged data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// Open read-only if records are missing.
    Refuse,
    /// Go on without them.
    Accept,
}

/// Damaged places that are named in the log at most.
const DAMAGE_SHOWN_MAX: usize = 20;

/// Makes the directory, readable by its owner alone, if it is not there.
pub(crate) fn create_dir(dir: &Path) -> Result<(), Failure> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(|error| {
        Failure::io(format_args!("make {}", dir.display()), &error)
            .hint("name a directory you may write to with --data-dir, or try `cairn serve --in-memory`")
    })
}

/// Opens the store in a data directory, making a new one in an empty directory.
pub(crate) fn embedded(dir: &Path, config: &Config, loss: Loss) -> Result<EmbeddedStore, Failure> {
    refuse_foreign(dir)?;
    dir_access::refuse_writable(dir)?;
    let options = EmbeddedOptions { accept_loss: loss == Loss::Accept, ..options(config)? };
    let store = EmbeddedStore::open(dir, options).map_err(|error| {
        let is_restored = !matches!(error, StoreError::UnfinishedRestore { .. });
        let hopeless = is_restored && loss == Loss::Accept && error.code() == ErrorCode::Damaged;
        let failure = Failure::from(error);
        if hopeless { failure.hint("accepting loss does not help here: restore a backup") } else { failure }
    })?;
    dir_access::warn_if_shared(dir);
    tell(store.open_report());
    Ok(store)
}

/// How the configuration wants stores to be.
pub(crate) fn options(config: &Config) -> Result<EmbeddedOptions, Failure> {
    Ok(EmbeddedOptions {
        segment_bytes: config.store_segment_bytes,
        reserve_bytes: config.store_reserve_bytes,
        reserve_file_bytes: config.store_reserve_file_bytes,
        cache_bytes: usize::try_from(config.store_cache_bytes).unwrap_or(usize::MAX),
        key: key_file::configured(config)?,
        progress: Some(progress::reporter()),
        ..EmbeddedOptions::default()
    })
}

/// A slip of the keyboard must not fill somebody's home with our files.
pub(crate) fn refuse_foreign(dir: &Path) -> Result<(), Failure> {
    let doing = || format!("look into {}", dir.display());
    let mut is_empty = true;
    for entry in dir.read_dir().map_err(|error| Failure::io(doing(), &error))? {
        let name = entry.map_err(|error| Failure::io(doing(), &error))?.file_name();
        let is_identity = name == FOLDER && dir.join(FOLDER).join("LOCK").is_file();
        if is_identity || ["LOCK", "MANIFEST", RESTORE_MARK, FILE_NAME].iter().any(|ours| name == *ours) {
            return Ok(());
        }
        is_empty = false;
    }
    if is_empty {
        return Ok(());
    }
    Err(Failure::usage(format!("{} holds other files and is no data directory of cairn", dir.display()))
        .hint("name an empty directory, or make one inside it with `cairn init`"))
}

fn tell(report: &OpenReport) {
    let OpenReport { torn, damage, read_only, lost, rebuilt, replayed, untidy } = report;
    for damage in damage.iter().take(DAMAGE_SHOWN_MAX) {
        tracing::error!("the log is damaged: {damage}");
    }
    if damage.len() > DAMAGE_SHOWN_MAX {
        tracing::error!("{} more places of the log are damaged", damage.len() - DAMAGE_SHOWN_MAX);
    }
    if let Some(why) = read_only {
        tracing::error!(
            "the store is open read-only: {why}. `cairn salvage --to DIR` makes a new store of everything \
             that can be read; --accept-loss goes on without what is missing"
        );
    }
    if *lost {
        tracing::error!("loss was accepted: records in the damaged places are missing");
    }
    if let Some(torn) = torn {
        tracing::info!("set aside what was never acknowledged: {torn}");
    }
    if let Some(rebuilt) = rebuilt {
        tracing::warn!("rebuilt the index: {rebuilt}");
    }
    if *untidy {
        tracing::warn!("the disk is full: what opening found is written down once there is room");
    }
    tracing::debug!(replayed, "opened the store");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_empty_directories_and_our_own_are_taken() {
        for (file, fine) in [
            (None, true),
            (Some("LOCK"), true),
            (Some(RESTORE_MARK), true),
            (Some(FILE_NAME), true),
            (Some("identity/LOCK"), true),
            (Some("letter.txt"), false),
            (Some("identity/letter.txt"), false),
        ] {
            let dir = tempfile::tempdir().expect("a temporary folder");
            if let Some(file) = file {
                std::fs::create_dir_all(dir.path().join(file).parent().expect("a folder")).expect("folders");
                std::fs::write(dir.path().join(file), "").expect("a file");
            }
            assert_eq!(refuse_foreign(dir.path()).is_ok(), fine, "{file:?}");
        }
    }
}
