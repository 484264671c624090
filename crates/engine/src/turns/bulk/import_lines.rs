//! From lines of an export to what an import takes over.

use cairn_access::Principal;
use cairn_base::{ContentHash, TenantId};
use cairn_seam::{Blob, Store};
use cairn_turns::NewTurn;
use cairn_turns::export_lines::{Line, LineError, LinesRead, TreeLine, TurnLine, UnreadableLine};
use cairn_turns::registry::Bundle;

use super::placeholder::{Placeholder, placeholder_tree};
use crate::turns::acts::writing;
use crate::turns::blobs::make_blob;
use crate::{Engine, EngineError, ImportItem, limits};

/// How far an import is, as far as its lines say.
pub type ImportReading = LinesRead;

/// What lines came to: what is good of them, and the first one that is not.
#[derive(Debug)]
pub struct ImportLines {
    /// What to take over, each with the number of its line.
    pub items: Vec<(u64, ImportItem)>,
    /// How far the import is then.
    pub reading: ImportReading,
    /// The number of the first wrong line, and what is wrong with it. Those behind it were not read.
    pub wrong: Option<(u64, LineError)>,
}

impl Engine {
    /// Reads lines of an import up to the first wrong one; `first_line` is the number of the first. Hashes
    /// and compresses, and writes long payloads to disk.
    pub fn read_import_lines(
        &self,
        principal: &Principal,
        tenant: TenantId,
        mut reading: ImportReading,
        first_line: u64,
        text: &[u8],
    ) -> Result<ImportLines, EngineError> {
        self.pipeline.work(principal, &writing(tenant), |store| {
            let blobs = Blobs { store, tenant };
            let mut items = Vec::new();
            for (number, line) in (first_line..).zip(text.split(|byte| *byte == b'\n')) {
                if line.trim_ascii().is_empty() {
                    continue;
                }
                let read = reading
                    .next(line, limits::BINARY_BLOB_BYTES_MAX)
                    .and_then(|line| blobs.items(line, |item| items.push((number, item))));
                if let Err(error) = read {
                    return Ok(ImportLines { items, reading, wrong: Some((number, error)) });
                }
            }
            Ok(ImportLines { items, reading, wrong: None })
        })
    }
}

/// Where blobs are made.
struct Blobs<'a> {
    store: &'a dyn Store,
    tenant: TenantId,
}

impl Blobs<'_> {
    /// What a line brings, in the order in which it is taken over.
    fn items(&self, line: Line, mut push: impl FnMut(ImportItem)) -> Result<(), LineError> {
        match line {
            Line::Header | Line::End(..) => {}
            Line::Bundle(bytes) => {
                let bundle = Bundle::parse(&bytes).map_err(|error| {
                    LineError::invalid(format!("the bundle is not taken: {} {}", error.at, error.problem))
                })?;
                push(ImportItem::Bundle(Box::new(bundle), self.blob(bytes)?));
            }
            Line::Context(context) => push(ImportItem::Context(context)),
            Line::Blob(hash, bytes) => push(ImportItem::Blob(self.checked(bytes, Some(hash))?)),
            Line::Turn(turn) => {
                let turn = self.turn(*turn, &mut push)?;
                push(ImportItem::Turn(Box::new(turn)));
            }
            Line::Unreadable(turn) => {
                let turn = self.placeholder(*turn, &mut push)?;
                push(ImportItem::Placeholder(Box::new(turn)));
            }
            Line::Head(context, turn, as_of) => push(ImportItem::Head(context, turn, as_of)),
        }
        Ok(())
    }

    fn turn(&self, line: TurnLine, push: &mut impl FnMut(ImportItem)) -> Result<NewTurn, LineError> {
        let payload_bytes = length(&line.payload, "the payload is too long")?;
        let payload = self.checked(line.payload, line.hash)?;
        Ok(NewTurn {
            id: line.id,
            context: line.context,
            parent: line.parent,
            declared: line.declared,
            encoding: line.encoding,
            compression: line.compression,
            payload,
            payload_bytes,
            tree: self.tree(line.tree, push)?,
            created_at_ms: line.created_at_ms,
        })
    }

    fn placeholder(
        &self,
        line: UnreadableLine,
        push: &mut impl FnMut(ImportItem),
    ) -> Result<NewTurn, LineError> {
        let placeholder = Placeholder {
            reason: &line.reason,
            type_id: &line.declared.id,
            type_version: line.declared.version,
            encoding: line.encoding,
            payload_bytes: line.payload_bytes,
            hash: line.hash,
        };
        let payload = placeholder.payload();
        let payload_bytes = length(&payload, "the reason is too long")?;
        Ok(NewTurn {
            id: line.id,
            context: line.context,
            parent: line.parent,
            declared: Placeholder::declared(),
            encoding: Placeholder::ENCODING,
            compression: 0,
            payload: self.blob(payload)?,
            payload_bytes,
            tree: self.tree(line.tree, push)?,
            created_at_ms: line.created_at_ms,
        })
    }

    /// The file tree of a turn. Of one that the exporting store could not read, a placeholder comes before
    /// the turn, so that the turn does not inherit an older tree.
    fn tree(
        &self,
        tree: Option<TreeLine>,
        push: &mut impl FnMut(ImportItem),
    ) -> Result<Option<ContentHash>, LineError> {
        match tree {
            None => Ok(None),
            Some(TreeLine::Root(root)) => Ok(Some(root)),
            Some(TreeLine::Unreadable) => {
                let mut root = None;
                for bytes in placeholder_tree() {
                    let blob = self.blob(bytes)?;
                    root = Some(blob.hash());
                    push(ImportItem::Blob(blob));
                }
                Ok(root)
            }
        }
    }

    fn blob(&self, bytes: Vec<u8>) -> Result<Blob, LineError> {
        make_blob(self.store, self.tenant, bytes)
            .map_err(|error| LineError { code: error.code(), message: error.to_string() })
    }

    fn checked(&self, bytes: Vec<u8>, said: Option<ContentHash>) -> Result<Blob, LineError> {
        let blob = self.blob(bytes)?;
        match said {
            Some(said) if said != blob.hash() => {
                let message = format!("its content has the hash {}, not {said}: it was changed", blob.hash());
                Err(LineError::invalid(message))
            }
            Some(_) | None => Ok(blob),
        }
    }
}

fn length(bytes: &[u8], too_long: &str) -> Result<u32, LineError> {
    u32::try_from(bytes.len()).map_err(|_| LineError::invalid(too_long))
}
