//! From bytes of the fuzzer to bytes on a connection.
//!
//! The first byte says what the rest is: even, the bytes as they are; odd, a list of messages, each
//!
//! ```text
//! message type u8 | options u8 | len u16 | len bytes of body
//! ```
//!
//! Their headers are right, so that the fuzzer gets past them, and the options put right what it could
//! never guess: hashes, and streams of zstd.

use cairn_base::ContentHash;

/// The header has flag 1.
pub(super) const WITH_TREE: u8 = 1;
/// The hash of a payload or blob is the right one.
pub(super) const RIGHT_HASH: u8 = 2;
/// The payload is compressed, and its fields say so.
pub(super) const PACKED: u8 = 4;
/// The hash that a message refers to is that of the last message with [`RIGHT_HASH`].
pub(super) const LAST_HASH: u8 = 8;

pub(super) const APPEND: u8 = 5;
pub(super) const GET_BLOB: u8 = 9;
pub(super) const ATTACH: u8 = 10;
pub(super) const PUT_BLOB: u8 = 11;

/// Bytes of a hash.
const HASH: usize = 32;

/// What is sent.
pub(super) fn sent(input: &[u8]) -> Vec<u8> {
    match input.split_first() {
        None => Vec::new(),
        Some((mode, raw)) if mode % 2 == 0 => raw.to_vec(),
        Some((_, messages)) => frames(messages),
    }
}

fn frames(mut rest: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut last = ContentHash::of(b"");
    let mut request_id = 0_u64;
    while let Some(([kind, options, l0, l1], behind)) = rest.split_first_chunk() {
        let len = usize::from(u16::from_le_bytes([*l0, *l1])).min(behind.len());
        let (body, behind) = behind.split_at(len);
        rest = behind;
        request_id += 1;
        let body = put_right(*kind, *options, body.to_vec(), &mut last);
        out.extend(u32::try_from(body.len()).expect("an input is short").to_le_bytes());
        out.extend(u16::from(*kind).to_le_bytes());
        out.extend(u16::from(options & WITH_TREE).to_le_bytes());
        out.extend(request_id.to_le_bytes());
        out.extend(body);
    }
    out
}

/// The body as the options want it; as it is where it is too short for that.
fn put_right(kind: u8, options: u8, body: Vec<u8>, last: &mut ContentHash) -> Vec<u8> {
    let has = |option: u8| options & option != 0;
    let mut body = body;
    if has(LAST_HASH) {
        let at = match kind {
            GET_BLOB => Some(0),
            ATTACH => Some(8),
            APPEND if has(WITH_TREE) => body.len().checked_sub(HASH),
            _ => None,
        };
        if let Some(place) = at.and_then(|at| body.get_mut(at..at + HASH)) {
            place.copy_from_slice(last.as_bytes());
        }
    }
    if has(RIGHT_HASH) || has(PACKED) {
        let righted = match kind {
            APPEND => right_append(&body, has(PACKED)),
            PUT_BLOB => right_blob(&body),
            _ => None,
        };
        if let Some((righted, hash)) = righted {
            *last = hash;
            body = righted;
        }
    }
    body
}

/// An append with the right length and hash, and compressed if wanted.
fn right_append(body: &[u8], packed: bool) -> Option<(Vec<u8>, ContentHash)> {
    let type_bytes = u32_at(body, 16)?;
    // Behind the type stand its version, the encoding, and what is put right here.
    let at = 20_usize.checked_add(type_bytes)?.checked_add(8)?;
    let payload_at = at.checked_add(4 + 4 + HASH + 4)?;
    let payload_bytes = u32_at(body, payload_at - 4)?;
    let payload = body.get(payload_at..payload_at.checked_add(payload_bytes)?)?;
    let behind = &body[payload_at + payload.len()..];
    let hash = ContentHash::of(payload);
    let sent = if packed { zstd::bulk::compress(payload, 1).ok()? } else { payload.to_vec() };
    let mut righted = body[..at].to_vec();
    righted.extend(u32::from(packed).to_le_bytes());
    righted.extend(u32::try_from(payload.len()).ok()?.to_le_bytes());
    righted.extend(hash.as_bytes());
    righted.extend(u32::try_from(sent.len()).ok()?.to_le_bytes());
    righted.extend(sent);
    righted.extend(behind);
    Some((righted, hash))
}

/// An upload with the right hash.
fn right_blob(body: &[u8]) -> Option<(Vec<u8>, ContentHash)> {
    let data_bytes = u32_at(body, HASH)?;
    let data = body.get(HASH + 4..(HASH + 4).checked_add(data_bytes)?)?;
    let hash = ContentHash::of(data);
    Some(([hash.as_bytes(), &body[HASH..]].concat(), hash))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    let number = bytes.get(at..at.checked_add(4)?)?;
    usize::try_from(u32::from_le_bytes(number.try_into().ok()?)).ok()
}
