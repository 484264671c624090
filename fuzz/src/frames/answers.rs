//! Which answers there have to be, and what is asked of them.

use cairn_binary::{HEADER_BYTES, Header, MessageType, limits};

/// The headers that have to be answered: those of whole frames, and of the first one that is too long,
/// behind which nothing is read.
pub(super) fn expected(sent: &[u8]) -> Vec<Header> {
    let mut headers = Vec::new();
    let mut rest = sent;
    while let Some((header, behind)) = rest.split_first_chunk::<HEADER_BYTES>() {
        let header = Header::decode(header);
        let len = header.len as usize;
        if len > limits::BINARY_FRAME_BYTES_MAX {
            headers.push(header);
            break;
        }
        let Some(behind) = behind.get(len..) else { break };
        headers.push(header);
        rest = behind;
    }
    headers
}

/// One answer for each, in order, and nothing else.
pub(super) fn check(asked: &[Header], received: &[u8]) {
    let mut rest = received;
    for request in asked {
        let (header, behind) = rest.split_first_chunk().expect("every whole frame is answered");
        let answer = Header::decode(header);
        let len = answer.len as usize;
        assert!(len <= limits::BINARY_FRAME_BYTES_MAX, "{answer:?} to {request:?} is too long");
        let body = behind.get(..len).expect("answers are whole");
        rest = &behind[len..];
        assert_eq!((answer.request_id, answer.flags), (request.request_id, 0), "an answer to {request:?}");
        if answer.kind == MessageType::Error.number() {
            check_error(request, body);
        } else {
            assert_eq!(answer.kind, request.kind, "an answer to {request:?}");
            assert!(request.len as usize <= limits::BINARY_FRAME_BYTES_MAX, "{request:?} is too long");
        }
    }
    assert!(rest.is_empty(), "{} bytes that answer nothing", rest.len());
}

fn check_error(request: &Header, body: &[u8]) {
    let (fields, detail) = body.split_at(8);
    let (code, length) = fields.split_at(4);
    let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
    assert_eq!(number(length) as usize, detail.len(), "the detail is as long as it says");
    let detail: serde_json::Value = serde_json::from_slice(detail).expect("the detail is JSON");
    assert!(detail["code"].is_string() && detail["message"].is_string(), "{detail}");
    // Nothing that a client sends may be a fault of the server.
    let code = number(code);
    assert!((400..500).contains(&code), "{code} {detail} to {request:?}");
}
