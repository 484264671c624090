//! `cairn artifact export`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use cairn_access::identity::IdentityFolder;
use cairn_base::fs::SystemFs;
use clap::Args;
use indicatif::HumanBytes;

use super::filter::{FilterArgs, borrowed};
use super::{Call, artifact_id, one};
use crate::command::output::Out;
use crate::command::print;
use crate::failure::Failure;
use crate::progress;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn artifact export --output all.kcp           everything you may read
  cairn artifact export --output q3.kcp --tags q3 --from 2026-07-01
  cairn artifact export --output two.kcp ID ID     these two
  cairn artifact export --query 'rate limits' | ssh backup 'cat > limits.kcp'
  cairn artifact export --json ID > artifact.json  one artifact as JSON, for other KCP nodes
  cairn artifact export --dsse ID > artifact.dsse  an in-toto statement about one artifact

A bundle (.kcp) holds signed payloads, content, public keys and tombstones, and a Merkle tree over
them whose root this node signs. `cairn artifact verify` checks it without a store or a network, and
`cairn artifact import` reads it. With --json the export is JSON instead, of one artifact with at
most 8 MiB of content.";

/// What to export.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Artifacts [default: all that match the filters]
    #[arg(value_name = "ID", value_parser = artifact_id)]
    ids: Vec<String>,

    /// File to create, or - for standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,

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
        if is_filtered {
            return Err(Failure::usage("filters do not apply to the JSON export of one artifact"));
        }
        return export_one(call, id, &arguments.output);
    }
    let is_stdout = arguments.output == Path::new("-");
    if is_stdout && std::io::stdout().is_terminal() {
        return Err(Failure::usage("a bundle is not for terminals").hint("name a file with --output"));
    }
    if !arguments.ids.is_empty() {
        parameters.push(("ids", arguments.ids.join(",")));
    }
    let mut out = Out::whole(&arguments.output)?;
    let parameters = borrowed(&parameters);
    let opened = call.open()?;
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
    if is_stdout {
        return Ok(());
    }
    print(&format!("wrote {}, {}\n", arguments.output.display(), HumanBytes(written)))
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
