//! Calls about search.

use axum::http::Request;
use cairn_seam::Stage;
use cairn_wire::maintenance::Report;
use cairn_wire::search::FoundPage;

use super::escape::escaped;
use super::{Client, ClientError, listen};

impl Client {
    /// Returns a page of hits: `GET /v1/search` with these parameters.
    pub async fn search(&mut self, parameters: &[(&str, String)]) -> Result<FoundPage, ClientError> {
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
