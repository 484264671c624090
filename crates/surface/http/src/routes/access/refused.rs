//! What every route here may answer besides what it is for.

use std::collections::BTreeMap;

use utoipa::IntoResponses;
use utoipa::openapi::response::Response;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder};

type Row = (&'static str, &'static str);

const LOOK: [Row; 7] = [
    ("401", "The caller did not say who it is, or what it showed does not hold; the code says which"),
    ("403", "The caller lacks the role that this needs"),
    ("404", "There is no such thing, or not for the caller"),
    ("422", "A name, a field or a parameter makes no sense; `details` says which"),
    ("500", "A fault of cairn or of the machine"),
    ("503", "Too much is going on; Retry-After says when to come back"),
    ("504", "It took too long; a change may be done all the same"),
];
const CHANGE: [Row; 1] = [("507", "The disk has reached its reserve")];
const BODY: [Row; 3] = [
    ("400", "The body is no JSON"),
    ("413", "The body is too large, or there are as many as there may be"),
    ("415", "The body is not application/json"),
];

/// Of looking.
pub(in crate::routes) struct RefusedLook;
/// Of changing something.
pub(super) struct RefusedChange;
/// Of changing something with a body.
pub(super) struct RefusedBody;

impl IntoResponses for RefusedLook {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        described(&LOOK)
    }
}

impl IntoResponses for RefusedChange {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut all = RefusedLook::responses();
        all.extend(described(&CHANGE));
        all
    }
}

impl IntoResponses for RefusedBody {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut all = RefusedChange::responses();
        all.extend(described(&BODY));
        all
    }
}

fn described(rows: &[Row]) -> BTreeMap<String, RefOr<Response>> {
    let response = |description: &str| {
        let body = ContentBuilder::new().schema(Some(Ref::from_schema_name("ErrorBody"))).build();
        ResponseBuilder::new().description(description).content("application/json", body).build()
    };
    rows.iter().map(|(status, description)| ((*status).to_owned(), response(description).into())).collect()
}
