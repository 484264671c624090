//! `cairn kip sleep`.

use std::path::Path;

use cairn_base::Harmless;
use cairn_embedded::Progress;
use cairn_wire::sleep::{SleepDuplicates, SleepElement, SleepJob, SleepList, SleepReport, SleepTask};
use clap::Args;

use crate::failure::Failure;
use crate::{command, logging, progress, reach};

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn kip sleep                    what there is to do; nothing is changed
  cairn kip sleep --apply            remove what is past its expires_at
  cairn kip sleep --limit 1000 --json
  cairn kip sleep --space notes

It tells of concepts and links past metadata.expires_at, of pending SleepTasks, of concepts that
belong to no domain, and of concepts of one type that share a name or an alias but for how it is
written.

--apply removes what is past its time and nothing else, as DELETE does it: links go with their
concepts, protected things stay, and so do types that something follows. A run that removes
something leaves an audit line. A server does it by itself if the settings sleep.every and
sleep.apply say so.";

/// What to look at.
#[derive(Debug, Args)]
pub(crate) struct SleepArgs {
    /// Remove what is past its expires_at, and not only tell of it
    #[arg(long)]
    apply: bool,

    /// The space to look at [default: memory]
    #[arg(long, value_name = "SPACE")]
    space: Option<String>,

    /// How many things of each kind to show, at most 1000 [default: 20]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

/// Looks, and removes what is past its time.
pub(super) fn sleep(data_dir: Option<&Path>, as_json: bool, arguments: &SleepArgs) -> Result<(), Failure> {
    let (data_dir, settings) = command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let SleepArgs { apply, space, limit } = arguments;
    let job = SleepJob { space: space.clone(), apply: *apply, limit: *limit };
    let show = progress::counter();
    let report = reach::reach(&data_dir.path, &settings.config, async |client| {
        client
            .sleep(&job, &mut |stage| show(stage.name, Progress { done: stage.done, total: stage.total }))
            .await
    })?;
    drop(show);
    let as_text = || serde_json::to_string_pretty(&report).expect("a report is plain data") + "\n";
    command::print(&if as_json { as_text() } else { told(&report) })
}

fn told(report: &SleepReport) -> String {
    let (verb, goes) = if report.applied { ("removed", "went") } else { ("would remove", "would go") };
    let mut out = format!(
        "looked at {} and {} in {} at {}\n",
        counted(report.concepts, "concept"),
        counted(report.links, "link"),
        Harmless(&report.space),
        Harmless(&report.at)
    );
    out += &list(&report.expired, &format!("past expires_at, and {goes}"), element);
    out += &list(&report.kept, "past expires_at, and stay", element);
    out += &list(&report.unreadable, "with an expires_at that is no time", element);
    out += &list(&report.tasks, "pending tasks", task);
    out += &list(&report.without_domain, "without a domain", element);
    out += &list(&report.duplicates, "names that several concepts of a type share", duplicates);
    if report.names_left_out > 0 {
        out += &format!("{} not compared: there are too many\n", counted(report.names_left_out, "name"));
    }
    out += &format!(
        "{verb} {} and {}\n",
        counted(report.removed_concepts, "concept"),
        counted(report.removed_links, "link")
    );
    if !report.applied && report.expired.total > 0 {
        out += "nothing was changed; --apply does it\n";
    }
    out
}

/// A head with how many there are, and a line for each that is shown. Nothing if there are none.
fn list<T>(list: &SleepList<T>, what: &str, line: impl Fn(&T) -> String) -> String {
    if list.total == 0 {
        return String::new();
    }
    let mut out = format!("\n{} {what}:\n", list.total);
    list.shown.iter().for_each(|item| out += &format!("  {}\n", Harmless(&line(item))));
    let beyond = list.total.saturating_sub(list.shown.len() as u64);
    if beyond > 0 {
        out += &format!("  and {beyond} more; --limit shows more\n");
    }
    out
}

fn element(element: &SleepElement) -> String {
    let SleepElement { id, kind, name, expires_at, kept_because } = element;
    let mut line = match name {
        Some(name) => format!("{id}  {kind} {name:?}"),
        None => id.clone(),
    };
    if let Some(time) = expires_at {
        line += &format!("  {time}");
    }
    if let Some(why) = kept_because {
        line += &format!("  {why}");
    }
    line
}

fn task(task: &SleepTask) -> String {
    let SleepTask { id, name, requested_action, target_type, target_name, reason, priority } = task;
    let word = |text: &Option<String>| text.clone().unwrap_or_else(|| "?".to_owned());
    let mut line =
        format!("{id}  {name:?}  {} {} {:?}", word(requested_action), word(target_type), word(target_name));
    if let Some(priority) = priority {
        line += &format!("  priority {priority}");
    }
    if let Some(reason) = reason {
        line += &format!("  {reason}");
    }
    line
}

fn duplicates(found: &SleepDuplicates) -> String {
    let SleepDuplicates { kind, same_name, total, concepts } = found;
    let names: Vec<_> = concepts.iter().map(|concept| format!("{} {:?}", concept.id, concept.name)).collect();
    let beyond = total.saturating_sub(concepts.len() as u64);
    let more = if beyond > 0 { format!(" and {beyond} more") } else { String::new() };
    format!("{kind} {same_name:?}: {}{more}", names.join(", "))
}

fn counted(count: u64, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use cairn_wire::sleep::SleepNamed;

    use super::*;

    fn some<T>(total: u64, shown: Vec<T>) -> SleepList<T> {
        SleepList { total, shown }
    }

    fn concept(id: &str, name: &str) -> SleepElement {
        SleepElement {
            id: id.to_owned(),
            kind: "Drug".to_owned(),
            name: Some(name.to_owned()),
            expires_at: None,
            kept_because: None,
        }
    }

    #[test]
    fn a_report_says_what_there_is_and_leaves_out_what_there_is_not() {
        let past =
            SleepElement { expires_at: Some("2020-01-01T00:00:00Z".to_owned()), ..concept("C:30", "Old") };
        let kept = SleepElement { kept_because: Some("it is protected".to_owned()), ..past.clone() };
        let mut report = SleepReport {
            space: "memory".to_owned(),
            at: "2026-01-01T00:00:00.000Z".to_owned(),
            applied: false,
            concepts: 1,
            links: 2,
            expired: some(2, vec![past]),
            removed_concepts: 2,
            removed_links: 1,
            kept: some(1, vec![kept]),
            unreadable: some(0, vec![]),
            tasks: some(
                1,
                vec![SleepTask {
                    id: "C:31".to_owned(),
                    name: "t".to_owned(),
                    requested_action: Some("archive".to_owned()),
                    target_type: Some("Event".to_owned()),
                    target_name: Some("e".to_owned()),
                    reason: Some("over\u{7}".to_owned()),
                    priority: Some("2".to_owned()),
                }],
            ),
            tasks_not_pending: 0,
            without_domain: some(1, vec![concept("C:32", "Lost")]),
            duplicates: some(
                1,
                vec![SleepDuplicates {
                    kind: "Drug".to_owned(),
                    same_name: "asa".to_owned(),
                    total: 3,
                    concepts: vec![SleepNamed { id: "C:1".to_owned(), name: "ASA".to_owned() }],
                }],
            ),
            names_left_out: 1,
        };
        assert_eq!(
            told(&report),
            "looked at 1 concept and 2 links in memory at 2026-01-01T00:00:00.000Z\n\
             \n2 past expires_at, and would go:\n  C:30  Drug \"Old\"  2020-01-01T00:00:00Z\n  and 1 more; --limit shows more\n\
             \n1 past expires_at, and stay:\n  C:30  Drug \"Old\"  2020-01-01T00:00:00Z  it is protected\n\
             \n1 pending tasks:\n  C:31  \"t\"  archive Event \"e\"  priority 2  over\\u{7}\n\
             \n1 without a domain:\n  C:32  Drug \"Lost\"\n\
             \n1 names that several concepts of a type share:\n  Drug \"asa\": C:1 \"ASA\" and 2 more\n\
             1 name not compared: there are too many\n\
             would remove 2 concepts and 1 link\nnothing was changed; --apply does it\n"
        );
        report.applied = true;
        assert!(told(&report).ends_with("removed 2 concepts and 1 link\n"), "{}", told(&report));
    }
}
