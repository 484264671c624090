//! `cargo xtask api`: a server is asked whatever its own description allows, and what it does not.
//!
//! Schemathesis reads `/openapi.json` and makes requests of it, good and bad ones. No answer may blame the
//! server, and each must have a status, a media type and a shape that the description names. It always asks
//! the same: versions are pinned, nothing is random, and the store begins with the same few turns.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::run;

/// Which packages, and which versions of them.
const REQUIREMENTS: &str = include_str!("../schemathesis/requirements.txt");
/// Longer than this nobody waits for it.
const LONGEST: Duration = Duration::from_secs(180);
const CHECKS: &str =
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";

const ARGUMENTS: &[&str] = &[
    "--checks",
    CHECKS,
    "--phases",
    "examples,coverage,fuzzing,stateful",
    "--max-examples",
    "40",
    "--generation-deterministic",
    // Streams of events have no end.
    "--exclude-path-regex",
    "/events$",
    "--request-timeout",
    "20",
    "--continue-on-failure",
    "--workers",
    "1",
    "--suppress-health-check",
    "all",
    "--warnings",
    "off",
    "--no-color",
];

/// What is in the store when it begins.
const SEEDS: &[&[&str]] = &[
    &["init"],
    &["turns", "append", "new", "--type", "com.example.Message", "--text", "hello"],
    &["turns", "append", "1", "--type", "com.example.Message", "--text", "again"],
    &["turns", "fork", "1"],
];

/// Asks, unless schemathesis cannot be had here, which the last line of the tests says too.
pub(crate) fn api() -> Result<()> {
    if let Some(why) = missing(&run::root()) {
        println!("skipped: schemathesis ({why})");
        return Ok(());
    }
    run::succeed(&mut run::cargo(&["build", "--workspace", "--all-features", "--bin", "cairn"]))?;
    let folder = Folder::make(&run::target_folder().join(format!("api-{}", std::process::id())))?;
    let server = Server::start(&run::target_folder().join("debug").join("cairn"), &folder.0)?;
    let description = format!("http://{}/openapi.json", server.http);
    let mut asking = Command::new(environment().join("bin").join("schemathesis"));
    asking.args(["run", &description]).args(ARGUMENTS).current_dir(&folder.0);
    asking.env("SCHEMATHESIS_HOOKS", "hooks").env("PYTHONPATH", run::root().join("xtask/schemathesis"));
    asking.env("PYTHONDONTWRITEBYTECODE", "1").env("NO_PROXY", "127.0.0.1");
    succeed_within(&mut asking, LONGEST)
}

/// Why schemathesis cannot run here, if it cannot. It is installed when this is first asked.
pub(crate) fn missing(_root: &Path) -> Option<String> {
    static WHY: OnceLock<Option<String>> = OnceLock::new();
    WHY.get_or_init(|| install(&environment()).err().map(|error| format!("{error:#}"))).clone()
}

fn environment() -> PathBuf {
    run::target_folder().join("schemathesis")
}

/// Makes a virtual environment with what is required, unless it is there already.
fn install(environment: &Path) -> Result<()> {
    // Written last: an environment without it, or with another one, is made anew.
    let installed = environment.join("requirements.txt");
    if fs::read_to_string(&installed).is_ok_and(|text| text == REQUIREMENTS) {
        return Ok(());
    }
    let mut python = Command::new("python3");
    python.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    if !python.status().is_ok_and(|status| status.success()) {
        bail!("python3 not found");
    }
    if environment.exists() {
        fs::remove_dir_all(environment)?;
    }
    run::succeed(Command::new("python3").args(["-m", "venv"]).arg(environment))?;
    let mut pip = Command::new(environment.join("bin").join("pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--requirement"]);
    run::succeed(pip.arg(run::root().join("xtask/schemathesis/requirements.txt")))?;
    Ok(fs::write(installed, REQUIREMENTS)?)
}

/// Runs a command to its end, or ends it.
fn succeed_within(command: &mut Command, longest: Duration) -> Result<()> {
    let mut child = command.spawn().context("schemathesis could not be started")?;
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            if !status.success() {
                bail!("the server and its description do not agree ({status})");
            }
            return Ok(());
        }
        if started.elapsed() > longest {
            child.kill()?;
            child.wait()?;
            bail!("schemathesis was not done within {} seconds", longest.as_secs());
        }
        sleep(Duration::from_millis(100));
    }
}

/// A folder that goes with this value.
struct Folder(PathBuf);

impl Folder {
    fn make(path: &Path) -> Result<Self> {
        fs::create_dir_all(path).with_context(|| format!("{} could not be made", path.display()))?;
        Ok(Folder(path.to_path_buf()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What stays is in the target folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A server with a few turns, which ends with this value.
struct Server {
    child: Child,
    http: String,
}

impl Server {
    fn start(cairn: &Path, folder: &Path) -> Result<Self> {
        let data = folder.join("data");
        let command = |arguments: &[&str]| {
            let mut command = Command::new(cairn);
            command.args(arguments).arg("--data-dir").arg(&data);
            command
        };
        for seed in SEEDS {
            run::succeed(command(seed).stdout(Stdio::null()))?;
        }
        let mut serve = command(&["serve", "--json", "--log-level", "error"]);
        serve.args(["--http", "127.0.0.1:0", "--binary", "127.0.0.1:0"]).stdout(Stdio::piped());
        let mut child = serve.spawn().context("the server could not be started")?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let said: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        let http = said["http"].as_str().unwrap_or_default().to_owned();
        // Made before it is looked at, so that the server ends also when it says nothing.
        let server = Server { child, http };
        if server.http.is_empty() {
            bail!("the server did not say where it listens, but {line:?}");
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_ended() {
        let mut command = Command::new("sleep");
        let error = succeed_within(command.arg("600"), Duration::ZERO).expect_err("it takes too long");
        assert_eq!(error.to_string(), "schemathesis was not done within 0 seconds");
        assert!(succeed_within(&mut Command::new("false"), LONGEST).is_err());
        assert!(succeed_within(&mut Command::new("true"), LONGEST).is_ok());
    }

    #[test]
    fn every_package_is_pinned() {
        let packages = REQUIREMENTS.lines().filter(|line| !line.starts_with('#'));
        assert!(packages.clone().any(|line| line.starts_with("schemathesis==")));
        assert!(packages.clone().all(|line| line.contains("==")), "{REQUIREMENTS}");
    }
}
