//! Every number that is stored or sent, in one list. A number is chosen once and never reused: a row of the
//! snapshot may be added, and none may change.

use std::fmt::Write;

use cairn_access::{Action, RefusalReason, Role, Roles};
use cairn_binary::MessageType;
use cairn_engine::tables;
use cairn_search::text::Language;

#[test]
fn numbers_are_chosen_once() {
    let mut rows: Vec<(&str, u64, String)> = Vec::new();
    rows.extend(tables::keyspaces().iter().map(|of| ("keyspace", u64::from(of.id), of.name.to_owned())));
    rows.extend(
        tables::hashed_keyspaces().iter().map(|of| ("hashed keyspace", u64::from(of.id), of.name.to_owned())),
    );
    rows.extend(
        tables::event_kinds().into_iter().map(|(kind, name)| ("event", u64::from(kind.0), name.to_owned())),
    );
    rows.extend(Action::all().map(|of| ("action", u64::from(of.number()), of.name().to_owned())));
    let reasons = (0..=u8::MAX).filter_map(RefusalReason::from_number);
    rows.extend(reasons.map(|of| ("refusal", u64::from(of.number()), format!("{of:?}"))));
    let roles =
        Role::ALL.map(|role| ("role", u64::from(Roles::NONE.with(role).number()), role.name().to_owned()));
    rows.extend(roles);
    let collections = tables::collections().into_iter();
    rows.extend(collections.map(|(number, name)| ("collection", u64::from(number), name.to_owned())));
    rows.extend(Language::all().map(|of| ("language", u64::from(of.number()), of.code().to_owned())));
    let messages = (0..=u16::MAX).filter_map(MessageType::from_number);
    rows.extend(messages.map(|of| ("message", u64::from(of.number()), format!("{of:?}"))));
    let codes = cairn_http::error_codes();
    rows.extend(codes.map(|code| ("error", u64::from(code.wire()), code.name().to_owned())));

    let mut list = String::new();
    for (kind, number, name) in rows {
        writeln!(list, "{kind:15} {number:5} {name}").unwrap();
    }
    insta::assert_snapshot!(list);
}
