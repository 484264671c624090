//! `cairn audit`.

use std::path::Path;
use std::time::Duration;

use cairn_http::{AuditPart, Client, ClientError};
use cairn_wire::audit::ShownLine;
use clap::Args;

use super::answer::{json_line, text};
use crate::failure::Failure;
use crate::{logging, reach, when};

pub(crate) const AUDIT_AFTER_HELP: &str = "\
Examples:
  cairn audit                            the newest 20 lines of the tenant local
  cairn audit --tenant acme --since -24h the last day
  cairn audit --follow                   keep printing new lines, until interrupted (Ctrl-C)
  cairn audit --node                     acts on tenants and the store, unauthenticated callers
  cairn audit --since 2026-11-01 --json  one JSON object per line

Every administrative act writes its line in its own transaction. Work of more than one transaction
(maintenance, pruning) writes two lines: begun, and then done, failed or stopped; without the second
line the work is in progress, or its process died. Refused acts are recorded too. Of many refusals
only the first of each minute are; the next line counts the others.
--follow needs a server (`cairn serve`) on the data directory, and waits for one that restarts.";

/// Lines that are shown if nobody says how many.
const LIMIT: u64 = 20;
/// Lines that one request asks for at the most.
const PAGE_MAX: u64 = 1000;
/// How often whoever follows looks for more.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What to show.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// Whose trail
    #[arg(long, value_name = "NAME", default_value = "local", conflicts_with = "node")]
    tenant: String,

    /// The trail of the node itself
    #[arg(long)]
    node: bool,

    /// How many of the newest lines, up to 1000 [default: 20; all of them with --since]
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<u64>,

    /// Only lines from this time on: a day, 2026-01-31T12:00:00Z, or back from now as in -24h
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    since: Option<String>,

    /// Go on with the lines that come
    #[arg(short, long)]
    follow: bool,
}

/// Shows lines, and goes on if it shall.
pub(super) fn audit(data_dir: Option<&Path>, as_json: bool, arguments: &AuditArgs) -> Result<(), Failure> {
    let (data_dir, settings) = super::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let mut reader = Reader::new(arguments, as_json);
    reach::reach(&data_dir.path, &settings.config, async |client| reader.read(client).await)?;
    if !arguments.follow || !reader.is_heard() {
        return reader.end();
    }
    reader.shows = true;
    let followed = reach::follow(&data_dir.path, &settings.config, async |_listener, client| {
        while reader.is_heard() {
            reader.read(client).await?;
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    });
    match followed {
        // Being interrupted is how following ends.
        Err(failure) if failure.is_stop() => Ok(()),
        Err(failure) => Err(failure),
        Ok(()) => reader.end(),
    }
}

/// Reads a trail from where it stopped the last time.
struct Reader {
    /// What to ask for next.
    part: AuditPart,
    as_json: bool,
    /// Whether lines are wanted, and not only where the trail ends.
    shows: bool,
    /// Whether anybody still reads, and why not.
    printed: Result<bool, Failure>,
}

impl Reader {
    fn new(arguments: &AuditArgs, as_json: bool) -> Self {
        let newest = arguments.limit.is_some() || arguments.since.is_none();
        let limit = if newest { arguments.limit.unwrap_or(LIMIT) } else { PAGE_MAX };
        let part = AuditPart {
            tenant: (!arguments.node).then(|| arguments.tenant.clone()),
            after: None,
            since: arguments.since.clone(),
            newest,
            limit: Some(limit.max(1)),
        };
        Reader { part, as_json, shows: limit > 0, printed: Ok(true) }
    }

    fn is_heard(&self) -> bool {
        matches!(self.printed, Ok(true))
    }

    fn end(self) -> Result<(), Failure> {
        self.printed.map(|_| ())
    }

    /// Prints what is there, page by page.
    async fn read(&mut self, client: &mut Client) -> Result<(), ClientError> {
        while self.is_heard() {
            let page = client.audit(&self.part).await?;
            if self.shows {
                let lines = page.lines.iter().map(|line| self.form(line));
                self.printed = super::try_print(lines.collect::<String>().as_bytes());
            }
            // What was printed is not asked for again, also if the server goes away now.
            let (tenant, after) = (self.part.tenant.take(), page.last);
            self.part = AuditPart { tenant, after, limit: Some(PAGE_MAX), ..AuditPart::default() };
            if page.next.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn form(&self, line: &ShownLine) -> String {
        if self.as_json { json_line(line) } else { in_words(line) }
    }
}

fn in_words(line: &ShownLine) -> String {
    let tenant = line.tenant.as_deref().map_or_else(|| "node".to_owned(), text);
    let mut facts = vec![
        when::absolute(line.at_ms),
        format!("{:7}", text(&line.outcome)),
        text(&line.actor),
        format!("{} on {tenant}", text(&line.action)),
    ];
    facts.extend(Some(text(&line.subject)).filter(|subject| !subject.is_empty()));
    let why = [&line.reason, &line.code].into_iter().flatten().filter(|why| !why.is_empty());
    facts.extend(why.map(|why| format!("({})", text(why))));
    let unrecorded = line.unrecorded.unwrap_or(0);
    if unrecorded > 0 {
        facts.push(format!("[and {unrecorded} refused before it]"));
    }
    facts.join("  ") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(actor: &str, action: &str, subject: &str, outcome: &str) -> ShownLine {
        ShownLine {
            at_ms: 0,
            actor: actor.to_owned(),
            action: action.to_owned(),
            tenant: None,
            subject: subject.to_owned(),
            outcome: outcome.to_owned(),
            reason: None,
            code: None,
            unrecorded: None,
        }
    }

    #[test]
    fn a_line_is_one_line_without_harm() {
        let done = ShownLine {
            at_ms: 1_700_000_000_000,
            tenant: Some("acme".to_owned()),
            ..line("ada\u{1b}[2J", "access.change", "user bob\n", "done")
        };
        assert_eq!(
            in_words(&done),
            "2023-11-14 22:13:20Z  done     ada\\u{1b}[2J  access.change on acme  user bob\\u{a}\n"
        );
        let failed = ShownLine {
            code: Some("StorageFull".to_owned()),
            ..line("ada", "node.maintain", "compact", "failed")
        };
        assert_eq!(
            in_words(&failed),
            "1970-01-01 00:00:00Z  failed   ada  node.maintain on node  compact  (StorageFull)\n"
        );
        let refused = ShownLine {
            reason: Some("it needs a role".to_owned()),
            unrecorded: Some(7),
            ..line("eve", "tenant.read", "", "refused")
        };
        assert_eq!(
            in_words(&refused),
            "1970-01-01 00:00:00Z  refused  eve  tenant.read on node  (it needs a role)  [and 7 refused before it]\n"
        );
    }
}
