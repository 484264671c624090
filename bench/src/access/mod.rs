//! `access`: what it costs to know who asks, to decide what they may, and to keep it from others.

mod appends;
mod batches;
mod decide;
pub(crate) mod doors;
mod jwts;
mod registered;
mod rounds;
mod tls;
mod tokens;

use crate::measure::{Measurement, row};

/// Every measurement, in the order they run.
pub(crate) const MEASUREMENTS: &[Measurement] = &[
    row("decide", "one decision, about turns and about artifacts with a list", decide::run),
    row("tokens", "checks of tokens, the first time and again", tokens::run),
    row("jwts", "checks of JWTs, the first time and again", jwts::run),
    row("appends", "durable appends with authentication, beside those without", appends::run),
    row("tls", "durable appends over TLS, beside those over plain TCP", tls::run),
];
