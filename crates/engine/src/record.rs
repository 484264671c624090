//! The shapes the engine stores: a version byte, then the same tuples that keys are made of.
//!
//! A reader accepts exactly what a writer of a known version gives; a later version is an error of
//! its own, because the way out is another one (a newer cairn, not a backup).

use cairn_access::{Action, RefusalReason, Resource};
use cairn_base::{KeyBuf, KeyDecodeError, KeyReader, Position};

use crate::secret::Secret;
use crate::{AuditLine, AuditOutcome, EngineError, Node, NodeId, error_codes};

const VERSION: u8 = 1;
/// Audit lines of version 1 say of an act that it was done or refused, and nothing else.
const AUDIT_VERSION: u8 = 2;

/// version | id (16) | created_at_ms (u64)
pub(crate) fn encode_node(node: &Node) -> Vec<u8> {
    KeyBuf::new().u8(VERSION).fixed(&node.id.0).u64(node.created_at_ms).into_vec()
}

pub(crate) fn decode_node(bytes: &[u8]) -> Result<Node, EngineError> {
    decode("node record", VERSION, bytes, |_, parts| {
        Ok(Some(Node { id: NodeId(parts.fixed()?), created_at_ms: parts.u64()? }))
    })
}

/// version | random bytes (32)
pub(crate) fn encode_secret(secret: &Secret) -> Vec<u8> {
    KeyBuf::new().u8(VERSION).fixed(&secret.0).into_vec()
}

pub(crate) fn decode_secret(bytes: &[u8]) -> Result<Secret, EngineError> {
    decode("secret", VERSION, bytes, |_, parts| Ok(Some(Secret(parts.fixed()?))))
}

/// How far a consumer has read. Its name is the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConsumerRecord {
    pub(crate) position: Position,
    pub(crate) advanced_at_ms: u64,
}

/// version | position (u64) | advanced_at_ms (u64)
pub(crate) fn encode_consumer(consumer: &ConsumerRecord) -> Vec<u8> {
    KeyBuf::new().u8(VERSION).u64(consumer.position.to_stored()).u64(consumer.advanced_at_ms).into_vec()
}

pub(crate) fn decode_consumer(bytes: &[u8]) -> Result<ConsumerRecord, EngineError> {
    decode("consumer record", VERSION, bytes, |_, parts| {
        Ok(Some(ConsumerRecord {
            position: Position::from_stored(parts.u64()?),
            advanced_at_ms: parts.u64()?,
        }))
    })
}

/// version | at_ms (u64) | action (u16) | tenant (u32) | space (u32) | outcome (u8) | reason (u8)
/// | unrecorded (u32) | code (str) | actor (str) | subject (str)
///
/// Version 1 has neither outcome nor code: a reason that is not 0 says that it was refused.
pub(crate) fn encode_audit(line: &AuditLine) -> Vec<u8> {
    let (outcome, reason, unrecorded, code) = match line.outcome {
        AuditOutcome::Done => (0, 0, 0, ""),
        AuditOutcome::Refused { reason, unrecorded } => (1, reason.number(), unrecorded, ""),
        AuditOutcome::Begun => (2, 0, 0, ""),
        AuditOutcome::Failed { code } => (3, 0, 0, code.name()),
        AuditOutcome::Stopped => (4, 0, 0, ""),
    };
    KeyBuf::new()
        .u8(AUDIT_VERSION)
        .u64(line.at_ms)
        .u16(line.action.number())
        .tenant(line.resource.tenant)
        .space(line.resource.space)
        .u8(outcome)
        .u8(reason)
        .u32(unrecorded)
        .str(code)
        .str(&line.actor)
        .str(&line.subject)
        .into_vec()
}

pub(crate) fn decode_audit(bytes: &[u8]) -> Result<AuditLine, EngineError> {
    decode("audit line", AUDIT_VERSION, bytes, |version, parts| {
        let at_ms = parts.u64()?;
        let action = Action::from_number(parts.u16()?);
        let resource = Resource { tenant: parts.tenant()?, space: parts.space()? };
        let outcome = if version == 1 { first_outcome(parts)? } else { outcome(parts)? };
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

fn outcome(parts: &mut KeyReader<'_>) -> Result<Option<AuditOutcome>, KeyDecodeError> {
    let (number, reason, unrecorded, code) = (parts.u8()?, parts.u8()?, parts.u32()?, parts.str()?);
    Ok(match (number, reason, unrecorded, &*code) {
        (0, 0, 0, "") => Some(AuditOutcome::Done),
        (1, reason, unrecorded, "") => refused(reason, unrecorded),
        (2, 0, 0, "") => Some(AuditOutcome::Begun),
        (3, 0, 0, code) => {
            let known = error_codes().find(|known| known.name() == code);
            known.map(|code| AuditOutcome::Failed { code })
        }
        (4, 0, 0, "") => Some(AuditOutcome::Stopped),
        _ => None,
    })
}

/// As version 1 has it.
fn first_outcome(parts: &mut KeyReader<'_>) -> Result<Option<AuditOutcome>, KeyDecodeError> {
    Ok(match (parts.u8()?, parts.u32()?) {
        (0, 0) => Some(AuditOutcome::Done),
        (reason, unrecorded) => refused(reason, unrecorded),
    })
}

fn refused(reason: u8, unrecorded: u32) -> Option<AuditOutcome> {
    RefusalReason::from_number(reason).map(|reason| AuditOutcome::Refused { reason, unrecorded })
}

/// Checks version and end; `body` hears the version, and `None` from it is a number or a name that no
/// table knows.
fn decode<T>(
    what: &'static str,
    known: u8,
    bytes: &[u8],
    body: impl FnOnce(u8, &mut KeyReader<'_>) -> Result<Option<T>, KeyDecodeError>,
) -> Result<T, EngineError> {
    let damaged = |detail: String| EngineError::BadRecord { what, detail };
    let mut parts = KeyReader::new(bytes);
    let found = parts.u8().map_err(|error| damaged(error.to_string()))?;
    match found {
        0 => return Err(damaged(format!("version {found} never existed"))),
        found if found > known => return Err(EngineError::NewerRecord { what, found, known }),
        _ => {}
    }
    let value = body(found, &mut parts).map_err(|error| damaged(error.to_string()))?;
    parts.finish().map_err(|error| damaged(error.to_string()))?;
    value.ok_or_else(|| damaged("it holds something that has no meaning".into()))
}

#[cfg(test)]
mod tests {
    use cairn_base::{SpaceId, TenantId};
    use cairn_seam::StoreCode;
    use proptest::prelude::*;

    use super::*;

    type Decode = fn(&[u8]) -> Result<(), EngineError>;

    fn every_record() -> [(Vec<u8>, Decode); 4] {
        let node = Node { id: NodeId([7; 16]), created_at_ms: 1 };
        let consumer = ConsumerRecord { position: Position::from_stored(9), advanced_at_ms: 2 };
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
            let [newer, never] = [bytes[0] + 1, 0].map(|version| [&[version], &bytes[1..]].concat());
            let error = decode(&newer).unwrap_err();
            assert!(
                matches!(error, EngineError::NewerRecord { found, known, .. } if (known, found) == (bytes[0], newer[0])),
                "{error}"
            );
            assert!(matches!(decode(&never), Err(EngineError::BadRecord { .. })));
        }
    }

    /// Bytes that cairn wrote before there were other outcomes.
    fn line_of_version_1(reason: u8, unrecorded: u8) -> Vec<u8> {
        let mut bytes = vec![1];
        bytes.extend([0, 0, 0, 0, 0, 0, 0, 3]);
        bytes.extend([0, 6]);
        bytes.extend([0, 0, 0, 4, 0, 0, 0, 5]);
        bytes.extend([reason, 0, 0, 0, unrecorded]);
        bytes.extend(b"ada\0\0search\0\0");
        bytes
    }

    #[test]
    fn lines_of_the_first_version_stay_readable() {
        let line = AuditLine {
            at_ms: 3,
            actor: "ada".into(),
            action: Action::ConsumerRemove,
            resource: Resource::space(TenantId(4), SpaceId(5)),
            subject: "search".into(),
            outcome: AuditOutcome::Done,
        };
        assert_eq!(decode_audit(&line_of_version_1(0, 0)).unwrap(), line);
        let outcome = AuditOutcome::Refused { reason: RefusalReason::RoleMissing, unrecorded: 6 };
        assert_eq!(decode_audit(&line_of_version_1(2, 6)).unwrap(), AuditLine { outcome, ..line });
        assert!(matches!(decode_audit(&line_of_version_1(0, 6)), Err(EngineError::BadRecord { .. })));
    }

    #[test]
    fn an_outcome_has_what_belongs_to_it_and_nothing_else() {
        let with = |outcome: u8, reason: u8, unrecorded: u32, code: &str| {
            let line = KeyBuf::new().u8(AUDIT_VERSION).u64(3).u16(6).u32(4).u32(5);
            let line = line.u8(outcome).u8(reason).u32(unrecorded).str(code).str("ada").str("search");
            decode_audit(&line.into_vec()).map(|line| line.outcome)
        };
        let reason = RefusalReason::RoleMissing;
        let code = StoreCode::StorageFull;
        for (fine, outcome) in [
            (with(0, 0, 0, ""), AuditOutcome::Done),
            (with(1, 2, 7, ""), AuditOutcome::Refused { reason, unrecorded: 7 }),
            (with(2, 0, 0, ""), AuditOutcome::Begun),
            (with(3, 0, 0, "StorageFull"), AuditOutcome::Failed { code }),
            (with(4, 0, 0, ""), AuditOutcome::Stopped),
        ] {
            assert_eq!(fine.unwrap(), outcome);
        }
        for bad in [
            with(0, 2, 0, ""),
            with(0, 0, 0, "StorageFull"),
            with(1, 0, 0, ""),
            with(1, 2, 0, "StorageFull"),
            with(2, 0, 1, ""),
            with(3, 0, 0, ""),
            with(3, 0, 0, "Nonsense"),
            with(3, 2, 0, "StorageFull"),
            with(4, 0, 0, "StorageFull"),
            with(5, 0, 0, ""),
        ] {
            assert!(matches!(bad, Err(EngineError::BadRecord { .. })), "{bad:?}");
        }
    }

    fn outcomes() -> impl Strategy<Value = AuditOutcome> {
        let codes: Vec<_> = error_codes().collect();
        let reasons: Vec<_> = (0..=u8::MAX).filter_map(RefusalReason::from_number).collect();
        prop_oneof![
            Just(AuditOutcome::Done),
            (proptest::sample::select(reasons), any::<u32>())
                .prop_map(|(reason, unrecorded)| AuditOutcome::Refused { reason, unrecorded }),
            Just(AuditOutcome::Begun),
            proptest::sample::select(codes).prop_map(|code| AuditOutcome::Failed { code }),
            Just(AuditOutcome::Stopped),
        ]
    }

    proptest! {
        #[test]
        fn nodes_and_consumers_round_trip(id: [u8; 16], position: u64, at_ms: u64) {
            let node = Node { id: NodeId(id), created_at_ms: at_ms };
            prop_assert_eq!(decode_node(&encode_node(&node)).unwrap(), node);
            let consumer = ConsumerRecord { position: Position::from_stored(position), advanced_at_ms: at_ms };
            prop_assert_eq!(decode_consumer(&encode_consumer(&consumer)).unwrap(), consumer);
        }

        #[test]
        fn audit_lines_round_trip(
            at_ms: u64, tenant: u32, space: u32, actor: String, subject: String,
            action in 0..Action::COUNT, outcome in outcomes(),
        ) {
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
