//! A body as it comes.

use std::time::Duration;

use axum::body::{Body, Bytes};
use cairn_base::ErrorCode;
use cairn_gate::{Caller, Cost, GateError, Share};
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout};

use crate::app::AppState;
use crate::{ApiError, limits};

/// The bytes of a body, from somebody who has to be let in all the time and to send at a pace: what sends holds
/// one of a few places.
pub(super) struct DataIn {
    body: Body,
    caller: Caller,
    /// When it was last asked who sends.
    identified: Instant,
    /// How long the client was waited for since its pace was looked at; not how long it waited for us.
    waited: Duration,
    /// What came meanwhile.
    bytes: u64,
}

impl DataIn {
    pub(super) fn new(body: Body, caller: Caller) -> Self {
        DataIn { body, caller, identified: Instant::now(), waited: Duration::ZERO, bytes: 0 }
    }

    /// The next bytes; `None` at the end. Who sends more than they may is read more slowly.
    async fn next(&mut self, app: &AppState) -> Result<Option<Bytes>, ApiError> {
        let patience = app.config.patience;
        loop {
            let began = Instant::now();
            let frame = timeout(patience, self.body.frame()).await.map_err(|_elapsed| {
                late("nothing more of the body arrived in time; import it again to go on")
            })?;
            self.waited += began.elapsed();
            let Some(frame) = frame else { return Ok(None) };
            let frame = frame.map_err(|error| {
                let message = format!("the body could not be read: {error}; import it again to go on");
                ApiError::new(ErrorCode::InvalidRequest, message)
            })?;
            // Trailers say nothing that is used here.
            let data = frame.into_data().unwrap_or_default();
            self.bytes += data.len() as u64;
            self.check_pace(patience)?;
            if self.identified.elapsed() >= patience {
                self.caller = app.gate.identify_again(&self.caller)?;
                self.identified = Instant::now();
            }
            if data.is_empty() {
                continue;
            }
            app.gate.spend_in_time(self.caller.principal(), Cost::bytes(data.len() as u64)).await?;
            return Ok(Some(data));
        }
    }

    fn check_pace(&mut self, patience: Duration) -> Result<(), ApiError> {
        if self.waited < patience {
            return Ok(());
        }
        let least = limits::BULK_BYTES_PER_SECOND_MIN.saturating_mul(self.waited.as_secs().max(1));
        if self.bytes < least {
            return Err(late("the body arrives too slowly; import it again to go on")
                .detail("bytes_per_second_min", limits::BULK_BYTES_PER_SECOND_MIN));
        }
        (self.waited, self.bytes) = (Duration::ZERO, 0);
        Ok(())
    }

    /// What was not read yet.
    pub(super) fn into_body(self) -> Body {
        self.body
    }
}

fn late(message: &str) -> ApiError {
    ApiError::new(ErrorCode::DeadlineExceeded, message)
}

/// Bytes that are gathered until there are enough, or until they have waited long enough.
pub(super) struct Gathered {
    data: DataIn,
    began: Instant,
    share: Share,
}

impl Gathered {
    pub(super) fn new(data: DataIn) -> Self {
        Gathered { data, began: Instant::now(), share: None }
    }

    /// From here on it is counted how long anything waits.
    pub(super) fn begin(&mut self) {
        self.began = Instant::now();
    }

    /// Whether what there is should wait no longer for more.
    pub(super) fn is_late(&self, app: &AppState) -> bool {
        self.began.elapsed() >= app.config.patience
    }

    /// Adds what comes next to what there is, and takes memory for both. `None` at the end.
    pub(super) async fn add_to(
        &mut self,
        gathered: &mut Vec<u8>,
        app: &AppState,
    ) -> Result<Option<Bytes>, ApiError> {
        let Some(data) = self.data.next(app).await? else { return Ok(None) };
        app.memory.grow(&mut self.share, (gathered.len() + data.len()) as u64).map_err(GateError::from)?;
        gathered.extend_from_slice(&data);
        Ok(Some(data))
    }

    /// What was not read yet.
    pub(super) fn into_body(self) -> Body {
        self.data.into_body()
    }
}

/// Bytes that make a piece.
const PIECE_BYTES: usize = 256 << 10;

/// A body as pieces that are worth a change of threads.
pub(super) struct PiecesIn(Gathered);

impl PiecesIn {
    pub(super) fn new(data: DataIn) -> Self {
        PiecesIn(Gathered::new(data))
    }

    /// The next piece; `None` at the end.
    pub(super) async fn next(&mut self, app: &AppState) -> Result<Option<Vec<u8>>, ApiError> {
        let mut piece = Vec::new();
        self.0.begin();
        while piece.is_empty() || (piece.len() < PIECE_BYTES && !self.0.is_late(app)) {
            if self.0.add_to(&mut piece, app).await?.is_none() {
                break;
            }
        }
        Ok((!piece.is_empty()).then_some(piece))
    }

    /// What was not read yet.
    pub(super) fn into_body(self) -> Body {
        self.0.into_body()
    }
}
