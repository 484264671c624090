//! `cairn artifact get`.

use std::path::PathBuf;

use cairn_access::identity::{PublicKey, verify};
use cairn_base::CanonicalObject;
use cairn_wire::artifacts::JsonText;
use clap::Args;

use super::{Call, artifact_id, text};
use crate::command::output::Out;
use crate::command::{print, print_bytes};
use crate::failure::Failure;
use crate::progress;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn artifact get ID                    show what it is, and who signed it
  cairn artifact get ID --content          print its content
  cairn artifact get ID --output report.md write its content to a new file
  cairn artifact get ID --canonical        print the exact bytes that were signed
  cairn artifact get ID --json             the response of GET /kcp/v1/artifacts/{id}

Keys of the JSON that begin with _ are what this node knows of the artifact; nobody signed them.";

/// Which artifact, and which part of it.
#[derive(Debug, Args)]
pub(crate) struct GetArgs {
    /// Artifact
    #[arg(value_name = "ID", value_parser = artifact_id)]
    id: String,

    /// Print the content
    #[arg(long, conflicts_with_all = ["output", "canonical"])]
    content: bool,

    /// Write the content to this file; it must not exist yet
    #[arg(long, value_name = "FILE", conflicts_with = "canonical")]
    output: Option<PathBuf>,

    /// Print the canonical JSON that was signed, without a newline at its end
    #[arg(long)]
    canonical: bool,
}

/// Shows an artifact.
pub(in crate::command) fn get(call: &Call<'_>, arguments: &GetArgs) -> Result<(), Failure> {
    let output = arguments.output.clone().or_else(|| arguments.content.then(|| PathBuf::from("-")));
    if let Some(output) = output {
        return content(call, &arguments.id, Out::whole(&output)?);
    }
    let opened = call.open()?;
    let artifact = opened.ask(Needs::Store, async |client| client.artifact(&arguments.id).await.map(Ok))?;
    if arguments.canonical {
        return print_bytes(signed(&artifact)?.as_bytes());
    }
    if call.as_json {
        return print(&format!("{}\n", artifact.as_str()));
    }
    print(&text::artifact(&artifact)?)
}

/// Writes content as it comes.
fn content(call: &Call<'_>, id: &str, mut out: Out) -> Result<(), Failure> {
    let opened = call.open()?;
    let show = progress::bytes("reading content");
    let (mut written, mut failed) = (0, None);
    let done = opened.ask(Needs::Store, async |client| {
        // What was written cannot be taken back.
        if written > 0 {
            let cut = Failure::new("the server went away in the middle of the content");
            return Ok(Err(cut.hint("try again")));
        }
        let mut take = |bytes: &[u8]| {
            written += bytes.len() as u64;
            show(written);
            out.write(bytes).map_err(|failure| failed = Some(failure)).unwrap_or(false)
        };
        client.artifact_content(id, &mut take).await.map(Ok)
    });
    match failed.map_or(done, Err) {
        Ok(()) => out.finish(),
        Err(failure) => {
            out.discard();
            Err(failure)
        }
    }
}

/// Returns the bytes that were signed, which verify with the key that the node names.
pub(super) fn signed(artifact: &JsonText) -> Result<String, Failure> {
    let strange = |detail: &str| Failure::new(format!("the artifact does not verify: {detail}"));
    let document = CanonicalObject::parse(artifact.as_str().as_bytes());
    let document = document.map_err(|error| strange(&error.to_string()))?;
    let key = artifact.to_value().ok().and_then(|value| {
        let key: PublicKey = value.get("_cairn")?.get("public_key")?.as_str()?.parse().ok()?;
        Some(key)
    });
    let key = key.ok_or_else(|| strange("the server names no key"))?;
    verify(&document, &key).map(|verified| verified.signed).map_err(|error| strange(&error.to_string()))
}
