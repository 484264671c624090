//! A tree as text in one line.

use std::fmt::{self, Display, Write};

use cairn_base::Value;

use crate::lex::is_identifier;
use crate::tree::{
    Block, Clause, Column, Command, ConceptMatch, Condition, Delete, Deleted, Describe, Find, Group, Json,
    JsonNode, Link, Object, Operand, Path, Predicate, PropositionMatch, Search, Slot, Term, Text, Upsert,
};

type Out<'a, 'f> = &'a mut fmt::Formatter<'f>;

/// Something with a way to write it.
struct Show<F>(F);

impl<F: Fn(Out<'_, '_>) -> fmt::Result> Display for Show<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0)(f)
    }
}

/// The whole command.
pub(super) fn command(command: &Command) -> String {
    Show(|f: Out<'_, '_>| match command {
        Command::Find(it) => find(f, it),
        Command::Explain { analyze, find: it } => {
            f.write_str(if *analyze { "EXPLAIN ANALYZE " } else { "EXPLAIN " })?;
            find(f, it)
        }
        Command::Upsert(upserts) => list(f, upserts, " ", upsert),
        Command::Delete(it) => delete(f, it),
        Command::Describe(it) => describe(f, it),
        Command::Search(it) => search(f, it),
    })
    .to_string()
}

fn find(f: Out<'_, '_>, find: &Find) -> fmt::Result {
    f.write_str("FIND(")?;
    list(f, &find.columns, ", ", |f, it| column(f, &it.node))?;
    f.write_str(") WHERE ")?;
    group(f, &find.pattern)?;
    if !find.order_by.is_empty() {
        f.write_str(" ORDER BY ")?;
        list(f, &find.order_by, ", ", |f, key| {
            column(f, &key.by.node)?;
            f.write_str(if key.descending { " DESC" } else { "" })
        })?;
    }
    optional(f, " LIMIT ", find.limit.as_ref(), |f, it| slot(f, &it.node, |f, count| write!(f, "{count}")))?;
    optional(f, " CURSOR ", find.cursor.as_ref(), |f, it| slot(f, &it.node, |f, text| quoted(f, text)))
}

fn delete(f: Out<'_, '_>, delete: &Delete) -> fmt::Result {
    f.write_str("DELETE ")?;
    let keys = |f: Out<'_, '_>, keyword: &str, keys: &[Text]| {
        write!(f, "{keyword} {{")?;
        list(f, keys, ", ", |f, key| quoted(f, &key.node))?;
        write!(f, "}} FROM ?{}", delete.target.node)
    };
    match &delete.what {
        Deleted::Attributes(named) => keys(f, "ATTRIBUTES", named)?,
        Deleted::Metadata(named) => keys(f, "METADATA", named)?,
        Deleted::Propositions => write!(f, "PROPOSITIONS ?{}", delete.target.node)?,
        Deleted::Concept => write!(f, "CONCEPT ?{} DETACH", delete.target.node)?,
    }
    f.write_str(" WHERE ")?;
    group(f, &delete.pattern)
}

fn describe(f: Out<'_, '_>, describe: &Describe) -> fmt::Result {
    match describe {
        Describe::Primer => f.write_str("DESCRIBE PRIMER"),
        Describe::Domains => f.write_str("DESCRIBE DOMAINS"),
        Describe::Types { of, limit, cursor } => {
            write!(f, "DESCRIBE {} TYPES", of.text())?;
            optional(f, " LIMIT ", limit.as_ref(), |f, it| {
                slot(f, &it.node, |f, count| write!(f, "{count}"))
            })?;
            optional(f, " CURSOR ", cursor.as_ref(), |f, it| slot(f, &it.node, |f, text| quoted(f, text)))
        }
        Describe::Type { of, name } => {
            write!(f, "DESCRIBE {} TYPE ", of.text())?;
            text_slot(f, &name.node)
        }
    }
}

fn search(f: Out<'_, '_>, search: &Search) -> fmt::Result {
    write!(f, "SEARCH {} ", search.of.text())?;
    text_slot(f, &search.term.node)?;
    optional(f, " WITH TYPE ", search.kind.as_ref(), |f, it| text_slot(f, &it.node))?;
    optional(f, " LIMIT ", search.limit.as_ref(), |f, it| slot(f, &it.node, |f, count| write!(f, "{count}")))
}

fn column(f: Out<'_, '_>, column: &Column) -> fmt::Result {
    match column {
        Column::Path(it) => path(f, it),
        Column::Aggregate(aggregate) => {
            write!(f, "{}({}", aggregate.function.text(), if aggregate.distinct { "DISTINCT " } else { "" })?;
            path(f, &aggregate.path)?;
            f.write_char(')')
        }
    }
}

fn path(f: Out<'_, '_>, path: &Path) -> fmt::Result {
    write!(f, "?{}", path.variable.node)?;
    path.fields.iter().try_for_each(|field| write!(f, ".{}", field.node))
}

fn group(f: Out<'_, '_>, group: &Group) -> fmt::Result {
    f.write_str("{ ")?;
    list(f, &group.clauses, " ", |f, it| clause(f, &it.node))?;
    f.write_str(" }")
}

fn clause(f: Out<'_, '_>, clause: &Clause) -> fmt::Result {
    let nested = |f: Out<'_, '_>, keyword: &str, inner: &Group| {
        write!(f, "{keyword} ")?;
        group(f, inner)
    };
    match clause {
        Clause::Concept { variable, matcher } => {
            write!(f, "?{} ", variable.node)?;
            concept(f, matcher)
        }
        Clause::Proposition { variable, matcher } => {
            name(f, variable.as_ref())?;
            proposition(f, matcher)
        }
        Clause::Filter(it) => {
            f.write_str("FILTER(")?;
            condition(f, it)?;
            f.write_char(')')
        }
        Clause::Optional(inner) => nested(f, "OPTIONAL", inner),
        Clause::Not(inner) => nested(f, "NOT", inner),
        Clause::Union(inner) => nested(f, "UNION", inner),
    }
}

/// What something binds, before it.
fn name(f: Out<'_, '_>, variable: Option<&Text>) -> fmt::Result {
    variable.map_or(Ok(()), |variable| write!(f, "?{} ", variable.node))
}

fn concept(f: Out<'_, '_>, matcher: &ConceptMatch) -> fmt::Result {
    let keys = [("id", &matcher.id), ("type", &matcher.kind), ("name", &matcher.name)];
    let given: Vec<_> = keys.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?))).collect();
    f.write_char('{')?;
    list(f, &given, ", ", |f, (key, value)| {
        write!(f, "{key}: ")?;
        text_slot(f, &value.node)
    })?;
    f.write_char('}')
}

fn proposition(f: Out<'_, '_>, matcher: &PropositionMatch) -> fmt::Result {
    match matcher {
        PropositionMatch::Id { id, .. } => {
            f.write_str("(id: ")?;
            text_slot(f, &id.node)?;
        }
        PropositionMatch::Triple(triple) => {
            f.write_char('(')?;
            term(f, &triple.subject)?;
            f.write_str(", ")?;
            predicate(f, &triple.predicate)?;
            f.write_str(", ")?;
            term(f, &triple.object)?;
        }
    }
    f.write_char(')')
}

fn term(f: Out<'_, '_>, term: &Term) -> fmt::Result {
    match term {
        Term::Variable(variable) => write!(f, "?{}", variable.node),
        Term::Concept { variable, matcher } => {
            name(f, variable.as_ref())?;
            concept(f, matcher)
        }
        Term::Proposition { variable, matcher } => {
            name(f, variable.as_ref())?;
            proposition(f, matcher)
        }
    }
}

fn predicate(f: Out<'_, '_>, predicate: &Predicate) -> fmt::Result {
    match predicate {
        Predicate::OneOf(names) => list(f, names, " | ", |f, it| text_slot(f, &it.node)),
        Predicate::Path { name, least, most, .. } => {
            text_slot(f, &name.node)?;
            match most {
                Some(most) if most == least => write!(f, "{{{least}}}"),
                Some(most) => write!(f, "{{{least},{most}}}"),
                None => write!(f, "{{{least},}}"),
            }
        }
        Predicate::Variable(variable) => write!(f, "?{}", variable.node),
    }
}

fn condition(f: Out<'_, '_>, it: &Condition) -> fmt::Result {
    match it {
        Condition::Or(parts) => {
            list(f, parts, " || ", |f, part| inside(f, part, matches!(part, Condition::Or(_))))
        }
        Condition::And(parts) => list(f, parts, " && ", |f, part| {
            inside(f, part, matches!(part, Condition::Or(_) | Condition::And(_)))
        }),
        Condition::Not(part) => {
            f.write_char('!')?;
            let binds_less =
                matches!(&**part, Condition::Or(_) | Condition::And(_) | Condition::Compare { .. });
            inside(f, part, binds_less)
        }
        Condition::Compare { left, sign, right } => {
            operand(f, left)?;
            write!(f, " {} ", sign.text())?;
            operand(f, right)
        }
        Condition::Text { test, subject, pattern } => call(f, test.text(), &[subject, pattern]),
        Condition::In { operand, list } => call(f, "IN", &[operand, list]),
        Condition::IsNull { operand, negated } => {
            call(f, if *negated { "IS_NOT_NULL" } else { "IS_NULL" }, &[operand])
        }
    }
}

/// A part of a condition, in parentheses where it would be read otherwise without.
fn inside(f: Out<'_, '_>, part: &Condition, parentheses: bool) -> fmt::Result {
    f.write_str(if parentheses { "(" } else { "" })?;
    condition(f, part)?;
    f.write_str(if parentheses { ")" } else { "" })
}

fn call(f: Out<'_, '_>, name: &str, operands: &[&Operand]) -> fmt::Result {
    write!(f, "{name}(")?;
    list(f, operands, ", ", |f, it| operand(f, it))?;
    f.write_char(')')
}

fn operand(f: Out<'_, '_>, operand: &Operand) -> fmt::Result {
    match operand {
        Operand::Path(it) => path(f, it),
        Operand::Value(it) => json(f, it),
    }
}

fn upsert(f: Out<'_, '_>, upsert: &Upsert) -> fmt::Result {
    f.write_str("UPSERT { ")?;
    list(f, &upsert.blocks, " ", |f, it| block(f, &it.node))?;
    f.write_str(" }")?;
    metadata(f, upsert.metadata.as_ref())
}

fn block(f: Out<'_, '_>, block: &Block) -> fmt::Result {
    let (version, attributes, about) = match block {
        Block::Concept(block) => {
            f.write_str("CONCEPT ")?;
            name(f, block.handle.as_ref())?;
            f.write_str("{ ")?;
            concept(f, &block.matcher)?;
            (&block.expect_version, &block.attributes, &block.metadata)
        }
        Block::Proposition(block) => {
            f.write_str("PROPOSITION ")?;
            name(f, block.handle.as_ref())?;
            f.write_str("{ ")?;
            proposition(f, &block.matcher)?;
            (&block.expect_version, &block.attributes, &block.metadata)
        }
    };
    let count = |f: Out<'_, '_>, count: &u64| write!(f, "{count}");
    optional(f, " EXPECT VERSION ", version.as_ref(), |f, it| slot(f, &it.node, count))?;
    optional(f, " SET ATTRIBUTES ", attributes.as_ref(), object)?;
    if let Block::Concept(block) = block
        && !block.links.is_empty()
    {
        f.write_str(" SET PROPOSITIONS { ")?;
        list(f, &block.links, " ", link)?;
        f.write_str(" }")?;
    }
    f.write_str(" }")?;
    metadata(f, about.as_ref())
}

fn link(f: Out<'_, '_>, link: &Link) -> fmt::Result {
    f.write_char('(')?;
    text_slot(f, &link.predicate.node)?;
    f.write_str(", ")?;
    term(f, &link.target)?;
    f.write_char(')')?;
    metadata(f, link.metadata.as_ref())
}

fn metadata(f: Out<'_, '_>, metadata: Option<&Object>) -> fmt::Result {
    optional(f, " WITH METADATA ", metadata, object)
}

fn object(f: Out<'_, '_>, object: &Object) -> fmt::Result {
    entries(f, object.entries.iter().map(|(key, value)| (key.node.as_str(), value)), json)
}

fn json(f: Out<'_, '_>, it: &Json) -> fmt::Result {
    match &it.node {
        JsonNode::Null => f.write_str("null"),
        JsonNode::Bool(value) => write!(f, "{value}"),
        JsonNode::Number(number) => write!(f, "{number}"),
        JsonNode::String(text) => quoted(f, text),
        JsonNode::Array(items) => array(f, items, json),
        JsonNode::Object(inner) => {
            entries(f, inner.iter().map(|(key, value)| (key.node.as_str(), value)), json)
        }
        JsonNode::Parameter(name) => write!(f, ":{name}"),
        JsonNode::Bound(bound) => value(f, bound),
    }
}

fn value(f: Out<'_, '_>, it: &Value) -> fmt::Result {
    match it {
        Value::Array(items) => array(f, items, value),
        Value::Object(inner) => entries(f, inner.iter().map(|(key, value)| (key.as_str(), value)), value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => f.write_str(&it.to_json()),
    }
}

fn array<T>(f: Out<'_, '_>, items: &[T], item: impl Fn(Out<'_, '_>, &T) -> fmt::Result) -> fmt::Result {
    f.write_char('[')?;
    list(f, items, ", ", item)?;
    f.write_char(']')
}

fn entries<'t, T: 't>(
    f: Out<'_, '_>,
    entries: impl Iterator<Item = (&'t str, &'t T)>,
    value: impl Fn(Out<'_, '_>, &T) -> fmt::Result,
) -> fmt::Result {
    f.write_char('{')?;
    for (index, (key, inner)) in entries.enumerate() {
        f.write_str(if index > 0 { ", " } else { "" })?;
        if is_identifier(key) {
            f.write_str(key)?
        } else {
            quoted(f, key)?
        }
        f.write_str(": ")?;
        value(f, inner)?;
    }
    f.write_char('}')
}

fn text_slot(f: Out<'_, '_>, it: &Slot<String>) -> fmt::Result {
    slot(f, it, |f, text| quoted(f, text))
}

fn slot<T>(f: Out<'_, '_>, slot: &Slot<T>, value: impl Fn(Out<'_, '_>, &T) -> fmt::Result) -> fmt::Result {
    match slot {
        Slot::Is(it) => value(f, it),
        Slot::Parameter(name) => write!(f, ":{name}"),
    }
}

fn quoted(f: Out<'_, '_>, text: &str) -> fmt::Result {
    f.write_str(&super::place::quoted(text))
}

fn optional<T>(
    f: Out<'_, '_>,
    before: &str,
    it: Option<&T>,
    show: impl Fn(Out<'_, '_>, &T) -> fmt::Result,
) -> fmt::Result {
    let Some(it) = it else { return Ok(()) };
    f.write_str(before)?;
    show(f, it)
}

fn list<T>(
    f: Out<'_, '_>,
    items: &[T],
    between: &str,
    show: impl Fn(Out<'_, '_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        f.write_str(if index > 0 { between } else { "" })?;
        show(f, item)?;
    }
    Ok(())
}
