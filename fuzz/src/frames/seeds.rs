//! Inputs to begin with: every message as it should be, some as they should not be.

use super::input::{APPEND, ATTACH, GET_BLOB, LAST_HASH, PACKED, PUT_BLOB, RIGHT_HASH, WITH_TREE};

const HELLO: u8 = 1;
const CREATE: u8 = 2;
const FORK: u8 = 3;
const HEAD: u8 = 4;
const LAST: u8 = 6;
const PUT_BUNDLE: u8 = 12;
const BEFORE: u8 = 7;
const BY_DEPTH: u8 = 8;

/// The first inputs.
pub fn seeds() -> Vec<Vec<u8>> {
    let create = message(CREATE, 0, &[0; 8]);
    let turn = |text: &[u8]| message(APPEND, RIGHT_HASH, &append(1, 0, text, b""));
    let windows = [
        message(LAST, 0, &words(&[1, 0, 10, 1])),
        message(LAST, 0, &words(&[1, 0, 2, 0])),
        message(BEFORE, 0, &words(&[1, 0, 2, 0, 9, 1])),
        message(BY_DEPTH, 0, &words(&[1, 0, 1, 9, 1])),
    ]
    .concat();
    let text = b"\x82\xa4role\xa4user\xa4text\xa2hi";
    let blob = message(PUT_BLOB, RIGHT_HASH, &[&[0; 32][..], &1_u32.to_le_bytes(), &[0x90]].concat());
    let lists = [
        vec![],
        message(HELLO, 0, b"\x01\x00\x03\x00tag\x02\x00\x00\x00{}"),
        message(HELLO, 0, b""),
        [create.clone(), turn(text), turn(b"two"), turn(b"")].concat(),
        [create.clone(), turn(b"one"), turn(b"two"), turn(b"three"), windows.clone()].concat(),
        [create.clone(), message(HEAD, 0, &words(&[1, 0])), message(HEAD, 0, &words(&[7, 0]))].concat(),
        [create.clone(), turn(b"one"), turn(b"two"), message(FORK, 0, &words(&[1, 0])), windows].concat(),
        [create.clone(), message(APPEND, PACKED, &append(1, 0, &[7; 400], b""))].concat(),
        [create.clone(), keyed(b"once"), keyed(b"once"), keyed(b"twice")].concat(),
        [create.clone(), turn(b"one"), message(APPEND, RIGHT_HASH, &append(1, 1, b"below", b""))].concat(),
        [blob.clone(), blob.clone(), message(GET_BLOB, LAST_HASH, &[0; 32]), message(GET_BLOB, 0, &[0; 32])]
            .concat(),
        [
            create.clone(),
            turn(b"one"),
            blob.clone(),
            message(ATTACH, LAST_HASH, &[&words(&[1, 0])[..], &[0; 32]].concat()),
        ]
        .concat(),
        [create.clone(), blob, with_tree()].concat(),
        [create, message(APPEND, 0, &append(1, 0, b"a wrong hash", b""))].concat(),
        [bundle(b"b"), bundle(b"b"), bundle(b"c")].concat(),
        [message(0, 0, b""), message(13, 0, b"x"), message(255, 0, b"")].concat(),
    ];
    let mut seeds: Vec<Vec<u8>> = lists.into_iter().map(|list| [vec![1], list].concat()).collect();
    seeds.push(vec![0]);
    // One frame as it is on the wire, and one whose header says more than there may be.
    seeds.push(b"\0\x08\0\0\0\x02\0\0\0\x07\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0".to_vec());
    seeds.push(b"\0\x01\0\0\x04\x05\0\0\0\x07\0\0\0\0\0\0\0".to_vec());
    seeds
}

fn message(kind: u8, options: u8, body: &[u8]) -> Vec<u8> {
    let len = u16::try_from(body.len()).expect("seeds are short").to_le_bytes();
    [&[kind, options][..], &len, body].concat()
}

/// A bundle of types; under another name than it has, it is refused.
fn bundle(name: &[u8]) -> Vec<u8> {
    let json = br#"{"registry_version":1,"bundle_id":"b","types":{"t":{"versions":{"1":{"fields":{"1":{"name":"a","type":"u8"}}}}}}}"#;
    let len = |bytes: &[u8]| u32::try_from(bytes.len()).expect("seeds are short").to_le_bytes();
    message(PUT_BUNDLE, 0, &[&len(name)[..], name, &len(json)[..], json].concat())
}

fn keyed(text: &[u8]) -> Vec<u8> {
    message(APPEND, RIGHT_HASH, &append(1, 0, text, b"key"))
}

fn with_tree() -> Vec<u8> {
    let body = [append(1, 0, b"with a tree", b""), vec![0; 32]].concat();
    message(APPEND, WITH_TREE | LAST_HASH | RIGHT_HASH, &body)
}

/// The body of an append whose hash is not right yet.
fn append(context: u32, parent: u32, payload: &[u8], key: &[u8]) -> Vec<u8> {
    let bytes = u32::try_from(payload.len()).expect("seeds are short");
    let mut body = words(&[context, 0, parent, 0, 1]);
    body.push(b't');
    body.extend(words(&[3, 1, 0, bytes]));
    body.extend([0; 32]);
    body.extend(bytes.to_le_bytes());
    body.extend(payload);
    body.extend(words(&[u32::try_from(key.len()).expect("seeds are short")]));
    body.extend(key);
    body
}

/// Numbers of four bytes; two of them are one of eight.
fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}
