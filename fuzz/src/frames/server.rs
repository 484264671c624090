//! A server for one connection, over an empty store in memory.

use std::sync::Arc;

use cairn_base::{ManualClock, SeededEntropy};
use cairn_binary::{BinaryConfig, serve_connection};
use cairn_engine::{Engine, EngineConfig};
use cairn_gate::{Gate, GateConfig};
use cairn_seam::MemoryStore;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex, split};
use tokio::runtime::{Builder, Runtime};

/// Bytes that are on their way in each direction at most.
const PIPE_BYTES: usize = 64 << 10;

thread_local! {
    /// Made once: its threads are used again.
    static RUNTIME: Runtime =
        Builder::new_current_thread().enable_time().build().expect("the system gives us a runtime");
}

/// What a new server answers to these bytes.
pub(super) fn converse(sent: &[u8]) -> Vec<u8> {
    // A clock that stands still: the same input does the same each time.
    let clock = Arc::new(ManualClock::new(1_000_000));
    let store = Arc::new(MemoryStore::new(Arc::clone(&clock) as _));
    let engine = Engine::open(store, clock, Arc::new(SeededEntropy::new(1)), EngineConfig::default())
        .expect("an empty store opens");
    let gate = Gate::new(engine, GateConfig::default());
    let (ours, theirs) = duplex(PIPE_BYTES);
    let (mut answers, mut requests) = split(ours);
    RUNTIME.with(|runtime| {
        runtime.block_on(async {
            let send = async {
                // The server may have ended the connection.
                let _ = requests.write_all(sent).await;
                let _ = requests.shutdown().await;
            };
            let mut received = Vec::new();
            let receive = async {
                answers.read_to_end(&mut received).await.expect("a pipe does not fail");
            };
            tokio::join!(serve_connection(theirs, gate, BinaryConfig::default()), send, receive);
            received
        })
    })
}
