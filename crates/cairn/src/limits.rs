//! Limits of the program itself. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

/// Networks whose clients need no token.
pub(crate) const TRUSTED_NETWORKS_MAX: usize = 64;
/// How often the files with certificates and their keys are looked at.
pub(crate) const TLS_FILES_EVERY: Duration = Duration::from_secs(1);
