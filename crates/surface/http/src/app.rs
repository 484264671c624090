//! The frame and the routes in it.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::handler::Handler;
use axum::middleware::from_fn_with_state;
use axum::routing::MethodRouter;
use cairn_base::ErrorCode;
use cairn_gate::{Gate, Memory};
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use crate::metrics::HttpMetrics;
use crate::middleware::{Framed, frame};
use crate::route::Route;
use crate::routes::Routes;
use crate::routes::events::Streams;
use crate::routes::figures::History;
use crate::{ApiError, HttpCode, HttpConfig, limits, routes};

/// What every route and middleware shares.
#[derive(Debug, Clone)]
pub(crate) struct AppState(Arc<Shared>);

/// See [`AppState`].
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) gate: Gate,
    pub(crate) config: HttpConfig,
    pub(crate) bound: SocketAddr,
    pub(crate) metrics: HttpMetrics,
    /// What bodies and large answers hold.
    pub(crate) memory: Memory,
    /// One permit per large blob that is being sent.
    pub(crate) content_streams: Arc<Semaphore>,
    pub(crate) streams: Streams,
    /// One permit per export or import under way.
    pub(crate) bulk: Arc<Semaphore>,
    /// One permit per sync of a KB.
    pub(crate) kb_syncs: Arc<Semaphore>,
    /// One permit per upload of content.
    pub(crate) uploads: Arc<Semaphore>,
    /// What happened lately, for rates.
    pub(crate) lately: Mutex<History>,
    pub(crate) openapi: OnceLock<String>,
}

impl std::ops::Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// The HTTP surface, ready to be served.
pub struct App {
    pub(crate) state: AppState,
    routes: Routes,
}

impl App {
    /// The surface over a gate, for a listener bound to `bound`.
    pub fn new(gate: Gate, config: HttpConfig, bound: SocketAddr) -> Self {
        let shared = Shared {
            memory: Memory::new(config.memory_bytes),
            content_streams: Arc::new(Semaphore::new(config.content_streams_max.min(Semaphore::MAX_PERMITS))),
            streams: Streams::new(config.event_streams_max),
            bulk: Arc::new(Semaphore::new(limits::BULK_STREAMS_MAX)),
            kb_syncs: Arc::new(Semaphore::new(limits::KB_SYNCS_MAX)),
            uploads: Arc::new(Semaphore::new(limits::CONTENT_UPLOADS_MAX)),
            gate,
            config,
            bound,
            metrics: HttpMetrics::default(),
            lately: Mutex::default(),
            openapi: OnceLock::new(),
        };
        App { state: AppState(Arc::new(shared)), routes: routes::all() }
    }

    /// Adds a route of another surface, inside the same frame. It is not part of the description.
    #[must_use]
    pub fn with_route(self, route: Route, path: &str, handlers: MethodRouter) -> Self {
        let routes = self.routes.with_undescribed(route, path, handlers.with_state(()));
        App { routes, ..self }
    }

    /// The finished router.
    pub fn into_router(self) -> Router {
        let App { state, routes } = self;
        let mut openapi = routes::openapi::description();
        let router = routes.into_router(&state, &mut openapi);
        routes::frame_answers::add_components(&mut openapi);
        let openapi = openapi.to_pretty_json().expect("the description is plain data");
        state.openapi.set(openapi).expect("a router is made once");
        // Routes have their frame already.
        let frame = from_fn_with_state(Framed { app: state.clone(), route: None }, frame);
        router
            .fallback(not_found.layer(frame.clone()))
            .method_not_allowed_fallback(method_not_allowed.layer(frame))
            .with_state(state)
    }
}

async fn not_found(uri: axum::http::Uri) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("there is nothing at {}", uri.path()))
        .detail("hint", "/openapi.json lists every address")
}

async fn method_not_allowed(method: axum::http::Method, uri: axum::http::Uri) -> ApiError {
    ApiError::new(HttpCode::MethodNotAllowed, format!("{method} does nothing at {}", uri.path()))
}
