//! Which variables there are where, and everything that can be wrong with a query before it runs.

use std::collections::BTreeSet;

use cairn_kip::KipCode;
use cairn_kip::tree::{
    Clause, Column, ConceptMatch, Condition, Find, Group, JsonNode, Operand, Path, Predicate,
    PropositionMatch, Term, TextTest,
};

use super::solve::given;
use super::{World, pattern, project};

/// Decision 10.
const LIMIT_MAX: u64 = 10_000;

type Names = BTreeSet<String>;

/// The codes of everything that is wrong.
pub(super) fn mistakes(world: &World, find: &Find) -> BTreeSet<KipCode> {
    let mut check = Check { world, wrong: BTreeSet::new() };
    let names = check.group(&find.pattern, &Names::new(), true);
    let sorted = find.order_by.iter().map(|key| &key.by.node);
    for column in find.columns.iter().map(|column| &column.node).chain(sorted) {
        let path = match column {
            Column::Path(path) => path,
            Column::Aggregate(aggregate) => &aggregate.path,
        };
        check.path(path, &names);
    }
    // 1.5: what groups are sorted by has to be one value per group.
    if !find.order_by.iter().all(|key| project::is_sortable(find, &key.by.node)) {
        check.wrong.insert(KipCode::InvalidSyntax);
    }
    // Decision 10.
    if find.limit.as_ref().is_some_and(|limit| *limit.given().unwrap() > LIMIT_MAX) {
        check.wrong.insert(KipCode::ResourceExhausted);
    }
    check.wrong
}

/// The variables that a clause shows to those after it.
pub(super) fn bound_by(clause: &Clause) -> Names {
    let mut names = Names::new();
    match clause {
        Clause::Concept { variable, .. } => {
            names.insert(variable.node.clone());
        }
        Clause::Proposition { variable, matcher } => {
            names.extend(variable.iter().map(|variable| variable.node.clone()));
            names.extend(bound_by_link(matcher));
        }
        // NOT keeps what it binds to itself; OPTIONAL and UNION show it (the protocol's table of scopes).
        Clause::Filter(_) | Clause::Not(_) => {}
        Clause::Optional(group) | Clause::Union(group) => {
            names.extend(group.clauses.iter().flat_map(|clause| bound_by(&clause.node)));
        }
    }
    names
}

fn bound_by_link(matcher: &PropositionMatch) -> Names {
    let PropositionMatch::Triple(triple) = matcher else { return Names::new() };
    let mut names = Names::new();
    if let Predicate::Variable(variable) = &triple.predicate {
        names.insert(variable.node.clone());
    }
    for term in [&triple.subject, &triple.object] {
        match term {
            Term::Variable(variable) => {
                names.insert(variable.node.clone());
            }
            Term::Concept { variable, .. } => names.extend(variable.iter().map(|name| name.node.clone())),
            Term::Proposition { variable, matcher } => {
                names.extend(variable.iter().map(|name| name.node.clone()));
                names.extend(bound_by_link(matcher));
            }
        }
    }
    names
}

struct Check<'a> {
    world: &'a World,
    wrong: BTreeSet<KipCode>,
}

impl Check<'_> {
    /// What is bound after a block that sees these variables from outside.
    fn group(&mut self, group: &Group, outside: &Names, is_mandatory: bool) -> Names {
        let mut names = outside.clone();
        for clause in &group.clauses {
            match &clause.node {
                Clause::Concept { matcher, .. } => self.concept(matcher, is_mandatory),
                Clause::Proposition { matcher, .. } => self.link(matcher, is_mandatory),
                Clause::Filter(condition) => self.condition(condition, &names),
                Clause::Optional(inner) | Clause::Not(inner) => {
                    self.group(inner, &names, false);
                }
                Clause::Union(inner) => {
                    self.group(inner, &Names::new(), false);
                }
            }
            names.extend(bound_by(&clause.node));
        }
        names
    }

    fn concept(&mut self, matcher: &ConceptMatch, is_mandatory: bool) {
        let concepts = &self.world.concepts;
        if let Some(id) = &matcher.id {
            // 1.4: the id of a link where a concept is asked for makes no sense anywhere.
            if !is_id(given(id), "C:") {
                self.wrong.insert(KipCode::InvalidSyntax);
            } else if is_mandatory && !concepts.iter().any(|concept| format!("C:{}", concept.id) == given(id))
            {
                self.wrong.insert(KipCode::NotFound); // Decision 3.
            }
        }
        let Some(kind) = matcher.kind.as_ref().map(given) else { return };
        if !self.is_defined("$ConceptType", kind) {
            self.wrong.insert(KipCode::TypeMismatch); // Decision 2.
        } else if let Some(name) = matcher.name.as_ref().map(given)
            && is_mandatory
            && !concepts.iter().any(|concept| concept.kind == kind && concept.name == name)
        {
            self.wrong.insert(KipCode::NotFound); // Decision 3.
        }
    }

    fn link(&mut self, matcher: &PropositionMatch, is_mandatory: bool) {
        let triple = match matcher {
            PropositionMatch::Id { id, .. } => {
                let mut ids = self.world.links.iter().map(|link| format!("P:{}:{}", link.id, link.predicate));
                if !is_id(given(id), "P:") {
                    self.wrong.insert(KipCode::InvalidSyntax);
                } else if is_mandatory && !ids.any(|there| there == given(id)) {
                    self.wrong.insert(KipCode::NotFound); // Decision 3.
                }
                return;
            }
            PropositionMatch::Triple(triple) => triple,
        };
        let predicates = match &triple.predicate {
            Predicate::OneOf(names) => names.iter().collect(),
            Predicate::Path { name, .. } => vec![name],
            Predicate::Variable(_) => Vec::new(),
        };
        if !predicates.iter().all(|name| self.is_defined("$PropositionType", given(name))) {
            self.wrong.insert(KipCode::TypeMismatch); // Decision 2.
        }
        for term in [&triple.subject, &triple.object] {
            match term {
                Term::Variable(_) => {}
                Term::Concept { matcher, .. } => self.concept(matcher, is_mandatory),
                Term::Proposition { matcher, .. } => {
                    self.link(matcher, is_mandatory);
                    // A path is not a link that something can be said about (silent).
                    if is_path(matcher) {
                        self.wrong.insert(KipCode::InvalidSyntax);
                    }
                }
            }
        }
    }

    fn is_defined(&self, meta: &str, name: &str) -> bool {
        self.world.concepts.iter().any(|concept| concept.kind == meta && concept.name == name)
    }

    fn condition(&mut self, condition: &Condition, names: &Names) {
        match condition {
            Condition::Or(parts) | Condition::And(parts) => {
                parts.iter().for_each(|part| self.condition(part, names));
            }
            Condition::Not(part) => self.condition(part, names),
            Condition::Compare { left, right, .. } => self.operands(&[left, right], names),
            Condition::Text { test, subject, pattern } => {
                self.operands(&[subject, pattern], names);
                // 1.5: a bad pattern is a mistake in the query, whether a row gets that far or not.
                if *test == TextTest::Regex
                    && let Operand::Value(json) = pattern
                    && let JsonNode::String(text) = &json.node
                    && !pattern::is_pattern(text)
                {
                    self.wrong.insert(KipCode::InvalidSyntax);
                }
            }
            Condition::In { operand, list } => self.operands(&[operand, list], names),
            Condition::IsNull { operand, .. } => self.operands(&[operand], names),
        }
    }

    fn operands(&mut self, operands: &[&Operand], names: &Names) {
        for operand in operands {
            if let Operand::Path(path) = operand {
                self.path(path, names);
            }
        }
    }

    fn path(&mut self, path: &Path, names: &Names) {
        // 1.5: a variable that nothing before binds.
        if !names.contains(&path.variable.node) {
            self.wrong.insert(KipCode::ReferenceError);
        }
        // 1.5: fields of concepts and links; only attributes and metadata go deeper.
        let is_known = match path.fields.iter().map(|field| field.node.as_str()).collect::<Vec<_>>()[..] {
            [] | ["attributes" | "metadata", ..] => true,
            [first] => ["id", "type", "name", "subject", "predicate", "object"].contains(&first),
            _ => false,
        };
        if !is_known {
            self.wrong.insert(KipCode::InvalidSyntax);
        }
    }
}

fn is_path(matcher: &PropositionMatch) -> bool {
    matches!(matcher, PropositionMatch::Triple(triple) if matches!(triple.predicate, Predicate::Path { .. }))
}

fn is_id(text: &str, prefix: &str) -> bool {
    text.starts_with(prefix)
}
