//! What the frame around every route may answer, for the description: routes name what is theirs.

use cairn_access::AccessCode;
use cairn_artifacts::ArtifactCode;
use cairn_base::ErrorCode;
use cairn_gate::GateCode;
use cairn_seam::StoreCode;
use utoipa::openapi::path::Operation;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Components, Content, OpenApi, PathItem, Ref, RefOr};

use crate::HttpCode;
use crate::dialect::Dialect;
use crate::route::Route;

/// What the description calls a token in the header `Authorization`.
const BEARER: &str = "bearer";

/// An answer of the frame, and to which requests it comes.
struct FrameAnswer {
    code: ErrorCode,
    description: &'static str,
    comes_to: fn(&Asked) -> bool,
}

/// What an operation is like, as far as the frame cares.
struct Asked {
    has_body: bool,
    has_json: bool,
    has_parameters: bool,
    route: Route,
}

#[rustfmt::skip]
const ANSWERS: &[FrameAnswer] = &[
    FrameAnswer { code: ErrorCode::MalformedJson, description: "The body is no JSON", comes_to: |asked| asked.has_json },
    FrameAnswer { code: AccessCode::Unauthenticated, description: "The caller has to say who it is, and has not, or what it showed is not good; the code says which", comes_to: |asked| asked.route.is_identified() },
    FrameAnswer { code: ErrorCode::Forbidden, description: "The caller may not do this, or comes from a page whose origin may not call this server", comes_to: |_| true },
    FrameAnswer { code: ErrorCode::TooLarge, description: "The body is too large", comes_to: |asked| asked.has_body },
    FrameAnswer { code: HttpCode::UnsupportedMediaType, description: "The body has a media type that is not read here", comes_to: |asked| asked.has_json },
    FrameAnswer { code: HttpCode::WrongHost, description: "The Host header names another server", comes_to: |_| true },
    FrameAnswer { code: ErrorCode::InvalidRequest, description: "The request makes no sense", comes_to: |asked| asked.has_body || asked.has_parameters },
    FrameAnswer { code: GateCode::TooManyRequests, description: "The caller or its tenant asks too often; Retry-After says when to come back", comes_to: |asked| asked.is_counted() },
    FrameAnswer { code: ErrorCode::Internal, description: "It failed inside the server; the request id leads to the log", comes_to: |_| true },
    FrameAnswer { code: ErrorCode::Overloaded, description: "Too much is going on, or the server stops; Retry-After says when to come back", comes_to: |asked| asked.is_counted() },
    FrameAnswer { code: ErrorCode::DeadlineExceeded, description: "It took too long", comes_to: |asked| asked.is_counted() },
    FrameAnswer { code: StoreCode::StorageFull, description: "The disk is nearly full; reads go on", comes_to: |asked| asked.route.writes() },
];

impl Asked {
    fn of(route: Route, operation: &Operation) -> Self {
        let has_json = match &operation.request_body {
            Some(RefOr::T(body)) => body.content.contains_key("application/json"),
            Some(RefOr::Ref(_)) | None => false,
        };
        Asked {
            has_body: operation.request_body.is_some(),
            has_json,
            has_parameters: operation.parameters.as_ref().is_some_and(|parameters| !parameters.is_empty()),
            route,
        }
    }

    /// Only what is counted can be too much.
    fn is_counted(&self) -> bool {
        self.route.cost().is_some()
    }
}

/// Adds to every operation of a route what the frame may answer, unless it says something of that status itself.
pub(crate) fn add(route: Route, dialect: Dialect, item: &mut PathItem) {
    let PathItem { get, head, put, post, delete, patch, .. } = item;
    for operation in [get, head, put, post, delete, patch].into_iter().flatten() {
        extend(route, dialect, operation);
    }
}

/// Adds what these answers look like, and how a caller says who it is.
pub(crate) fn add_components(description: &mut OpenApi) {
    // With or without: it depends on the server whether anybody has to say who they are.
    let bearer = SecurityRequirement::new::<_, [&str; 0], &str>(BEARER, []);
    description.security = Some(vec![SecurityRequirement::default(), bearer]);
    let components = description.components.get_or_insert_with(Components::new);
    components.add_security_scheme(BEARER, SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
    let own = ANSWERS.iter().map(|answer| (answer.code, answer.description));
    let of_artifacts = ANSWERS.iter().map(|answer| Dialect::Kcp.code(answer.code));
    for (code, description) in own.chain(of_artifacts.map(|code| (code, of_artifact_protocol(code)))) {
        let content = Content::new(Some(Ref::from_schema_name("ErrorBody")));
        let response = ResponseBuilder::new().description(description).content("application/json", content);
        components.responses.insert(code.name().to_owned(), RefOr::T(response.build()));
    }
}

/// The same in the artifact protocol, which has fewer codes.
#[rustfmt::skip]
const IN_KCP: [(ErrorCode, &str); 5] = [
    (ArtifactCode::InvalidPayload, "The request is malformed; the message names the field or parameter"),
    (ArtifactCode::Unauthorized, "The credentials are missing or invalid"),
    (ArtifactCode::Forbidden, "The caller may not do this"),
    (ArtifactCode::TooLarge, "The body is too large"),
    (ArtifactCode::RateLimited, "Too many requests; retry after the seconds in Retry-After"),
];

/// What an error of the frame means in the artifact protocol.
fn of_artifact_protocol(code: ErrorCode) -> &'static str {
    let known = IN_KCP.iter().find(|(known, _)| *known == code);
    known.map_or("The node failed; the request id leads to the log", |(_, description)| description)
}

fn extend(route: Route, dialect: Dialect, operation: &mut Operation) {
    let asked = Asked::of(route, operation);
    for FrameAnswer { code, .. } in ANSWERS.iter().filter(|answer| (answer.comes_to)(&asked)) {
        let code = dialect.code(*code);
        let response = || RefOr::Ref(Ref::from_response_name(code.name()));
        operation.responses.responses.entry(code.http().to_string()).or_insert_with(response);
    }
}
