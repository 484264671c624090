//! `POST /v1/admin/maintenance`, with jobs played by the test.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use cairn_access::registry::UserId;
use cairn_access::{Principal, Role, Roles};
use cairn_base::{ErrorCode, TenantId};
use cairn_engine::NewToken;
use cairn_gate::GateConfig;
use cairn_http::{Client, ClientError, HttpConfig, missing_from_wire};
use cairn_seam::{
    DamagedAt, FaultPlan, FaultyStore, Maintenance, MaintenanceReport, Missing, MissingList, OnStage, Stage,
    Store, StoreCode, StoreError,
};
use cairn_wire::maintenance::Report;
use serde_json::{Value, json};

use crate::client::{get, post};
use crate::server::Server;

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(300);
const PATH: &str = "/v1/admin/maintenance";
const VERIFY: Maintenance = Maintenance::Verify { repair: false };

type Outcome = Result<MaintenanceReport, StoreError>;

async fn server(
    gate: GateConfig,
    play: impl Fn(&Maintenance, OnStage<'_>) -> Outcome + Send + Sync + 'static,
) -> Server {
    let wrap = |store| -> Arc<dyn Store> {
        Arc::new(FaultyStore::new(Arc::new(store), FaultPlan::none()).maintained_by(play))
    };
    Server::over(wrap, HttpConfig::default(), gate).await
}

async fn local(server: &Server) -> Client {
    Client::over(server.local().await, LONG).await.expect("it connects")
}

/// The code of a refusal.
fn code(outcome: Result<Report, ClientError>) -> Option<ErrorCode> {
    match outcome {
        Err(ClientError::Refused { code, .. }) => code,
        other => panic!("{other:?}"),
    }
}

fn stage(done: u64) -> Stage<'static> {
    Stage { name: "copying", done, total: 10 }
}

#[tokio::test]
async fn the_local_owner_hears_how_far_it_is_and_what_came_of_it() {
    let server = server(GateConfig::default(), |job, on_stage| {
        assert_eq!(*job, Maintenance::Backup { to: PathBuf::from("/backups/monday"), skip_damaged: false });
        assert!(on_stage(stage(3)));
        Ok(MaintenanceReport { figures: vec![("segments", 2), ("bytes", 1)], ..MaintenanceReport::default() })
    })
    .await;
    let mut heard = Vec::new();
    let job = Maintenance::Backup { to: PathBuf::from("/backups/monday"), skip_damaged: false };
    let report = local(&server)
        .await
        .maintain(&job, &mut |stage| heard.push((stage.name.to_owned(), stage.done, stage.total)))
        .await
        .expect("it is done");
    assert_eq!(heard, [("copying".to_owned(), 3, 10)]);
    assert_eq!(report.figures, [("segments".to_owned(), 2), ("bytes".to_owned(), 1)]);
}

#[tokio::test]
async fn a_damaged_store_is_refused_with_a_way_out_or_what_is_missing_is_told() {
    let place = Missing {
        file: "segment-0000000001.log".into(),
        bytes: 64..128,
        positions: Some(64..128),
        transactions: Some(1),
        blobs: Some(0),
        detail: "no valid frame".into(),
    };
    let known = place.clone();
    let server = server(GateConfig::default(), move |job, _| {
        let at = DamagedAt { file: "data/segment-0000000001.log".into(), offset: 64, detail: "bad".into() };
        match job {
            Maintenance::Backup { skip_damaged: true, .. } => {
                let missing = MissingList { places: vec![known.clone()], left_out: 2 };
                Ok(MaintenanceReport { missing, ..MaintenanceReport::default() })
            }
            Maintenance::Backup { .. }
            | Maintenance::Verify { .. }
            | Maintenance::Compact { .. }
            | Maintenance::ChangeKey { .. } => Err(StoreError::Damaged(at)),
        }
    })
    .await;
    let mut client = local(&server).await;
    let backup = |skip_damaged| Maintenance::Backup { to: PathBuf::from("/backups/monday"), skip_damaged };
    for (job, has_way_out) in [(backup(false), true), (VERIFY, false)] {
        let refused = client.maintain(&job, &mut |_| {}).await;
        let Err(ClientError::Refused { code, message, hint }) = refused else { panic!("{refused:?}") };
        assert_eq!(code, Some(ErrorCode::Damaged));
        assert!(message.contains("damaged at byte 64 of data/segment-0000000001.log"), "{message}");
        assert_eq!(hint.expect("a hint").contains("--skip-damaged"), has_way_out, "{job:?}");
    }
    let report = client.maintain(&backup(true), &mut |_| {}).await.expect("it is done");
    assert_eq!((missing_from_wire(&report.missing[0]), report.missing_count()), (place, 3));
}

#[tokio::test]
async fn files_on_the_server_are_for_the_local_owner_alone() {
    let server = server(GateConfig::default(), |job, _| match job {
        Maintenance::Backup { .. } | Maintenance::ChangeKey { .. } => panic!("it ran"),
        Maintenance::Verify { .. } | Maintenance::Compact { .. } => Ok(MaintenanceReport::default()),
    })
    .await;
    for job in
        [r#"{"job":"backup","to":"/backups/monday"}"#, r#"{"job":"change_key","new_key_file":"/keys/new"}"#]
    {
        assert_eq!(post(server.addr, PATH, job).await.error(), (403, "Forbidden".to_owned()));
        let trail = get(server.addr, "/v1/audit?newest=true&limit=1").await.json();
        assert_eq!(trail["lines"][0]["action"], "node.maintain", "{trail}");
        assert!(trail["lines"][0]["reason"].is_string(), "{trail}");
    }
    let verified = post(server.addr, PATH, r#"{"job":"verify"}"#).await;
    assert_eq!((verified.status, verified.header("content-type")), (200, Some("application/x-ndjson")));
    assert!(verified.body.contains("{\"report\":{\"figures\":{},\"findings\":[]}}\n"), "{verified:?}");
}

#[tokio::test]
async fn the_user_of_a_token_on_the_local_socket_is_not_the_local_owner() {
    let server = server(GateConfig::default(), |job, _| match job {
        Maintenance::Backup { .. } | Maintenance::ChangeKey { .. } => panic!("it ran"),
        Maintenance::Verify { .. } | Maintenance::Compact { .. } => Ok(MaintenanceReport::default()),
    })
    .await;
    let (engine, owner) = (server.gate.engine(), Principal::local_owner());
    let (olga, operates) = (UserId::parse("olga").expect("a name"), Roles::NONE.with(Role::Operator));
    engine.put_user(&owner, TenantId::LOCAL, &olga, operates).expect("it is made");
    let wanted = NewToken { user: olga, label: String::new(), scope: operates, expires_at_ms: None };
    let (token, _) = engine.issue_token(&owner, TenantId::LOCAL, wanted).expect("it is made");
    let mut client = local(&server).await;
    client.set_token(token.reveal().as_str()).expect("a token");
    client.maintain(&VERIFY, &mut |_| {}).await.expect("an operator may");
    for job in [
        Maintenance::Backup { to: PathBuf::from("/backups/monday"), skip_damaged: false },
        Maintenance::ChangeKey { new_key_file: PathBuf::from("/keys/new") },
    ] {
        let refused = client.maintain(&job, &mut |_| {}).await;
        assert_eq!(code(refused), Some(ErrorCode::Forbidden), "{job:?}");
    }
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_before_anything_runs() {
    let server = server(GateConfig::default(), |_, _| panic!("it ran")).await;
    for body in ["{}", r#"{"job":"format"}"#, r#"{"job":"verify","repair":"yes"}"#] {
        assert_eq!(post(server.addr, PATH, body).await.error(), (422, "InvalidRequest".to_owned()), "{body}");
    }
    let relative = Maintenance::Backup { to: PathBuf::from("monday"), skip_damaged: false };
    assert_eq!(
        code(local(&server).await.maintain(&relative, &mut |_| {}).await),
        Some(ErrorCode::InvalidRequest)
    );
}

#[tokio::test]
async fn a_second_job_is_answered_with_conflict_and_no_deadline_ends_the_first() {
    let (leave, left) = mpsc::channel();
    let left = Mutex::new(left);
    let gate = GateConfig { deadline: Duration::from_millis(50), in_flight_max: 1, ..GateConfig::default() };
    let server = server(gate, move |_, on_stage| {
        assert!(on_stage(stage(0)));
        left.lock().expect("one at a time").recv_timeout(LONG).expect("the test says when");
        assert!(on_stage(stage(10)), "somebody still waits");
        Ok(MaintenanceReport::default())
    })
    .await;
    let mut first = local(&server).await;
    let (heard, mut hearing) = tokio::sync::mpsc::unbounded_channel();
    let first = tokio::spawn(async move {
        first.maintain(&VERIFY, &mut |_| heard.send(()).expect("the test listens")).await
    });
    hearing.recv().await.expect("the first one runs");
    assert_eq!(post(server.addr, PATH, r#"{"job":"verify"}"#).await.error(), (409, "Conflict".to_owned()));
    // Its deadline is the first one's too, and it comes later.
    assert_eq!(get(server.addr, "/test/wait").await.status, 504);
    leave.send(()).expect("it waits");
    first.await.expect("it ends").expect("it was done");
    leave.send(()).expect("it waits");
    local(&server).await.maintain(&VERIFY, &mut |_| {}).await.expect("the way is free again");
}

#[tokio::test]
async fn a_job_nobody_waits_for_is_stopped() {
    let (tell, told) = mpsc::channel();
    let tell = Mutex::new(tell);
    let server = server(GateConfig::default(), move |_, on_stage| {
        let until = Instant::now() + LONG;
        while on_stage(stage(1)) {
            assert!(Instant::now() < until, "nobody told it to stop");
        }
        tell.lock().expect("one at a time").send(()).expect("the test listens");
        Err(StoreError::Stopped)
    })
    .await;
    let mut client = local(&server).await;
    let (heard, mut hearing) = tokio::sync::mpsc::unbounded_channel();
    let call = tokio::spawn(async move {
        drop(client.maintain(&VERIFY, &mut |_| heard.send(()).expect("the test listens")).await);
    });
    hearing.recv().await.expect("it runs");
    call.abort();
    let stopped = tokio::task::spawn_blocking(move || told.recv_timeout(LONG)).await;
    stopped.expect("it waits").expect("the job was stopped");
    // The line comes after the job.
    let until = Instant::now() + LONG;
    while outcomes(&server).await.len() < 2 {
        assert!(Instant::now() < until, "it does not end");
        tokio::task::yield_now().await;
    }
    assert_eq!(outcomes(&server).await, ["begun", "stopped"]);
}

#[tokio::test]
async fn a_failure_comes_with_its_status_or_as_the_last_line() {
    let server = server(GateConfig::default(), |job, on_stage| {
        if *job == VERIFY {
            return Err(StoreError::Unsupported { what: "verifying" });
        }
        on_stage(stage(1));
        Err(StoreError::Poisoned { cause: "the disk is gone".to_owned() })
    })
    .await;
    assert_eq!(post(server.addr, PATH, r#"{"job":"verify"}"#).await.error().0, 422);
    let late = post(server.addr, PATH, r#"{"job":"verify","repair":true}"#).await;
    assert_eq!(late.status, 200);
    assert!(late.body.contains("{\"error\":{\"code\":\"StorePoisoned\",\"message\":"), "{late:?}");
    let repair = Maintenance::Verify { repair: true };
    let heard = code(local(&server).await.maintain(&repair, &mut |_| {}).await);
    assert_eq!(heard, Some(StoreCode::StorePoisoned));
    let lines = trail(&server).await;
    let failed = |subject: &str, code: &str| {
        let line = |outcome: &str, code: Option<&str>| {
            let mut line = json!({"at_ms": 1_700_000_000_000_u64, "actor": "local-owner", "action": "node.maintain",
                "tenant": null, "subject": subject, "outcome": outcome, "reason": null});
            if let Some(code) = code {
                line["code"] = json!(code);
            }
            line
        };
        [line("begun", None), line("failed", Some(code))]
    };
    let expected = [
        failed("verify", "InvalidRequest"),
        failed("verify and repair", "StorePoisoned"),
        failed("verify and repair", "StorePoisoned"),
    ];
    assert_eq!(lines, expected.concat());
}

/// What the node's trail says of maintenance.
async fn trail(server: &Server) -> Vec<Value> {
    let trail = get(server.addr, "/v1/audit?node=true").await.json();
    let lines = trail["lines"].as_array().expect("lines").iter();
    lines.filter(|line| line["action"] == "node.maintain").cloned().collect()
}

/// Their outcomes.
async fn outcomes(server: &Server) -> Vec<String> {
    let lines = trail(server).await;
    lines.iter().map(|line| line["outcome"].as_str().expect("an outcome").to_owned()).collect()
}

#[tokio::test]
async fn a_job_that_panics_is_an_error_and_the_next_one_runs() {
    let server = server(GateConfig::default(), |job, _| {
        assert!(*job != VERIFY, "a secret of the server");
        Ok(MaintenanceReport::default())
    })
    .await;
    let panicked = post(server.addr, PATH, r#"{"job":"verify"}"#).await;
    assert_eq!(panicked.error(), (500, "Internal".to_owned()));
    assert!(!panicked.body.contains("secret"), "{panicked:?}");
    assert_eq!(post(server.addr, PATH, r#"{"job":"verify","repair":true}"#).await.status, 200);
    assert_eq!(outcomes(&server).await, ["begun", "failed", "begun", "done"]);
}

#[tokio::test]
async fn ten_lines_a_second_are_enough() {
    let server = server(GateConfig::default(), |_, on_stage| {
        for done in 0..100_000 {
            on_stage(stage(done));
        }
        Ok(MaintenanceReport::default())
    })
    .await;
    let since = Instant::now();
    let mut lines = 0;
    local(&server).await.maintain(&VERIFY, &mut |_| lines += 1).await.expect("it is done");
    let most = 1 + since.elapsed().as_millis() / 100;
    assert!((1..=most).contains(&lines), "{lines} lines in {:?}", since.elapsed());
}
