//! Dry runs of batches: from the first change on, one transaction that is given up.
//!
//! Each command sees what those before it changed. Others who write wait meanwhile, so that all of it together
//! takes no longer than one UPSERT may, and a command that reads no longer than a DELETE may look. It has the
//! bounds of one transaction. SEARCH is refused: the index has nothing of what is going to be given up.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cairn_access::Scope;
use cairn_base::Clock;
use cairn_graph::{View, Writer};
use cairn_kip::tree::Command;
use cairn_kip::{KipCode, KipCommand, KipError, KipRequest, bind, parse};
use cairn_query::{Budget, Found, Shape};
use cairn_seam::WriteTx;

use super::answer::{failed, told_apart};
use super::answers::Answers;
use super::kind::Kind;
use super::note::{Note, named};
use super::read::answer;
use super::write::change;
use super::{Asking, Outcome, space_of};
use crate::graph::lifecycle::check_not_managed;
use crate::graph::spaces::space_to_write;
use crate::{EngineError, limits};

impl Asking<'_> {
    /// Has the rest of a batch tried, whose first command is a change, and answers all of it that was tried.
    pub(super) fn rehearse(
        &self,
        commands: &[KipCommand],
        started: Duration,
        answers: &mut Answers,
    ) -> Result<(), EngineError> {
        let (engine, name) = (self.engine, self.space());
        check_not_managed(name)?;
        let target = engine.space_target(self.principal, self.tenant, name)?;
        let missing = match target.space() {
            Some(_) => None,
            None => Some(KipError::from(engine.no_space(self.tenant, name)?)),
        };
        let act = target.act();
        thread::sleep(engine.search_pause(&act));
        let rehearsal = Rehearsal {
            lines: commands.iter().map(Line::of).collect(),
            request: self.request.clone(),
            missing,
            clock: Arc::clone(engine.clock()),
            started,
        };
        let before = Answers::after(answers);
        let tried = engine.pipeline.attempt(self.principal, &act, move |tx, scope| {
            rehearsal.run(tx, scope, Answers::after(&before))
        })?;
        for (command, note) in commands.iter().zip(&tried.notes) {
            if let Some((kind, outcome, took)) = *note {
                let note = Note::new(engine, self.principal, self.tenant, self.request, command, started);
                note.of_kind(kind).add_with(outcome, took);
            }
        }
        answers.extend(tried.answers);
        Ok(())
    }
}

/// A command, parsed before others wait for it.
struct Line {
    command: KipCommand,
    parsed: Result<Command, KipError>,
}

impl Line {
    fn of(command: &KipCommand) -> Self {
        Line { command: command.clone(), parsed: parse(&command.text) }
    }
}

/// What the transaction needs: it may run more than once, on another thread.
struct Rehearsal {
    lines: Vec<Line>,
    request: KipRequest,
    /// Why there is nothing to read, if the space is not there.
    missing: Option<KipError>,
    clock: Arc<dyn Clock>,
    started: Duration,
}

/// What came of it.
struct Tried {
    answers: Answers,
    /// For each command that was tried: what it was, what came of it, and how long it took.
    notes: Vec<Option<(Kind, &'static str, Duration)>>,
}

impl Rehearsal {
    fn run(&self, tx: &mut dyn WriteTx, scope: &Scope, answers: Answers) -> Result<Tried, EngineError> {
        let mut stage = Stage { rehearsal: self, tx, scope: *scope, is_there: self.missing.is_none() };
        if stage.is_there {
            stage.enter()?;
        }
        let mut tried = Tried { answers, notes: Vec::with_capacity(self.lines.len()) };
        for line in &self.lines {
            let text = &line.command.text;
            let began = self.clock.monotonic();
            let taken = began.saturating_sub(self.started);
            if let Some(error) = tried.answers.too_much(taken) {
                tried.answers.add(Err(error), text);
                tried.notes.push(None);
                continue;
            }
            let time_max = limits::KIP_BATCH_TIME_MAX.saturating_sub(taken);
            let (kind, outcome, is_change) = stage.command(line, time_max, tried.answers.share());
            tried.notes.push(Some((kind, named(&outcome), self.clock.monotonic().saturating_sub(began))));
            match outcome {
                Ok(outcome) => {
                    let ends = is_change && outcome.is_err();
                    tried.answers.add(outcome, text);
                    if ends {
                        break;
                    }
                }
                // The store is in trouble. What was answered before is answered for all that.
                Err(error) => {
                    tried.answers.add(Err(failed(&error)), text);
                    break;
                }
            }
        }
        Ok(tried)
    }
}

/// The space as the commands so far would leave it.
struct Stage<'a, 't> {
    rehearsal: &'a Rehearsal,
    tx: &'t mut dyn WriteTx,
    scope: Scope,
    is_there: bool,
}

impl Stage<'_, '_> {
    /// Makes the space if it is not there, and gives it its first types.
    fn enter(&mut self) -> Result<(), EngineError> {
        let name = space_of(&self.rehearsal.request);
        self.scope = space_to_write(self.tx, &self.scope, name, self.rehearsal.clock.now_ms())?;
        self.is_there = true;
        Ok(())
    }

    /// What it is, what comes of it, and whether it changes something.
    fn command(
        &mut self,
        line: &Line,
        time_max: Duration,
        page_bytes: Option<usize>,
    ) -> (Kind, Outcome, bool) {
        let parsed = line.parsed.clone();
        let parameters = self.rehearsal.request.parameters_of(&line.command);
        let bound = match parsed.and_then(|parsed| bind(parsed, &parameters)) {
            Ok(bound) => bound,
            Err(error) => return (Kind::Syntax, Ok(Err(error)), false),
        };
        let kind = Kind::of(&bound);
        let outcome = match (&bound, &self.rehearsal.missing) {
            (Command::Search(_), _) => return (kind, Ok(Err(cannot_search())), false),
            (Command::Upsert(_), _) => self.change(&bound, time_max),
            (_, Some(missing)) if !self.is_there => Err(missing.clone().into()),
            (Command::Delete(_), _) => self.change(&bound, time_max),
            (Command::Find(_) | Command::Describe(_) | Command::Explain { .. }, _) => {
                self.read(&bound, time_max, page_bytes)
            }
        };
        (kind, told_apart(outcome), bound.writes())
    }

    fn change(&mut self, command: &Command, time_max: Duration) -> Result<Found, EngineError> {
        if !self.is_there {
            self.enter()?;
        }
        let clock = &self.rehearsal.clock;
        let mut writer = Writer::new(self.tx, self.scope, clock.now_ms());
        let result = change(&mut writer, command, true, &**clock, time_max)?;
        writer.finish()?;
        Ok(result.into())
    }

    fn read(
        &self,
        command: &Command,
        time_max: Duration,
        page_bytes: Option<usize>,
    ) -> Result<Found, EngineError> {
        let Rehearsal { request, clock, .. } = self.rehearsal;
        let shape = Shape { format: request.format, bytes_max: page_bytes };
        let time = limits::KIP_DELETE_TIME_MAX.min(time_max);
        let mut budget = Budget::within(&**clock, time);
        Ok(answer(&View::new(&*self.tx, self.scope), command, shape, &mut budget)?)
    }
}

fn cannot_search() -> KipError {
    KipError::new(KipCode::InvalidSyntax, "SEARCH cannot see what a dry run has changed")
        .hint("put it in front of the first change, send it in a request of its own, or ask with FIND")
}
