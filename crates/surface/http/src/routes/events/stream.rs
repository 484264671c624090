//! One client's stream of events.
//!
//! Nothing is read for it before the connection asks for more, so that a client that does not read holds
//! one piece of text and nothing else. The connection itself ends when nothing can be written for long.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Bytes;
use cairn_base::{ErrorCode, Retry};
use cairn_engine::Place;
use cairn_gate::{Caller, GateError};
use cairn_seam::StoreCode;
use cairn_wire::events::ResetReason;
use hyper::body::Frame;
use tokio::time::{Instant, sleep, sleep_until};

use super::Seat;
use super::hub::Hub;
use super::source::{Follow, Source};
use super::timeline::Taken;
use super::wire;
use crate::app::AppState;
use crate::limits;

/// What a stream that is behind waits when the gate has no room for it.
const PAUSE: Duration = Duration::from_millis(500);

/// A stream, and how far it is.
pub(super) struct Stream {
    app: AppState,
    hub: Arc<Hub>,
    caller: Caller,
    source: Source,
    spoke_at: Instant,
    greeting: Option<Bytes>,
    _seat: Seat,
}

impl Stream {
    /// A stream of what happens after a place.
    pub(super) fn new(
        app: AppState,
        hub: Arc<Hub>,
        caller: Caller,
        follow: Follow,
        after: Place,
        is_resumed: bool,
        seat: Seat,
    ) -> Self {
        let id = app.gate.engine().event_ids(caller.principal()).of_moment(after);
        // Before asking who was missed: whoever comes in between is told of.
        let is_told_of_sessions = matches!(follow, Follow::Turns(_));
        let source = Source::enter(&hub, follow, after);
        let mut greeting = vec![wire::connected(&id)];
        if is_resumed && is_told_of_sessions && hub.timeline.has_sessions_after(after) {
            // Sessions are in no history: whoever came or went meanwhile, or died with the server, is not told.
            greeting.push(wire::reset(ResetReason::SessionsMissed, None));
        }
        Stream {
            app,
            hub,
            caller,
            source,
            spoke_at: Instant::now(),
            greeting: Some(Bytes::from(greeting.concat())),
            _seat: seat,
        }
    }

    /// The body of the answer.
    pub(super) fn into_body(self) -> StreamBody {
        StreamBody { next: Some(Box::pin(self.step())) }
    }

    async fn step(mut self) -> Option<(Bytes, Stream)> {
        let mut stopping = self.app.streams.stopping();
        let text = tokio::select! {
            biased;
            _ = stopping.wait_for(|stopping| *stopping) => return None,
            text = self.next() => text?,
        };
        self.spoke_at = Instant::now();
        Some((text, self))
    }

    /// The next text to send; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(greeting) = self.greeting.take() {
            return Some(greeting);
        }
        loop {
            // Whoever may not come in any more hears nothing more.
            self.caller = self.app.gate.identify_again(&self.caller).ok()?;
            self.app.gate.engine().permit_events(self.caller.principal()).ok()?;
            match self.source.take(&self.hub) {
                Taken::Texts(texts) => return Some(Bytes::from(texts.concat())),
                Taken::SessionsMissed => return Some(wire::reset(ResetReason::SessionsMissed, None)),
                Taken::Ended => return None,
                Taken::Behind => {
                    if let Some(text) = self.history().await? {
                        return Some(text);
                    }
                }
                Taken::Nothing => {
                    let heartbeat_at = self.heartbeat_at();
                    tokio::select! {
                        changed = self.source.changed() => changed?,
                        () = sleep_until(heartbeat_at) => {
                            if !self.source.reads_before_heartbeat() {
                                return Some(self.heartbeat());
                            }
                        }
                    }
                }
            }
        }
    }

    /// A page of history, like any other request; `Some(None)` when nothing in it concerns the client.
    async fn history(&mut self) -> Option<Option<Bytes>> {
        match self.page().await {
            Ok((texts, next, at_end)) => {
                self.source.has_read_to(next, at_end);
                if !texts.is_empty() {
                    return Some(Some(Bytes::from(texts.concat())));
                }
                Some((Instant::now() >= self.heartbeat_at()).then(|| self.heartbeat()))
            }
            Err(error) if error.code() == StoreCode::PositionTooOld => {
                self.source.has_read_to(Place::after(self.app.gate.engine().position()), true);
                Some(Some(wire::reset(ResetReason::HistoryGone, Some(&self.id()))))
            }
            Err(GateError::Unavailable) => None,
            Err(error) if matches!(error.code().retry(), Retry::Later | Retry::Same) || is_late(&error) => {
                sleep(PAUSE).await;
                Some(None)
            }
            Err(error) => {
                tracing::warn!(%error, "events could not be read");
                None
            }
        }
    }

    async fn page(&self) -> Result<(Vec<Bytes>, Place, bool), GateError> {
        let (principal, after) = (self.caller.principal().clone(), self.source.place());
        let follow = self.source.follow.clone();
        let admission = self.app.gate.admit().await?;
        self.app.gate.read(&admission, move |engine| follow.page(engine, &principal, after)).await
    }

    fn heartbeat_at(&self) -> Instant {
        self.spoke_at + limits::EVENT_STREAM_HEARTBEAT
    }

    /// Says that the stream is alive, and how far it is, so that a client that comes back after hours of
    /// nothing does not make us read all of it again. Always: that there was something to pass over would
    /// tell that others wrote.
    fn heartbeat(&self) -> Bytes {
        wire::heartbeat(&self.id())
    }

    /// Where the stream is, for its client.
    fn id(&self) -> String {
        self.app.gate.engine().event_ids(self.caller.principal()).of_moment(self.source.place())
    }
}

fn is_late(error: &GateError) -> bool {
    error.code() == ErrorCode::DeadlineExceeded
}

/// The body of an answer that goes on.
pub(super) struct StreamBody {
    next: Option<Next>,
}

type Next = Pin<Box<dyn Future<Output = Option<(Bytes, Stream)>> + Send>>;

impl hyper::body::Body for StreamBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(next) = &mut self.next else { return Poll::Ready(None) };
        let Poll::Ready(next) = next.as_mut().poll(context) else { return Poll::Pending };
        Poll::Ready(match next {
            Some((text, stream)) => {
                self.next = Some(Box::pin(stream.step()));
                Some(Ok(Frame::data(text)))
            }
            None => {
                self.next = None;
                None
            }
        })
    }
}
