//! A request on its way, step by step: its caller decides where to wait.
//!
//! An UPSERT into a space that is there is given out as a write, which waits for the store without a thread.
//! Everything else may block: reads, which take as long as they take, DELETE, dry runs, and the first write
//! to a space.
//!
//! A batch is one command after the other, each a transaction of its own. What fails is answered in its place,
//! and the batch goes on; a change that fails ends it. A batch that has taken too long, or whose answers have
//! grown too large, does nothing more, and says so in the place of each command that is left. A dry run of a
//! batch is one transaction from its first change on, which is given up ([`rehearse`](super::rehearse)).

use std::borrow::Cow;
use std::slice;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cairn_access::{Action, Permit, Principal, Resource};
use cairn_base::{SpaceId, TenantId, Value};
use cairn_graph::Writer;
use cairn_kip::tree::Command;
use cairn_kip::{Commands, KipCommand, KipRequest, begins_with, bind, parse};
use cairn_seam::StoreError;

use super::answer::{failed, told_apart};
use super::answers::Answers;
use super::kind::Kind;
use super::note::{Note, OK};
use super::write::change;
use super::{Asking, KipAnswer, space_of};
use crate::graph::SpaceTarget;
use crate::{Act, Committed, Engine, EngineError, Prepared, WriteOutcome};

/// Reading a command of up to this many bytes, or writing out an answer of so many, takes no longer than a
/// change of threads is worth.
const SHORT_BYTES: usize = 64 << 10;

/// A request on its way. Dropped before its end, it was carried out up to there.
pub struct KipRun<'a> {
    asked: Asked<'a>,
    answers: Answers,
    started: Duration,
    /// The next command.
    at: usize,
    /// Whether nothing more is done.
    is_over: bool,
}

/// What comes next of a request.
#[derive(Debug)]
pub enum KipStep {
    /// A write: [`KipRun::wrote`] takes its outcome.
    Write(Prepared<Value>),
    /// Work that may block: [`KipRun::block`], on a thread where it may.
    Block,
    /// Another call of [`KipRun::step`]: a command was answered, and the next one may take longer to read.
    Again,
    /// Nothing: [`KipRun::answer`] has the answer.
    Done,
}

/// Somebody's request.
struct Asked<'a> {
    principal: Cow<'a, Principal>,
    /// To read the graph of the tenant.
    permit: Permit,
    tenant: TenantId,
    request: Cow<'a, KipRequest>,
}

impl Engine {
    /// Begins a request that is carried out step by step. Never blocks.
    pub fn kip_begin<'a>(
        &self,
        principal: Cow<'a, Principal>,
        tenant: TenantId,
        request: Cow<'a, KipRequest>,
    ) -> Result<KipRun<'a>, EngineError> {
        let act = Act::new(Action::GraphRead, Resource::tenant(tenant));
        let permit = self.pipeline.permit(&principal, &act)?;
        let asked = Asked { principal, permit, tenant, request };
        let answers = Answers::new(asked.request.page_bytes, asked.commands().len());
        let started = self.clock().monotonic();
        Ok(KipRun { asked, answers, started, at: 0, is_over: false })
    }

    /// Carries out a request.
    ///
    /// Blocks, for as long as [`KIP_BATCH_TIME_MAX`](crate::limits::KIP_BATCH_TIME_MAX) and one more
    /// command at the most. A request that
    /// holds a command the caller may not send is refused as a whole, before anything of it was written.
    pub fn kip(
        &self,
        principal: &Principal,
        tenant: TenantId,
        request: &KipRequest,
    ) -> Result<KipAnswer, EngineError> {
        let mut run = self.kip_begin(Cow::Borrowed(principal), tenant, Cow::Borrowed(request))?;
        loop {
            match run.step(self) {
                KipStep::Write(write) => {
                    thread::sleep(self.pause_before(&write));
                    run.wrote(self.commit(write).map(|committed| committed.value))?;
                }
                KipStep::Block => run.block(self)?,
                KipStep::Again => {}
                KipStep::Done => return Ok(run.answer()),
            }
        }
    }
}

impl Asked<'_> {
    fn commands(&self) -> &[KipCommand] {
        match &self.request.commands {
            Commands::One(command) => slice::from_ref(command),
            Commands::Batch(commands) => commands,
        }
    }

    fn is_batch(&self) -> bool {
        matches!(self.request.commands, Commands::Batch(_))
    }

    fn asking<'s>(&'s self, engine: &'s Engine) -> Asking<'s> {
        let Asked { principal, permit, tenant, request } = self;
        Asking { engine, principal, permit: *permit, tenant: *tenant, request }
    }

    /// Where a command writes to without blocking, if it does.
    fn target(&self, engine: &Engine, command: &KipCommand) -> Option<SpaceTarget> {
        let may_write = !self.request.readonly && !self.request.dry_run;
        let is_managed = cairn_graph::spaces::managed(space_of(&self.request));
        if may_write && !is_managed && begins_with(&command.text, "UPSERT") {
            engine.ready_target(self.tenant, space_of(&self.request))
        } else {
            None
        }
    }
}

impl KipRun<'_> {
    /// Goes on to the next command, and says what it needs. Never blocks, but takes as long as it takes to read
    /// that command: see [`is_short`](KipRun::is_short).
    pub fn step(&mut self, engine: &Engine) -> KipStep {
        let Some(command) = self.next(engine) else { return KipStep::Done };
        let command = &self.asked.commands()[command];
        let Some(target) = self.asked.target(engine, command) else { return KipStep::Block };
        let asking = self.asked.asking(engine);
        let note = asking.note(command);
        let parsed =
            parse(&command.text).and_then(|parsed| bind(parsed, &self.asked.request.parameters_of(command)));
        match parsed {
            Ok(upsert @ Command::Upsert(_)) => {
                KipStep::Write(asking.upsert(&target, upsert, note.of_kind(Kind::Upsert)))
            }
            Ok(_) => KipStep::Block,
            Err(error) => {
                note.add(error.code.text());
                self.answers.add(Err(error), &command.text);
                self.at += 1;
                KipStep::Again
            }
        }
    }

    /// Whether reading the next command, or writing out the answer, takes no longer than a change of threads.
    pub fn is_short(&self) -> bool {
        match self.asked.commands().get(self.at).filter(|_| !self.is_over) {
            Some(command) => self.asked.request.is_short(command, SHORT_BYTES),
            None => self.answers.bytes() <= SHORT_BYTES,
        }
    }

    /// Whether everything is answered.
    pub fn is_done(&self) -> bool {
        self.is_over || self.at >= self.asked.commands().len()
    }

    /// Takes the outcome of the write that [`step`](KipRun::step) gave. An error is the node's, and ends the
    /// request.
    pub fn wrote(&mut self, outcome: Result<Value, EngineError>) -> Result<(), EngineError> {
        let text = self.asked.commands().get(self.at).map_or("", |command| &command.text);
        let ends = match outcome {
            Ok(result) => {
                self.answers.add(Ok(result.into()), text);
                Ok(false)
            }
            Err(EngineError::Kip(error)) => {
                self.answers.add(Err(*error), text);
                Ok(true)
            }
            Err(error) => Err(error),
        };
        self.settle(ends)
    }

    /// Carries out commands until there is one that need not block. An error is the node's, and ends the request.
    pub fn block(&mut self, engine: &Engine) -> Result<(), EngineError> {
        while let Some(at) = self.next(engine) {
            let command = &self.asked.commands()[at];
            let asking = self.asked.asking(engine);
            let is_tried = self.asked.request.dry_run && self.asked.is_batch();
            let ends = if is_tried && asking.is_change(command) {
                // All that is left sees what this changes.
                let rest = &self.asked.commands()[at..];
                asking.rehearse(rest, self.started, &mut self.answers).map(|()| true)
            } else {
                asking.command(command, self.answers.share()).map(|done| {
                    self.answers.add(done.outcome, &command.text);
                    done.ends
                })
            };
            self.settle(ends)?;
            let next = self.asked.commands().get(self.at).filter(|_| !self.is_over);
            if next.is_some_and(|next| self.asked.target(engine, next).is_some()) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// What the request is answered.
    pub fn answer(self) -> KipAnswer {
        let mut list = self.answers.list;
        match self.asked.request.commands {
            Commands::One(_) => KipAnswer(list.pop().unwrap_or(Value::Null)),
            Commands::Batch(_) => KipAnswer(cairn_kip::response::batch(list)),
        }
    }

    /// The next command that is carried out; those that are too much are answered.
    fn next(&mut self, engine: &Engine) -> Option<usize> {
        while !self.is_done() {
            let taken = engine.clock().monotonic().saturating_sub(self.started);
            let too_much = self.asked.is_batch().then(|| self.answers.too_much(taken)).flatten();
            let Some(error) = too_much else { return Some(self.at) };
            self.answers.add(Err(error), &self.asked.commands()[self.at].text);
            self.at += 1;
        }
        None
    }

    /// A command was carried out; the request ends with a change that failed, and where the node is in trouble.
    fn settle(&mut self, ends: Result<bool, EngineError>) -> Result<(), EngineError> {
        match ends {
            Ok(ends) => self.is_over = ends,
            // Nothing was written: whoever may not write is told so at the first try.
            Err(error @ EngineError::Refused(_)) => return Err(error),
            Err(error) if self.answers.list.is_empty() => return Err(error),
            // What was done before is answered for all that.
            Err(error) => {
                let text = self.asked.commands().get(self.at).map_or("", |command| &command.text);
                self.answers.add(Err(failed(&error)), text);
                self.is_over = true;
            }
        }
        self.at += 1;
        Ok(())
    }
}

impl Asking<'_> {
    /// The write of an UPSERT into a space that is there. It is noted when its outcome is known.
    fn upsert(&self, target: &SpaceTarget, command: Command, note: Note) -> Prepared<Value> {
        let clock = Arc::clone(self.engine.clock());
        let body =
            move |writer: &mut Writer<'_>| Ok(change(writer, &command, false, &*clock, Duration::MAX)?);
        let write = Prepared::new(self.principal, target.act(), self.engine.writing(target, body));
        write.map(move |outcome| noted(outcome, note))
    }

    fn is_change(&self, command: &KipCommand) -> bool {
        !self.request.readonly && parse(&command.text).is_ok_and(|parsed| parsed.writes())
    }
}

/// Notes what became of a write, and tells what is wrong with the command from what is wrong with the node.
fn noted(outcome: WriteOutcome<(Value, SpaceId)>, note: Note) -> WriteOutcome<Value> {
    let outcome =
        outcome.map(|committed| Committed { value: committed.value.0, position: committed.position });
    let outcome = outcome.map_err(|error| match told_apart(Err(error)) {
        Ok(Err(error)) => EngineError::from(error),
        Ok(Ok(_)) => StoreError::Aborted.into(),
        Err(error) => error,
    });
    note.add(match &outcome {
        Ok(_) => OK,
        Err(EngineError::Kip(error)) => error.code.text(),
        Err(error) => error.code().row().name,
    });
    outcome
}
