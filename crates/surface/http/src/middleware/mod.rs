//! What happens to every request around its route, one file each, outermost first.

mod request_id;

mod observe;

mod security_headers;

mod dialect;

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
pub(crate) use allowance::limit;
pub(crate) use catch_panic::catch_panic;
pub(crate) use deadline::deadline;
pub(crate) use dialect::dialect;
pub(crate) use host::host;
pub(crate) use identify::identify;
pub(crate) use observe::{observe, quiet};
pub(crate) use origin::origin;
pub(crate) use read_body::read_body;
pub(crate) use request_id::request_id;
pub(crate) use security_headers::security_headers;
pub(crate) use single::single;

use crate::app::AppState;
use crate::route::Route;

/// State of middleware that depends on the route.
#[derive(Debug, Clone)]
pub(crate) struct Framed {
    pub(crate) app: AppState,
    pub(crate) route: Route,
}
