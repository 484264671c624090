//! Routes with their descriptors, and the router and description that follow from them.

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::MethodRouter;
use utoipa::openapi::path::Paths;
use utoipa::openapi::{Components, OpenApi, RefOr, Schema};
use utoipa_axum::router::UtoipaMethodRouter;

use super::frame_answers;
use crate::app::AppState;
use crate::dialect::Dialect;
use crate::middleware::{Framed, frame};
use crate::route::Route;

/// Routes, each with its descriptor.
#[derive(Default)]
pub(crate) struct Routes(Vec<Registered>);

struct Registered {
    route: Route,
    /// Paths of the router.
    paths: Vec<String>,
    schemas: Vec<(String, RefOr<Schema>)>,
    described: Paths,
    handlers: MethodRouter<AppState>,
}

impl Routes {
    /// No routes.
    pub(crate) fn new() -> Self {
        Routes::default()
    }

    /// Adds handlers that `routes!` has made, under the path of their description.
    #[must_use]
    pub(crate) fn with(self, route: Route, handlers: UtoipaMethodRouter<AppState>) -> Self {
        let paths = handlers.1.paths.keys().cloned().collect();
        self.add(route, paths, handlers)
    }

    /// Adds handlers under a path that the router spells in another way than the description.
    #[must_use]
    pub(crate) fn with_path(self, route: Route, path: &str, handlers: UtoipaMethodRouter<AppState>) -> Self {
        self.add(route, vec![path.to_owned()], handlers)
    }

    /// Adds handlers that are not described.
    #[must_use]
    pub(crate) fn with_undescribed(self, route: Route, path: &str, handlers: MethodRouter<AppState>) -> Self {
        self.with_path(route, path, (Vec::new(), Paths::new(), handlers))
    }

    /// Answers the routes below one address also below another, undescribed.
    #[must_use]
    pub(crate) fn also_below(mut self, address: &str, alias: &str) -> Self {
        for Registered { paths, .. } in &mut self.0 {
            let aliases: Vec<_> = paths
                .iter()
                .filter_map(|path| path.strip_prefix(address))
                .map(|rest| format!("{alias}{rest}"))
                .collect();
            paths.extend(aliases);
        }
        self
    }

    /// Adds other routes.
    #[must_use]
    pub(crate) fn merge(mut self, others: Routes) -> Self {
        self.0.extend(others.0);
        self
    }

    fn add(
        mut self,
        route: Route,
        paths: Vec<String>,
        (schemas, described, handlers): UtoipaMethodRouter<AppState>,
    ) -> Self {
        self.0.push(Registered { route, paths, schemas, described, handlers });
        self
    }

    /// Puts each route into its frame, and adds it to the description.
    pub(crate) fn into_router(self, app: &AppState, description: &mut OpenApi) -> Router<AppState> {
        let mut router = Router::new();
        for Registered { route, paths, schemas, described, handlers } in self.0 {
            let framed = Framed { app: app.clone(), route: Some(route) };
            let handlers = handlers.route_layer(from_fn_with_state(framed, frame));
            for path in &paths {
                router = router.route(path, handlers.clone());
            }
            describe(route, schemas, described, description);
        }
        router
    }
}

fn describe(
    route: Route,
    schemas: Vec<(String, RefOr<Schema>)>,
    described: Paths,
    description: &mut OpenApi,
) {
    for (path, mut item) in described.paths {
        frame_answers::add(route, Dialect::of(&path), &mut item);
        match description.paths.paths.get_mut(&path) {
            Some(known) => known.merge_operations(item),
            None => drop(description.paths.paths.insert(path, item)),
        }
    }
    description.components.get_or_insert_with(Components::new).schemas.extend(schemas);
}

#[cfg(test)]
mod tests {
    use utoipa::openapi::PathItem;
    use utoipa::openapi::path::Operation;

    use super::*;
    use crate::routes;

    /// Every operation that is described, with its method, path and route.
    fn operations() -> Vec<(&'static str, String, Operation, Route)> {
        let mut found = Vec::new();
        for Registered { route, described, .. } in routes::all().0 {
            for (path, item) in described.paths {
                let PathItem { get, head, put, post, delete, patch, .. } = item;
                let operations = [
                    ("GET", get),
                    ("HEAD", head),
                    ("PUT", put),
                    ("POST", post),
                    ("DELETE", delete),
                    ("PATCH", patch),
                ];
                for (method, operation) in operations {
                    found.extend(operation.map(|operation| (method, path.clone(), operation, route)));
                }
            }
        }
        found.sort_by(|(one, path, ..), (other, behind, ..)| (path, one).cmp(&(behind, other)));
        found
    }

    #[test]
    fn the_table_of_routes() {
        let title = format!("{:7}{:55}cost     body      admission audience    response  log", "", "");
        let row = |(method, path, _, route): (&str, String, _, Route)| format!("{method:7}{path:55}{route}");
        let table: Vec<_> = std::iter::once(title).chain(operations().into_iter().map(row)).collect();
        insta::assert_snapshot!(table.join("\n"));
    }

    /// A verification, and tools of the KB that read.
    fn is_read_with_body(path: &str) -> bool {
        let tool = path.strip_prefix("/v1/kb/{workspace}/{branch}/");
        matches!(path, "/kcp/v1/verify" | "/v1/kb-sparql")
            || tool.is_some_and(|tool| !matches!(tool, "accept" | "delete" | "results" | "sync" | "upsert"))
    }

    #[test]
    fn methods_and_responses_agree_with_the_descriptor() {
        for (method, path, operation, route) in operations() {
            let writes = method != "GET" && !is_read_with_body(&path);
            assert_eq!(route.writes(), writes, "{method} {path}");
            assert!(
                route.is_admitted() || !route.has_deadline(),
                "{method} {path}: its admission has the deadline"
            );
            let Some(RefOr::T(response)) = operation.responses.responses.get("200") else { continue };
            let is = |media_type: &str| response.content.keys().any(|known: &String| known == media_type);
            let row = route.to_string();
            let response = row.split_whitespace().nth(4);
            assert_eq!(response == Some("events"), is("text/event-stream"), "{method} {path}");
            let is_long = matches!(response, Some("job" | "stream"));
            let is_streamed = is("application/x-ndjson") || is("application/vnd.kcp.bundle");
            assert_eq!(is_long, is_streamed, "{method} {path}");
            let has_ranges = operation.responses.responses.contains_key("206");
            assert_eq!(response == Some("download"), has_ranges, "{method} {path}");
        }
    }
}
