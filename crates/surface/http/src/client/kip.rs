//! Calls about KIP.

use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, Request};
use cairn_seam::Stage;
use cairn_wire::indexes::{IndexJob, KipIndex, KipIndexes};
use cairn_wire::kip::{KipLogs, KipLogsBody, KipMethodCall, KipResponse};
use cairn_wire::sleep::{SleepJob, SleepReport};
use serde::Serialize;

use super::escape::escaped;
use super::{Client, ClientError, JSON, listen};

impl Client {
    /// Calls a function of KIP: `POST /kip`. Errors of KIP are in the response.
    pub async fn kip(&mut self, method: &str, params: &impl Serialize) -> Result<KipResponse, ClientError> {
        self.say(Method::POST, "/kip", &KipMethodCall { method, params }).await
    }

    /// Returns a page of the log of commands: `list_logs` of `POST /kip`. Errors of KIP are in the page.
    pub async fn kip_logs(&mut self, params: &KipLogsBody) -> Result<KipLogs, ClientError> {
        self.say(Method::POST, "/kip", &KipMethodCall { method: "list_logs", params }).await
    }

    /// Returns the ordered indexes of a space: `GET /v1/kip/indexes`.
    pub async fn kip_indexes(&mut self, space: Option<&str>) -> Result<KipIndexes, ClientError> {
        let space = space.map(|space| format!("?space={}", escaped(space))).unwrap_or_default();
        self.get(&format!("/v1/kip/indexes{space}")).await
    }

    /// Has an ordered index made, for as long as that takes, and passes on how far it is.
    pub async fn create_ordered_index(
        &mut self,
        job: &IndexJob,
        on_stage: &mut (dyn FnMut(Stage<'_>) + Send),
    ) -> Result<KipIndex, ClientError> {
        let body = serde_json::to_vec(job).expect("a job is plain data");
        let request = Request::post("/v1/kip/indexes").header(CONTENT_TYPE, JSON);
        let answer = self.send(request, body).await?;
        listen(answer, on_stage).await
    }

    /// Has an ordered index dropped.
    pub async fn drop_ordered_index(&mut self, job: &IndexJob) -> Result<(), ClientError> {
        let IndexJob { space, kind, field } = job;
        let mut path = format!("/v1/kip/indexes?type={}&field={}", escaped(kind), escaped(field));
        if let Some(space) = space {
            path += &format!("&space={}", escaped(space));
        }
        self.send(Request::delete(path), Vec::new()).await.map(drop)
    }

    /// Looks for what is past its time in a space, and removes it if the job says so.
    pub async fn sleep(
        &mut self,
        job: &SleepJob,
        on_stage: &mut (dyn FnMut(Stage<'_>) + Send),
    ) -> Result<SleepReport, ClientError> {
        let body = serde_json::to_vec(job).expect("a job is plain data");
        let answer = self.send(Request::post("/v1/kip/sleep").header(CONTENT_TYPE, JSON), body).await?;
        listen(answer, on_stage).await
    }
}
