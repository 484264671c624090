//! Calls about artifacts.

use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, Request};
use cairn_seam::Stage;
use cairn_wire::artifacts::{
    AuthorKeys, ContentStored, Deleted, Derivatives, Found, Health, Ids, ImportReport, JsonText, Lineage,
    Verified,
};
use tokio::sync::mpsc;

use super::bulk::{take_all, told_of_the_end, with_query};
use super::{Client, ClientError, JSON, listen};

impl Client {
    /// Calls `POST /kcp/v1/artifacts`: publishes a payload, signed or not, with its content in `_content_b64`.
    pub async fn publish_artifact(&mut self, body: Vec<u8>) -> Result<JsonText, ClientError> {
        self.ask(Request::post("/kcp/v1/artifacts").header(CONTENT_TYPE, JSON), body).await
    }

    /// Calls `PUT /kcp/v1/content/{sha256}` with content that comes piece by piece.
    pub async fn upload_content(
        &mut self,
        sha256: &str,
        content: mpsc::Receiver<Bytes>,
    ) -> Result<ContentStored, ClientError> {
        let request = Request::put(format!("/kcp/v1/content/{sha256}"))
            .header(CONTENT_TYPE, "application/octet-stream");
        let answer = self.send_long(request, content).await?;
        let whole = self.whole(answer).await?;
        serde_json::from_slice(&whole).map_err(|error| super::error::not_understood(&error))
    }

    /// Calls `GET /kcp/v1/artifacts/{id}`.
    pub async fn artifact(&mut self, id: &str) -> Result<JsonText, ClientError> {
        self.get(&format!("/kcp/v1/artifacts/{id}")).await
    }

    /// Calls `GET /kcp/v1/artifacts/{id}/content`; `take` gets the bytes and says whether to go on.
    pub async fn artifact_content(
        &mut self,
        id: &str,
        take: &mut (dyn FnMut(&[u8]) -> bool + Send),
    ) -> Result<(), ClientError> {
        let answer = self.send(Request::get(format!("/kcp/v1/artifacts/{id}/content")), Vec::new()).await?;
        take_all(answer, take).await
    }

    /// Calls `GET /kcp/v1/artifacts` with these parameters: lists or searches.
    pub async fn artifacts(&mut self, parameters: &[(&str, &str)]) -> Result<Found, ClientError> {
        self.get(&with_query("/kcp/v1/artifacts", parameters)).await
    }

    /// Calls `GET /kcp/v1/artifacts/{id}/lineage` with these parameters.
    pub async fn artifact_lineage(
        &mut self,
        id: &str,
        parameters: &[(&str, &str)],
    ) -> Result<Lineage, ClientError> {
        self.get(&with_query(&format!("/kcp/v1/artifacts/{id}/lineage"), parameters)).await
    }

    /// Calls `GET /kcp/v1/artifacts/{id}/lineage` with a `format` other than JSON of this API: PROV-JSON, OpenLineage,
    /// dot or mermaid, as text.
    pub async fn artifact_lineage_text(
        &mut self,
        id: &str,
        parameters: &[(&str, &str)],
    ) -> Result<String, ClientError> {
        let path = with_query(&format!("/kcp/v1/artifacts/{id}/lineage"), parameters);
        let answer = self.send(Request::get(path), Vec::new()).await?;
        let whole = self.whole(answer).await?;
        String::from_utf8(whole.to_vec()).map_err(|error| super::error::not_understood(&error))
    }

    /// Calls `GET /kcp/v1/artifacts/{id}/derivatives`.
    pub async fn artifact_derivatives(&mut self, id: &str) -> Result<Derivatives, ClientError> {
        self.get(&format!("/kcp/v1/artifacts/{id}/derivatives")).await
    }

    /// Calls `DELETE /kcp/v1/artifacts/{id}`, with a body: a signed tombstone, or `{"reason": "…"}`.
    pub async fn delete_artifact(&mut self, id: &str, body: Vec<u8>) -> Result<Deleted, ClientError> {
        let request = Request::builder().method(Method::DELETE).uri(format!("/kcp/v1/artifacts/{id}"));
        self.ask(request.header(CONTENT_TYPE, JSON), body).await
    }

    /// Calls `POST /kcp/v1/verify`.
    pub async fn verify_artifact(&mut self, body: Vec<u8>) -> Result<Verified, ClientError> {
        self.ask(Request::post("/kcp/v1/verify").header(CONTENT_TYPE, JSON), body).await
    }

    /// Calls `GET /kcp/v1/keys`.
    pub async fn artifact_keys(&mut self, tenant_id: &str, user_id: &str) -> Result<AuthorKeys, ClientError> {
        self.get(&with_query("/kcp/v1/keys", &[("tenant_id", tenant_id), ("user_id", user_id)])).await
    }

    /// Calls `GET /kcp/v1/health`.
    pub async fn kcp_health(&mut self) -> Result<Health, ClientError> {
        self.get("/kcp/v1/health").await
    }

    /// Calls `GET /v1/artifacts/ids`: a page of ids, for administrators.
    pub async fn artifact_ids(&mut self, parameters: &[(&str, &str)]) -> Result<Ids, ClientError> {
        self.get(&with_query("/v1/artifacts/ids", parameters)).await
    }

    /// Calls `GET /v1/artifacts/export`: a bundle; `take` gets the bytes and says whether to go on.
    pub async fn export_artifacts(
        &mut self,
        parameters: &[(&str, &str)],
        take: &mut (dyn FnMut(&[u8]) -> bool + Send),
    ) -> Result<(), ClientError> {
        let request = told_of_the_end(Request::get(with_query("/v1/artifacts/export", parameters)));
        let answer = self.send(request, Vec::new()).await?;
        take_all(answer, take).await
    }

    /// Calls `POST /v1/artifacts/import` with a bundle that comes piece by piece.
    pub async fn import_artifacts(
        &mut self,
        bundle: mpsc::Receiver<Bytes>,
        on_stage: &mut (dyn FnMut(Stage<'_>) + Send),
    ) -> Result<ImportReport, ClientError> {
        let request = Request::post("/v1/artifacts/import").header(CONTENT_TYPE, "application/octet-stream");
        let answer = self.send_long(request, bundle).await?;
        listen(answer, on_stage).await
    }
}
