//! Decisions, credentials and the registry behind them.

mod credentials;
mod decisions;
mod identity;
mod registry;
mod support;
