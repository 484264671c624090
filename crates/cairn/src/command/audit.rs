//! `cairn audit`.

use std::path::Path;
use std::time::Duration;

use cairn_http::{AuditPart, Client, ClientError};
use clap::Args;
use serde_json::Value;

use super::answer::{items, number, text};
use crate::failure::Failure;
use crate::{logging, reach, when};

pub(crate) const AUDIT_AFTER_HELP: &str = "\
Examples:
  cairn audit                            the newest 20 lines of the tenant local
  cairn audit --tenant acme --since -24h everything of the last day
  cairn audit --follow                   and whatever comes, until interrupted (Ctrl-C)
  cairn audit --node                     what was done to tenants and to the store, and callers who
                                         did not say who they are
  cairn audit --since 2026-11-01 --json  one line of JSON per line

Every administrative act leaves a line in the transaction that does it. Work that takes more than one
(maintenance, pruning) leaves two: begun, and then done, failed or stopped; without the second it
goes on, or died half-way with its process. Acts that were refused leave a line too. Of a flood of
refusals only the first of each minute do; the next line says how many did not.
Following needs a server (`cairn serve`) on the data directory, and waits for one that is away.";

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
                let lines = items(&page, "lines").iter().map(|line| self.form(line));
                self.printed = super::try_print(lines.collect::<String>().as_bytes());
            }
            // What was printed is not asked for again, also if the server goes away now.
            let (tenant, after) = (self.part.tenant.take(), page["last"].as_str().map(str::to_owned));
            self.part = AuditPart { tenant, after, limit: Some(PAGE_MAX), ..AuditPart::default() };
            if page["next"].is_null() {
                break;
            }
        }
        Ok(())
    }

    fn form(&self, line: &Value) -> String {
        if self.as_json { format!("{line}\n") } else { in_words(line) }
    }
}

fn in_words(line: &Value) -> String {
    let tenant = if line["tenant"].is_null() { "node".to_owned() } else { text(line, "tenant") };
    let mut facts = vec![
        when::absolute(number(line, "at_ms")),
        format!("{:7}", text(line, "outcome")),
        text(line, "actor"),
        format!("{} on {tenant}", text(line, "action")),
    ];
    facts.extend(Some(text(line, "subject")).filter(|subject| !subject.is_empty()));
    let why = [text(line, "reason"), text(line, "code")];
    facts.extend(why.into_iter().filter(|why| !why.is_empty()).map(|why| format!("({why})")));
    let unrecorded = number(line, "unrecorded");
    if unrecorded > 0 {
        facts.push(format!("[and {unrecorded} refused before it]"));
    }
    facts.join("  ") + "\n"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_is_one_line_without_harm() {
        let done = json!({"at_ms": 1_700_000_000_000_u64, "actor": "ada\u{1b}[2J", "action": "access.change",
            "tenant": "acme", "subject": "user bob\n", "outcome": "done", "reason": null});
        assert_eq!(
            in_words(&done),
            "2023-11-14 22:13:20Z  done     ada\\u{1b}[2J  access.change on acme  user bob\\u{a}\n"
        );
        let failed = json!({"at_ms": 0, "actor": "ada", "action": "node.maintain", "tenant": null,
            "subject": "compact", "outcome": "failed", "reason": null, "code": "StorageFull"});
        assert_eq!(
            in_words(&failed),
            "1970-01-01 00:00:00Z  failed   ada  node.maintain on node  compact  (StorageFull)\n"
        );
        let refused = json!({"at_ms": 0, "actor": "eve", "action": "tenant.read", "tenant": null, "subject": "",
            "outcome": "refused", "reason": "it needs a role", "unrecorded": 7});
        assert_eq!(
            in_words(&refused),
            "1970-01-01 00:00:00Z  refused  eve  tenant.read on node  (it needs a role)  [and 7 refused before it]\n"
        );
    }
}
