//! Decisions, credentials and the registry behind them.

mod credentials;
mod decisions;
mod registry;
mod support;
