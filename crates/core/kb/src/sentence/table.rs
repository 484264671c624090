//! The sentence patterns: one row per pattern, with sentences that match and sentences that do not.
//!
//! The order is that of the advisor, which takes the first row that matches.

use super::pattern::{Arg, Pattern, Use};
use crate::model::Polarity;

/// Words that no actor of a permission contains.
const NO_ACTOR: &[&str] = &["but", "only", "that", "one", "nobody", "want", "wants"];

/// Words that no action of a permission contains: those of bounds, and those between two verbs.
const NO_ACTION: &[&str] = &[
    "exceed", "less", "more", "greater", "longer", "fewer", "above", "below", "later", "higher", "lower",
    "shorter", "smaller", "larger", "not", "never", "only", "or", "and", "but",
];

/// [`NO_ACTION`], and the states of a switch, which are a property.
const NO_DENIED_ACTION: &[&str] = &[
    "exceed", "less", "more", "greater", "longer", "fewer", "above", "below", "later", "higher", "lower",
    "shorter", "smaller", "larger", "not", "never", "only", "or", "and", "but", "enabled", "disabled",
];

/// Words of bounds and conditions that no resource of a permission contains.
const NO_RESOURCE: &[&str] = &[
    "than", "most", "least", "if", "while", "until", "unless", "except", "only", "provided", "whenever",
    "once",
];

/// Every sentence pattern, in the order in which the advisor tries them.
#[rustfmt::skip]
pub(crate) static PATTERNS: &[Pattern] = &[
    Pattern {
        predicate: "guard", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["disabled until"], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) (?:{M} )?(?:(?:be|stay|remain|is|are|stays|remains) )?disabled until (?P<c>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Token(&["c"]), Arg::Fixed("disabled")],
        matches: &[
            ("The submit button must stay disabled until the form isValid.", &["submit_button", "form_isValid", "disabled"]),
            ("Export disabled until scan completes", &["export", "scan_completes", "disabled"]),
        ],
        rejects: &["The submit button must stay disabled.", "The button is enabled until midnight."],
    },
    Pattern {
        predicate: "temporal_order", used: Use::Arguments, polarity: Polarity::Assert,
        cues: &[" before "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} be (?P<b>.+?) before (?P<a>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Token(&["b"]), Arg::Token(&["a"])],
        matches: &[
            ("The draft must be saved before navigation.", &["draft", "saved", "navigation"]),
        ],
        rejects: &["The draft must save before navigation.", "The draft is saved before navigation."],
    },
    Pattern {
        predicate: "conditional_behavior", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["if "], needs: &[],
        veto: &[],
        form: r"if (?:(?:a|an|the) )?(?:(?P<x>.+?) (?P<c>(?:is|are|was|were|has|have|had|does|do|can|cannot|fails?|expires?|exceeds?|becomes?|lacks?|contains?|reaches|reach|misses|changes?|stops?|starts?|loses?|goes|times)(?: .+?)?)|(?P<y>\S+) (?P<d>.+?)), (?:then )?(?:it|they) (?:(?:{M}|will) )?(?P<b>.+)",
        args: &[Arg::Slug(&["x", "y"]), Arg::Token(&["c", "d"]), Arg::Token(&["b"])],
        matches: &[
            ("If the access token is expired, it must be renewed.", &["access_token", "is_expired", "be_renewed"]),
            ("If a job hangs too long, it gets killed", &["job", "hangs_too_long", "gets_killed"]),
        ],
        rejects: &["The token is renewed if it is expired.", "If it rains, stay at home."],
    },
    Pattern {
        predicate: "conditional_behavior", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["if "], needs: &[],
        veto: &[],
        form: r"if (?P<c>.+? .+?), (?:then )?the (?:(?P<s>.+?) (?:{M}|will|can|may) (?P<b>.+)|(?P<t>\S+) (?P<d>.+))",
        args: &[Arg::Slug(&["s", "t"]), Arg::Token(&["c"]), Arg::Token(&["b", "d"])],
        matches: &[
            ("If the cache is stale, the web client must reload it.", &["web_client", "cache_is_stale", "reload_it"]),
            ("If a token expires, the session ends.", &["session", "token_expires", "ends"]),
            ("If payment fails, then the order must be cancelled.", &["order", "payment_fails", "be_cancelled"]),
        ],
        rejects: &["If Redis is down, sessions must fall back to cookies.", "The client must reload the cache if it is stale."],
    },
    Pattern {
        predicate: "conditional_behavior", used: Use::Exact(0.36), polarity: Polarity::Assert,
        cues: &["when "], needs: &[],
        veto: &[],
        form: r"when (?P<c>.+?), (?:then )?(?:the )?(?P<s>.+?) {M} (?P<b>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Token(&["c"]), Arg::Token(&["b"])],
        matches: &[
            ("When the cart is empty, the shop must hide the checkout.", &["shop", "cart_is_empty", "hide_checkout"]),
        ],
        rejects: &["When the cart is empty, the shop hides the checkout.", "The shop must hide the checkout when the cart is empty."],
    },
    Pattern {
        predicate: "exception_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &[" unless ", " except "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} (?P<b>.+?),? (?:unless|except (?:when|if|for)) (?P<e>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Token(&["b"]), Arg::Token(&["e"])],
        matches: &[
            ("The service must reject requests unless the caller is an operator.", &["service", "reject_requests", "caller_is_operator"]),
        ],
        rejects: &["The service rejects requests unless the caller is an operator.", "The service must reject requests."],
    },
    Pattern {
        predicate: "mutual_exclusion", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["mutually exclusive"], needs: &[],
        veto: &[],
        form: r"(?P<l>.+?) and (?P<r>.+?) {M} be mutually exclusive",
        args: &[Arg::Slug(&["l"]), Arg::Slug(&["r"])],
        matches: &[
            ("Guest mode and the admin mode must be mutually exclusive.", &["guest_mode", "admin_mode"]),
        ],
        rejects: &["Modes must be mutually exclusive.", "Guest mode and admin mode exclude each other."],
    },
    Pattern {
        predicate: "dependency_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &[" requires "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) requires (?P<p>.+?) before (?P<d>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["p"]), Arg::Token(&["d"])],
        matches: &[
            ("Checkout requires a verified address before payment.", &["checkout", "verified_address", "payment"]),
        ],
        rejects: &["Checkout requires a verified address.", "Checkout happens before payment."],
    },
    Pattern {
        predicate: "ownership_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["owned by "], needs: &[],
        veto: &[],
        form: r"(?P<r>.+?) (?:is|are|{M} be) owned by (?P<o>.+)",
        args: &[Arg::Slug(&["r"]), Arg::Slug(&["o"])],
        matches: &[
            ("Invoices are owned by the billing service.", &["invoices", "billing_service"]),
        ],
        rejects: &["Invoices belong to the billing service.", "Files owned by root."],
    },
    Pattern {
        predicate: "retry_policy", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["retry up to "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} retry up to (?P<n>{N}) (?P<u>times|attempts?|retries)",
        args: &[Arg::Slug(&["s"]), Arg::Number("n"), Arg::Or("u", "times")],
        matches: &[
            ("The importer must retry up to 3 times.", &["importer", "3", "times"]),
            ("Webhooks should retry up to five attempts", &["webhooks", "5", "attempts"]),
        ],
        rejects: &["The importer must retry.", "The importer must retry up to the limit."],
    },
    Pattern {
        predicate: "escalation_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["escalate"], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} (?:escalate|be escalated) to (?P<t>.+?) after (?P<n>{N}) (?P<u>{T})",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["t"]), Arg::Number("n"), Arg::Unit("u")],
        matches: &[
            ("Open incidents must escalate to the duty manager after 30 minutes.", &["open_incidents", "duty_manager", "30", "minutes"]),
        ],
        rejects: &["Open incidents must escalate to the duty manager.", "Incidents escalate quickly."],
    },
    Pattern {
        predicate: "availability_sla", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["availability"], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) availability {M} be at least (?P<n>{N}) ?(?:percent|%)(?: (?:(?:per|over|each|every|during|in) )?(?P<w>.+))?",
        args: &[Arg::Slug(&["s"]), Arg::Number("n"), Arg::Fixed("percent"), Arg::Or("w", "always")],
        matches: &[
            ("API availability must be at least 99.9% per month.", &["api", "99.9", "percent", "month"]),
            ("The search availability shall be at least 99 percent", &["search", "99", "percent", "always"]),
        ],
        rejects: &["API availability must be high.", "API latency must be at least 99.9%."],
    },
    Pattern {
        predicate: "notification_route", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &[" notify "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} notify (?P<r>.+?) (?:by|via|through) (?P<c>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["r"]), Arg::Slug(&["c"])],
        matches: &[
            ("The scheduler must notify the operators by email.", &["scheduler", "operators", "email"]),
        ],
        rejects: &["The scheduler must notify operators.", "Operators are told by email."],
    },
    Pattern {
        predicate: "idempotency_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["idempotent by "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} be idempotent by (?P<k>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Token(&["k"])],
        matches: &[
            ("Payment requests must be idempotent by the requestId.", &["payment_requests", "requestId"]),
        ],
        rejects: &["Payment requests must be idempotent.", "Requests are idempotent by design."],
    },
    Pattern {
        predicate: "idempotency_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["deduplicated"], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} be deduplicated to prevent redundant requests during (?P<k>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Token(&["k"])],
        matches: &[
            ("Profile loads must be deduplicated to prevent redundant requests during startup.", &["profile_loads", "startup"]),
        ],
        rejects: &["Profile loads must be deduplicated."],
    },
    Pattern {
        predicate: "data_residency_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["region", "jurisdiction", "country", "zone", "area"], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} be (?:stored|processed|kept) (?:only )?(?:in|within) (?P<r>.+ (?:region|jurisdiction|country|zone|area))",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["r"])],
        matches: &[
            ("Customer data must be stored in the EU region.", &["customer_data", "eu_region"]),
        ],
        rejects: &["Customer data must be stored in the EU.", "Customer data must be stored in the region of choice of the buyer."],
    },
    Pattern {
        predicate: "audit_event_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["audit log", "audit trail"], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} be (?:recorded|logged|audited) (?:in|to) (?P<l>.*?audit (?:log|trail))",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["l"])],
        matches: &[
            ("Deletions must be recorded in the audit log.", &["deletions", "audit_log"]),
            ("All mutations are recorded in the audit log.", &["mutations", "audit_log"]),
            ("Actions such as delete and export must be logged in the audit trail.", &["actions", "audit_trail"]),
        ],
        rejects: &["Deletions must be recorded.", "The audit log must be readable."],
    },
    Pattern {
        predicate: "consent_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["consent before "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} require (?P<c>.*?consent) before (?P<p>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["c"]), Arg::Token(&["p"])],
        matches: &[
            ("Analytics must require explicit consent before tracking.", &["analytics", "explicit_consent", "tracking"]),
        ],
        rejects: &["Analytics must require explicit consent.", "Analytics must ask before tracking."],
    },
    Pattern {
        predicate: "lifecycle_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &[" after "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} be (?:automatically )?(?P<a>archived|deleted|expired) after (?P<n>{N}) (?P<u>{T})",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["a"]), Arg::Number("n"), Arg::Unit("u")],
        matches: &[
            ("Inactive accounts must be deleted after 24 months.", &["inactive_accounts", "deleted", "24", "months"]),
        ],
        rejects: &["Inactive accounts must be deleted.", "Inactive accounts must be deleted after a while."],
    },
    Pattern {
        predicate: "conflict_resolution_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["conflict"], needs: &[],
        veto: &[],
        form: r"when (?P<s>.+?) conflicts?, (?P<x>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Token(&["x"])],
        matches: &[
            ("When offline edits conflict, the newest revision wins.", &["offline_edits", "newest_revision_wins"]),
        ],
        rejects: &["Offline edits conflict when both change.", "When two merge, the newest wins."],
    },
    Pattern {
        predicate: "fallback_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["fall back to "], needs: &[],
        veto: &[],
        form: r"if (?P<c>.+?), (?:then )?(?P<s>.+?) {M} fall back to (?P<t>.+)",
        args: &[Arg::Token(&["c"]), Arg::Slug(&["s"]), Arg::Slug(&["t"])],
        matches: &[
            ("If Redis is down, sessions must fall back to signed cookies.", &["Redis_is_down", "sessions", "signed_cookies"]),
        ],
        rejects: &["Sessions must fall back to cookies.", "If Redis is down, sessions must end."],
    },
    Pattern {
        predicate: "batch_operation_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["batches of "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} process (?P<r>.+?) in batches of (?P<n>{N})",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["r"]), Arg::Number("n")],
        matches: &[
            ("The exporter must process rows in batches of 500.", &["exporter", "rows", "500"]),
        ],
        rejects: &["The exporter must process rows in batches.", "The exporter must process 500 rows."],
    },
    Pattern {
        predicate: "consistency_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &[" existing "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} reference an? existing (?P<t>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["t"])],
        matches: &[
            ("Each order line must reference an existing product.", &["order_line", "product"]),
        ],
        rejects: &["Each order line must reference a product.", "The existing product stays."],
    },
    Pattern {
        predicate: "build_constraint", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["build time"], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} be deterministic at build time",
        args: &[Arg::Slug(&["s"]), Arg::Fixed("deterministic"), Arg::Fixed("build_time")],
        matches: &[
            ("Asset hashes must be deterministic at build time.", &["asset_hashes", "deterministic", "build_time"]),
        ],
        rejects: &["Asset hashes must be deterministic.", "Asset hashes must be known at build time."],
    },
    Pattern {
        predicate: "environment_safety_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["in "], needs: &[],
        veto: &[],
        form: r"(?P<a>.+?) {M} be (?P<d>forbidden|read-only|allowed) in (?:the )?(?P<e>production|staging|development)(?: environments?)?",
        args: &[Arg::Slug(&["a"]), Arg::Token(&["d"]), Arg::Slug(&["e"])],
        matches: &[
            ("Schema resets must be forbidden in production.", &["schema_resets", "forbidden", "production"]),
            ("The console must be read-only in the staging environment", &["console", "read-only", "staging"]),
        ],
        rejects: &["Schema resets must be forbidden.", "Schema resets must be logged in production."],
    },
    Pattern {
        predicate: "schema_invariant_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["immutable after "], needs: &[],
        veto: &[],
        form: r"(?P<f>.+?) {M} be immutable after (?P<e>.+)",
        args: &[Arg::Slug(&["f"]), Arg::Fixed("immutable"), Arg::Around("after_", "e", "")],
        matches: &[
            ("The order number must be immutable after creation.", &["order_number", "immutable", "after_creation"]),
        ],
        rejects: &["The order number must be immutable.", "The order number must change after creation."],
    },
    Pattern {
        predicate: "coding_standard_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &[" use ", " avoid "], needs: &["api", "code", "component", "computed", "framework", "hook", "pattern", "signal", "schema", "type"],
        veto: &[],
        form: r"(?P<s>.+?) {M} (?P<a>use|avoid) (?P<t>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["a"]), Arg::Slug(&["t"])],
        matches: &[
            ("Services must avoid blocking API calls.", &["services", "avoid", "blocking_api_calls"]),
            ("All pages use the shared component library", &["pages", "use", "shared_component_library"]),
        ],
        rejects: &["Guests must use the side door.", "Services avoid blocking API calls."],
    },
    Pattern {
        predicate: "migration_boundary_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["migration input"], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) may only be read as migration input(?: by .+)?",
        args: &[Arg::Slug(&["s"]), Arg::Fixed("read"), Arg::Fixed("migration_input")],
        matches: &[
            ("Legacy files may only be read as migration input by the importer.", &["legacy_files", "read", "migration_input"]),
        ],
        rejects: &["Legacy files may be read as migration input.", "Legacy files may only be read."],
    },
    Pattern {
        predicate: "absence_requirement", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["absent", "removed"], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} be (?P<a>absent|removed)",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["a"])],
        matches: &[
            ("The legacy banner must be removed.", &["legacy_banner", "removed"]),
        ],
        rejects: &["The legacy banner must be removed from the list of banners.", "The banner was removed."],
    },
    Pattern {
        predicate: "absence_requirement", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["no "], needs: &[],
        veto: &[("s", &["must", "may", "can", "shall", "should", "will", "is", "are", "was", "were", "has", "have", "does", "if", "when", "more", "less", "fewer", "later", "needed", "required", "necessary", "longer", "one", "yet", "matter"])],
        form: r"(?:there {M} be )?no (?P<s>\S+(?: \S+){0,4}?)(?: (?:{M} )?(?:exists?|remains?))?",
        args: &[Arg::Slug(&["s"]), Arg::Fixed("absent")],
        matches: &[
            ("No plaintext passwords.", &["plaintext_passwords", "absent"]),
            ("There must be no orphaned rows", &["orphaned_rows", "absent"]),
        ],
        rejects: &["No user may read drafts.", "No changes are needed.", "The list has no end.", "There must be no more than 3 retries."],
    },
    Pattern {
        predicate: "offline_behavior_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["offline conditions"], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} be (?P<b>non-blocking|resilient) during (?P<c>offline conditions)",
        args: &[Arg::Slug(&["s"]), Arg::Token(&["b"]), Arg::Token(&["c"])],
        matches: &[
            ("Sync must be non-blocking during offline conditions.", &["sync", "non-blocking", "offline_conditions"]),
        ],
        rejects: &["Sync must be non-blocking.", "Sync must be fast during offline conditions."],
    },
    Pattern {
        predicate: "release_gate_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &[" pass "], needs: &["app store", "build", "deployment", "distribution", "release", "testflight"],
        veto: &[],
        form: r"(?P<s>.+?) {M} pass (?P<g>.+?) before (?P<t>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["g"]), Arg::Slug(&["t"])],
        matches: &[
            ("Every build must pass smoke tests before App Store submission.", &["build", "smoke_tests", "app_store_submission"]),
        ],
        rejects: &["Every student must pass the exam before graduation.", "Every build must pass smoke tests."],
    },
    Pattern {
        predicate: "platform_consistency_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["across "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} synchroni[sz]e across (?P<l>.+)",
        args: &[Arg::Slug(&["s"]), Arg::List("l")],
        matches: &[
            ("Settings must synchronize across web, iOS and Android.", &["settings", "web,ios,android"]),
        ],
        rejects: &["Settings must synchronize.", "Settings must spread across the web."],
    },
    Pattern {
        predicate: "preservation_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &[" preserve "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} preserve (?P<x>.+?) when (?P<c>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["x"]), Arg::Token(&["c"])],
        matches: &[
            ("The editor must preserve the scroll position when the panel reopens.", &["editor", "scroll_position", "panel_reopens"]),
        ],
        rejects: &["The editor must preserve the scroll position.", "The editor must show it when asked."],
    },
    Pattern {
        predicate: "abstraction_boundary_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["persisted as "], needs: &["neutral", "contract", "renderer", "runtime", "vendor"],
        veto: &[],
        form: r"(?P<s>.+?) {M} be persisted as (?P<c>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Fixed("persisted_as"), Arg::Slug(&["c"])],
        matches: &[
            ("Layouts must be persisted as renderer-neutral documents.", &["layouts", "persisted_as", "renderer_neutral_documents"]),
        ],
        rejects: &["Layouts must be persisted as files.", "Layouts must be vendor neutral."],
    },
    Pattern {
        predicate: "security_configuration_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["have explicit "], needs: &["database", "deployment", "function", "rpc", "search_path", "security", "trigger"],
        veto: &[],
        form: r"(?P<s>.+?) {M} have explicit (?P<k>\S+) (?P<v>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["k"]), Arg::Token(&["v"])],
        matches: &[
            ("Database functions must have explicit search_path public.", &["database_functions", "search_path", "public"]),
        ],
        rejects: &["Buttons must have explicit labels everywhere.", "Database functions must have a search_path."],
    },
    Pattern {
        predicate: "ordered_strategy_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["in priority order"], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} use (?P<k>.+?) in priority order:? (?P<l>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["k"]), Arg::List("l")],
        matches: &[
            ("The resolver must use sources in priority order cache, mirror > origin.", &["resolver", "sources", "cache,mirror,origin"]),
        ],
        rejects: &["The resolver must use sources.", "The resolver must sort sources in priority order."],
    },
    Pattern {
        predicate: "refresh_policy_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["automatically refresh "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} automatically refresh (?P<t>.+?) without requiring manual page reloads?",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["t"]), Arg::Fixed("automatic")],
        matches: &[
            ("The dashboard must automatically refresh alerts without requiring manual page reload.", &["dashboard", "alerts", "automatic"]),
        ],
        rejects: &["The dashboard must automatically refresh alerts.", "The dashboard must refresh without requiring manual page reload."],
    },
    Pattern {
        predicate: "scoped_authorization_rule", used: Use::Exact(0.98), polarity: Polarity::Deny,
        cues: &["be denied "], needs: &["assigned", "unassigned", "owner", "member", "scoped"],
        veto: &[],
        form: r"(?P<a>.+?) {M} be denied (?P<x>.+)",
        args: &[Arg::Slug(&["a"]), Arg::Slug(&["x"]), Arg::Fixed("deny")],
        matches: &[
            ("Unassigned reviewers must be denied approval.", &["unassigned_reviewers", "approval", "deny"]),
        ],
        rejects: &["Guests must be denied entry.", "Unassigned reviewers are denied approval."],
    },
    Pattern {
        predicate: "documentation_standard_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["documented in "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} be documented in (?P<a>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Fixed("documented_in"), Arg::Slug(&["a"])],
        matches: &[
            ("Public endpoints must be documented in the API reference.", &["public_endpoints", "documented_in", "api_reference"]),
        ],
        rejects: &["Public endpoints must be documented.", "It is documented in the wiki."],
    },
    Pattern {
        predicate: "warmup_policy_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["warm up on "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} warm up on (?P<t>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Token(&["t"])],
        matches: &[
            ("The search index must warm up on startup.", &["search_index", "startup"]),
        ],
        rejects: &["The search index must warm up.", "Runners warm up on the track."],
    },
    Pattern {
        predicate: "visual_layout_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["visually aligned with "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} remain visually aligned with (?P<t>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Fixed("aligned_with"), Arg::Slug(&["t"])],
        matches: &[
            ("Row labels must remain visually aligned with their values.", &["row_labels", "aligned_with", "their_values"]),
        ],
        rejects: &["Row labels must be aligned with values."],
    },
    Pattern {
        predicate: "enforcement_location_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["enforced at "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} be enforced at (?P<l>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["l"])],
        matches: &[
            ("Quotas must be enforced at the API gateway.", &["quotas", "api_gateway"]),
        ],
        rejects: &["Quotas must be enforced.", "Quotas are enforced at the gateway."],
    },
    Pattern {
        predicate: "reconciliation_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["reconcile "], needs: &[],
        veto: &[],
        form: r"on (?P<t>.+?), (?P<s>.+?) {M} reconcile (?P<x>.+?) and clear stale (?P<y>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Token(&["t"]), Arg::Slug(&["x"]), Arg::Around("clear_stale_", "y", "")],
        matches: &[
            ("On reconnect, the client must reconcile local edits and clear stale locks.", &["client", "reconnect", "local_edits", "clear_stale_locks"]),
        ],
        rejects: &["The client must reconcile local edits and clear stale locks.", "On reconnect, the client must reconcile local edits."],
    },
    Pattern {
        predicate: "throttle_policy_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["throttled for "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} be throttled for (?P<c>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Token(&["c"])],
        matches: &[
            ("Background indexing must be throttled for interactive sessions.", &["background_indexing", "interactive_sessions"]),
        ],
        rejects: &["Background indexing must be throttled.", "Indexing is throttled for a while."],
    },
    Pattern {
        predicate: "temporal_order", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["initializes after ", "initialises after "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) initiali[sz]es after (?:the )?(?P<r>.+?) is ready",
        args: &[Arg::Slug(&["s"]), Arg::Around("", "r", "_ready"), Arg::Fixed("initializes")],
        matches: &[
            ("The player initializes after the codec is ready.", &["player", "codec_ready", "initializes"]),
        ],
        rejects: &["The player initializes after the codec.", "The player starts after the codec is ready."],
    },
    Pattern {
        predicate: "state_transition", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["transition"], needs: &[],
        veto: &[],
        form: r"when (?P<t>.+?), (?:then )?(?:the )?(?P<s>.+?) (?:{M} )?transitions? from (?P<a>.+?) to (?P<b>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["a"]), Arg::Slug(&["b"]), Arg::Token(&["t"])],
        matches: &[
            ("When payment arrives, the order transitions from pending to paid.", &["order", "pending", "paid", "payment_arrives"]),
            ("When payment arrives, the order must transition from pending to paid.", &["order", "pending", "paid", "payment_arrives"]),
        ],
        rejects: &["The order transitions from pending to paid.", "When payment arrives, the order is paid."],
    },
    Pattern {
        predicate: "permission_rule", used: Use::Exact(0.98), polarity: Polarity::Deny,
        cues: &["no ", "nobody "], needs: &[],
        veto: &[("a", NO_ACTOR), ("x", NO_ACTION), ("r", NO_RESOURCE)],
        form: r"(?:nobody|no one|no (?P<a>.+?)) (?:may|can|must|shall) (?P<x>{V})(?: when .+| (?P<r>.+?)(?: when .+)?)?",
        args: &[Arg::Or("a", "anyone"), Arg::Slug(&["x"]), Arg::Or("r", "any"), Arg::Fixed("deny")],
        matches: &[
            ("No guest may delete comments.", &["guest", "delete", "comments", "deny"]),
            ("Nobody can delete the audit log.", &["anyone", "delete", "audit_log", "deny"]),
        ],
        rejects: &["No comments.", "A guest may delete no comments.", "No request may take longer than 30 seconds.", "No one but the owner may close the account.", "No guest may comment unless invited."],
    },
    Pattern {
        predicate: "permission_rule", used: Use::Exact(0.98), polarity: Polarity::Deny,
        cues: &["must not", "must never", "shall not", "should not", "may not", "cannot", "can not", "can't", "forbidden to", "not allowed to"], needs: &[],
        veto: &[("a", NO_ACTOR), ("x", NO_DENIED_ACTION), ("r", NO_RESOURCE)],
        form: r"(?P<a>.+?) (?:must not|must never|shall not|should not|may not|cannot|can not|can't|(?:is|are) forbidden to|(?:is|are) not allowed to) (?P<x>{V})(?: when .+| (?P<r>.+?)(?: when .+)?)?",
        args: &[Arg::Slug(&["a"]), Arg::Slug(&["x"]), Arg::Or("r", "any"), Arg::Fixed("deny")],
        matches: &[
            ("Guests must not delete comments when the thread is locked.", &["guests", "delete", "comments", "deny"]),
            ("A guest can't log in", &["guest", "log", "in", "deny"]),
            ("Passwords must never be logged.", &["passwords", "be_logged", "any", "deny"]),
        ],
        rejects: &["Guests must delete comments.", "Latency must not exceed 200 ms.", "Length must not be less than 8.", "Requests must not be retried more than 3 times.",
            "The page must not only load but also render.", "While offline, guests must not delete comments.", "The cache must not be disabled.",
            "Guests must not delete comments if the thread is locked.", "Users should be aware that guests must not comment.",
        ],
    },
    Pattern {
        predicate: "uniqueness_constraint", used: Use::Arguments, polarity: Polarity::Assert,
        cues: &["at most one "], needs: &[],
        veto: &[],
        form: r"(?:there )?{M} be at most one (?P<s>.+?) per (?P<l>.+)",
        args: &[Arg::Slug(&["s"]), Arg::List("l")],
        matches: &[
            ("There must be at most one active cart per customer per region.", &["active_cart", "customer,region"]),
        ],
        rejects: &["There must be at most one active cart.", "There must be at most two carts per customer."],
    },
    Pattern {
        predicate: "default_value", used: Use::Arguments, polarity: Polarity::Assert,
        cues: &["default to ", "defaults to "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) (?:{M} )?defaults? to (?P<v>.+?)(?: (?P<p>mode|state|status))?",
        args: &[Arg::Slug(&["s"]), Arg::Or("p", "value"), Arg::Slug(&["v"])],
        matches: &[
            ("The theme defaults to dark mode.", &["theme", "mode", "dark"]),
            ("Page size must default to 20", &["page_size", "value", "20"]),
        ],
        rejects: &["The default theme is dark.", "It depends on the defaults."],
    },
    Pattern {
        predicate: "state_membership", used: Use::Arguments, polarity: Polarity::Assert,
        cues: &["states are "], needs: &[],
        veto: &[("s", &["valid", "possible", "allowed", "following"])],
        form: r"(?P<s>.+?) (?:terminal )?states are (?P<l>.+)",
        args: &[Arg::Key("s"), Arg::List("l")],
        matches: &[
            ("Order terminal states are delivered, refunded and cancelled.", &["order", "delivered,refunded,cancelled"]),
            ("Job states are queued, running and done.", &["job", "queued,running,done"]),
        ],
        rejects: &["States are good.", "The job state is queued.", "Valid states are draft and published."],
    },
    Pattern {
        predicate: "rate_limit", used: Use::Arguments, polarity: Polarity::Assert,
        cues: &["rate limited to "], needs: &[],
        veto: &[],
        form: r"(?P<s>.+?) {M} be rate limited to (?P<n>{N}) (?P<a>.+?) per (?P<w>.+)",
        args: &[Arg::Slug(&["s"]), Arg::Slug(&["a"]), Arg::Slug(&["w"]), Arg::Number("n")],
        matches: &[
            ("Clients must be rate limited to 100 requests per minute.", &["clients", "requests", "minute", "100"]),
        ],
        rejects: &["Clients are rate limited to 100 requests per minute.", "Clients must be rate limited."],
    },
    Pattern {
        predicate: "permission_rule", used: Use::Exact(0.98), polarity: Polarity::Assert,
        cues: &["only "], needs: &[],
        veto: &[("a", NO_ACTOR), ("x", NO_ACTION), ("r", NO_RESOURCE)],
        form: r"only (?P<a>.+?) (?:can|may|(?:is|are) allowed to) (?P<x>{V})(?: when .+| (?P<r>.+?)(?: when .+)?)?",
        args: &[Arg::Slug(&["a"]), Arg::Slug(&["x"]), Arg::Or("r", "any"), Arg::Fixed("assert")],
        matches: &[
            ("Only editors can publish articles.", &["editors", "publish", "articles", "assert"]),
            ("Only the owner is allowed to sign when it is open", &["owner", "sign", "any", "assert"]),
        ],
        rejects: &["Editors can publish articles.", "Only editors publish.", "Only one instance may run at a time.", "Only if the user is an admin may they sign.", "Only editors can publish articles until noon."],
    },
    Pattern {
        predicate: "permission_rule", used: Use::Suggestion(0.98), polarity: Polarity::Assert,
        cues: &[" may ", " can ", "allowed to "], needs: &[],
        veto: &[("a", NO_ACTOR), ("x", NO_ACTION), ("r", NO_RESOURCE)],
        form: r"(?P<a>.+?) (?:may|can|(?:is|are) allowed to) (?P<x>{V})(?: when .+| (?P<r>.+?)(?: when .+)?)?",
        args: &[Arg::Slug(&["a"]), Arg::Slug(&["x"]), Arg::Or("r", "any"), Arg::Fixed("assert")],
        matches: &[
            ("Editors may publish their articles.", &["editors", "publish", "their_articles", "assert"]),
        ],
        rejects: &["Editors may.", "Editors publish articles.", "Editors may not publish articles.", "Nobody may publish articles.",
            "Editors may or may not publish.", "As an editor, I want to see what I can publish.", "The list is released on or before May 1st.",
            "The May release was late.", "In production, editors may publish.", "Neither guests nor editors may publish.",
            "Users should be aware that this may change.", "Who may publish articles", "Editors may have at most 3 drafts.", "Editors may publish unless locked.",
        ],
    },
];
