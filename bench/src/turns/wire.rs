//! Requests as bytes, and what is in their answers.

use anyhow::{Context, Result, ensure};
use cairn_base::ContentHash;

use crate::random::Random;

/// Bytes of a payload.
pub(crate) const PAYLOAD_BYTES: usize = 1024;
/// Bytes of a frame's header.
pub(crate) const HEADER_BYTES: usize = 16;
/// Characters that tell payloads apart.
const NUMBER_BYTES: usize = 16;
/// Random characters of a payload, of which zstd saves half; with the rest it comes to 520 bytes.
const RANDOM_BYTES: usize = 898;
const TYPE_ID: &str = "com.example.Message";
const TEMPLATES: u64 = 256;

/// Makes payloads of 1 KiB that are all different: a msgpack map with one text, half of it noise.
#[derive(Debug)]
pub(crate) struct Payloads(Vec<Vec<u8>>);

impl Payloads {
    pub(crate) fn new() -> Self {
        Payloads((0..TEMPLATES).map(template).collect())
    }

    /// The payload with a number.
    pub(crate) fn put(&self, number: u64, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.0[(number % TEMPLATES) as usize]);
        for (at, byte) in out[start + 5..start + 5 + NUMBER_BYTES].iter_mut().enumerate() {
            *byte = b"0123456789abcdef"[(number >> (4 * at) & 15) as usize];
        }
    }
}

fn template(seed: u64) -> Vec<u8> {
    let text_bytes = u16::try_from(PAYLOAD_BYTES - 5).unwrap_or(u16::MAX);
    let mut payload = vec![0x81, 1, 0xda];
    payload.extend_from_slice(&text_bytes.to_be_bytes());
    payload.extend_from_slice(&[b'0'; NUMBER_BYTES]);
    let noise = Random::new(seed).bytes(RANDOM_BYTES / 2);
    payload.extend(
        noise.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| b"0123456789abcdef"[digit as usize]),
    );
    payload.resize(PAYLOAD_BYTES, b' ');
    payload
}

fn frame(out: &mut Vec<u8>, kind: u16, body: impl FnOnce(&mut Vec<u8>)) {
    out.clear();
    out.extend_from_slice(&[0; HEADER_BYTES]);
    body(out);
    let len = (out.len() - HEADER_BYTES) as u32;
    out[..4].copy_from_slice(&len.to_le_bytes());
    out[4..6].copy_from_slice(&kind.to_le_bytes());
}

/// HELLO with a token.
pub(crate) fn hello(out: &mut Vec<u8>, token: &str) {
    let meta = format!("{{\"token\":\"{token}\"}}");
    frame(out, 1, |out| {
        // The version of the protocol, and no tag.
        out.extend_from_slice(&1_u16.to_le_bytes());
        out.extend_from_slice(&0_u16.to_le_bytes());
        out.extend_from_slice(&(meta.len() as u32).to_le_bytes());
        out.extend_from_slice(meta.as_bytes());
    });
}

/// CTX_CREATE, or CTX_FORK of a turn.
pub(crate) fn create(out: &mut Vec<u8>, base: u64) {
    frame(out, if base == 0 { 2 } else { 3 }, |out| out.extend_from_slice(&base.to_le_bytes()));
}

/// APPEND_TURN to the head of a context.
pub(crate) fn append(out: &mut Vec<u8>, context: u64, payloads: &Payloads, number: u64) {
    append_with(out, context, PAYLOAD_BYTES, |out| payloads.put(number, out));
}

/// APPEND_TURN of a payload of so many bytes.
pub(crate) fn append_with(
    out: &mut Vec<u8>,
    context: u64,
    payload_bytes: usize,
    put_payload: impl FnOnce(&mut Vec<u8>),
) {
    frame(out, 5, |out| {
        out.extend_from_slice(&context.to_le_bytes());
        out.extend_from_slice(&0_u64.to_le_bytes());
        out.extend_from_slice(&(TYPE_ID.len() as u32).to_le_bytes());
        out.extend_from_slice(TYPE_ID.as_bytes());
        for field in [1, 1, 0, payload_bytes as u32] {
            out.extend_from_slice(&field.to_le_bytes());
        }
        let hash_at = out.len();
        out.extend_from_slice(&[0; 32]);
        out.extend_from_slice(&(payload_bytes as u32).to_le_bytes());
        let payload_at = out.len();
        put_payload(out);
        let hash = ContentHash::of(&out[payload_at..]);
        out[hash_at..hash_at + 32].copy_from_slice(hash.as_bytes());
        out.extend_from_slice(&0_u32.to_le_bytes());
    });
}

/// GET_LAST with payloads.
pub(crate) fn last(out: &mut Vec<u8>, context: u64, limit: u32) {
    frame(out, 6, |out| {
        out.extend_from_slice(&context.to_le_bytes());
        out.extend_from_slice(&limit.to_le_bytes());
        out.extend_from_slice(&1_u32.to_le_bytes());
    });
}

/// GET_RANGE_BY_DEPTH of one turn with its payload.
pub(crate) fn at_depth(out: &mut Vec<u8>, context: u64, depth: u32) {
    frame(out, 8, |out| {
        out.extend_from_slice(&context.to_le_bytes());
        for field in [depth, 1, 1] {
            out.extend_from_slice(&field.to_le_bytes());
        }
    });
}

/// The body of an answer, if it is one of the expected kind.
pub(crate) fn body(answer: &[u8], kind: u16) -> Result<&[u8]> {
    let found = answer.get(4..6).context("an answer without a header")?;
    let body = &answer[HEADER_BYTES..];
    ensure!(
        found == kind.to_le_bytes(),
        "an error: {}",
        String::from_utf8_lossy(body.get(8..).unwrap_or(body))
    );
    Ok(body)
}

/// The u64 at an offset of a body.
pub(crate) fn u64_at(body: &[u8], at: usize) -> Result<u64> {
    let bytes = body.get(at..).and_then(|rest| rest.first_chunk()).context("a short answer")?;
    Ok(u64::from_le_bytes(*bytes))
}

/// The u32 at an offset of a body.
pub(crate) fn u32_at(body: &[u8], at: usize) -> Result<u32> {
    let bytes = body.get(at..).and_then(|rest| rest.first_chunk()).context("a short answer")?;
    Ok(u32::from_le_bytes(*bytes))
}
