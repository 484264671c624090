//! `cargo xtask fuzz`: builds a fuzz target with nightly Rust and runs it for a while.
//!
//! Fuzz targets are a workspace of their own, so that tests never compile what only they need. The target
//! is built the way `cargo fuzz` does it, without needing that: every branch counts how often it is
//! taken, and the address sanitizer watches over what is not ours.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::run;

const USAGE: &str = "\
usage: cargo xtask fuzz <target> [--seconds N] [--build]

  --seconds N  stop after so long; 60 if not said
  --build      build only, and say how to run it
";

/// What the compiler has to do for the fuzzer: count branches, tell what is compared, and watch memory.
const RUST_FLAGS: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Ccodegen-units=4 \
    -Zsanitizer=address \
    --cfg fuzzing";

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    target: String,
    seconds: u64,
    build_only: bool,
}

/// Builds and runs a fuzz target; without a name it lists them.
pub(crate) fn fuzz(arguments: &[String]) -> Result<()> {
    if arguments.is_empty() {
        println!("{USAGE}\ntargets: {}", targets()?.join(", "));
        return Ok(());
    }
    let wanted = parse(arguments)?;
    if !targets()?.contains(&wanted.target) {
        bail!("there is no fuzz target `{}`; there are: {}", wanted.target, targets()?.join(", "));
    }
    let host = nightly_host()?;
    build(&wanted.target, &host)?;
    let mut fuzzer = fuzzer(&wanted, &host)?;
    if wanted.build_only {
        println!("to run it: {}", as_typed(&fuzzer));
        return Ok(());
    }
    run::succeed(&mut fuzzer).context("what it found is in fuzz/artifacts; make a test of it")
}

fn parse(arguments: &[String]) -> Result<Wanted> {
    let (mut target, mut seconds, mut build_only) = (None, 60, false);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--seconds" => {
                let number = rest.next().and_then(|number| number.parse().ok());
                seconds = number.filter(|number| *number > 0).context("--seconds needs a number over 0")?;
            }
            "--build" => build_only = true,
            name if !name.starts_with('-') && target.is_none() => target = Some(name.to_owned()),
            other => bail!("`{other}` is not understood\n\n{USAGE}"),
        }
    }
    Ok(Wanted { target: target.context(USAGE)?, seconds, build_only })
}

/// The names of all targets: one for each program.
fn targets() -> Result<Vec<String>> {
    let folder = run::root().join("fuzz/fuzz_targets");
    let entries = folder.read_dir().context("there is no fuzz/fuzz_targets in this checkout")?;
    let mut names = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs")
            && let Some(name) = path.file_stem().and_then(|name| name.to_str())
        {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// A program of the nightly toolchain. The one that runs this task is another, and says so in variables.
fn nightly(program: &str) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", program]).current_dir(run::root());
    for variable in ["RUSTUP_TOOLCHAIN", "CARGO", "RUSTC", "RUSTDOC"] {
        command.env_remove(variable);
    }
    command
}

/// The machine that the nightly compiler runs on, if there is one.
fn nightly_host() -> Result<String> {
    let output = nightly("rustc").arg("-vV").stderr(Stdio::null()).output();
    let output = output.ok().filter(|output| output.status.success());
    let output = output.context(
        "fuzzing needs the nightly toolchain, which is not here: `rustup toolchain install nightly`",
    )?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` names no host")?.to_owned())
}

fn build(target: &str, host: &str) -> Result<()> {
    let mut command = nightly("cargo");
    command.args(["build", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target-dir", "fuzz/target"]);
    // With a target named, what runs while building is built without the flags.
    command.args(["--target", host, "--bin", target]).env("RUSTFLAGS", RUST_FLAGS);
    command.env_remove("CARGO_ENCODED_RUSTFLAGS");
    run::succeed(&mut command)
}

/// The fuzzer, ready to run: what it learns and what it finds goes into folders of its own.
fn fuzzer(wanted: &Wanted, host: &str) -> Result<Command> {
    let root = run::root();
    let folder = |kind: &str| -> Result<PathBuf> {
        let folder = root.join("fuzz").join(kind).join(&wanted.target);
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(folder)
    };
    let (corpus, artifacts) = (folder("corpus")?, folder("artifacts")?);
    let program = root.join("fuzz/target").join(host).join("release").join(&wanted.target);
    let mut command = Command::new(program);
    command
        .arg(&corpus)
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .arg(format!("-max_total_time={}", wanted.seconds))
        .args(["-print_final_stats=1", "-timeout=10", "-rss_limit_mb=4096"])
        .env("CAIRN_FUZZ_SEEDS", corpus)
        .current_dir(root);
    Ok(command)
}

/// The command as one would type it.
fn as_typed(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| {
        value.map(|value| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()))
    });
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    variables.chain(words.map(|word| word.to_string_lossy().into_owned())).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<(String, u64, bool)> {
        let arguments: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        parse(&arguments).map(|wanted| (wanted.target, wanted.seconds, wanted.build_only))
    }

    #[test]
    fn the_arguments_are_read() {
        assert_eq!(parsed("frames").expect("fine"), ("frames".into(), 60, false));
        assert_eq!(parsed("frames --seconds 600").expect("fine"), ("frames".into(), 600, false));
        assert_eq!(parsed("--build --seconds 1 frames").expect("fine"), ("frames".into(), 1, true));
        for wrong in ["", "--build", "frames --seconds", "frames --seconds 0", "frames x", "frames --quick"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_targets_are_found() {
        assert!(targets().expect("the folder is there").contains(&"frames".to_owned()));
    }
}
