//! Long jobs: work that outlasts the start of its response, which is a stream of lines of JSON.
//!
//! Lines with the progress of the job come first, at most ten a second; the last line is its report or its
//! error. No deadline ends a job. It is told to stop when the client goes away, or when the caller loses its
//! access.

pub(crate) mod lines;

use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use cairn_access::Principal;
use cairn_engine::{Engine, EngineError};
use cairn_gate::{Caller, GateError};
use cairn_seam::{OnStage, Stage};
use http_body_util::BodyExt;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout};

use self::lines::{Listener, News, Report, Teller};
use crate::ApiError;
use crate::app::AppState;

/// Minimum time between two lines of progress.
const STAGE_EVERY: Duration = Duration::from_millis(100);

/// Time within which a failed job is answered with the status of its error instead of a stream.
const AT_ONCE: Duration = Duration::from_secs(1);

/// Time for which the rest of a body is read and discarded after a job has failed: a client that still sends does
/// not read the response of a connection that is closed.
const LINGER: Duration = Duration::from_secs(5);

/// Runs `work` on a thread where it may block, and streams its progress and what `report` makes of its
/// outcome.
///
/// At each of its stages `work` asks whether to continue. When the caller was shut out meanwhile, the reason
/// takes the place of the error that `work` then returns.
pub(crate) async fn run<T: 'static, R: Report>(
    app: &AppState,
    caller: Caller,
    work: impl FnOnce(&Engine, &Principal, OnStage<'_>) -> Result<T, EngineError> + Send + 'static,
    report: impl FnOnce(Result<T, GateError>) -> Result<R, ApiError> + Send + 'static,
) -> Result<Response, ApiError> {
    let gate = app.gate.clone();
    let (teller, listener) = lines::channel();
    let mut progress = Progress::new(teller.clone());
    app.gate.run_long(
        move |engine| {
            let mut shut_out = None;
            let on_stage = &mut |stage: Stage<'_>| match gate.identify_again(&caller) {
                Ok(_still) => progress.go_on(stage),
                Err(refused) => {
                    shut_out = Some(refused);
                    false
                }
            };
            let outcome = work(engine, caller.principal(), on_stage);
            match (outcome, shut_out) {
                (Err(_stopped), Some(refused)) => Ok(Err(refused)),
                (outcome, _) => outcome.map(Ok),
            }
        },
        move |outcome| teller.end(report(outcome.and_then(|outcome| outcome))),
    );
    answer(listener).await
}

/// A job that reads the body of its request while it works.
pub(crate) trait Reading: Send + 'static {
    /// The report, as it is sent.
    type Report: Report;

    /// Reads the body to its end, and works.
    fn work(
        &mut self,
        progress: &mut Progress<Self::Report>,
    ) -> impl Future<Output = Result<Self::Report, ApiError>> + Send;

    /// Logs that the job failed. A job that is done logs that itself.
    fn log_failure(&self, error: &ApiError);

    /// Returns the rest of the body.
    fn into_body(self) -> Body;
}

/// Runs a job that reads a body, on a task of its own, and streams its progress and its report. `place` is held until
/// the job has ended.
pub(crate) async fn read<J: Reading>(mut job: J, place: OwnedSemaphorePermit) -> Result<Response, ApiError> {
    let (teller, listener) = lines::channel();
    tokio::spawn(async move {
        let _place = place;
        // Lives as long as the task, so that the response does not end before the rest of the body is read.
        let mut progress = Progress::new(teller.clone());
        let outcome = job.work(&mut progress).await;
        let has_failed = outcome.as_ref().inspect_err(|error| job.log_failure(error)).is_err();
        teller.end(outcome);
        if has_failed {
            linger(job.into_body()).await;
        }
    });
    answer(listener).await
}

/// Reads the rest of the body of a request that failed, for a while.
pub(crate) async fn linger(mut body: Body) {
    let _ = timeout(LINGER, async { while let Some(Ok(_)) = body.frame().await {} }).await;
}

/// Returns a response that ends with the job, or the error of a job that fails at once.
async fn answer<R: Report>(mut listener: Listener<R>) -> Result<Response, ApiError> {
    Ok(match timeout(AT_ONCE, listener.recv()).await {
        Ok(Some(News::Ended(Err(error)))) => return Err(error),
        Ok(first) => lines::answer(first, listener),
        Err(_elapsed) => lines::answer(None, listener),
    })
}

/// Passes on the stages of a job, at most ten a second.
pub(crate) struct Progress<R> {
    teller: Teller<R>,
    told_at: Option<Instant>,
}

impl<R> Progress<R> {
    fn new(teller: Teller<R>) -> Self {
        Progress { teller, told_at: None }
    }

    /// Returns whether the client still waits for the job.
    pub(crate) fn go_on(&mut self, stage: Stage<'_>) -> bool {
        if self.told_at.is_none_or(|at| at.elapsed() >= STAGE_EVERY) {
            self.told_at = Some(Instant::now());
            self.teller.stage(stage);
        }
        !self.teller.is_unheard()
    }
}
