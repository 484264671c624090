//! Import: any number of UPSERT commands, or of elements as lines of JSON, from a stream.
//!
//! The input is cut where commands or lines end ([`pieces`]), and each piece becomes one transaction
//! ([`work`]). While one is committed the next one is read and parsed. Whatever was committed is noted in the
//! same transaction ([`mark`]), and each transaction goes on exactly where the one before it ended or not at
//! all: so nothing is left out when one fails, and the same input again goes on behind what is there.

mod flights;
mod mark;
mod parsed;
mod pieces;
mod tried;
mod work;

use std::io::{ErrorKind, Read};
use std::sync::Arc;
use std::thread;

use cairn_access::{Action, Principal, Resource};
use cairn_base::{Position, TenantId};
use cairn_kip::KipForm;
use cairn_query::UpsertCounts;
use cairn_seam::StoreError;
use cairn_turns::limits;

use self::flights::Flights;
use self::mark::{ImportKey, Mark};
use self::parsed::Parsed;
use self::pieces::{Piece, Pieces};
use self::tried::Tried;
use self::work::Work;
use crate::graph::lifecycle::check_not_managed;
use crate::{Act, Engine, EngineError};

/// How to import.
#[derive(Debug, Clone, Default)]
pub struct KipImportOptions {
    /// The space; the memory if absent. One that is not there is made.
    pub space: Option<String>,
    /// What the input has; told by its first character if absent.
    pub form: Option<KipForm>,
    /// Change nothing, and say what would be.
    pub dry_run: bool,
    /// What the import is called, by which it goes on after an interruption; the beginning of the input if
    /// absent.
    pub resume: Option<String>,
    /// Forget what was noted of an earlier run, and begin at the beginning.
    pub restart: bool,
}

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KipImportProgress {
    /// Bytes of the input that were taken.
    pub bytes: u64,
    /// Elements that are on disk.
    pub elements: u64,
}

/// What was imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KipImportReport {
    /// What became of the elements; of a dry run, what would.
    pub counts: UpsertCounts,
    /// Bytes at the beginning that were passed over, because an earlier run had imported them.
    pub bytes_skipped: u64,
    /// Elements behind those that a dry run tries: they were only read.
    pub only_read: u64,
}

/// Bytes that are read at a time.
const READ_BYTES: usize = 256 << 10;

impl Engine {
    /// Imports all of an input, in the calling thread; transactions are committed behind it.
    ///
    /// `on_progress` is asked whether to go on. What is wrong is told with its line: everything before the
    /// transaction with that line is imported then, nothing after it, and the same input corrected goes on
    /// there.
    pub fn kip_import(
        &self,
        principal: &Principal,
        tenant: TenantId,
        input: &mut dyn Read,
        options: &KipImportOptions,
        on_progress: &mut dyn FnMut(KipImportProgress) -> bool,
    ) -> Result<KipImportReport, EngineError> {
        let mut import = self.kip_import_begin(principal, tenant, options)?;
        let mut buffer = vec![0; READ_BYTES];
        loop {
            let bytes = input.read(&mut buffer);
            let bytes = match bytes {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    import.stop()?;
                    return Err(EngineError::Input { cause: error.to_string() });
                }
            };
            if bytes == 0 {
                return import.finish(self, principal);
            }
            import.feed(self, principal, &buffer[..bytes])?;
            if !on_progress(import.progress()) {
                import.stop()?;
                return Err(StoreError::Stopped.into());
            }
        }
    }

    /// Begins an import whose input comes piece by piece: see [`KipImport`].
    pub fn kip_import_begin(
        &self,
        principal: &Principal,
        tenant: TenantId,
        options: &KipImportOptions,
    ) -> Result<KipImport, EngineError> {
        self.pipeline.permit(principal, &Act::new(Action::GraphWrite, Resource::tenant(tenant)))?;
        check_not_managed(space_of(options))?;
        if let Some(name) = &options.resume
            && !(1..=limits::IMPORT_ID_BYTES_MAX).contains(&name.len())
        {
            return Err(EngineError::ImportName { bytes: name.len() });
        }
        if let Some(space) = self.space(principal, tenant, space_of(options))? {
            self.make_whole(tenant, space);
        }
        Ok(KipImport::new(tenant, options.clone()))
    }

    /// What is noted of an import.
    fn import_mark(
        &self,
        principal: &Principal,
        tenant: TenantId,
        space: &str,
        key: &ImportKey,
    ) -> Result<Option<Mark>, EngineError> {
        let Some(space) = self.space(principal, tenant, space)? else { return Ok(None) };
        let act = Act::new(Action::GraphWrite, Resource::space(tenant, space));
        let scope = self.pipeline.permit(principal, &act)?.scope();
        mark::read(&*self.pipeline.store().snapshot(Position::START)?, &scope, key)
    }

    /// Writing to a space, which need not be there yet.
    fn import_act(&self, principal: &Principal, tenant: TenantId, space: &str) -> Act {
        // What cannot be read now is told by the transaction.
        let known = self.space(principal, tenant, space).ok().flatten();
        let resource = known.map_or(Resource::tenant(tenant), |space| Resource::space(tenant, space));
        Act::new(Action::GraphWrite, resource)
    }
}

/// An import under way. Dropped before [`finish`](KipImport::finish), it has imported a part.
pub struct KipImport {
    tenant: TenantId,
    options: KipImportOptions,
    /// The beginning of the input, until there is enough of it to know the import by.
    head: Option<Vec<u8>>,
    key: ImportKey,
    pieces: Pieces,
    flights: Flights,
    /// What is noted by the last transaction that was sent.
    noted: Option<Mark>,
    /// For a dry run: what is to be tried.
    tried: Tried,
    bytes_skipped: u64,
    /// Something was wrong: nothing more is taken.
    is_over: bool,
}

impl KipImport {
    fn new(tenant: TenantId, options: KipImportOptions) -> Self {
        let form = options.form;
        KipImport {
            tenant,
            options,
            head: Some(Vec::new()),
            key: ImportKey::default(),
            pieces: Pieces::new(form),
            flights: Flights::default(),
            noted: None,
            tried: Tried::default(),
            bytes_skipped: 0,
            is_over: false,
        }
    }

    /// How far it is.
    pub fn progress(&self) -> KipImportProgress {
        let elements =
            if self.options.dry_run { self.tried.elements() } else { self.flights.counts().elements() };
        KipImportProgress { bytes: self.pieces.taken(), elements }
    }

    /// Takes the next bytes. Waits while too much is under way. After an error it takes nothing more.
    pub fn feed(&mut self, engine: &Engine, principal: &Principal, bytes: &[u8]) -> Result<(), EngineError> {
        if self.is_over {
            return Err(StoreError::Stopped.into());
        }
        let taken = bytes.chunks(READ_BYTES).try_for_each(|part| self.take(engine, principal, part));
        self.flights.look();
        if taken.is_ok() && !self.flights.have_failed() {
            return Ok(());
        }
        self.is_over = true;
        self.flights.settle().and(taken)
    }

    /// There is no more: imports the rest and waits until everything is on disk.
    pub fn finish(mut self, engine: &Engine, principal: &Principal) -> Result<KipImportReport, EngineError> {
        if self.is_over {
            return Err(StoreError::Stopped.into());
        }
        let ended = self.end(engine, principal);
        self.flights.settle()?;
        ended?;
        let (counts, only_read) = if self.options.dry_run {
            self.tried.attempt(engine, principal, self.tenant, space_of(&self.options))?
        } else {
            (self.flights.counts(), 0)
        };
        Ok(KipImportReport { counts, bytes_skipped: self.bytes_skipped, only_read })
    }

    /// Takes nothing more, and waits until what is under way is on disk; what it comes to is in
    /// [`progress`](KipImport::progress).
    pub fn stop(&mut self) -> Result<(), EngineError> {
        self.is_over = true;
        self.flights.settle()
    }

    fn take(&mut self, engine: &Engine, principal: &Principal, part: &[u8]) -> Result<(), EngineError> {
        match &mut self.head {
            Some(head) => {
                head.extend_from_slice(part);
                if head.len() < mark::HEAD_BYTES {
                    return Ok(());
                }
                self.begin(engine, principal)?;
            }
            None => self.pieces.add(part)?,
        }
        self.send_ready(engine, principal)
    }

    /// Enough of the input is there, or all of it: whether it goes on somewhere is known now.
    fn begin(&mut self, engine: &Engine, principal: &Principal) -> Result<(), EngineError> {
        let head = self.head.take().unwrap_or_default();
        self.key = ImportKey::of(self.options.resume.as_deref(), &head);
        if !self.options.dry_run {
            self.noted = engine.import_mark(principal, self.tenant, space_of(&self.options), &self.key)?;
        }
        if let Some(mark) = self.noted.filter(|_| !self.options.restart) {
            self.pieces.skip_to(mark);
            self.bytes_skipped = mark.bytes;
        }
        self.pieces.add(&head)
    }

    fn end(&mut self, engine: &Engine, principal: &Principal) -> Result<(), EngineError> {
        if self.head.is_some() {
            self.begin(engine, principal)?;
        }
        self.send_ready(engine, principal)?;
        match self.pieces.rest()? {
            Some(rest) => self.send(engine, principal, rest, true),
            // All of it was there already: the note goes.
            None if self.noted.is_some() => {
                self.submit(engine, principal, Parsed::default(), None);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn send_ready(&mut self, engine: &Engine, principal: &Principal) -> Result<(), EngineError> {
        while !self.flights.have_failed()
            && let Some(piece) = self.pieces.next()?
        {
            self.send(engine, principal, piece, false)?;
        }
        Ok(())
    }

    fn send(
        &mut self,
        engine: &Engine,
        principal: &Principal,
        piece: Piece,
        is_last: bool,
    ) -> Result<(), EngineError> {
        let next = Mark { bytes: piece.end, digest: piece.digest };
        let parsed = Parsed::read(piece)?;
        if self.options.dry_run {
            self.tried.add(parsed);
            return Ok(());
        }
        self.flights.wait_for_room(parsed.bytes);
        if !self.flights.have_failed() {
            self.submit(engine, principal, parsed, (!is_last).then_some(next));
        }
        Ok(())
    }

    /// Queues a transaction that writes these, and notes that.
    fn submit(&mut self, engine: &Engine, principal: &Principal, parsed: Parsed, next: Option<Mark>) {
        let space = space_of(&self.options);
        let act = engine.import_act(principal, self.tenant, space);
        thread::sleep(engine.search_pause(&act));
        let landed = self.flights.begin(parsed.bytes);
        let work = Work {
            parsed,
            space: space.to_owned(),
            key: self.key,
            before: std::mem::replace(&mut self.noted, next),
            next,
            clock: Arc::clone(engine.clock()),
        };
        engine.pipeline.submit(
            principal,
            &act,
            move |tx, scope| work.carry_out(tx, scope),
            move |outcome| landed.tell(outcome.map(|committed| committed.value)),
        );
    }
}

fn space_of(options: &KipImportOptions) -> &str {
    options.space.as_deref().unwrap_or(cairn_graph::spaces::MEMORY)
}
