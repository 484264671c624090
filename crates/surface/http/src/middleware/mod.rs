//! Work that the server does for every request around its handler, one file per concern.
//!
//! [`frame`] puts them into their order. It is one function, because every further layer of a router boxes two
//! futures and clones all layers inside of it for each request.

mod admission;
mod allowance;
mod catch_panic;
mod deadline;
mod frame;
mod host;
mod identify;
mod observe;
mod origin;
mod read_body;
mod request_id;
mod route_frame;
mod security_headers;
mod single;

pub(crate) use frame::{Framed, frame};
