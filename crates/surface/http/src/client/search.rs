//! Calls about search.

use axum::http::Request;
use cairn_seam::Stage;
use serde_json::Value;

use super::escape::escaped;
use super::{Client, ClientError, listen};
use crate::routes::maintenance::wire::Report;

impl Client {
    /// What `GET /v1/search` answers to these parameters.
    pub async fn search(&mut self, parameters: &[(&str, String)]) -> Result<Value, ClientError> {
        let parameters: Vec<_> =
            parameters.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect();
        self.get(&format!("/v1/search?{}", parameters.join("&"))).await
    }

    /// Has the search index made anew, for as long as that takes, and passes on how far it is.
    pub async fn rebuild_search(
        &mut self,
        on_stage: &mut (dyn FnMut(Stage<'_>) + Send),
    ) -> Result<Report, ClientError> {
        let answer = self.send(Request::post("/v1/admin/search/rebuild"), Vec::new()).await?;
        listen(answer, on_stage).await
    }
}
