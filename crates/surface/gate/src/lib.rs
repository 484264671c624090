//! Where async meets sync: every surface reaches the engine through here.
//!
//! - [`Gate::admit`] bounds how many requests run and how many wait; what is too much is told so at
//!   once instead of queueing without end;
//! - [`Gate::write`] queues to the store's committer and awaits the outcome without a thread of its
//!   own; [`Gate::read`] runs on a bounded pool of threads, [`Gate::read_in_place`] right here;
//! - [`Gate::query`] is for reads of which nobody knows how long they take: they have threads apart;
//! - [`Gate::read_on`] reads on for answers that have begun, [`Gate::run_long`] is for work that no
//!   deadline ends, such as maintenance;
//! - an [`Admission`] carries the request's deadline, and neither reads nor writes outlast it;
//! - [`Gate::drain`] ends service: nobody new comes in, and who is inside may finish;
//! - [`Gate::spend`] and [`Gate::seat`] keep every remote user and every tenant within their
//!   [`Allowance`];
//! - [`Memory`] bounds what requests and answers hold of it, all together.
//!
//! The gate knows neither HTTP nor any other protocol.

mod admit;
mod allowance;
mod code;
mod error;
mod figures;
mod gate;
mod identify;
pub mod limits;
mod memory;
mod network;
mod query;
mod request_id;
mod run;

pub use admit::{Admission, Drained};
pub use allowance::{Allowance, Cost, Counted, Reached, Seat, Whose};
pub use code::{GateCode, error_codes};
pub use error::GateError;
pub use gate::{Gate, GateConfig};
pub use identify::{Authentication, Caller, Credentials};
pub use memory::{Held, Memory, Share};
pub use network::{BadNetwork, Network};
pub use request_id::RequestId;
