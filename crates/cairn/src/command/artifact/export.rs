//! `cairn artifact export`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use cairn_access::identity::IdentityFolder;
use cairn_base::fs::SystemFs;
use clap::Args;
use indicatif::HumanBytes;

use super::append::{Appended, append};
use super::filter::{FilterArgs, Parameters, borrowed};
use super::{Call, Opened, artifact_id, one};
use crate::command::output::Out;
use crate::command::{counted, print};
use crate::failure::Failure;
use crate::progress;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn artifact export --output all.kcp           everything you may read
  cairn artifact export --output q3.kcp --tags q3 --from 2026-07-01
  cairn artifact export --output two.kcp ID ID     these two
  cairn artifact export --query 'rate limits' | ssh backup 'cat > limits.kcp'
  cairn artifact export --append all.kcp           add what the bundle does not hold yet
  cairn artifact export --json ID > artifact.json  one artifact as JSON, for other KCP nodes
  cairn artifact export --dsse ID > artifact.dsse  an in-toto statement about one artifact

A bundle (.kcp) holds signed payloads, content, public keys and tombstones, and a Merkle tree over
them whose root this node signs. `cairn artifact verify` checks it without a store or a network, and
`cairn artifact import` reads it. With --append new artifacts and tombstones go to the end of a
bundle, behind its last signed head; the file is created if there is none. With --json the export is
JSON instead, of one artifact with at most 8 MiB of content.";

/// What to export.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Artifacts [default: all that match the filters]
    #[arg(value_name = "ID", value_parser = artifact_id)]
    ids: Vec<String>,

    /// File to create, or - for standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// Bundle to append to: only what it does not hold yet is written
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "dsse"])]
    append: Option<PathBuf>,

    /// Only artifacts whose title, summary, source or tags match this search query
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,

    /// Write an in-toto statement about one artifact instead, in a DSSE envelope signed with your identity
    #[arg(long, conflicts_with = "query")]
    dsse: bool,

    #[command(flatten)]
    filter: FilterArgs,
}

/// Exports.
pub(in crate::command) fn export(call: &Call<'_>, arguments: &ExportArgs) -> Result<(), Failure> {
    let mut parameters = arguments.filter.parameters();
    parameters.extend(arguments.query.iter().map(|query| ("q", query.clone())));
    let is_filtered = !parameters.is_empty();
    if arguments.dsse {
        let [id] = &arguments.ids[..] else {
            return Err(Failure::usage("an in-toto statement is about exactly one artifact")
                .hint("name one id with --dsse"));
        };
        return export_statement(call, id, &arguments.output);
    }
    if call.as_json {
        let [id] = &arguments.ids[..] else {
            return Err(Failure::usage("the JSON export holds exactly one artifact")
                .hint("name one id, or export a bundle without --json"));
        };
        if is_filtered || arguments.append.is_some() {
            return Err(Failure::usage(
                "filters and --append do not apply to the JSON export of one artifact",
            ));
        }
        return export_one(call, id, &arguments.output);
    }
    if !arguments.ids.is_empty() {
        parameters.push(("ids", arguments.ids.join(",")));
    }
    let appended_to = arguments.append.as_deref().filter(|file| file.symlink_metadata().is_ok());
    if let Some(file) = appended_to {
        return append_to(call, file, &parameters);
    }
    let output = arguments.append.as_deref().unwrap_or(&arguments.output);
    let is_stdout = output == Path::new("-");
    if is_stdout && std::io::stdout().is_terminal() {
        return Err(Failure::usage("a bundle is not for terminals").hint("name a file with --output"));
    }
    let opened = call.open()?;
    let written = export_to(&opened, output, &parameters)?;
    if is_stdout {
        return Ok(());
    }
    print(&format!("wrote {}, {}\n", output.display(), HumanBytes(written)))
}

/// Exports to a file beside a bundle, and appends what is new to the bundle.
fn append_to(call: &Call<'_>, file: &Path, parameters: &Parameters) -> Result<(), Failure> {
    let opened = call.open()?;
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let new = PathBuf::from(name);
    export_to(&opened, &new, parameters)?;
    // The node has just signed a head with it.
    let identity = IdentityFolder::new(&SystemFs, &opened.dir).load().map_err(Failure::from);
    let identity = identity.and_then(|identity| {
        identity.ok_or_else(|| {
            Failure::usage("this data directory has no identity to sign the bundle with")
                .hint("create one with `cairn identity create`")
        })
    });
    let appended = identity.and_then(|identity| append(&new, file, &identity));
    let removed = std::fs::remove_file(&new);
    let Appended { artifacts, tombstones, entries } = appended?;
    removed.map_err(|error| Failure::io(format_args!("remove {}", new.display()), &error))?;
    let (artifacts, tombstones) = (counted(artifacts, "artifact"), counted(tombstones, "tombstone"));
    print(&format!("appended {artifacts} and {tombstones} to {}, {entries} entries\n", file.display()))
}

/// Writes a bundle, and returns how many bytes it has.
fn export_to(opened: &Opened, output: &Path, parameters: &Parameters) -> Result<u64, Failure> {
    let mut out = Out::whole(output)?;
    let parameters = borrowed(parameters);
    let show = progress::bytes("exporting");
    let (mut written, mut failed) = (0_u64, None);
    let done = opened.ask(Needs::Store, async |client| {
        // What was written cannot be taken back.
        if written > 0 {
            let cut = Failure::new("the server went away in the middle of the export");
            return Ok(Err(cut.hint("try again")));
        }
        let mut take = |bytes: &[u8]| {
            written += bytes.len() as u64;
            show(written);
            out.write(bytes).map_err(|failure| failed = Some(failure)).unwrap_or(false)
        };
        client.export_artifacts(&parameters, &mut take).await.map(Ok)
    });
    drop(show);
    match failed.map_or(done, Err) {
        Ok(()) => out.finish()?,
        Err(failure) => {
            out.discard();
            return Err(failure);
        }
    }
    Ok(written)
}

/// Writes one artifact as JSON.
fn export_one(call: &Call<'_>, id: &str, output: &Path) -> Result<(), Failure> {
    let out = Out::whole(output)?;
    let opened = call.open()?;
    let exported = opened.ask(Needs::Store, async |client| one::fetch(client, id).await);
    write_whole(out, exported)
}

/// Writes an in-toto statement about one artifact.
fn export_statement(call: &Call<'_>, id: &str, output: &Path) -> Result<(), Failure> {
    let out = Out::whole(output)?;
    let opened = call.open()?;
    let identity = IdentityFolder::new(&SystemFs, &opened.dir).load()?;
    let identity = identity.ok_or_else(|| {
        Failure::usage("this data directory has no identity to sign the statement with")
            .hint("create one with `cairn identity create`")
    })?;
    let stated =
        opened.ask(Needs::Store, async |client| Ok(one::statement(&client.artifact(id).await?, &identity)));
    write_whole(out, stated)
}

fn write_whole(mut out: Out, exported: Result<String, Failure>) -> Result<(), Failure> {
    let written = exported.and_then(|json| out.write(json.as_bytes()));
    match written {
        Ok(_) => out.finish(),
        Err(failure) => {
            out.discard();
            Err(failure)
        }
    }
}
