//! What happens to every request around its route, one file each, outermost first.

mod request_id;

mod observe;

mod security_headers;

mod catch_panic;

mod host;

mod origin;

mod single;

mod identify;

mod allowance;

mod read_body;

mod admission;

mod deadline;

pub(crate) use admission::admission;
pub(crate) use allowance::{limit_body, limit_commands, limit_content, limit_stream};
pub(crate) use catch_panic::catch_panic;
pub(crate) use deadline::deadline;
pub(crate) use host::host;
pub(crate) use identify::{caller, identify};
pub(crate) use observe::observe;
pub(crate) use origin::origin;
pub(crate) use read_body::{read_body, read_commands, read_content};
pub(crate) use request_id::request_id;
pub(crate) use security_headers::security_headers;
pub(crate) use single::single;
