//! What a client can be asked: one call for each message.
//!
//! All of them fail as [`ClientError`] says; what the server does not do is [`ClientError::Server`].

use std::sync::Arc;

use cairn_base::{ContentHash, ContextId, TurnId};
use cairn_engine::limits;

use super::append::AppendTurn;
use super::error::ClientError;
use super::outgoing::Outgoing;
use super::pool::Pool;
use super::{Appended, Client, Head, TurnWindow};
use crate::answer::{self, Attached, Stored};
use crate::error::WireError;
use crate::fields::Put;
use crate::frame::MessageType;
use crate::request::{AttachTree, From, PutBlob, PutBundle, Window};

/// Longer content is hashed and compressed on a thread of its own: others wait for this one.
const IN_PLACE_BYTES: usize = 256 << 10;

impl Client {
    /// Makes an empty context.
    ///
    /// # Errors
    ///
    /// [`ClientError::OutcomeUnknown`] if the request was sent and not answered: there may be a context
    /// more. It is not sent twice.
    pub async fn create_context(&self) -> Result<Head, ClientError> {
        self.make(MessageType::CreateContext, TurnId::NONE).await
    }

    /// Makes a context that begins with the history of a turn.
    ///
    /// # Errors
    ///
    /// As [`create_context`](Client::create_context).
    pub async fn fork(&self, base: TurnId) -> Result<Head, ClientError> {
        self.make(MessageType::ForkContext, base).await
    }

    async fn make(&self, kind: MessageType, base: TurnId) -> Result<Head, ClientError> {
        let request = Outgoing::new(kind, |out| {
            out.u64(base.0);
        })?;
        self.call(request, Head::parse).await
    }

    /// The newest turn of a context.
    pub async fn head(&self, context: ContextId) -> Result<Head, ClientError> {
        let request = Outgoing::new(MessageType::GetHead, |out| {
            out.u64(context.0);
        })?;
        self.call(request, Head::parse).await
    }

    /// Appends a turn. When this returns, it is on the server's disk, and once however often it was sent.
    pub async fn append(&self, turn: AppendTurn) -> Result<Appended, ClientError> {
        let context = turn.context;
        let (request, hash) =
            self.prepare(turn.payload.len(), move |pool| turn.prepare(&pool.config)).await?;
        let read = |body: &[u8]| {
            let appended = Appended::parse(body)?;
            same(appended.context == context && appended.hash == hash)?;
            Ok(appended)
        };
        self.call(request, read).await
    }

    /// The newest turns of a context, oldest first. An answer ends before 64 MiB and leaves out old turns
    /// then, which [`TurnWindow::is_cut`] says; [`before`](Client::before) has them.
    pub async fn last(
        &self,
        context: ContextId,
        limit: u32,
        with_payload: bool,
    ) -> Result<TurnWindow, ClientError> {
        self.window(Window { context, from: From::Head, limit, with_payload }).await
    }

    /// The turns before a given one of a context, oldest first.
    pub async fn before(
        &self,
        context: ContextId,
        turn: TurnId,
        limit: u32,
        with_payload: bool,
    ) -> Result<TurnWindow, ClientError> {
        self.window(Window { context, from: From::Before(turn), limit, with_payload }).await
    }

    /// The turns of a context from a depth on, oldest first. An answer that would be too long leaves out
    /// new turns.
    pub async fn range_by_depth(
        &self,
        context: ContextId,
        depth: u32,
        limit: u32,
        with_payload: bool,
    ) -> Result<TurnWindow, ClientError> {
        self.window(Window { context, from: From::Depth(depth), limit, with_payload }).await
    }

    async fn window(&self, window: Window) -> Result<TurnWindow, ClientError> {
        let request = Outgoing::new(window.kind(), |out| window.encode(out))?;
        self.call_with_flags(request, |body, flags| answer::window(body, flags, window.with_payload)).await
    }

    /// The bytes of a blob, checked against its hash.
    pub async fn get_blob(&self, hash: ContentHash) -> Result<Vec<u8>, ClientError> {
        let request = Outgoing::new(MessageType::GetBlob, |out| {
            out.put(hash.as_bytes());
        })?;
        self.call(request, |body| answer::blob(body, &hash)).await
    }

    /// Stores a blob. Says its hash, and whether the server did not have it before.
    pub async fn put_blob(&self, bytes: Vec<u8>) -> Result<(ContentHash, bool), ClientError> {
        let size = bytes.len();
        ClientError::check_size("blob", size, limits::BINARY_BLOB_BYTES_MAX)?;
        let prepare = move |_: &Pool| {
            let put = PutBlob { hash: ContentHash::of(&bytes), data: &bytes };
            let encode = |out: &mut Vec<u8>| put.encode(out);
            Ok((Outgoing::with_flags(MessageType::PutBlob, 0, size, encode)?, put.hash))
        };
        let (request, hash) = self.prepare(size, prepare).await?;
        let read = |body: &[u8]| {
            let stored = Stored::parse(body)?;
            same(stored.hash == hash)?;
            Ok(stored.was_new)
        };
        Ok((hash, self.call(request, read).await?))
    }

    /// Publishes a bundle of types, JSON or MessagePack; says whether it was new.
    pub async fn put_bundle(&self, id: &str, bytes: &[u8]) -> Result<bool, ClientError> {
        ClientError::check_size("bundle", bytes.len(), cairn_turns::limits::REGISTRY_BUNDLE_BYTES_MAX)?;
        let put = PutBundle { id, bytes };
        let request = Outgoing::new(MessageType::PutBundle, |out| put.encode(out))?;
        self.call(request, answer::published).await
    }

    /// Gives a turn a file tree, whose root is a blob on the server.
    pub async fn attach_tree(&self, turn: TurnId, root: ContentHash) -> Result<(), ClientError> {
        let attach = AttachTree { turn, root };
        let request = Outgoing::new(MessageType::AttachTree, |out| attach.encode(out))?;
        self.call(request, |body| same(Attached::parse(body)? == Attached { turn, root })).await
    }

    /// Makes a request here and now, or on a thread of its own if there is much to do.
    async fn prepare<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce(&Pool) -> Result<T, ClientError> + Send + 'static,
    ) -> Result<T, ClientError> {
        if bytes <= IN_PLACE_BYTES {
            return work(&self.pool);
        }
        let pool = Arc::clone(&self.pool);
        let lost = |error| ClientError::Lost(std::io::Error::other(error));
        tokio::task::spawn_blocking(move || work(&pool)).await.map_err(lost)?
    }
}

/// Whether an answer is about what was asked.
fn same(is_same: bool) -> Result<(), WireError> {
    if is_same { Ok(()) } else { Err(WireError::WrongHash) }
}
