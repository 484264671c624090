//! Reading the graph: from names to numbers, and what is known of types and predicates.
//!
//! Records are read in `fetch.rs`, whole ranges in `scan.rs`, links by their ends in `lookup.rs`.

use cairn_access::Scope;
use cairn_base::{KeyBuf, take_varint};
use cairn_seam::{KeyRange, Reader, Snapshot, Visit};

use crate::cache::{Cache, CacheAt};
use crate::counters::Counters;
use crate::record::{Blobs, ConceptHead};
use crate::tables::{CONCEPTS, COUNTERS, HOMES, NAMES};
use crate::{ConceptId, GraphError, LinkId, PredicateId, Result, TypeId, keys, known, name};

/// The two kinds of definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meta {
    /// Types of concepts: concepts of type `$ConceptType`.
    Types,
    /// Predicates of links: concepts of type `$PropositionType`.
    Predicates,
}

impl Meta {
    /// The type that its definitions have.
    pub fn kind(self) -> TypeId {
        match self {
            Meta::Types => known::CONCEPT_TYPE,
            Meta::Predicates => known::PROPOSITION_TYPE,
        }
    }

    /// The kind of definition that concepts of a type are, if they are any.
    pub fn of_kind(kind: TypeId) -> Option<Meta> {
        [Meta::Types, Meta::Predicates].into_iter().find(|meta| meta.kind() == kind)
    }

    /// What one of them is called.
    pub fn singular(self) -> &'static str {
        match self {
            Meta::Types => "type",
            Meta::Predicates => "predicate",
        }
    }

    /// How they are named.
    pub fn convention(self) -> &'static str {
        match self {
            Meta::Types => "types are written in UpperCamelCase, like `ClinicalTrial`",
            Meta::Predicates => "predicates are written in snake_case, like `has_side_effect`",
        }
    }

    pub(crate) fn instances(self, count: u64) -> &'static str {
        match (self, count) {
            (Meta::Types, 1) => "concept",
            (Meta::Types, _) => "concepts",
            (Meta::Predicates, 1) => "link",
            (Meta::Predicates, _) => "links",
        }
    }
}

/// A space of the graph as a snapshot has it, or a transaction with what it wrote so far.
#[derive(Clone, Copy)]
pub struct View<'a> {
    reader: &'a dyn Reader,
    scope: Scope,
    cache: Option<CacheAt<'a>>,
}

impl<'a> View<'a> {
    /// Reads in a scope.
    pub fn new(reader: &'a dyn Reader, scope: Scope) -> Self {
        View { reader, scope, cache: None }
    }

    /// Reads what a snapshot sees, as far as it can out of memory. Transactions see what nobody else does: they
    /// have no cache.
    pub fn of_snapshot(snapshot: &'a dyn Snapshot, scope: Scope, cache: &'a Cache) -> Self {
        View { reader: snapshot, scope, cache: CacheAt::new(cache, snapshot.position()) }
    }

    /// Where it reads.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    pub(crate) fn reader(&self) -> &'a dyn Reader {
        self.reader
    }

    pub(crate) fn cache(&self) -> Option<CacheAt<'a>> {
        self.cache
    }

    pub(crate) fn blobs(&self) -> Blobs<'a> {
        Blobs { reader: self.reader, tenant: self.scope.tenant() }
    }

    /// Whether the space has its first types. Nothing can be written to one that has not.
    pub fn is_bootstrapped(&self) -> Result<bool> {
        Ok(self.counters()?.is_some())
    }

    /// The last concept and the last link that got a number; what is made later has higher ones.
    pub fn last_numbers(&self) -> Result<(ConceptId, LinkId)> {
        let counters = Counters::read(self.reader, &self.scope)?.unwrap_or_default();
        Ok((ConceptId(counters.concept), LinkId(counters.link)))
    }

    /// Grows whenever a type or predicate is made, changed or deleted: as long as it is the same, so are they.
    pub fn schema_generation(&self) -> Result<u64> {
        Ok(self.counters()?.unwrap_or_default().schema)
    }

    fn counters(&self) -> Result<Option<Counters>> {
        let mut found = Ok(None);
        self.rows(COUNTERS, &[self.scope.key()], &mut |_, row| {
            found = row.map(Counters::decode).transpose();
        })?;
        found
    }

    /// The type of a name.
    pub fn type_id(&self, name: &str) -> Result<Option<TypeId>> {
        Ok(self.definition(Meta::Types, name)?.map(TypeId))
    }

    /// The predicate of a name.
    pub fn predicate_id(&self, name: &str) -> Result<Option<PredicateId>> {
        Ok(self.definition(Meta::Predicates, name)?.map(PredicateId))
    }

    fn definition(&self, of: Meta, name: &str) -> Result<Option<u64>> {
        Ok(self.find_concepts(&[(of.kind(), name)])?.into_iter().next().flatten().map(|id| id.0))
    }

    /// The name of a type or predicate; `None` if the number is neither's.
    pub fn definition_name(&self, id: u64) -> Result<Option<String>> {
        let id = ConceptId(id);
        let names = self.names(&[(id, known::CONCEPT_TYPE), (id, known::PROPOSITION_TYPE)])?;
        Ok(names.into_iter().flatten().next())
    }

    /// The concepts of these types and names, in their order.
    pub fn find_concepts(&self, wanted: &[(TypeId, &str)]) -> Result<Vec<Option<ConceptId>>> {
        let rows: Vec<KeyBuf> =
            wanted.iter().map(|(kind, name)| keys::named(&self.scope, name, *kind)).collect();
        let mut found = Vec::with_capacity(wanted.len());
        self.rows(NAMES, &rows, &mut |_, value| found.push(value.map(id_of_name).transpose()))?;
        let found = found.into_iter().collect::<Result<Vec<Option<ConceptId>>>>()?;
        // A hash is no proof: what is found has to have the name.
        let candidates: Vec<(ConceptId, TypeId)> =
            found.iter().zip(wanted).filter_map(|(id, (kind, _))| Some(((*id)?, *kind))).collect();
        let mut names = self.names(&candidates)?.into_iter();
        let checked = found.into_iter().zip(wanted).map(|(id, (_, name))| {
            let id = id?;
            (names.next().flatten().as_deref() == Some(*name)).then_some(id)
        });
        Ok(checked.collect())
    }

    /// Every concept of a name, whatever its type, in the order of types.
    pub fn concepts_named(&self, name: &str) -> Result<Vec<(TypeId, ConceptId)>> {
        let range = KeyRange::prefix(&self.scope.key().fixed(&name::hash(name)));
        let mut found = Vec::new();
        self.reader.multi_scan(NAMES, &[range], &mut |_, key, value| {
            let kind = keys::last_number(key, NAME).map(TypeId);
            found.push(kind.and_then(|kind| Ok((id_of_name(value)?, kind))));
            Visit::Continue
        })?;
        let found = found.into_iter().collect::<Result<Vec<(ConceptId, TypeId)>>>()?;
        let names = self.names(&found)?.into_iter();
        let has_name = found.into_iter().zip(names).filter(|(_, stored)| stored.as_deref() == Some(name));
        Ok(has_name.map(|((id, kind), _)| (kind, id)).collect())
    }

    /// The types of concepts; `None` for those that are not there.
    pub fn types_of(&self, ids: &[ConceptId]) -> Result<Vec<Option<TypeId>>> {
        let rows: Vec<KeyBuf> = ids.iter().map(|id| keys::home(&self.scope, *id)).collect();
        let mut found = Vec::with_capacity(ids.len());
        self.rows(HOMES, &rows, &mut |_, value| found.push(value.map(type_of_home).transpose()))?;
        found.into_iter().collect()
    }

    /// The names that concepts have.
    pub(crate) fn names(&self, wanted: &[(ConceptId, TypeId)]) -> Result<Vec<Option<String>>> {
        let rows: Vec<KeyBuf> =
            wanted.iter().map(|(id, kind)| keys::concept(&self.scope, *kind, *id)).collect();
        let mut names = Vec::with_capacity(wanted.len());
        self.rows(CONCEPTS, &rows, &mut |_, record| {
            let name = record.map(|record| Ok(ConceptHead::parse(record)?.name.to_owned()));
            names.push(name.transpose());
        })?;
        names.into_iter().collect()
    }
}

const NAME: &str = "name of a concept";

/// The concept in a value of [`NAMES`].
pub(crate) fn id_of_name(mut value: &[u8]) -> Result<ConceptId> {
    let id = take_varint(&mut value).filter(|_| value.is_empty());
    id.map(ConceptId)
        .ok_or_else(|| GraphError::BadRecord { what: NAME, detail: "it is not one number".into() })
}

/// The type in a value of [`HOMES`].
pub(crate) fn type_of_home(mut value: &[u8]) -> Result<TypeId> {
    let kind = take_varint(&mut value).filter(|_| value.is_empty());
    let bad = || GraphError::BadRecord { what: "type of a concept", detail: "it is not one number".into() };
    kind.map(TypeId).ok_or_else(bad)
}
