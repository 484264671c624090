//! Requests as other clients send them: some of our own, and those of the conformance folder where it
//! is there.

use std::path::Path;

use crate::wire::*;

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// HELLO, create, append of an array with one element, append below turn 1: as typed by hand.
#[test]
fn requests_typed_by_hand_are_understood() {
    let server = Server::start();
    let mut client = server.connect();
    let reply = client.ask(HELLO, &unhex("0100040074657374 00000000".replace(' ', "").as_str())).ok();
    assert_eq!(reply.body.len(), 10);
    assert_eq!(client.ask(CREATE, &unhex("0000000000000000")).ok().u64_at(0), 1);
    let append = format!(
        "{context}{parent}{type_len}{type_id}{version}{encoding}{compression}{len}{hash}{payload_len}{payload}{key_len}",
        context = "0100000000000000",
        parent = "0000000000000000",
        type_len = "01000000",
        type_id = "74",
        version = "03000000",
        encoding = "01000000",
        compression = "00000000",
        len = "02000000",
        hash = cairn_base::ContentHash::of(&[0x91, 0x01]),
        payload_len = "02000000",
        payload = "9101",
        key_len = "00000000",
    );
    let reply = client.ask(APPEND, &unhex(&append)).ok();
    assert_eq!((reply.u64_at(0), reply.u64_at(8), reply.u32_at(16)), (1, 1, 0));
}

#[test]
fn requests_of_the_conformance_folder_are_understood() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/conformance/wire");
    if !folder.is_dir() {
        println!("skipped: there is no conformance folder beside the project");
        return;
    }
    let server = Server::start();
    let mut client = server.connect();
    let mut ask = |name: &str| {
        let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
        let vector: serde_json::Value = serde_json::from_str(&text).unwrap();
        let number = |field: &str| u16::try_from(vector[field].as_u64().unwrap()).unwrap();
        let body = unhex(vector["payload_hex"].as_str().unwrap());
        client.ask_with(number("msg_type"), number("flags"), &body)
    };
    assert_eq!(ask("hello_empty").ok().body.len(), 10);
    assert_eq!(ask("hello_tag").ok().body.len(), 10);
    assert_eq!(ask("get_head_ctx42").error().0, 404);
    assert_eq!(ask("ctx_fork_base123").error().0, 404);
    assert_eq!(ask("append_parent0").error().0, 404, "there is no context yet");
    for number in 1..=42 {
        let head = ask("ctx_create_base0").ok();
        assert_eq!((head.u64_at(0), head.u64_at(8), head.u32_at(16)), (number, 0, 0));
    }
    assert_eq!(ask("get_head_ctx42").ok().u64_at(0), 42);
    let blob = ask("put_blob").ok();
    assert_eq!((blob.body.len(), blob.body[32]), (33, 1));
    assert_eq!(ask("put_blob").ok().body[32], 0);
    // The trees they name are no blobs that could be there.
    assert_eq!(ask("attach_fs").error().0, 404);
    assert_eq!(ask("append_with_fs").error().0, 404);
    assert_eq!(ask("append_parent7").error().0, 404, "there is no turn 7 yet");
    for number in 1..=122_u32 {
        let appended = ask("append_parent0").ok();
        assert_eq!((appended.u64_at(8), appended.u32_at(16)), (number.into(), number - 1));
        assert_eq!(appended.body.len(), 52);
    }
    for _ in 0..2 {
        assert_eq!(ask("append_idempotent").ok().u64_at(8), 123, "the same key makes one turn");
    }
    let fork = ask("ctx_fork_base123").ok();
    assert_eq!((fork.u64_at(0), fork.u64_at(8), fork.u32_at(16)), (43, 123, 122));
    let below = ask("append_parent7").ok();
    assert_eq!((below.u64_at(8), below.u32_at(16)), (124, 7), "a child of turn 7, which has depth 6");
    let numbers = |reply: &Reply| rows(reply).0.iter().map(|row| row.turn).collect::<Vec<_>>();
    assert_eq!(numbers(&ask("get_last_default").ok()), [1, 2, 3, 4, 5, 6, 7, 124]);
    let (with_payload, _) = rows(&ask("get_last_payload").ok());
    assert_eq!(with_payload.iter().map(|row| row.turn).collect::<Vec<_>>(), [4, 5, 6, 7, 124]);
    let shown: Vec<_> = with_payload.iter().map(|row| (&*row.type_id, &*row.payload)).collect();
    let item = "cxdb.ConversationItem";
    assert_eq!(shown[3..], [(item, &[0x91, 1][..]), (item, &[0x91, 2])]);
}
