//! Who may send which command.

use cairn_access::{AccessCode, Principal, Role, Roles};
use cairn_base::{ErrorCode, TenantId};

use super::kit::{ACME, DRUGS, Kip, one, send, several, user};

const FIND: &str = r#"FIND(?d) WHERE { ?d {type: "Drug"} }"#;

#[test]
fn readers_read_and_writers_write() {
    let kip = Kip::new();
    let (reader, writer) = (user("rita", ACME, Role::Reader), user("will", ACME, Role::Writer));
    kip.send(&writer, &one(DRUGS)).unwrap();
    kip.send(&reader, &one(FIND)).unwrap();
    let position = kip.engine().position();
    for request in [
        one(DRUGS),
        several(&[FIND, DRUGS], ""),
        several(&["NONSENSE", FIND, r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug"} }"#], ""),
        format!(r#"{{"command":{},"dry_run":true}}"#, cairn_base::Value::String(DRUGS.into()).to_json()),
        format!(r#"{{"command":{},"space":"new"}}"#, cairn_base::Value::String(DRUGS.into()).to_json()),
    ] {
        let error = kip.send(&reader, &request).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Forbidden, "{request}");
    }
    assert!(kip.engine().position() >= position);
    let count = kip.send(&reader, &one(r#"FIND(COUNT(?d)) WHERE { ?d {type: "Drug"} }"#)).unwrap();
    assert_eq!(count.to_json(), r#"{"result":2}"#);
    // What is read only is refused in KIP's own words, to readers too.
    let answer = kip.send(&reader, &several(&[DRUGS, FIND], r#","readonly":true"#)).unwrap();
    assert_eq!(super::kit::codes(&answer), ["KIP_1001", "ok"]);
}

#[test]
fn nobody_asks_in_another_tenant() {
    let kip = Kip::new();
    let stranger = user("eve", ACME, Role::Admin);
    for request in [one(FIND), one(DRUGS), one("NONSENSE")] {
        let error = send(kip.engine(), &stranger, TenantId::LOCAL, &request).unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotFound, "{request}");
    }
    let nobody = Principal::anonymous();
    let error = send(kip.engine(), &nobody, TenantId::LOCAL, &one(FIND)).unwrap_err();
    assert_eq!(error.code(), AccessCode::Unauthenticated);
    let without = Principal::new("eve", ACME, Roles::NONE);
    assert_eq!(kip.send(&without, &one(FIND)).unwrap_err().code(), ErrorCode::Forbidden);
    assert_eq!(
        kip.engine().kip_logs(&without, ACME, &cairn_base::Value::Null).unwrap_err().code(),
        ErrorCode::Forbidden
    );
}
