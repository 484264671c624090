//! What a command says, as a tree.
//!
//! Values may be parameters (`:name`) until [`bind`](crate::bind) has put values in their places.

use cairn_base::{Number, Value};

use crate::{KipCode, KipError, Span, Spanned};

/// A name or a text, and where it was written.
pub type Text = Spanned<String>;

/// A value, or the name of the parameter that will be one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Slot<T> {
    /// The value.
    Is(T),
    /// `:name`, without the colon.
    Parameter(String),
}

impl<T> Spanned<Slot<T>> {
    /// The value. Fails where no parameter was bound.
    pub fn given(&self) -> Result<&T, KipError> {
        match &self.node {
            Slot::Is(value) => Ok(value),
            Slot::Parameter(name) => Err(unbound(name, self.span)),
        }
    }
}

/// A parameter was not given.
pub fn unbound(name: &str, span: Span) -> KipError {
    KipError::new(KipCode::InvalidSyntax, format!("parameter :{name} is not given"))
        .hint(format!("send {{\"parameters\": {{\"{name}\": ...}}}} with the command"))
        .at(span)
}

/// One command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Command {
    /// `FIND`.
    Find(Find),
    /// One or more `UPSERT`: a capsule is one transaction.
    Upsert(Vec<Upsert>),
    /// `DELETE`.
    Delete(Delete),
    /// `DESCRIBE`.
    Describe(Describe),
    /// `SEARCH`.
    Search(Search),
    /// `EXPLAIN` or `EXPLAIN ANALYZE` before a `FIND`.
    Explain {
        /// Whether it is run, to count.
        analyze: bool,
        /// What is explained.
        find: Find,
    },
}

impl Command {
    /// Whether it may change something.
    pub fn writes(&self) -> bool {
        match self {
            Command::Upsert(_) | Command::Delete(_) => true,
            Command::Find(_) | Command::Describe(_) | Command::Search(_) | Command::Explain { .. } => false,
        }
    }
}

/// `FIND(…) WHERE {…} ORDER BY … LIMIT … CURSOR …`
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Find {
    /// What is asked for, one column each.
    pub columns: Vec<Spanned<Column>>,
    /// Which solutions.
    pub pattern: Group,
    /// In which order, the first key first.
    pub order_by: Vec<SortKey>,
    /// How many.
    pub limit: Option<Spanned<Slot<u64>>>,
    /// After which.
    pub cursor: Option<Spanned<Slot<String>>>,
}

/// One expression of a FIND.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Column {
    /// `?v`, `?v.name`, `?v.attributes.key`.
    Path(Path),
    /// `COUNT(DISTINCT ?v)`.
    Aggregate(Aggregate),
}

/// Something computed over a group of solutions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Aggregate {
    /// What is computed.
    pub function: Function,
    /// Whether equal values count once.
    pub distinct: bool,
    /// Over what.
    pub path: Path,
}

/// What an aggregate computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Function {
    /// How many.
    Count,
    /// Their sum.
    Sum,
    /// Their mean.
    Avg,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

/// A variable and, after dots, what of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Path {
    /// The variable, without its question mark.
    pub variable: Text,
    /// What comes after dots; empty for all of it.
    pub fields: Vec<Text>,
}

/// One key of an ORDER BY.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SortKey {
    /// By what.
    pub by: Spanned<Column>,
    /// Whether the greatest comes first.
    pub descending: bool,
}

/// Clauses that hold together, in the order they were written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Group {
    /// The clauses; at least one.
    pub clauses: Vec<Spanned<Clause>>,
}

/// One clause of a WHERE.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Clause {
    /// `?v {type: …, name: …}`
    Concept {
        /// What it binds.
        variable: Text,
        /// Which concepts.
        matcher: ConceptMatch,
    },
    /// `?link (…)` or `(…)`
    Proposition {
        /// What it binds.
        variable: Option<Text>,
        /// Which links.
        matcher: PropositionMatch,
    },
    /// `FILTER(…)`
    Filter(Condition),
    /// `OPTIONAL {…}`
    Optional(Group),
    /// `NOT {…}`
    Not(Group),
    /// `UNION {…}`
    Union(Group),
}

/// Which concepts. The parser lets through exactly {id}, {type}, {name} and {type, name}.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConceptMatch {
    /// By id, which stands alone.
    pub id: Option<Spanned<Slot<String>>>,
    /// By type.
    pub kind: Option<Spanned<Slot<String>>>,
    /// By name.
    pub name: Option<Spanned<Slot<String>>>,
    /// Where it was written.
    pub span: Span,
}

/// Which links.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PropositionMatch {
    /// `(id: "…")`
    Id {
        /// The id.
        id: Spanned<Slot<String>>,
        /// Where it was written.
        span: Span,
    },
    /// `(subject, predicate, object)`
    Triple(Box<Triple>),
}

impl PropositionMatch {
    /// Where it was written.
    pub fn span(&self) -> Span {
        match self {
            PropositionMatch::Id { span, .. } => *span,
            PropositionMatch::Triple(triple) => triple.span,
        }
    }
}

/// `(subject, predicate, object)`
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Triple {
    /// What it is about.
    pub subject: Term,
    /// What it says.
    pub predicate: Predicate,
    /// Of what.
    pub object: Term,
    /// Where it was written.
    pub span: Span,
}

/// One end of a link.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Term {
    /// `?v`
    Variable(Text),
    /// `{…}` or `?v {…}`
    Concept {
        /// What it binds as well.
        variable: Option<Text>,
        /// Which concept.
        matcher: ConceptMatch,
    },
    /// `(…)` or `?v (…)`
    Proposition {
        /// What it binds as well.
        variable: Option<Text>,
        /// Which link.
        matcher: PropositionMatch,
    },
}

/// What stands between subject and object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Predicate {
    /// `"treats"` alone, or alternatives: `"treats" | "prevents"`.
    OneOf(Vec<Spanned<Slot<String>>>),
    /// `"part_of"{1,3}`
    Path {
        /// The predicate of every hop.
        name: Spanned<Slot<String>>,
        /// At least so many hops.
        least: u16,
        /// At most so many; any number if absent.
        most: Option<u16>,
        /// Where the braces were written.
        span: Span,
    },
    /// `?p`: its name is bound.
    Variable(Text),
}

/// What a FILTER asks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Condition {
    /// `a || b`, two at least.
    Or(Vec<Condition>),
    /// `a && b`, two at least.
    And(Vec<Condition>),
    /// `!a`
    Not(Box<Condition>),
    /// `a == b`
    Compare {
        /// Left of the sign.
        left: Operand,
        /// The sign.
        sign: Comparison,
        /// Right of the sign.
        right: Operand,
    },
    /// `CONTAINS(a, b)` and the like.
    Text {
        /// Which test.
        test: TextTest,
        /// What is looked at.
        subject: Operand,
        /// What is looked for.
        pattern: Operand,
    },
    /// `IN(a, [b, c])`
    In {
        /// What is looked for.
        operand: Operand,
        /// Among what.
        list: Operand,
    },
    /// `IS_NULL(a)`; `IS_NOT_NULL(a)` if negated.
    IsNull {
        /// What is looked at.
        operand: Operand,
        /// Whether it is asked the other way round.
        negated: bool,
    },
}

/// Signs of comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// Tests of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextTest {
    /// Somewhere inside.
    Contains,
    /// At its beginning.
    StartsWith,
    /// At its end.
    EndsWith,
    /// A regular expression finds something.
    Regex,
}

/// What conditions are about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Operand {
    /// `?v.name`
    Path(Path),
    /// A literal, a list of them or a parameter.
    Value(Json),
}

/// A JSON value with parameters in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Json {
    /// What it is.
    pub node: JsonNode,
    /// Where it was written.
    pub span: Span,
}

/// What a JSON value is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum JsonNode {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// `[…]`
    Array(Vec<Json>),
    /// `{…}`, in the order written; of equal keys the last counts.
    Object(Vec<(Text, Json)>),
    /// `:name`
    Parameter(String),
    /// What a parameter was bound to.
    Bound(Value),
}

impl Json {
    /// The value. Fails where no parameter was bound.
    pub fn value(&self) -> Result<Value, KipError> {
        Ok(match &self.node {
            JsonNode::Null => Value::Null,
            JsonNode::Bool(value) => Value::Bool(*value),
            JsonNode::Number(number) => Value::Number(*number),
            JsonNode::String(text) => Value::String(text.clone()),
            JsonNode::Array(items) => Value::Array(items.iter().map(Json::value).collect::<Result<_, _>>()?),
            JsonNode::Object(entries) => Value::Object(object(entries)?),
            JsonNode::Parameter(name) => return Err(unbound(name, self.span)),
            JsonNode::Bound(value) => value.clone(),
        })
    }
}

fn object(entries: &[(Text, Json)]) -> Result<std::collections::BTreeMap<String, Value>, KipError> {
    entries.iter().map(|(key, value)| Ok((key.node.clone(), value.value()?))).collect()
}

/// `{key: value, …}` of SET ATTRIBUTES and WITH METADATA.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Object {
    /// In the order written; of equal keys the last counts.
    pub entries: Vec<(Text, Json)>,
    /// Where it was written.
    pub span: Span,
}

impl Object {
    /// Its entries. Fails where no parameter was bound.
    pub fn value(&self) -> Result<std::collections::BTreeMap<String, Value>, KipError> {
        object(&self.entries)
    }
}

/// `UPSERT {…} WITH METADATA {…}`
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Upsert {
    /// Concepts and propositions, in order; at least one.
    pub blocks: Vec<Spanned<Block>>,
    /// What is said about all of them.
    pub metadata: Option<Object>,
}

/// One item of an UPSERT.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Block {
    /// `CONCEPT ?handle {…}`
    Concept(ConceptBlock),
    /// `PROPOSITION ?handle {…}`
    Proposition(PropositionBlock),
}

/// `CONCEPT ?handle { {…} EXPECT VERSION n SET ATTRIBUTES {…} SET PROPOSITIONS {…} } WITH METADATA {…}`
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConceptBlock {
    /// What it is called in what follows.
    pub handle: Option<Text>,
    /// Which concept: {id} or {type, name}.
    pub matcher: ConceptMatch,
    /// Which version it has to have; 0 if it must not exist.
    pub expect_version: Option<Spanned<Slot<u64>>>,
    /// What is set.
    pub attributes: Option<Object>,
    /// Links from it; empty without SET PROPOSITIONS.
    pub links: Vec<Link>,
    /// What is said about it.
    pub metadata: Option<Object>,
}

/// `("predicate", target) WITH METADATA {…}`
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Link {
    /// What it says.
    pub predicate: Spanned<Slot<String>>,
    /// Of what.
    pub target: Term,
    /// What is said about it.
    pub metadata: Option<Object>,
    /// Where it was written.
    pub span: Span,
}

/// `PROPOSITION ?handle { (…) EXPECT VERSION n SET ATTRIBUTES {…} } WITH METADATA {…}`
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PropositionBlock {
    /// What it is called in what follows.
    pub handle: Option<Text>,
    /// Which link: (id: …) or a triple with one literal predicate.
    pub matcher: PropositionMatch,
    /// Which version it has to have; 0 if it must not exist.
    pub expect_version: Option<Spanned<Slot<u64>>>,
    /// What is set.
    pub attributes: Option<Object>,
    /// What is said about it.
    pub metadata: Option<Object>,
}

/// `DELETE … WHERE {…}`
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Delete {
    /// What goes.
    pub what: Deleted,
    /// The variable whose bindings are meant.
    pub target: Text,
    /// Which bindings.
    pub pattern: Group,
}

/// What a DELETE removes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Deleted {
    /// `DELETE ATTRIBUTES {"key", …} FROM ?v`
    Attributes(Vec<Text>),
    /// `DELETE METADATA {"key", …} FROM ?v`
    Metadata(Vec<Text>),
    /// `DELETE PROPOSITIONS ?link`
    Propositions,
    /// `DELETE CONCEPT ?v DETACH`
    Concept,
}

/// `DESCRIBE …`
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Describe {
    /// `DESCRIBE PRIMER`
    Primer,
    /// `DESCRIBE DOMAINS`
    Domains,
    /// `DESCRIBE CONCEPT TYPES`, `DESCRIBE PROPOSITION TYPES`
    Types {
        /// Which of the two.
        of: ElementKind,
        /// How many.
        limit: Option<Spanned<Slot<u64>>>,
        /// After which.
        cursor: Option<Spanned<Slot<String>>>,
    },
    /// `DESCRIBE CONCEPT TYPE "…"`, `DESCRIBE PROPOSITION TYPE "…"`
    Type {
        /// Which of the two.
        of: ElementKind,
        /// Its name.
        name: Spanned<Slot<String>>,
    },
}

/// The two kinds of element of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// A node.
    Concept,
    /// A link.
    Proposition,
}

/// `SEARCH CONCEPT "…" WITH TYPE "…" LIMIT n`
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Search {
    /// What is looked for.
    pub of: ElementKind,
    /// The words.
    pub term: Spanned<Slot<String>>,
    /// Of which type, or with which predicate.
    pub kind: Option<Spanned<Slot<String>>>,
    /// How many.
    pub limit: Option<Spanned<Slot<u64>>>,
}
