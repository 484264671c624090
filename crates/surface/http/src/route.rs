//! Route descriptors: everything that the frame has to know of a route.
//!
//! Each route is registered with one of these constants ([`Routes::with`](crate::routes::Routes::with)).
//! Middleware and the OpenAPI description read the descriptor and no path. A new combination of classes is a
//! new constant here; there is no other way to make one.

use std::fmt;

use cairn_gate::Cost;

use crate::{HttpConfig, limits};

/// The descriptor of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    cost: CostClass,
    body: BodyClass,
    admission: AdmissionClass,
    audience: Audience,
    response: ResponseClass,
    log: LogClass,
}

/// Rate limit that a request counts against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CostClass {
    /// None.
    Free,
    Read,
    Write,
    Search,
    /// A read until its body was parsed; then the route counts each command.
    Commands,
}

/// Size limit of a request body, and who reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyClass {
    /// Nobody reads it.
    Unread,
    /// Read whole by the frame, up to `http.body_bytes_max`.
    Standard,
    /// Read whole by the frame, up to the size of the largest KIP capsule.
    Commands,
    /// Read whole by the frame, up to the size of a payload or a blob.
    Content,
    /// Read whole by the frame, up to the size of an artifact with its content in base64.
    Artifact,
    /// Read whole by the frame, up to the size of the largest entity of the KB.
    Entity,
    /// Read whole by the frame, up to the size of the test results of one import.
    Results,
    /// Read piece by piece by the route, which counts and limits it.
    Streamed,
}

/// Position of a route relative to the gate's admission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AdmissionClass {
    /// A request holds one of the gate's places until its response begins.
    Admitted,
    /// A request holds no place. The route bounds how many there are, or costs next to nothing.
    Outside,
}

/// Callers that reach the handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    /// Everybody.
    Open,
    /// Callers with valid credentials, and anonymous callers, who send none.
    Anyone,
    /// Callers whom the gate has identified; the engine then checks what each of them may do.
    Identified,
}

/// Duration of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResponseClass {
    /// Complete at once, also under overload; no deadline.
    Immediate,
    /// Complete within the deadline.
    Deadline,
    /// Begins within the deadline; then lines of JSON: the progress of a job, then its report or error.
    Job,
    /// Begins within the deadline; long content is then sent in chunks for as long as the client takes it.
    Download,
    /// Complete when the body is, for as long as that takes; no deadline.
    Upload,
    /// A bulk import or export, for as long as it takes; no deadline.
    Stream,
    /// Events without an end; no deadline.
    Events,
}

/// Log level of a request that succeeds. Failures are always logged as `info`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LogClass {
    Info,
    /// For probes, which come every few seconds and say nothing new.
    Debug,
}

impl Route {
    /// Description of the server.
    pub const OPEN: Route = Route {
        cost: CostClass::Free,
        body: BodyClass::Unread,
        admission: AdmissionClass::Outside,
        audience: Audience::Open,
        response: ResponseClass::Immediate,
        log: LogClass::Info,
    };

    /// Health of the server.
    pub const PROBE: Route = Route { log: LogClass::Debug, ..Route::OPEN };

    /// Metrics, which an operator can read also under overload.
    pub const METRICS: Route = Route { audience: Audience::Identified, ..Route::PROBE };

    /// A request that reads.
    pub const READ: Route = Route {
        cost: CostClass::Read,
        body: BodyClass::Standard,
        admission: AdmissionClass::Admitted,
        audience: Audience::Identified,
        response: ResponseClass::Deadline,
        log: LogClass::Info,
    };

    /// A read whose response may be a blob.
    pub const DOWNLOAD: Route = Route { response: ResponseClass::Download, ..Route::READ };

    /// A search.
    pub const SEARCH: Route = Route { cost: CostClass::Search, ..Route::READ };

    /// A request that may change something.
    pub const WRITE: Route = Route { cost: CostClass::Write, ..Route::READ };

    /// A write whose body is a payload or a blob.
    pub const CONTENT: Route = Route { body: BodyClass::Content, ..Route::WRITE };

    /// A publish of an artifact.
    pub const ARTIFACT: Route = Route { body: BodyClass::Artifact, ..Route::WRITE };

    /// An upsert of an entity of the KB.
    pub const ENTITY: Route = Route { body: BodyClass::Entity, ..Route::WRITE };

    /// A dry run of such an upsert.
    pub const ENTITY_READ: Route = Route { body: BodyClass::Entity, ..Route::READ };

    /// An import of test results into the KB.
    pub const RESULTS: Route = Route { body: BodyClass::Results, ..Route::WRITE };

    /// A read that is open to anonymous callers.
    pub const PUBLIC_READ: Route = Route { audience: Audience::Anyone, ..Route::READ };

    /// A read of an artifact that the caller sends, open to anonymous callers.
    pub const PUBLIC_VERIFY: Route = Route { body: BodyClass::Artifact, ..Route::PUBLIC_READ };

    /// A search that is open to anonymous callers.
    pub const PUBLIC_SEARCH: Route = Route { cost: CostClass::Search, ..Route::PUBLIC_READ };

    /// A read whose response may be long content, open to anonymous callers.
    pub const PUBLIC_DOWNLOAD: Route = Route { response: ResponseClass::Download, ..Route::PUBLIC_READ };

    /// KIP commands, which read or write.
    pub const COMMANDS: Route =
        Route { cost: CostClass::Commands, body: BodyClass::Commands, ..Route::WRITE };

    /// A long job whose progress is streamed.
    pub const JOB: Route = Route { response: ResponseClass::Job, ..Route::WRITE };

    /// A stream of events.
    pub const EVENTS: Route = Route { response: ResponseClass::Events, ..Route::EXPORT };

    /// A bulk export.
    pub const EXPORT: Route = Route {
        body: BodyClass::Unread,
        admission: AdmissionClass::Outside,
        response: ResponseClass::Stream,
        ..Route::READ
    };

    /// A bulk import.
    pub const IMPORT: Route = Route { cost: CostClass::Write, body: BodyClass::Streamed, ..Route::EXPORT };

    /// An upload of content of any length.
    pub const UPLOAD: Route = Route { response: ResponseClass::Upload, ..Route::IMPORT };

    /// Cost of a request before anything but its head was read, or `None` if it is not counted.
    pub(crate) fn cost(self) -> Option<Cost> {
        match self.cost {
            CostClass::Free => None,
            CostClass::Read | CostClass::Commands => Some(Cost::READ),
            CostClass::Write => Some(Cost::WRITE),
            CostClass::Search => Some(Cost::SEARCH),
        }
    }

    /// Returns whether a request may change something.
    pub(crate) fn writes(self) -> bool {
        match self.cost {
            CostClass::Write | CostClass::Commands => true,
            CostClass::Free | CostClass::Read | CostClass::Search => false,
        }
    }

    /// Maximum bytes of a body that the frame reads, or `None` if it reads none.
    pub(crate) fn body_bytes_max(self, config: &HttpConfig) -> Option<usize> {
        match self.body {
            BodyClass::Unread | BodyClass::Streamed => None,
            BodyClass::Standard => Some(config.body_bytes_max),
            BodyClass::Commands => Some(config.commands_bytes_max),
            BodyClass::Content => Some(config.content_bytes_max),
            BodyClass::Artifact => Some(limits::HTTP_ARTIFACT_BYTES_MAX),
            BodyClass::Entity => Some(limits::HTTP_ENTITY_BYTES_MAX),
            BodyClass::Results => Some(limits::HTTP_RESULTS_BYTES_MAX),
        }
    }

    /// Returns whether the gate admits each request.
    pub(crate) fn is_admitted(self) -> bool {
        self.admission == AdmissionClass::Admitted
    }

    /// Returns whether the response has to begin within the deadline of the admission.
    pub(crate) fn has_deadline(self) -> bool {
        match self.response {
            ResponseClass::Deadline | ResponseClass::Job | ResponseClass::Download => true,
            ResponseClass::Immediate
            | ResponseClass::Upload
            | ResponseClass::Stream
            | ResponseClass::Events => false,
        }
    }

    /// Returns whether successful requests are logged for debugging only.
    pub(crate) fn is_quiet(self) -> bool {
        self.log == LogClass::Debug
    }

    /// Returns whether the frame reads the credentials of the caller.
    pub(crate) fn is_identified(self) -> bool {
        self.audience != Audience::Open
    }

    /// Returns whether callers without credentials reach the handler.
    pub(crate) fn admits_anonymous(self) -> bool {
        self.audience != Audience::Identified
    }
}

/// One row of the table of routes.
impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Route { cost, body, admission, audience, response, log } = self;
        let columns = [
            format!("{cost:?}"),
            format!("{body:?}"),
            format!("{admission:?}"),
            format!("{audience:?}"),
            format!("{response:?}"),
            format!("{log:?}"),
        ];
        let [cost, body, admission, audience, response, log] = columns.map(|column| column.to_lowercase());
        write!(f, "{cost:9}{body:10}{admission:10}{audience:12}{response:10}{log}")
    }
}
