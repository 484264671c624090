//! `cairn artifact delete`.

use cairn_artifacts::{ArtifactId, Tombstone};
use cairn_base::{Clock, SystemClock, Value};
use cairn_http::{Client, ClientError};
use cairn_wire::artifacts::Deleted;
use clap::Args;

use super::signer::{Author, Signs, author};
use super::{Call, artifact_id};
use crate::command::answer::{json, text};
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn artifact delete ID
  cairn artifact delete ID --reason 'superseded by the report of November'

A deleted artifact is neither listed nor found nor read; lineages show it as deleted, and its id is
never used again. A tombstone says who deleted it, when and why: signed with your key if the
artifact is yours and your key is registered, and by the node otherwise. Its content is removed
after artifacts.keep_deleted (`cairn config`).";

/// What to delete.
#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    /// Artifact
    #[arg(value_name = "ID", value_parser = artifact_id)]
    id: String,

    /// Reason, at most 500 characters
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    reason: String,
}

/// Deletes an artifact.
pub(in crate::command) fn delete(call: &Call<'_>, arguments: &DeleteArgs) -> Result<(), Failure> {
    let opened = call.open()?;
    let (deleted, by) = opened.ask(Needs::Store, async |client| {
        let author = match author(client, &opened.dir, Signs::CallerOrNode).await? {
            Ok(author) => author,
            Err(failure) => return Ok(Err(failure)),
        };
        let signed = match own_tombstone(client, &author, arguments).await? {
            Ok(signed) => signed,
            Err(failure) => return Ok(Err(failure)),
        };
        let by = if signed.is_some() { "you" } else { "the node" };
        let body = signed.unwrap_or_else(|| by_the_node(&arguments.reason));
        let deleted: Deleted = client.delete_artifact(&arguments.id, body.into_bytes()).await?;
        Ok(Ok((deleted, by)))
    })?;
    if call.as_json {
        return print(&json(&deleted));
    }
    let (id, at) = (text(&deleted.id), text(&deleted.deleted_at));
    print(&format!("{id} deleted at {at}; the tombstone is signed by {by}\n"))
}

/// The signed tombstone of the caller's own artifact; `None` if it is not, or the caller cannot sign.
async fn own_tombstone(
    client: &mut Client,
    author: &Author,
    arguments: &DeleteArgs,
) -> Result<Result<Option<String>, Failure>, ClientError> {
    let Some(identity) = &author.identity else { return Ok(Ok(None)) };
    let artifact = match client.artifact(&arguments.id).await {
        Ok(artifact) => artifact,
        // An administrator deletes what it cannot read; what else is wrong, deleting tells.
        Err(ClientError::Refused { .. }) => return Ok(Ok(None)),
        Err(error) => return Err(error),
    };
    let said = artifact.to_value().ok();
    let is = |name: &str, own: &str| {
        said.as_ref().and_then(|value| value.get(name)).and_then(Value::as_str) == Some(own)
    };
    if !(is("user_id", &author.user_id) && is("tenant_id", &author.tenant_id)) {
        return Ok(Ok(None));
    }
    let id: ArtifactId = arguments.id.parse().expect("the command line is checked");
    let tombstone = Tombstone {
        id,
        deleted_at_ms: SystemClock.now_ms(),
        by: author.user_id.clone(),
        reason: arguments.reason.clone(),
    };
    let signed = match tombstone.sign(identity) {
        Ok(signed) => signed,
        Err(error) => return Ok(Err(Failure::usage(error.to_string()))),
    };
    let open = signed.signed.strip_suffix('}').unwrap_or(&signed.signed);
    Ok(Ok(Some(format!("{open},\"signature\":\"{}\"}}", signed.signature))))
}

fn by_the_node(reason: &str) -> String {
    let reason = Some(reason).filter(|reason| !reason.is_empty());
    let entries = reason.map(|reason| ("reason".to_owned(), Value::from(reason)));
    Value::Object(entries.into_iter().collect()).to_json()
}
