//! Calls about KIP.

use axum::http::Request;
use axum::http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use super::{Client, ClientError, JSON};

impl Client {
    /// What `POST /kip` answers to a method with parameters: also the errors of KIP.
    pub async fn kip(&mut self, method: &str, params: &Value) -> Result<Value, ClientError> {
        let body = json!({"method": method, "params": params}).to_string();
        self.ask(Request::post("/kip").header(CONTENT_TYPE, JSON), body.into_bytes()).await
    }
}
