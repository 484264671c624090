//! Hostile servers on this machine, and names that lead to them.

mod good;
mod hostile;
mod reach;
mod server;
mod tls;
