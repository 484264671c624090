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
pub(in crate::routes) struct DataIn {
    body: Body,
    caller: Caller,
    /// What a client does whose body did not arrive, for messages.
    remedy: &'static str,
    /// When it was last asked who sends.
    identified: Instant,
    /// How long the client was waited for since its pace was looked at; not how long it waited for us.
    waited: Duration,
    /// What came meanwhile.
    bytes: u64,
}

impl DataIn {
    /// The body of an import, which goes on where it stopped.
    pub(super) fn of_import(body: Body, caller: Caller) -> Self {
        DataIn::new(body, caller, "import it again to go on")
    }

    pub(in crate::routes) fn new(body: Body, caller: Caller, remedy: &'static str) -> Self {
        DataIn { body, caller, remedy, identified: Instant::now(), waited: Duration::ZERO, bytes: 0 }
    }

    fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The next bytes; `None` at the end. Who sends more than they may is read more slowly.
    async fn next(&mut self, app: &AppState) -> Result<Option<Bytes>, ApiError> {
        let patience = app.config.patience;
        loop {
            let began = Instant::now();
            let frame = timeout(patience, self.body.frame()).await.map_err(|_elapsed| {
                late(&format!("nothing more of the body arrived in time; {}", self.remedy))
            })?;
            self.waited += began.elapsed();
            let Some(frame) = frame else { return Ok(None) };
            let frame = frame.map_err(|error| {
                let message = format!("the body could not be read: {error}; {}", self.remedy);
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
            app.gate.spend_in_time(self.caller.counted_as(), Cost::bytes(data.len() as u64)).await?;
            return Ok(Some(data));
        }
    }

    fn check_pace(&mut self, patience: Duration) -> Result<(), ApiError> {
        if self.waited < patience {
            return Ok(());
        }
        let least = limits::BULK_BYTES_PER_SECOND_MIN.saturating_mul(self.waited.as_secs().max(1));
        if self.bytes < least {
            return Err(late(&format!("the body arrives too slowly; {}", self.remedy))
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
pub(in crate::routes) struct PiecesIn(Gathered);

impl PiecesIn {
    pub(in crate::routes) fn new(data: DataIn) -> Self {
        PiecesIn(Gathered::new(data))
    }

    /// The caller, as it was last identified.
    pub(in crate::routes) fn caller(&self) -> &Caller {
        self.0.data.caller()
    }

    /// The next piece; `None` at the end.
    pub(in crate::routes) async fn next(&mut self, app: &AppState) -> Result<Option<Vec<u8>>, ApiError> {
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
    pub(in crate::routes) fn into_body(self) -> Body {
        self.0.into_body()
    }
}
