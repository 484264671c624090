//! Reading windows of history, and single turns.

use serde_json::Value;

use super::{context, fork, json, numbers, refused, text, turn};
use crate::server::Server;

#[tokio::test]
async fn pages_go_back_to_the_first_turn_and_end() {
    let server = Server::start().await;
    let addr = server.addr;
    context(addr).await;
    assert_eq!(json(addr, "/v1/contexts/1/turns").await["next_before_turn_id"], Value::Null);
    for number in 0..70 {
        turn(addr, "1", &[number]).await;
    }
    let newest = json(addr, "/v1/contexts/1/turns").await;
    assert_eq!(numbers(&newest), (7..=70).collect::<Vec<_>>());
    assert_eq!(newest["next_before_turn_id"], "7");
    assert_eq!((&newest["meta"]["head_turn_id"], &newest["meta"]["head_depth"]), (&"70".into(), &69.into()));
    let rest = json(addr, "/v1/contexts/1/turns?before_turn_id=7").await;
    assert_eq!(numbers(&rest), (1..=6).collect::<Vec<_>>());
    assert_eq!(rest["next_before_turn_id"], Value::Null, "the page reaches the first turn");
    assert_eq!(numbers(&json(addr, "/v1/contexts/1/turns?before_turn_id=1").await), [0; 0]);
    assert_eq!(numbers(&json(addr, "/v1/contexts/1/turns?before_turn_id=0&limit=2").await), [69, 70]);
}

#[tokio::test]
async fn a_turn_of_another_history_is_not_found() {
    let server = Server::start().await;
    let addr = server.addr;
    context(addr).await;
    turn(addr, "1", b"\x01").await;
    turn(addr, "1", b"\x02").await;
    assert_eq!(fork(addr, "{\"base_turn_id\": 1}").await.status, 201);
    assert_eq!(turn(addr, "2", b"\x03").await, "3");
    assert_eq!(numbers(&json(addr, "/v1/contexts/2/turns").await), [1, 3]);
    assert_eq!(numbers(&json(addr, "/v1/contexts/2/turns?before_turn_id=3").await), [1]);
    refused(addr, "/v1/contexts/1/turns?before_turn_id=3", (404, "NotFound")).await;
    refused(addr, "/v1/contexts/2/turns?before_turn_id=2", (404, "NotFound")).await;
    refused(addr, "/v1/contexts/1/turns?before_turn_id=9", (404, "NotFound")).await;
    assert_eq!(json(addr, "/v1/turns/1").await["context_id"], "1");
    refused(addr, "/v1/turns/4", (404, "NotFound")).await;
    refused(addr, "/v1/turns/x", (422, "InvalidRequest")).await;
}

#[tokio::test]
async fn bytes_are_rendered_as_asked() {
    let server = Server::start().await;
    let addr = server.addr;
    context(addr).await;
    turn(addr, "1", &[0x81, 0x01, 0xa2, 0xff, 0xfe]).await;
    for (query, name, value) in [
        ("?view=raw", "bytes_b64", Value::from("gQGi//4=")),
        ("?bytes_render=base64&view=raw", "bytes_b64", Value::from("gQGi//4=")),
        ("?view=raw&bytes_render=hex", "bytes_hex", Value::from("8101a2fffe")),
        ("?view=both&bytes_render=len_only", "bytes_len", Value::from(5)),
    ] {
        for one in [
            json(addr, &format!("/v1/contexts/1/turns{query}")).await["turns"][0].clone(),
            json(addr, &format!("/v1/turns/1{query}")).await,
        ] {
            assert_eq!(one[name], value, "{query}");
            let rendered =
                ["bytes_b64", "bytes_hex", "bytes_len"].into_iter().filter(|it| !one[*it].is_null());
            assert_eq!(rendered.count(), 1, "{one}");
            assert_eq!((&one["uncompressed_len"], &one["compression"]), (&5.into(), &0.into()));
        }
    }
}

#[tokio::test]
async fn parameters_are_checked() {
    let server = Server::start().await;
    let addr = server.addr;
    context(addr).await;
    turn(addr, "1", b"\x01").await;
    for query in [
        "limit=0",
        "limit=1001",
        "limit=x",
        "before_turn_id=x",
        "bytes_render=octal",
        "bytes_render=",
        "view=x",
        "include_unknown=2",
        "u64_format=hex",
        "enum_render=x",
        "time_render=x",
        "strict=yes",
        "type_hint_mode=x",
        "as_type_id=t",
    ] {
        refused(addr, &format!("/v1/contexts/1/turns?{query}"), (422, "InvalidRequest")).await;
    }
    assert_eq!(numbers(&json(addr, "/v1/contexts/1/turns?limit=1000").await), [1]);
}

#[tokio::test]
async fn a_page_stops_at_its_bytes_and_never_at_none() {
    let server = Server::start().await;
    let addr = server.addr;
    context(addr).await;
    let large = |number: u8, mib: usize| vec![number; mib << 20];
    for (number, mib) in [(1, 1), (2, 17), (3, 9), (4, 8)] {
        turn(addr, "1", &large(number, mib)).await;
    }
    let newest = json(addr, "/v1/contexts/1/turns").await;
    assert_eq!(numbers(&newest), [4], "nine and eight are more than sixteen");
    let second = json(addr, "/v1/contexts/1/turns?before_turn_id=4&bytes_render=hex").await;
    assert_eq!((numbers(&second), text(&second, "next_before_turn_id")), (vec![3], "3".into()));
    let third = json(addr, "/v1/contexts/1/turns?before_turn_id=3").await;
    assert_eq!(numbers(&third), [2], "however large it is");
    assert_eq!(
        numbers(&json(addr, "/v1/contexts/1/turns?view=raw&bytes_render=len_only").await),
        [1, 2, 3, 4]
    );
}
