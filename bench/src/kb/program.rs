//! The built program, run as users run it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::measure::Setting;
use crate::resident::field;

/// How often the memory of a command is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// A build of `cairn`, and the data directory and the working tree that its commands use.
pub(super) struct Program {
    path: PathBuf,
    data_dir: PathBuf,
    tree: PathBuf,
}

/// A command that has ended.
pub(super) struct Ran {
    pub(super) seconds: f64,
    /// The most memory that was seen, in mebibytes.
    pub(super) most_mib: f64,
    pub(super) output: String,
}

impl Program {
    /// The build of the setting, else a release build of this checkout, with a fresh data directory beside `tree`.
    pub(super) fn new(setting: &Setting, tree: &Path) -> Result<Self> {
        let path = match setting.programs.first() {
            Some(path) => path.canonicalize().with_context(|| format!("finding {}", path.display()))?,
            None => release_build()?,
        };
        let data_dir = tree.with_extension("data");
        let program = Program { path, data_dir, tree: tree.to_owned() };
        program.run(&["init"], &[0])?;
        Ok(program)
    }

    /// Runs a command. Fails unless it ends with one of the expected codes.
    pub(super) fn run(&self, arguments: &[&str], expected: &[i32]) -> Result<Ran> {
        let output = self.tree.with_extension("out");
        let mut command = Command::new(&self.path);
        command.arg("--data-dir").arg(&self.data_dir).args(arguments).current_dir(&self.tree);
        // Nothing of the caller's own KB is used.
        for name in ["CAIRN_BRANCH", "CAIRN_WORKSPACE", "KIBI_BRANCH", "KIBI_WORKSPACE", "CAIRN_DATA_DIR"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::null()).stdout(fs::File::create(&output)?).stderr(Stdio::piped());
        let began = Instant::now();
        let mut child = command.spawn().with_context(|| format!("starting {}", self.path.display()))?;
        let status_file = format!("/proc/{}/status", child.id());
        let mut most_mib: f64 = 0.0;
        let (seconds, code) = loop {
            if let Ok(mib) = field(&status_file, "VmHWM:") {
                most_mib = most_mib.max(mib);
            }
            if let Some(status) = child.try_wait()? {
                break (began.elapsed().as_secs_f64(), status.code());
            }
            thread::sleep(LOOK);
        };
        let errors = child.wait_with_output()?.stderr;
        let is_expected = code.is_some_and(|code| expected.contains(&code));
        let errors = String::from_utf8_lossy(&errors);
        ensure!(is_expected, "cairn {} ended with {code:?}: {errors}", arguments.join(" "));
        Ok(Ran { seconds, most_mib, output: fs::read_to_string(&output)? })
    }
}

fn release_build() -> Result<PathBuf> {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("bench is a folder of the repository")?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--quiet", "--locked", "-p", "cairn"])
        .current_dir(root)
        .env_remove("CARGO_TARGET_DIR")
        .status()
        .context("starting cargo")?;
    ensure!(status.success(), "the build failed ({status})");
    Ok(root.join("target/release/cairn"))
}

/// Runs git in a tree, without the configuration of the user.
pub(super) fn git(tree: &Path, arguments: &[&str]) -> Result<()> {
    let status = Command::new("git")
        .args([
            "-c",
            "user.name=bench",
            "-c",
            "user.email=bench@example.org",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(arguments)
        .current_dir(tree)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .context("starting git")?;
    ensure!(status.success(), "git {} ended with {status}", arguments.join(" "));
    Ok(())
}
