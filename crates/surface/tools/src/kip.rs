//! The tools of KIP: requests of agents, in the language of the graph.

use std::borrow::Cow;

use cairn_base::Value;
use cairn_engine::{EngineError, KipRun, KipStep};
use cairn_gate::{Cost, GateError, Memory};
use cairn_kip::{KipRequest, response};
use cairn_wire::kip::KipResponse;

use crate::text::PAGE_BYTES;
use crate::{ToolAnswer, ToolCall};

/// Executes the request of a tool. Pages end where their text does, so that text and structured content continue
/// at the same row.
pub(crate) async fn execute_page(
    call: &ToolCall,
    mut arguments: Value,
    readonly: bool,
) -> Result<ToolAnswer, GateError> {
    if let Value::Object(entries) = &mut arguments {
        entries.insert("page_bytes".to_owned(), Value::from(PAGE_BYTES as u64));
    }
    execute_kip(call, arguments, readonly).await
}

/// Executes a request of KIP. Errors of KIP are in the answer.
///
/// The returned future carries the request out. A batch stops between two commands when the deadline of its
/// admission passes or the future is dropped, as it is when a client disconnects. Each command is atomic: the one
/// under way is carried out to its end, those before it stay done, those behind it are not begun.
///
/// # Errors
///
/// Fails if the request did not reach KIP: the caller may not do it, or the node cannot.
pub async fn execute_kip(call: &ToolCall, params: Value, readonly: bool) -> Result<ToolAnswer, GateError> {
    let mut request = match KipRequest::decode(params) {
        Ok(request) => request,
        // No command is at fault.
        Err(error) => return Ok(short(response::failure(&error, ""))),
    };
    request.readonly |= readonly;
    // A read was counted when its head came; what it is beyond that is known now.
    let cost = if request.readonly { Cost::SEARCH } else { Cost::WRITE };
    call.gate.spend(&call.principal, cost)?;
    let may_write = !request.readonly && !request.dry_run;
    match carry_out(call, request).await {
        // The command under way at the deadline goes on to its end, and those before it are done.
        Err(GateError::ReadDeadline) if may_write => Err(GateError::WriteDeadline),
        done => done,
    }
}

/// Writes wait for the store without a thread; whatever may block, or takes long, has one meanwhile.
async fn carry_out(call: &ToolCall, request: KipRequest) -> Result<ToolAnswer, GateError> {
    let (gate, admission, principal) = (&call.gate, &call.admission, call.principal.clone());
    let tenant = principal.tenant();
    let mut run = gate.read_in_place(admission, |engine| {
        engine.kip_begin(Cow::Owned(principal), tenant, Cow::Owned(request))
    })?;
    loop {
        let next = if run.is_short() {
            gate.read_in_place(admission, |engine| Ok(run.step(engine)))?
        } else {
            let stepped = gate.query(admission, move |engine| {
                let next = run.step(engine);
                Ok((run, next))
            });
            let next;
            (run, next) = stepped.await?;
            next
        };
        match next {
            KipStep::Write(write) => {
                let outcome = match gate.write(admission, write).await {
                    Ok(committed) => Ok(committed.value),
                    Err(GateError::Engine(error)) => Err(error),
                    Err(other) => return Err(other),
                };
                run.wrote(outcome)?;
            }
            KipStep::Block => {
                let memory = call.memory.clone();
                let blocked = gate.query(admission, move |engine| {
                    run.block(engine)?;
                    if run.is_done() { answered(run, &memory).map(Ok) } else { Ok(Err(run)) }
                });
                run = match blocked.await? {
                    Ok(answered) => return Ok(answered),
                    Err(run) => run,
                };
            }
            KipStep::Again => {}
            KipStep::Done if run.is_short() => {
                return gate.read_in_place(admission, |_| answered(run, &call.memory));
            }
            KipStep::Done => {
                let memory = call.memory.clone();
                return gate.query(admission, move |_| answered(run, &memory)).await;
            }
        }
    }
}

fn answered(run: KipRun<'_>, memory: &Memory) -> Result<ToolAnswer, EngineError> {
    let json = KipResponse::from(run.answer().into_value()).to_text();
    let share = memory.take(json.len() as u64)?;
    Ok(ToolAnswer { json, share })
}

/// An answer too short to be charged.
fn short(response: Value) -> ToolAnswer {
    ToolAnswer { json: KipResponse::from(response).to_text(), share: None }
}

/// The schema of a response of KIP.
pub(crate) fn output_schema() -> Value {
    Value::parse_json(include_bytes!("kip_output.json")).expect("the schema beside this file is JSON")
}
