//! Searching: what is found, and that nothing makes it go wrong for long.

mod blocks;
mod damage;
mod following;
mod kit;
mod lending;
mod life;
mod pages;
mod pressure;
mod said;
mod tampered;

pub(crate) use kit::{until, word};
