//! libclang, without which nothing that contains RocksDB can be built: that of the system, or one that is put
//! into the build folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::run;

/// The package of it on PyPI. Nothing else of Python is needed.
const PACKAGE: &str = "libclang==18.1.1";
const HELP: &str = "RocksDB needs libclang to be built, there is none here, and none could be installed: \
    install it (Debian: `apt install libclang-dev`; Fedora: `dnf install clang-devel`), set LIBCLANG_PATH to \
    the folder of libclang.so, or have `python3 -m pip` work";

/// Lets a command that builds find libclang.
pub(crate) fn provide(command: &mut Command) -> Result<()> {
    if std::env::var_os("LIBCLANG_PATH").is_some() || usual_folders().iter().any(|folder| has_it(folder)) {
        return Ok(());
    }
    let folder = run::target_folder().join("libclang");
    let library = folder.join("clang").join("native");
    if !has_it(&library) {
        install(&folder).context(HELP)?;
    }
    command.env("LIBCLANG_PATH", library);
    // The package has no headers of the compiler (stddef.h and the like); those of another compiler will do.
    if let Some(headers) = headers_of_compiler() {
        command.env("BINDGEN_EXTRA_CLANG_ARGS", format!("-I{headers}"));
    }
    Ok(())
}

fn install(folder: &Path) -> Result<()> {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"]);
    pip.args(["--no-deps", "--upgrade", "--target"]).arg(folder).arg(PACKAGE);
    run::succeed(&mut pip)
}

/// Where systems have it.
fn usual_folders() -> Vec<PathBuf> {
    let fixed = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/opt/homebrew/opt/llvm/lib"].map(PathBuf::from);
    let mut folders = fixed.to_vec();
    // One for each architecture, and one for each version.
    for (inside, below) in [("/usr/lib", ""), ("/usr/lib", "lib"), ("/usr/local", "lib")] {
        let entries = fs::read_dir(inside).into_iter().flatten().flatten();
        folders.extend(entries.map(|entry| entry.path().join(below)));
    }
    folders
}

/// Whether a folder has the library; `libclang-cpp.so` is another one.
fn has_it(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).any(|name| is_it(&name))
}

fn is_it(name: &str) -> bool {
    let version =
        |rest: &str| rest.starts_with('-') && rest[1..].starts_with(|first: char| first.is_ascii_digit());
    name.strip_prefix("libclang").is_some_and(|rest| {
        let ends = rest.contains(".so") || rest.ends_with(".dylib");
        ends && (rest.starts_with('.') || version(rest))
    })
}

fn headers_of_compiler() -> Option<String> {
    let output = Command::new("cc").arg("-print-file-name=include").stderr(Stdio::null()).output().ok()?;
    let folder = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    Path::new(&folder).is_dir().then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_told_from_its_neighbours() {
        for name in ["libclang.so", "libclang.so.1", "libclang-14.so.1", "libclang-18.so", "libclang.dylib"] {
            assert!(is_it(name), "{name}");
        }
        for name in ["libclang-cpp.so.14", "libclang.a", "libclang", "libclangAST.so", "libclang_rt.so"] {
            assert!(!is_it(name), "{name}");
        }
    }
}
