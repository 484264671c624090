//! `cairn artifact publish`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cairn_access::Visibility;
use cairn_artifacts::ArtifactId;
use cairn_base::{Clock, ErrorCode, SystemClock, SystemEntropy};
use cairn_embedded::{Progress, ProgressFn};
use cairn_http::{Client, ClientError};
use cairn_wire::artifacts::JsonText;
use clap::Args;
use tokio::sync::mpsc;

use super::payload::{self, Said};
use super::signer::{Author, Signs, author};
use super::source::{Body, Content, Input, inputs, load};
use super::{Call, artifact_id, text};
use crate::command::input::feed_from;
use crate::command::{counted, print};
use crate::failure::Failure;
use crate::progress;
use crate::reach::Needs;
use crate::terminal::Look;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn artifact publish report.md                 private, titled report.md
  cairn artifact publish report.md --title 'Risk in Q3' --tags risk,q3 --visibility org
  make report | cairn artifact publish --title 'Nightly report' --format markdown
  cairn artifact publish reports/ --visibility team --team core
                                                   one artifact per file
  cairn artifact publish summary.md --derived-from ID --data-source s3://lake/risk.csv
  cairn artifact publish notes.md --acl-user ada --acl-team core
                                                   only for these, whatever the visibility

A directory is published with the directories in it, one artifact per regular file, in the order of
their names; hidden files and symbolic links are skipped. The format comes from the extension of the
file, and the title from its name; standard input needs --title.

Artifacts are signed with the key pair of `cairn identity` if its key is registered for you, and by
the node otherwise: --sign and --unsigned insist on one of them. Content over 8 MiB is uploaded
first. Prints the id first on each line; with --json the artifact as GET /kcp/v1/artifacts/{id}
returns it, one line each if there are several.";

/// What to publish.
#[derive(Debug, Args)]
pub(crate) struct PublishArgs {
    /// Files or directories, or - for standard input [default: -]
    #[arg(value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,

    /// Title [default: the name of the file]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Tags, separated by commas
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    tags: Vec<String>,

    /// Summary of at most 500 characters
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    summary: String,

    /// Format of the content, such as markdown or json [default: by the extension, else text]
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,

    /// Who may read it: public, org, team or private
    #[arg(long, value_name = "TIER", default_value = "private", value_parser = visibility)]
    visibility: Visibility,

    /// Team it belongs to
    #[arg(long, value_name = "TEAM", default_value = "", hide_default_value = true)]
    team: String,

    /// Program that made it
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    source: String,

    /// Artifact it is derived from; can be repeated
    #[arg(long, value_name = "ID", value_parser = artifact_id)]
    derived_from: Vec<String>,

    /// Address of data it was made from; can be repeated
    #[arg(long, value_name = "URI")]
    data_source: Vec<String>,

    /// Question or query that it answers
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    query: String,

    /// Agent that performed the analysis
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    agent: String,

    /// User who may read it, instead of the visibility; can be repeated
    #[arg(long, value_name = "USER")]
    acl_user: Vec<String>,

    /// Team that may read it, or TENANT/TEAM of another tenant; can be repeated
    #[arg(long, value_name = "TEAM")]
    acl_team: Vec<String>,

    /// Tenant that may read it; can be repeated
    #[arg(long, value_name = "TENANT")]
    acl_tenant: Vec<String>,

    /// Address of the content elsewhere: ipfs, https or file
    #[arg(long, value_name = "URL", default_value = "", hide_default_value = true)]
    content_url: String,

    /// Sign with the key pair of this data directory, or fail
    #[arg(long, conflicts_with = "unsigned")]
    sign: bool,

    /// Have the node sign
    #[arg(long)]
    unsigned: bool,
}

/// Reads a tier.
pub(super) fn visibility(text: &str) -> Result<Visibility, String> {
    text.parse().map_err(|_| "write public, org, team or private".to_owned())
}

/// Publishes.
pub(in crate::command) fn publish(call: &Call<'_>, arguments: &PublishArgs) -> Result<(), Failure> {
    let inputs = inputs(&arguments.paths)?;
    check_titles(arguments, &inputs)?;
    let opened = call.open()?;
    let signs = match (arguments.sign, arguments.unsigned) {
        (true, _) => Signs::Caller,
        (_, true) => Signs::Node,
        _ => Signs::CallerOrNode,
    };
    let is_one = inputs.len() == 1;
    let show = progress::reporter();
    let count = progress::counter();
    let mut work = Work { inputs, arguments, done: 0, current: None, show };
    let look = Look::of_stdout();
    let published = opened.ask(Needs::Store, async |client| {
        let author = match author(client, &opened.dir, signs).await? {
            Ok(author) => author,
            Err(failure) => return Ok(Err(failure)),
        };
        while work.done < work.inputs.len() {
            let artifact = match work.publish_next(client, &author).await? {
                Ok(artifact) => artifact,
                Err(failure) => return Ok(Err(failure)),
            };
            let shown = if call.as_json {
                artifact.as_str().to_owned() + "\n"
            } else {
                text::published(&artifact, look)
            };
            if let Err(failure) = print(&shown) {
                return Ok(Err(failure));
            }
            if !is_one {
                count("publishing", Progress { done: work.done as u64, total: work.inputs.len() as u64 });
            }
        }
        Ok(Ok(()))
    });
    published.map_err(|failure| match work.done as u64 {
        0 => failure,
        done => failure.hint(format!(
            "{} before {} published already, as printed",
            counted(done, "file"),
            if done == 1 { "was" } else { "were" }
        )),
    })
}

/// A title has to come from somewhere, and fits one artifact.
fn check_titles(arguments: &PublishArgs, inputs: &[Input]) -> Result<(), Failure> {
    if arguments.title.is_some() && inputs.len() > 1 {
        let many = inputs.len();
        return Err(Failure::usage(format!("--title is one title, and there are {many} files"))
            .hint("leave it out: the title of each is its name"));
    }
    if arguments.title.is_none() && inputs.iter().any(|input| input.title.is_none()) {
        return Err(Failure::usage("standard input has no name").hint("give it a title with --title"));
    }
    Ok(())
}

/// The artifacts to publish, one after the other. A server that goes away in the middle costs nothing: the one that
/// was under way is sent again as it was.
struct Work<'a> {
    inputs: Vec<Input>,
    arguments: &'a PublishArgs,
    done: usize,
    current: Option<Current>,
    show: ProgressFn,
}

/// The artifact that is under way.
struct Current {
    content: Content,
    is_uploaded: bool,
    /// The body of the request, once it is signed.
    body: Option<Vec<u8>>,
}

impl Work<'_> {
    async fn publish_next(
        &mut self,
        client: &mut Client,
        author: &Author,
    ) -> Result<Result<JsonText, Failure>, ClientError> {
        let input = self.inputs[self.done].clone();
        let name = input.path.display().to_string();
        let mut current = match self.current.take() {
            Some(current) => current,
            None => match load(&input.path, &self.show) {
                Ok(content) => Current { content, is_uploaded: false, body: None },
                Err(failure) => return Ok(Err(failure)),
            },
        };
        let sent = self.send(client, author, &input, &mut current).await;
        match sent {
            Ok(Ok(artifact)) => {
                self.done += 1;
                Ok(Ok(artifact))
            }
            // A refusal is about this file.
            Err(error @ ClientError::Refused { code, .. })
                if code != Some(ErrorCode::Unavailable) && self.inputs.len() > 1 =>
            {
                let (message, hint) = Failure::from(error).into_words();
                let failure = Failure::new(format!("{name}: {message}"));
                Ok(Err(hint.into_iter().fold(failure, Failure::hint)))
            }
            other => {
                self.current = Some(current);
                other
            }
        }
    }

    async fn send(
        &self,
        client: &mut Client,
        author: &Author,
        input: &Input,
        current: &mut Current,
    ) -> Result<Result<JsonText, Failure>, ClientError> {
        if let Body::Large(file) = &current.content.body
            && !current.is_uploaded
        {
            let reader = match Body::reader(file) {
                Ok(reader) => reader,
                Err(error) => {
                    return Ok(Err(Failure::io(format_args!("read {}", input.path.display()), &error)));
                }
            };
            let name = input.path.display().to_string();
            if let Err(failure) = upload(client, &current.content, reader, name, &self.show).await? {
                return Ok(Err(failure));
            }
            current.is_uploaded = true;
        }
        let body = match current.body.take().map_or_else(|| self.body(author, input, &current.content), Ok) {
            Ok(body) => current.body.insert(body),
            Err(failure) => return Ok(Err(failure)),
        };
        client.publish_artifact(body.clone()).await.map(Ok)
    }

    /// The request for content, signed now: the node compares its time with the clock.
    fn body(&self, author: &Author, input: &Input, content: &Content) -> Result<Vec<u8>, Failure> {
        let said = said(self.arguments, input);
        let id = ArtifactId::random(&SystemEntropy);
        let payload = payload::payload(&said, author, id, SystemClock.now_ms(), content.sha256);
        let payload = payload.map_err(|error| Failure::usage(error.to_string()))?;
        let inline = match &content.body {
            Body::Small(bytes) => Some(bytes.as_slice()),
            Body::Large(_) => None,
        };
        Ok(payload::body(&payload, author.identity.as_ref(), inline))
    }
}

/// What the command line says about one input.
fn said(arguments: &PublishArgs, input: &Input) -> Said {
    let title = arguments.title.clone().or_else(|| input.title.clone());
    let tags = arguments.tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty());
    Said {
        title: title.unwrap_or_default(),
        format: arguments.format.clone().unwrap_or_else(|| input.format.to_owned()),
        visibility: arguments.visibility.name().to_owned(),
        tags: tags.collect(),
        summary: arguments.summary.clone(),
        team: arguments.team.clone(),
        source: arguments.source.clone(),
        content_url: arguments.content_url.clone(),
        parents: arguments.derived_from.clone(),
        data_sources: arguments.data_source.clone(),
        query: arguments.query.clone(),
        agent: arguments.agent.clone(),
        allowed_users: arguments.acl_user.clone(),
        allowed_teams: arguments.acl_team.clone(),
        allowed_tenants: arguments.acl_tenant.clone(),
    }
}

/// How often the progress of an upload is shown.
const SHOW_EVERY: Duration = Duration::from_millis(100);

/// Uploads large content.
async fn upload(
    client: &mut Client,
    content: &Content,
    reader: std::fs::File,
    name: String,
    show: &ProgressFn,
) -> Result<Result<(), Failure>, ClientError> {
    let (pieces, coming) = mpsc::channel(2);
    let sent = Arc::new(AtomicU64::new(0));
    let failures = feed_from(reader, name, pieces, Arc::clone(&sent));
    let sha256 = format!("{:?}", content.sha256);
    let uploaded = client.upload_content(&sha256, coming);
    tokio::pin!(uploaded);
    let stored = loop {
        tokio::select! {
            stored = &mut uploaded => break stored,
            () = tokio::time::sleep(SHOW_EVERY) => {
                let done = sent.load(Ordering::Relaxed);
                show("uploading", Progress { done, total: content.bytes });
            }
        }
    };
    show("uploading", Progress { done: content.bytes, total: content.bytes });
    // A file that could not be read looks like a cut one to the server.
    if let Ok(failure) = failures.try_recv() {
        return Ok(Err(failure));
    }
    stored.map(|_| Ok(()))
}
