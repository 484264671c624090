//! The shapes the engine stores: a version byte, then the same tuples that keys are made of.
//!
//! A reader accepts exactly what a writer of a known version gives; a later version is an error of
//! its own, because the way out is another one (a newer cairn, not a backup).

use cairn_access::{Action, RefusalReason, Resource};
use cairn_base::{KeyBuf, KeyDecodeError, KeyReader, Position};

use crate::secret::Secret;
use crate::{AuditLine, AuditOutcome, EngineError, Node, NodeId};

const VERSION: u8 = 1;

/// version | id (16) | created_at_ms (u64)
pub(crate) fn encode_node(node: &Node) -> Vec<u8> {
    KeyBuf::new().u8(VERSION).fixed(&node.id.0).u64(node.created_at_ms).into_vec()
}

pub(crate) fn decode_node(bytes: &[u8]) -> Result<Node, EngineError> {
    decode("node record", bytes, |parts| {
        Ok(Some(Node { id: NodeId(parts.fixed()?), created_at_ms: parts.u64()? }))
    })
}

/// version | random bytes (32)
pub(crate) fn encode_secret(secret: &Secret) -> Vec<u8> {
    KeyBuf::new().u8(VERSION).fixed(&secret.0).into_vec()
}

pub(crate) fn decode_secret(bytes: &[u8]) -> Result<Secret, EngineError> {
    decode("secret", bytes, |parts| Ok(Some(Secret(parts.fixed()?))))
}

/// How far a consumer has read. Its name is the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConsumerRecord {
    pub(crate) position: Position,
    pub(crate) advanced_at_ms: u64,
}

/// version | position (u64) | advanced_at_ms (u64)
pub(crate) fn encode_consumer(consumer: &ConsumerRecord) -> Vec<u8> {
    KeyBuf::new().u8(VERSION).u64(consumer.position.0).u64(consumer.advanced_at_ms).into_vec()
}

pub(crate) fn decode_consumer(bytes: &[u8]) -> Result<ConsumerRecord, EngineError> {
    decode("consumer record", bytes, |parts| {
        Ok(Some(ConsumerRecord { position: Position(parts.u64()?), advanced_at_ms: parts.u64()? }))
    })
}

/// version | at_ms (u64) | action (u16) | tenant (u32) | space (u32) | reason (u8, 0 if done)
/// | unrecorded (u32) | actor (str) | subject (str)
pub(crate) fn encode_audit(line: &AuditLine) -> Vec<u8> {
    let (reason, unrecorded) = match line.outcome {
        AuditOutcome::Done => (0, 0),
        AuditOutcome::Refused { reason, unrecorded } => (reason.number(), unrecorded),
    };
    KeyBuf::new()
        .u8(VERSION)
        .u64(line.at_ms)
        .u16(line.action.number())
        .tenant(line.resource.tenant)
        .space(line.resource.space)
        .u8(reason)
        .u32(unrecorded)
        .str(&line.actor)
        .str(&line.subject)
        .into_vec()
}

pub(crate) fn decode_audit(bytes: &[u8]) -> Result<AuditLine, EngineError> {
    decode("audit line", bytes, |parts| {
        let at_ms = parts.u64()?;
        let action = Action::from_number(parts.u16()?);
        let resource = Resource { tenant: parts.tenant()?, space: parts.space()? };
        let outcome = match (parts.u8()?, parts.u32()?) {
            (0, 0) => Some(AuditOutcome::Done),
            (reason, unrecorded) => {
                RefusalReason::from_number(reason).map(|reason| AuditOutcome::Refused { reason, unrecorded })
            }
        };
        let (actor, subject) = (parts.str()?.into_owned(), parts.str()?.into_owned());
        Ok(action.zip(outcome).map(|(action, outcome)| AuditLine {
            at_ms,
            actor,
            action,
            resource,
            subject,
            outcome,
        }))
    })
}

/// Checks version and end; `None` from `body` is a number that no table knows.
fn decode<T>(
    what: &'static str,
    bytes: &[u8],
    body: impl FnOnce(&mut KeyReader<'_>) -> Result<Option<T>, KeyDecodeError>,
) -> Result<T, EngineError> {
    let damaged = |detail: String| EngineError::BadRecord { what, detail };
    let mut parts = KeyReader::new(bytes);
    match parts.u8().map_err(|error| damaged(error.to_string()))? {
        VERSION => {}
        found @ (VERSION..) => return Err(EngineError::NewerRecord { what, found, known: VERSION }),
        found => return Err(damaged(format!("version {found} never existed"))),
    }
    let value = body(&mut parts).map_err(|error| damaged(error.to_string()))?;
    parts.finish().map_err(|error| damaged(error.to_string()))?;
    value.ok_or_else(|| damaged("it holds a number that has no meaning".into()))
}

#[cfg(test)]
mod tests {
    use cairn_base::{SpaceId, TenantId};
    use proptest::prelude::*;

    use super::*;

    type Decode = fn(&[u8]) -> Result<(), EngineError>;

    fn every_record() -> [(Vec<u8>, Decode); 4] {
        let node = Node { id: NodeId([7; 16]), created_at_ms: 1 };
        let consumer = ConsumerRecord { position: Position(9), advanced_at_ms: 2 };
        let line = AuditLine {
            at_ms: 3,
            actor: "ada".into(),
            action: Action::ConsumerRemove,
            resource: Resource::space(TenantId(4), SpaceId(5)),
            subject: "search".into(),
            outcome: AuditOutcome::Refused { reason: RefusalReason::RoleMissing, unrecorded: 6 },
        };
        [
            (encode_node(&node), |bytes| decode_node(bytes).map(drop)),
            (encode_secret(&Secret([8; 32])), |bytes| decode_secret(bytes).map(drop)),
            (encode_consumer(&consumer), |bytes| decode_consumer(bytes).map(drop)),
            (encode_audit(&line), |bytes| decode_audit(bytes).map(drop)),
        ]
    }

    #[test]
    fn a_cut_or_longer_record_is_damaged_and_a_later_version_is_newer() {
        for (bytes, decode) in every_record() {
            assert!(decode(&bytes).is_ok());
            for cut in 0..bytes.len() {
                assert!(matches!(decode(&bytes[..cut]), Err(EngineError::BadRecord { .. })), "cut at {cut}");
            }
            let longer = [&bytes[..], &[0]].concat();
            assert!(matches!(decode(&longer), Err(EngineError::BadRecord { .. })));
            let [newer, never] = [VERSION + 1, 0].map(|version| [&[version], &bytes[1..]].concat());
            assert!(matches!(decode(&newer), Err(EngineError::NewerRecord { found: 2, known: 1, .. })));
            assert!(matches!(decode(&never), Err(EngineError::BadRecord { .. })));
        }
    }

    proptest! {
        #[test]
        fn nodes_and_consumers_round_trip(id: [u8; 16], position: u64, at_ms: u64) {
            let node = Node { id: NodeId(id), created_at_ms: at_ms };
            prop_assert_eq!(decode_node(&encode_node(&node)).unwrap(), node);
            let consumer = ConsumerRecord { position: Position(position), advanced_at_ms: at_ms };
            prop_assert_eq!(decode_consumer(&encode_consumer(&consumer)).unwrap(), consumer);
        }

        #[test]
        fn audit_lines_round_trip(
            at_ms: u64, tenant: u32, space: u32, actor: String, subject: String, unrecorded: u32,
            action in 0..Action::COUNT, reason in 0..64_u8,
        ) {
            let outcome = RefusalReason::from_number(reason)
                .map_or(AuditOutcome::Done, |reason| AuditOutcome::Refused { reason, unrecorded });
            let line = AuditLine {
                at_ms,
                actor,
                action: Action::all().nth(action).unwrap(),
                resource: Resource::space(TenantId(tenant), SpaceId(space)),
                subject,
                outcome,
            };
            prop_assert_eq!(decode_audit(&encode_audit(&line)).unwrap(), line);
        }

        #[test]
        fn any_bytes_decode_or_fail_without_panic(bytes: Vec<u8>) {
            for (_, decode) in every_record() {
                let _ = decode(&bytes);
            }
        }
    }
}
