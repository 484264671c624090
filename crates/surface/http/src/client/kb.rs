//! Calls about the requirements KB.

use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, Request};
use cairn_kb::sync::{ExportInput, ExportOutput, SyncReport, SyncedFiles};
use cairn_kb::tools::{
    AcceptInput, AcceptOutput, CheckInput, CheckOutput, CoverageInput, CoverageOutput, DeleteInput,
    DeleteOutput, EntityJson, FindGapsInput, FindGapsOutput, GraphInput, GraphOutput, ImpactInput,
    ImpactOutput, MatrixInput, MatrixOutput, ModelRequirementInput, ModelRequirementOutput, QueryInput,
    QueryOutput, ResultsInput, ResultsOutput, SearchInput, SearchOutput, SemanticAdvisorInput, SemanticAdvisorOutput, SparqlRemoteInput,
    SparqlRemoteOutput, StatusOutput, SuggestPredicatesInput, SuggestPredicatesOutput, SuspectInput,
    SuspectOutput, UpsertInput, UpsertOutput, ValidateUpsertInput, ValidateUpsertOutput,
};
use cairn_seam::Stage;
use cairn_wire::kb::{KbBranchDeleted, KbBranches, KbDiff, KbEnsured};
use http_body_util::BodyExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

use super::bulk::{Coming, with_query};
use super::escape::escaped;
use super::{Client, ClientError, listen};

impl Client {
    /// Returns entities by type, id, tags and source: `POST /v1/kb/{workspace}/{branch}/query`.
    pub async fn kb_query(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &QueryInput,
    ) -> Result<QueryOutput, ClientError> {
        self.kb_tool(workspace, branch, "query", input).await
    }

    /// Searches for words: `POST /v1/kb/{workspace}/{branch}/search`.
    pub async fn kb_search(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &SearchInput,
    ) -> Result<SearchOutput, ClientError> {
        self.kb_tool(workspace, branch, "search", input).await
    }

    /// Returns branch, snapshot and freshness: `POST /v1/kb/{workspace}/{branch}/status`.
    pub async fn kb_status(&mut self, workspace: &str, branch: &str) -> Result<StatusOutput, ClientError> {
        // The GET of a branch named `diff` is another route.
        self.kb_tool(workspace, branch, "status", &cairn_kb::tools::StatusInput::default()).await
    }

    /// Returns an entity: `GET /v1/kb/{workspace}/{branch}/entities/{id}`.
    pub async fn kb_entity(
        &mut self,
        workspace: &str,
        branch: &str,
        id: &str,
    ) -> Result<EntityJson, ClientError> {
        self.get(&format!("{}/entities/{}", of_branch(workspace, branch), escaped(id))).await
    }

    /// Returns entities by missing and present relationships: `POST /v1/kb/{workspace}/{branch}/find_gaps`.
    pub async fn kb_find_gaps(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &FindGapsInput,
    ) -> Result<FindGapsOutput, ClientError> {
        self.kb_tool(workspace, branch, "find_gaps", input).await
    }

    /// Returns a coverage report: `POST /v1/kb/{workspace}/{branch}/coverage`.
    pub async fn kb_coverage(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &CoverageInput,
    ) -> Result<CoverageOutput, ClientError> {
        self.kb_tool(workspace, branch, "coverage", input).await
    }

    /// Walks relationships from seeds: `POST /v1/kb/{workspace}/{branch}/graph`.
    pub async fn kb_graph(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &GraphInput,
    ) -> Result<GraphOutput, ClientError> {
        self.kb_tool(workspace, branch, "graph", input).await
    }

    /// Returns violations of the rules: `POST /v1/kb/{workspace}/{branch}/check`.
    pub async fn kb_check(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &CheckInput,
    ) -> Result<CheckOutput, ClientError> {
        self.kb_tool(workspace, branch, "check", input).await
    }

    /// Models a normative statement: `POST /v1/kb/{workspace}/{branch}/model_requirement`.
    pub async fn kb_model_requirement(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &ModelRequirementInput,
    ) -> Result<ModelRequirementOutput, ClientError> {
        self.kb_tool(workspace, branch, "model_requirement", input).await
    }

    /// Suggests predicates for a text: `POST /v1/kb/{workspace}/{branch}/suggest_predicates`.
    pub async fn kb_suggest_predicates(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &SuggestPredicatesInput,
    ) -> Result<SuggestPredicatesOutput, ClientError> {
        self.kb_tool(workspace, branch, "suggest_predicates", input).await
    }

    /// Analyses the prose of a requirement: `POST /v1/kb/{workspace}/{branch}/semantic_advisor`.
    pub async fn kb_semantic_advisor(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &SemanticAdvisorInput,
    ) -> Result<SemanticAdvisorOutput, ClientError> {
        self.kb_tool(workspace, branch, "semantic_advisor", input).await
    }

    /// Returns a traceability matrix: `POST /v1/kb/{workspace}/{branch}/matrix`.
    pub async fn kb_matrix(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &MatrixInput,
    ) -> Result<MatrixOutput, ClientError> {
        self.kb_tool(workspace, branch, "matrix", input).await
    }

    /// Returns the entities that a change reaches: `POST /v1/kb/{workspace}/{branch}/impact`.
    pub async fn kb_impact(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &ImpactInput,
    ) -> Result<ImpactOutput, ClientError> {
        self.kb_tool(workspace, branch, "impact", input).await
    }

    /// Returns links whose ends changed after they were made: `POST /v1/kb/{workspace}/{branch}/suspect`.
    pub async fn kb_suspect(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &SuspectInput,
    ) -> Result<SuspectOutput, ClientError> {
        self.kb_tool(workspace, branch, "suspect", input).await
    }

    /// Accepts the present contents of the ends of suspect links: `POST /v1/kb/{workspace}/{branch}/accept`.
    pub async fn kb_accept(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &AcceptInput,
    ) -> Result<AcceptOutput, ClientError> {
        self.kb_tool(workspace, branch, "accept", input).await
    }

    /// Creates or updates an entity: `POST /v1/kb/{workspace}/{branch}/upsert`.
    pub async fn kb_upsert(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &UpsertInput,
    ) -> Result<UpsertOutput, ClientError> {
        self.kb_tool(workspace, branch, "upsert", input).await
    }

    /// Checks an upsert without storing it: `POST /v1/kb/{workspace}/{branch}/validate_upsert`.
    pub async fn kb_validate_upsert(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &ValidateUpsertInput,
    ) -> Result<ValidateUpsertOutput, ClientError> {
        self.kb_tool(workspace, branch, "validate_upsert", input).await
    }

    /// Deletes entities that nothing refers to: `POST /v1/kb/{workspace}/{branch}/delete`.
    pub async fn kb_delete(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &DeleteInput,
    ) -> Result<DeleteOutput, ClientError> {
        self.kb_tool(workspace, branch, "delete", input).await
    }

    /// Imports test results: `POST /v1/kb/{workspace}/{branch}/results`.
    pub async fn kb_import_results(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &ResultsInput,
    ) -> Result<ResultsOutput, ClientError> {
        self.kb_tool(workspace, branch, "results", input).await
    }

    /// Lists branches that have a KB: `GET /v1/kb/{workspace}`, or `GET /v1/kb` for all workspaces.
    pub async fn kb_branches(&mut self, workspace: Option<&str>) -> Result<KbBranches, ClientError> {
        let of = workspace.map(|workspace| format!("/{}", escaped(workspace))).unwrap_or_default();
        self.get(&format!("/v1/kb{of}")).await
    }

    /// Creates the KB of a branch unless it exists, as a copy of `from` if that branch has one:
    /// `PUT /v1/kb/{workspace}/{branch}`. Takes as long as the copy does, and reports its progress.
    pub async fn kb_ensure(
        &mut self,
        workspace: &str,
        branch: &str,
        from: Option<&str>,
        on_stage: &mut (dyn FnMut(Stage<'_>) + Send),
    ) -> Result<KbEnsured, ClientError> {
        let from: Vec<_> = from.map(|from| ("from", from)).into_iter().collect();
        let path = with_query(&of_branch(workspace, branch), &from);
        let answer = self.send(Request::put(path), Vec::new()).await?;
        listen(answer, on_stage).await
    }

    /// Deletes the KB of a branch: `DELETE /v1/kb/{workspace}/{branch}`.
    pub async fn kb_delete_branch(
        &mut self,
        workspace: &str,
        branch: &str,
    ) -> Result<KbBranchDeleted, ClientError> {
        self.ask(Request::delete(of_branch(workspace, branch)), Vec::new()).await
    }

    /// Compares two branches of a workspace: `GET /v1/kb/{workspace}/diff`.
    pub async fn kb_diff(&mut self, workspace: &str, from: &str, to: &str) -> Result<KbDiff, ClientError> {
        let path = format!("/v1/kb/{}/diff", escaped(workspace));
        self.get(&with_query(&path, &[("from", from), ("to", to)])).await
    }

    /// Returns a page of whole entities with their relationships: `POST /v1/kb/{workspace}/{branch}/export`.
    pub async fn kb_export(
        &mut self,
        workspace: &str,
        branch: &str,
        input: &ExportInput,
    ) -> Result<ExportOutput, ClientError> {
        self.kb_tool(workspace, branch, "export", input).await
    }

    /// Returns the files that a branch was synced from: `GET /v1/kb/{workspace}/{branch}/files`.
    pub async fn kb_files(&mut self, workspace: &str, branch: &str) -> Result<SyncedFiles, ClientError> {
        self.get(&format!("{}/files", of_branch(workspace, branch))).await
    }

    /// Syncs files into a branch, and reports the progress: `POST /v1/kb/{workspace}/{branch}/sync`. The text is the line
    /// of a [`SyncHeader`](cairn_kb::sync::SyncHeader), then one line per [`SyncFile`](cairn_kb::sync::SyncFile).
    pub async fn kb_sync(
        &mut self,
        workspace: &str,
        branch: &str,
        text: mpsc::Receiver<Bytes>,
        on_stage: &mut (dyn FnMut(Stage<'_>) + Send),
    ) -> Result<SyncReport, ClientError> {
        let request = Request::post(format!("{}/sync", of_branch(workspace, branch)));
        let request = request.header(CONTENT_TYPE, "application/x-ndjson");
        let answer = self.send_body(request, Coming(text).boxed()).await?;
        listen(answer, on_stage).await
    }

    /// Runs a SELECT query at a SPARQL endpoint elsewhere: `POST /v1/kb-sparql`.
    pub async fn kb_sparql(&mut self, input: &SparqlRemoteInput) -> Result<SparqlRemoteOutput, ClientError> {
        self.say(Method::POST, "/v1/kb-sparql", input).await
    }

    async fn kb_tool<T: DeserializeOwned>(
        &mut self,
        workspace: &str,
        branch: &str,
        tool: &str,
        input: &impl Serialize,
    ) -> Result<T, ClientError> {
        self.say(Method::POST, &format!("{}/{tool}", of_branch(workspace, branch)), input).await
    }
}

/// The address of a branch; its name is one segment, whatever it contains.
fn of_branch(workspace: &str, branch: &str) -> String {
    format!("/v1/kb/{}/{}", escaped(workspace), escaped(branch))
}
