//! `GET /v1/audit`: who did what, and who was not allowed to.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use axum::Json;
use cairn_access::Principal;
use cairn_base::TenantId;
use cairn_engine::{AuditCursor, AuditLine, AuditOutcome, Engine, EngineError, limits};
use cairn_wire::audit::{ShownLine, Trail};

use super::access::RefusedLook;
use crate::ApiError;
use crate::call::Call;
use crate::params::{Params, invalid};

/// How many lines are listed if nobody says.
const LIMIT: u64 = 100;

/// Whose trail.
#[derive(Debug)]
enum Whose {
    Own,
    Named(String),
    Node,
}

/// Read an audit trail
///
/// Every administrative act, and acts that were refused. Work that takes long has a line when it begins and
/// one when it ended. Each tenant has a trail, for its administrators,
/// and the node has one, for its operators: what was done to tenants and to the store, and callers who did
/// not say who they are.
#[utoipa::path(
    get,
    path = "/v1/audit",
    tag = "access",
    params(
        ("tenant" = Option<String>, Query, description = "Whose trail; the caller's own tenant if not said"),
        ("node" = Option<bool>, Query, description = "`true` for the trail of the node itself"),
        ("after" = Option<String>, Query, description = "The `next` or `last` of a page before"),
        ("since" = Option<String>, Query, description = "From this time on: Unix milliseconds, RFC 3339, a day, or back from now as in `-24h`"),
        ("newest" = Option<bool>, Query, description = "`true` for the last lines instead of the first"),
        ("limit" = Option<u64>, Query, description = "1 to 1000, 100 if not said"),
    ),
    responses((status = 200, description = "Lines, oldest first", body = Trail), RefusedLook)
)]
pub(super) async fn audit(call: Call, params: Params) -> Result<Json<Trail>, ApiError> {
    let whose = whose(&params)?;
    let after = start(&params, call.now_ms())?;
    let newest = params.choice("newest", &SWITCH)?;
    let limit = params.limit(LIMIT, limits::AUDIT_PAGE_MAX as u64)?;
    let trail = call.read(move |engine, principal| {
        let tenant = match whose {
            Whose::Own => principal.tenant(),
            Whose::Named(name) => engine.tenant_named(principal, &name)?,
            Whose::Node => TenantId::NODE,
        };
        let page = if newest {
            engine.audit_newest(principal, tenant, after, limit)?
        } else {
            engine.audit_page(principal, tenant, after, limit)?
        };
        Ok(Trail {
            lines: shown(engine, principal, page.lines)?,
            next: page.next.map(|cursor| cursor.to_string()),
            last: page.last.map(|cursor| cursor.to_string()),
        })
    });
    Ok(Json(trail.await?))
}

const SWITCH: [(&str, bool); 2] = [("false", false), ("true", true)];

fn whose(params: &Params) -> Result<Whose, ApiError> {
    match (params.text("tenant")?, params.choice("node", &SWITCH)?) {
        (Some(_), true) => Err(invalid("say one of tenant and node").detail("parameter", "node")),
        (Some(name), false) => Ok(Whose::Named(name.to_owned())),
        (None, true) => Ok(Whose::Node),
        (None, false) => Ok(Whose::Own),
    }
}

fn start(params: &Params, now_ms: u64) -> Result<Option<AuditCursor>, ApiError> {
    let since = params.time("since", now_ms)?;
    let Some(text) = params.text("after")? else {
        // Nothing happened before 1970.
        return Ok(since.and_then(|ms| AuditCursor::before(u64::try_from(ms).unwrap_or(0))));
    };
    if since.is_some() {
        return Err(invalid("say one of after and since").detail("parameter", "since"));
    }
    let cursor = text.parse::<AuditCursor>();
    cursor.map(Some).map_err(|error| invalid(error.to_string()).detail("parameter", "after"))
}

fn shown(
    engine: &Engine,
    principal: &Principal,
    lines: Vec<AuditLine>,
) -> Result<Vec<ShownLine>, EngineError> {
    // A page names few tenants.
    let mut names = BTreeMap::new();
    for line in &lines {
        if let Entry::Vacant(unknown) = names.entry(line.resource.tenant) {
            let name = engine.name_of_tenant(principal, *unknown.key())?;
            unknown.insert(name);
        }
    }
    let named = |line: AuditLine| {
        let tenant = names.get(&line.resource.tenant).cloned().flatten();
        line_in(line, tenant)
    };
    Ok(lines.into_iter().map(named).collect())
}

fn line_in(line: AuditLine, tenant: Option<Box<str>>) -> ShownLine {
    let outcome = line.outcome.name().to_owned();
    let (reason, code, unrecorded) = match line.outcome {
        AuditOutcome::Done | AuditOutcome::Begun | AuditOutcome::Stopped => (None, None, None),
        AuditOutcome::Refused { reason, unrecorded } => {
            (Some(reason.to_string()), None, (unrecorded > 0).then_some(unrecorded))
        }
        AuditOutcome::Failed { code } => (None, Some(code.name().to_owned()), None),
    };
    ShownLine {
        at_ms: line.at_ms,
        actor: line.actor,
        action: line.action.name().to_owned(),
        tenant: tenant.map(String::from),
        subject: line.subject,
        outcome,
        reason,
        code,
        unrecorded,
    }
}
