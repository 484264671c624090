//! kill -9 in the middle of concurrent upserts: every acknowledged one is there, on its branch, whole.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc;
use std::thread;

use serde_json::{Value, json};

use crate::connection::Connection;
use crate::program::{Server, within};
use crate::project::Project;

const CLIENTS: usize = 8;
/// Clients of them that write to one branch; the others have a branch each.
const ON_MAIN: usize = 4;
/// Upserts of one client, if nothing comes in between.
const EACH: usize = 2_000;
/// Acknowledged upserts before the server is killed.
const KILLED_AFTER: usize = 600;

/// The branch of a client. One of them has a name that is more than one segment of a path.
fn branch_of(client: usize) -> String {
    if client < ON_MAIN { "main".to_owned() } else { format!("feature/{client}") }
}

fn path(workspace: &str, branch: &str, tool: &str) -> String {
    format!("/v1/kb/{workspace}/{}/{tool}", branch.replace('/', "%2F"))
}

/// A server that logs no requests: nobody reads what it prints, and a pipe that is full would stop it.
fn start(project: &Project) -> Server {
    let mut command = project.command(&project.root, &["serve", "--json", "--http", "127.0.0.1:0"]);
    command.env("CAIRN_LOG_LEVEL", "warn");
    Server::spawn(command)
}

/// Upserts one entity after the other, each linked to the one before, until the server is gone.
fn write(addr: &str, workspace: &str, client: usize, acknowledged: &mpsc::Sender<(String, String)>) {
    let branch = branch_of(client);
    let mut connection = Connection::open(addr);
    for number in 0..EACH {
        let id = format!("REQ-{client}-{number}");
        let before = number.checked_sub(1).map(|number| format!("REQ-{client}-{number}"));
        let links: Vec<_> =
            before.iter().map(|to| json!({"type": "depends_on", "from": id, "to": to})).collect();
        let body = json!({"type": "req", "id": id, "relationships": links,
            "properties": {"title": format!("Number {number}"), "status": "open", "tags": [branch]}});
        let asked = connection.ask("POST", &path(workspace, &branch, "upsert"), body.to_string().as_bytes());
        let Some((status, said)) = asked else { return };
        assert_eq!((status, &said["created"]), (200, &json!(1)), "{said}");
        if acknowledged.send((branch.clone(), id)).is_err() {
            return;
        }
    }
}

/// Every entity of a branch, page by page.
fn entities(connection: &mut Connection, workspace: &str, branch: &str) -> Vec<Value> {
    let mut all = Vec::new();
    // More pages than there can be.
    for _ in 0..CLIENTS * EACH / 500 + 1 {
        let body = json!({"limit": 500, "offset": all.len()}).to_string();
        let asked = connection.ask("POST", &path(workspace, branch, "query"), body.as_bytes());
        let (status, mut page) = asked.expect("a response");
        assert_eq!(status, 200, "{page}");
        all.append(page["entities"].as_array_mut().expect("entities"));
        if page["count"] == all.len() {
            return all;
        }
    }
    panic!("{branch} has more than {} entities", all.len());
}

#[test]
fn acknowledged_upserts_survive_kill_9_on_their_branch() {
    let project = Project::new();
    let workspace = project.json(&["kb", "init"])["workspace"].as_str().expect("an id").to_owned();
    for client in ON_MAIN..CLIENTS {
        project.said(&["kb", "branch", "create", &branch_of(client)]);
    }
    let server = start(&project);
    let (tell, told) = mpsc::channel();
    let writers: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (addr, workspace, tell) = (server.addr().to_owned(), workspace.clone(), tell.clone());
            thread::spawn(move || write(&addr, &workspace, client, &tell))
        })
        .collect();
    drop(tell);
    let (first, told) =
        within("acknowledgements", move || (told.iter().take(KILLED_AFTER).collect::<Vec<_>>(), told));
    server.kill();
    writers.into_iter().for_each(|writer| writer.join().expect("no other response"));
    let acknowledged: Vec<(String, String)> = first.into_iter().chain(told).collect();
    assert!((KILLED_AFTER..CLIENTS * EACH).contains(&acknowledged.len()), "{}", acknowledged.len());
    let mut expected: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (branch, id) in acknowledged {
        assert!(expected.entry(branch).or_default().insert(id), "none was acknowledged twice");
    }

    let server = start(&project);
    let mut connection = Connection::open(server.addr());
    let branches: BTreeMap<String, usize> = (0..CLIENTS).fold(BTreeMap::new(), |mut branches, client| {
        *branches.entry(branch_of(client)).or_default() += 1;
        branches
    });
    for (branch, clients) in branches {
        let stored = entities(&mut connection, &workspace, &branch);
        let ids: BTreeSet<String> =
            stored.iter().map(|entity| entity["id"].as_str().expect("an id").to_owned()).collect();
        assert_eq!(ids.len(), stored.len(), "{branch}: none is there twice");
        let acknowledged = expected.remove(&branch).unwrap_or_default();
        assert!(ids.is_superset(&acknowledged), "{branch}: {} of {}", ids.len(), acknowledged.len());
        // Each client may have had one more stored without hearing of it.
        assert!(
            ids.len() <= acknowledged.len() + clients,
            "{branch}: {} for {}",
            ids.len(),
            acknowledged.len()
        );
        for entity in &stored {
            assert_eq!(entity["tags"], json!([branch]), "{branch}: {entity}");
        }
        // Every entity but the first of a client has its link.
        let firsts = stored.iter().filter(|entity| entity["title"] == "Number 0").count();
        let status =
            connection.ask("POST", &path(&workspace, &branch, "status"), b"{}").expect("a response").1;
        assert_eq!(status["relationships"], stored.len() - firsts, "{branch}: {status}");
        assert_eq!(status["entities"], stored.len(), "{branch}: {status}");
    }
    assert_eq!(expected, BTreeMap::new());
    // It goes on where it was.
    let last =
        json!({"type": "req", "id": "LAST", "properties": {"title": "T", "status": "open"}}).to_string();
    let asked = connection.ask("POST", &path(&workspace, "main", "upsert"), last.as_bytes());
    assert_eq!(asked.expect("a response").0, 200);
    drop(connection);
    server.signal("-TERM");
    let (code, ..) = server.wait();
    assert_eq!(code, Some(143).filter(|_| code == Some(143)).or(Some(0)), "it stops in order");
    let verified = project.call(&["doctor"]);
    assert!(verified.status.success(), "{verified:?}");
}
