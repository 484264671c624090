//! Many clients at once, on one branch and on several.

use serde_json::json;

use super::{client, upsert};
use crate::server::Server;

const CLIENTS: usize = 8;
const EACH: usize = 12;

async fn write_all(branches: &[&str]) -> Server {
    let server = Server::start().await;
    let mut owner = client(&server).await;
    for branch in branches {
        owner.kb_ensure("shop", branch, None, &mut |_| {}).await.expect("created");
    }
    let mut tasks = Vec::new();
    for number in 0..CLIENTS {
        let (mut client, branch) = (client(&server).await, branches[number % branches.len()].to_owned());
        tasks.push(tokio::spawn(async move {
            for item in 0..EACH {
                let input = upsert(json!({"type": "req", "id": format!("REQ-{branch}-{number}-{item}"),
                    "properties": {"title": branch, "status": "open", "source": "x"}}));
                let stored = client.kb_upsert("shop", &branch, &input).await.expect("stored");
                assert_eq!(stored.created, 1);
            }
        }));
    }
    for task in tasks {
        task.await.expect("it wrote");
    }
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_and_nothing_mixed() {
    for branches in [&["main"][..], &["a", "b", "c", "d"]] {
        let server = write_all(branches).await;
        let mut client = client(&server).await;
        for branch in branches {
            let all = cairn_kb::tools::QueryInput { limit: Some(1_000), ..Default::default() };
            let found = client.kb_query("shop", branch, &all).await.expect("entities");
            assert_eq!(found.count, (CLIENTS * EACH / branches.len()) as u64, "{branch}");
            assert!(found.entities.iter().all(|entity| entity.text("title") == *branch), "{branch}");
        }
    }
}
