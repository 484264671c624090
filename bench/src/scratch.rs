//! Directories for data, gone when they go out of scope.

use std::path::{Path, PathBuf};
use std::{fs, process};

use anyhow::{Context, Result};

/// A fresh directory that is removed with everything in it.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// A fresh directory inside another one, which is made if it is not there.
    pub(crate) fn inside(parent: &Path) -> Result<Self> {
        Scratch::named(parent, &format!("cairn-bench-{}", process::id()))
    }

    /// A fresh directory in the build folder, so that data is on the disk one works on and not in a
    /// temporary folder that may be memory.
    pub(crate) fn beside_the_build() -> Result<Self> {
        let program = std::env::current_exe().context("finding this program")?;
        let target = program.parent().and_then(Path::parent).context("this program is in no build folder")?;
        Scratch::inside(target)
    }

    /// A fresh directory with a name.
    pub(crate) fn named(parent: &Path, name: &str) -> Result<Self> {
        let path = parent.join(name);
        if path.exists() {
            fs::remove_dir_all(&path).with_context(|| format!("removing {}", path.display()))?;
        }
        fs::create_dir_all(&path).with_context(|| format!("creating {}", path.display()))?;
        Ok(Scratch(path))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("could not remove {}: {error}", self.0.display());
        }
    }
}
