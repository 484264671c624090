//! Frames: whatever a connection sends, every whole frame has one answer, in order, and nothing breaks.

mod answers;
mod input;
mod seeds;
mod server;

pub use seeds::seeds;

/// Sends what the input says to a new server, and checks what comes back.
///
/// # Panics
///
/// When a frame is not answered as it should be.
pub fn check(input: &[u8]) {
    let sent = input::sent(input);
    let received = server::converse(&sent);
    answers::check(&answers::expected(&sent), &received);
}
