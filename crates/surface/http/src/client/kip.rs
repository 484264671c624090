//! Calls about KIP.

use axum::http::Request;
use axum::http::header::CONTENT_TYPE;
use cairn_seam::Stage;
use serde_json::{Value, json};

use super::escape::escaped;
use super::{Client, ClientError, JSON, listen};
use crate::routes::kip::sleep::{SleepJob, SleepReport};
use crate::{IndexJob, KipIndex};

impl Client {
    /// What `POST /kip` answers to a method with parameters: also the errors of KIP.
    pub async fn kip(&mut self, method: &str, params: &Value) -> Result<Value, ClientError> {
        let body = json!({"method": method, "params": params}).to_string();
        self.ask(Request::post("/kip").header(CONTENT_TYPE, JSON), body.into_bytes()).await
    }

    /// What `GET /v1/kip/indexes` answers.
    pub async fn kip_indexes(&mut self, space: Option<&str>) -> Result<Value, ClientError> {
        let space = space.map(|space| format!("?space={}", escaped(space))).unwrap_or_default();
        self.get(&format!("/v1/kip/indexes{space}")).await
    }

    /// Has an ordered index made, for as long as that takes, and passes on how far it is.
    pub async fn create_kip_index(
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
    pub async fn drop_kip_index(&mut self, job: &IndexJob) -> Result<(), ClientError> {
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
