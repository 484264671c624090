//! `/v1/search` and what belongs to it.

use std::collections::BTreeSet;
use std::num::NonZeroU64;
use std::time::Duration;

use cairn_access::registry::{TenantName, UserId};
use cairn_access::{Principal, Role, Roles};
use cairn_engine::NewToken;
use cairn_gate::{Allowance, Authentication, GateConfig};
use cairn_http::{Client, ClientError, HttpConfig};
use serde_json::{Value, json};

use crate::client::{Answer, get, request, send};
use crate::server::Server;

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// A map with one text, in msgpack.
fn payload(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.len()).expect("short");
    [&[0x81, 1, 0xdb][..], &length.to_be_bytes(), text.as_bytes()].concat()
}

async fn server() -> Server {
    let server = Server::start().await;
    server.search();
    server
}

/// A context with these turns; says its number.
async fn say(server: &Server, head: &str, kind: &str, texts: &[&str]) -> String {
    let made = send(server.addr, "POST /v1/contexts", head, b"").await.json();
    let context = made["context_id"].as_str().expect("an id").to_owned();
    for text in texts {
        append(server, head, &context, kind, text).await;
    }
    context
}

async fn append(server: &Server, head: &str, context: &str, kind: &str, text: &str) {
    let line = format!("POST /v1/contexts/{context}/turns?type_id={kind}");
    let head = format!("content-type: application/msgpack\r\n{head}");
    assert_eq!(send(server.addr, &line, &head, &payload(text)).await.status, 201);
}

async fn asked(server: &Server, query: &str) -> Answer {
    get(server.addr, &format!("/v1/search?{query}")).await
}

async fn found(server: &Server, query: &str) -> Value {
    let answer = asked(server, query).await;
    assert_eq!(answer.status, 200, "{query}: {answer:?}");
    answer.json()
}

/// What one field of the hits says.
fn each<'a>(page: &'a Value, name: &str) -> Vec<&'a str> {
    let hits = page["hits"].as_array().expect("hits");
    hits.iter().map(|hit| hit[name].as_str().unwrap_or("none")).collect()
}

#[tokio::test]
async fn a_hit_says_what_it_is_and_why() {
    let server = server().await;
    say(&server, "", "com.example.Note", &["The river is high", "Deployed the größte release of the year"])
        .await;
    let page = found(&server, "q=deploying+the+gr%C3%B6%C3%9Fte+release").await;
    insta::assert_snapshot!(format!("{page:#}"));
    // What is written next is found at once.
    append(&server, "", "1", "t", "a zebra").await;
    assert_eq!(each(&found(&server, "q=zebra").await, "turn_id"), ["3"]);
}

#[tokio::test]
async fn highlights_lie_on_words() {
    let server = server().await;
    let long =
        format!("{} ein großer 🪨 Stein, Steine überall {}", "wörter ".repeat(80), "und mehr ".repeat(80));
    say(&server, "", "t", &[&long, "a stone (stone) stones"]).await;
    for (query, expected) in
        [("stein", &["Stein", "Steine"][..]), ("%22stone+stones%22+stone", &["stone", "stone", "stones"])]
    {
        let page = found(&server, &format!("q={query}&in=turns")).await;
        let snippet = &page["hits"][0]["snippet"];
        let characters: Vec<char> = snippet["text"].as_str().expect("text").chars().collect();
        let words: Vec<String> = snippet["highlights"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|range| {
                let at =
                    |name: &str| usize::try_from(range[name].as_u64().expect("a number")).expect("small");
                characters[at("start")..at("end")].iter().collect()
            })
            .collect();
        assert!(words.iter().all(|word| expected.contains(&word.as_str())) && !words.is_empty(), "{page:#}");
    }
}

#[tokio::test]
async fn every_parameter_narrows_what_is_found() {
    let server = server().await;
    say(&server, "", "a.Note", &["a stone by the river", "nothing here"]).await;
    server.clock.advance(Duration::from_secs(86_400));
    say(&server, "", "b.Note", &["a stone by the sea", "moss grows here"]).await;
    for (query, expected) in [
        ("q=stone", vec!["3", "1"]),
        ("q=stone+sea", vec!["3", "1"]),
        ("q=stone&in=turns", vec!["3", "1"]),
        ("q=stone&type=a.Note", vec!["1"]),
        ("q=stone&type=a.Note,b.Note,c", vec!["3", "1"]),
        ("q=stone&type=c", vec![]),
        ("q=stone&type=", vec!["3", "1"]),
        ("q=stone&context_id=2", vec!["3"]),
        ("q=stone&context_id=9", vec![]),
        ("q=stone&since=-1h", vec!["3"]),
        ("q=stone&until=1700000000000", vec!["1"]),
        ("q=stone&since=2023-11-14&until=2023-11-15T00:00:00Z", vec!["1"]),
        ("q=stone&recency=1h", vec!["3", "1"]),
        ("q=%2Bstone+-sea", vec!["1"]),
        ("q=%22by+the+sea%22", vec!["3"]),
        ("q=ston*", vec!["3", "1"]),
    ] {
        let page = found(&server, query).await;
        let (mut ids, mut wanted) = (each(&page, "turn_id"), expected.clone());
        // Equal ones have an order of their own; who is first matters where age does.
        if !query.contains("recency") {
            ids.sort_unstable();
            wanted.sort_unstable();
        }
        assert_eq!((ids, &page["total"]), (wanted, &json!(expected.len())), "{query}: {page:#}");
    }
    assert_eq!(found(&server, "q=stone&limit=1").await["hits"].as_array().map(Vec::len), Some(1));
    let contexts = found(&server, "q=stone&in=contexts").await;
    assert_eq!((&contexts["in"], each(&contexts, "kind")), (&json!("contexts"), vec!["context", "context"]));
    // No turn has both; two turns of one context have.
    let both = found(&server, "q=moss+sea").await;
    assert_eq!((&both["in"], each(&both, "kind")), (&json!("windows"), vec!["window"]), "{both:#}");
    assert_eq!(both["hits"][0]["turns_found"], 2);
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_and_the_rest_is_answered() {
    let server = server().await;
    say(&server, "", "t", &["a stone"]).await;
    let q = |text: &str| format!("q={}", encoded(text));
    for (query, parameter) in [
        (String::new(), "q"),
        ("q=".to_owned(), "q"),
        ("q=%20%09".to_owned(), "q"),
        (q("..."), "q"),
        ("q=stone&in=nowhere".to_owned(), "in"),
        ("q=stone&limit=0".to_owned(), "limit"),
        ("q=stone&limit=101".to_owned(), "limit"),
        ("q=stone&context_id=x".to_owned(), "context_id"),
        ("q=stone&since=yesterday".to_owned(), "since"),
        ("q=stone&until=".to_owned(), "until"),
        ("q=stone&recency=30".to_owned(), "recency"),
        ("q=stone&recency=0s".to_owned(), "recency"),
        ("q=stone&type=a,,b".to_owned(), "type"),
        (format!("q=stone&type={}", ["t"; 33].join(",")), "type"),
        ("q=stone&cursor=x".to_owned(), "cursor"),
        ("q=stone&q=stone".to_owned(), "q"),
    ] {
        let answer = asked(&server, &query).await;
        assert_eq!(answer.error(), (422, "InvalidRequest".to_owned()), "{query}");
        assert_eq!(answer.json()["error"]["details"]["parameter"], parameter, "{query}");
    }
    let long = asked(&server, &q(&"x".repeat(8193))).await;
    assert_eq!(long.error(), (413, "TooLarge".to_owned()));
    assert_eq!(long.json()["error"]["details"]["parameter"], "q");
    let phrases: Vec<_> = (0..25).map(|number: u32| format!("\"a{number} b\"")).collect();
    assert_eq!(asked(&server, &q(&phrases.join(" "))).await.error(), (422, "InvalidRequest".to_owned()));
    let thousand: Vec<_> = (0..1000).map(|number: u32| format!("w{number}")).collect();
    for (query, total) in [
        (q("the of and"), 0),
        (q("\"stone"), 1),
        (q("stone\" \""), 1),
        (q("stone\u{1}\u{7f}\0stone"), 1),
        (q(&thousand.join(" ")), 0),
        (q("((((stone))))"), 1),
        (q("\u{202e}\u{feff}stone"), 1),
        (format!("q=stone&type={}", ["t"; 32].join(",")), 1),
        (q(&format!("stone{}", " ".repeat(8187))), 1),
    ] {
        let answer = asked(&server, &query).await;
        assert_eq!((answer.status, &answer.json()["total"]), (200, &json!(total)), "{query}: {answer:?}");
    }
    assert_eq!(found(&server, &q("the stone")).await["ignored"], json!(["the"]));
    // A megabyte does not even fit into the head of a request.
    let huge = asked(&server, &format!("q={}", "x".repeat(1 << 20))).await;
    assert_eq!(huge.status, 431);
    assert_eq!(found(&server, "q=stone").await["total"], 1, "and the server still stands");
}

#[tokio::test]
async fn titles_that_are_written_almost_so_are_found_and_suggested() {
    let server = server().await;
    let short = |text: &str| [&[0xa0 | u8::try_from(text.len()).expect("short")], text.as_bytes()].concat();
    for title in ["Project Kingfisher", "Project Bluebell"] {
        let context = say(&server, "", "t", &[]).await;
        let first = [&[0x81, 30, 0x81, 2][..], &short(title)].concat();
        let line = format!("POST /v1/contexts/{context}/turns?type_id=t");
        let sent = send(server.addr, &line, "content-type: application/msgpack\r\n", &first).await;
        assert_eq!(sent.status, 201, "{sent:?}");
    }
    for searched in ["contexts", "auto"] {
        let page = found(&server, &format!("q=kingfischer&in={searched}")).await;
        assert_eq!(each(&page, "title"), ["Project Kingfisher"], "{page:#}");
        assert_eq!(page["hits"][0]["reasons"][0]["rule"], "near");
        assert_eq!(page["suggestions"], json!(["kingfisher"]));
    }
    assert_eq!(found(&server, "q=kingfischer&in=turns").await["suggestions"], json!([]));
    // Nothing has all of it: turns are shown, with what contexts suggest.
    let page = found(&server, "q=kingfischer+zebra").await;
    assert_eq!((&page["in"], &page["suggestions"]), (&json!("turns"), &json!(["kingfisher zebra"])));
}

#[tokio::test]
async fn pages_have_every_hit_once() {
    let server = server().await;
    for number in 0..23 {
        say(&server, "", "t", &[&format!("stone {}", "moss ".repeat(number % 7)), "stone wall"]).await;
    }
    for (unit, total, field) in
        [("turns", 46_usize, "turn_id"), ("contexts", 23, "context_id"), ("auto", 46, "turn_id")]
    {
        let query = format!("q=stone&in={unit}&limit=4");
        let (mut seen, mut cursor, mut pages) = (BTreeSet::new(), None::<String>, 0);
        loop {
            let more = cursor.as_ref().map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
            let page = found(&server, &(query.clone() + &more)).await;
            assert_eq!(page["total"], total, "{unit}");
            for id in each(&page, field) {
                assert!(seen.insert(id.to_owned()), "{unit}: {id} came twice");
            }
            pages += 1;
            match page["next_cursor"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => break,
            }
        }
        assert_eq!((seen.len(), pages), (total, total.div_ceil(4)), "{unit}");
        let cursor = cursor.expect("there were several");
        for other in [
            format!("q=stones&in={unit}&limit=4&cursor={cursor}"),
            format!("q=stone&in=windows&limit=4&cursor={cursor}"),
            format!("q=stone&in={unit}&limit=5&cursor={cursor}"),
            format!("q=stone&in={unit}&limit=4&context_id=1&cursor={cursor}"),
            format!("{query}&cursor={}", &cursor[1..]),
        ] {
            let answer = asked(&server, &other).await;
            assert_eq!(answer.error(), (422, "InvalidRequest".to_owned()), "{other}");
            assert!(
                answer.json()["error"]["message"]
                    .as_str()
                    .is_some_and(|text| text.contains("another search"))
            );
        }
    }
}

/// Servers whose callers have to say who they are: heads of a writer and a reader of one tenant, and of an
/// administrator of another.
async fn tenants(allowance: Allowance) -> (Server, [String; 3]) {
    let gate = GateConfig { authentication: Authentication::Required, allowance, ..GateConfig::default() };
    let server = Server::with(HttpConfig::default(), gate).await;
    server.search();
    let (engine, owner) = (server.gate.engine().clone(), Principal::local_owner());
    let tenant =
        |name| engine.create_tenant(&owner, &TenantName::parse(name).expect("a name")).expect("made").id;
    let [acme, other] = ["acme", "other"].map(tenant);
    let head = |tenant, role, name: &str| {
        let (user, roles) = (UserId::parse(name).expect("a name"), Roles::NONE.with(role));
        engine.put_user(&owner, tenant, &user, roles).expect("it is made");
        let wanted = NewToken { user, label: String::new(), scope: roles, expires_at_ms: None };
        let token = engine.issue_token(&owner, tenant, wanted).expect("it is made").0;
        format!("authorization: Bearer {}\r\n", *token.reveal())
    };
    let heads =
        [head(acme, Role::Writer, "ada"), head(acme, Role::Reader, "rita"), head(other, Role::Admin, "eve")];
    (server, heads)
}

async fn found_by(server: &Server, head: &str, query: &str) -> Value {
    let answer = request(server.addr, &format!("GET /v1/search?{query}"), head).await;
    assert_eq!(answer.status, 200, "{query}: {answer:?}");
    answer.json()
}

#[tokio::test]
async fn nobody_learns_of_what_others_said() {
    let (server, [ada, rita, eve]) = tenants(Allowance::default()).await;
    say(&server, &ada, "acme.Plan", &["the secret plan of the vault", "der geheime Plan"]).await;
    say(&server, &eve, "t", &["a harmless plan"]).await;
    let own = found_by(&server, &rita, "q=vault").await;
    assert_eq!((&own["total"], each(&own, "turn_id")), (&json!(1), vec!["1"]), "a reader may search");
    let anonymous = request(server.addr, "GET /v1/search?q=vault", "").await;
    assert_eq!(anonymous.error(), (401, "Unauthenticated".to_owned()));

    // Whatever others have is answered as what nobody has.
    for unit in ["auto", "turns", "windows", "contexts"] {
        for (theirs, nobodys) in [
            ("q=vault", "q=nowhere"),
            ("q=vau*", "q=now*"),
            ("q=%22secret+plan%22+of", "q=%22nowhere+plan%22+of"),
            ("q=der+vault", "q=der+nowhere"),
            ("q=plan&type=acme.Plan", "q=plan&type=nobody.Plan"),
            ("q=vault&context_id=1", "q=nowhere&context_id=77"),
        ] {
            let without_query = |mut page: Value| {
                page["query"] = Value::Null;
                page
            };
            let mine = found_by(&server, &eve, &format!("{theirs}&in={unit}")).await;
            let none = found_by(&server, &eve, &format!("{nobodys}&in={unit}")).await;
            assert_eq!(without_query(mine), without_query(none), "{theirs} in {unit}");
        }
        let plan = found_by(&server, &eve, &format!("q=plan&in={unit}")).await;
        assert_eq!(plan["total"], 1, "{unit}: {plan:#}");
        assert!(!plan.to_string().contains("secret") && !plan.to_string().contains("geheim"), "{plan:#}");
    }
    // How well something fits does not depend on what others said.
    let before = found_by(&server, &eve, "q=plan").await["hits"][0]["score"].clone();
    say(&server, &ada, "t", &["plan plan", "plan b", "another plan"]).await;
    assert_eq!(found_by(&server, &eve, "q=plan").await["hits"][0]["score"], before);
    // A cursor of one tenant leads nowhere in another.
    let cursor = found_by(&server, &ada, "q=plan&limit=1&in=turns").await["next_cursor"].clone();
    let line = format!("GET /v1/search?q=plan&limit=1&in=turns&cursor={}", cursor.as_str().expect("more"));
    assert_eq!(request(server.addr, &line, &ada).await.status, 200);
    assert_eq!(request(server.addr, &line, &eve).await.error(), (422, "InvalidRequest".to_owned()));
}

#[tokio::test]
async fn it_counts_as_a_search() {
    let searches_per_minute = NonZeroU64::new(2);
    let (server, [ada, ..]) = tenants(Allowance { searches_per_minute, ..Allowance::default() }).await;
    for _ in 0..2 {
        found_by(&server, &ada, "q=x").await;
    }
    let refused = request(server.addr, "GET /v1/search?q=x", &ada).await;
    assert_eq!(refused.error(), (429, "TooManyRequests".to_owned()));
    assert_eq!(refused.json()["error"]["details"]["limit"], "searches");
    assert_eq!(request(server.addr, "GET /v1/contexts", &ada).await.status, 200, "reading is something else");
}

#[tokio::test]
async fn a_server_without_an_index_says_so_and_is_ready() {
    let server = Server::start().await;
    let off = asked(&server, "q=x").await;
    assert_eq!(off.error(), (422, "InvalidRequest".to_owned()));
    assert!(off.body.contains("search.enabled"), "{off:?}");
    assert_eq!(send(server.addr, "POST /v1/admin/search/rebuild", "", b"").await.error().0, 422);
    assert_eq!(get(server.addr, "/readyz").await.status, 200);
    assert_eq!(get(server.addr, "/v1/admin/stats").await.json()["search"]["state"], "off");
}

#[tokio::test]
async fn a_new_index_is_made_on_demand_and_figures_say_how_it_is() {
    let server = server().await;
    say(&server, "", "t", &["a stone", "moss"]).await;
    assert_eq!(found(&server, "q=stone").await["total"], 1);
    for path in ["/v1/admin/stats", "/v1/metrics"] {
        let figures = get(server.addr, path).await.json();
        let search = &figures["search"];
        assert_eq!(
            (&search["state"], &search["documents"]),
            (&json!("ready"), &json!(2)),
            "{path}: {figures}"
        );
        assert_eq!((&search["behind_ms"], &search["detail"]), (&json!(0), &Value::Null), "{path}");
    }
    let metrics = get(server.addr, "/metrics").await.body;
    for line in
        ["cairn_search_ready 1\n", "cairn_search_documents 2\n", "cairn_search_behind_milliseconds 0\n"]
    {
        assert!(metrics.contains(line), "{line} is missing in {metrics}");
    }
    let mut client = Client::over(server.local().await, Duration::from_secs(60)).await.expect("it connects");
    let report = client.rebuild_search(&mut |_| {}).await.expect("it is made");
    assert_eq!(report.figures[0], ("search_documents".to_owned(), 2));
    assert_eq!(found(&server, "q=stone").await["total"], 1);
    let trail = get(server.addr, "/v1/audit?node=true&newest=true&limit=1").await.json();
    assert_eq!(trail["lines"][0]["subject"], "make the search index anew", "{trail}");
    let mut client = Client::over(server.local().await, Duration::from_secs(60)).await.expect("it connects");
    let answered = client.search(&[("q", "a&b=stone %20\"".to_owned()), ("limit", "1".to_owned())]).await;
    assert_eq!(answered.expect("it answers").query, "a&b=stone %20\"");
    let refused = client.search(&[("q", String::new())]).await;
    assert!(matches!(refused, Err(ClientError::Refused { .. })), "{refused:?}");
}
