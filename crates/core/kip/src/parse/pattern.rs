//! Which concepts and which links: `{…}` and `(…)`.

use cairn_base::nearest;

use super::cursor::Parser;
use super::{KipError, Result};
use crate::lex::{Sign, Token};
use crate::tree::{ConceptMatch, Predicate, PropositionMatch, Slot, Term, Triple};
use crate::{Span, Spanned};

/// What a pattern is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// It finds what is answered.
    Read,
    /// It finds what is deleted: nothing may stand for everything by accident.
    Delete,
    /// It names one concept or one link.
    Write,
}

const MATCHER: &str = "a concept is matched by {type: \"...\", name: \"...\"}, {type: \"...\"}, {name: \"...\"} or {id: \"...\"}";
const TRIPLE: &str = "a proposition is written (subject, \"predicate\", object)";

impl Parser<'_> {
    /// `{id}`, `{type}`, `{name}` or `{type, name}`.
    pub(super) fn concept_match(&mut self, used: Use) -> Result<ConceptMatch> {
        let start = self.span;
        let mut matcher = ConceptMatch { id: None, kind: None, name: None, span: start };
        self.open(Sign::OpenBrace, MATCHER)?;
        while !self.at(Sign::CloseBrace) {
            self.matcher_entry(&mut matcher, used)?;
            if !self.eat(Sign::Comma)? {
                break;
            }
        }
        self.close("`,` or `}`")?;
        matcher.span = self.since(start);
        check_matcher(&matcher, used)?;
        Ok(matcher)
    }

    fn matcher_entry(&mut self, matcher: &mut ConceptMatch, used: Use) -> Result<()> {
        let key = self.key()?;
        let place = match key.node.as_str() {
            "id" => &mut matcher.id,
            "type" => &mut matcher.kind,
            "name" => &mut matcher.name,
            other => return Err(unknown_key(other, key.span)),
        };
        if place.is_some() {
            let message = format!("`{}` stands twice in one matcher", key.node);
            return Err(self.refused(message).hint("leave one of them out").at(key.span));
        }
        self.sign(Sign::Colon, "a key is followed by a colon and its value")?;
        if self.at_word("null") {
            if used != Use::Read {
                let message = format!("`{}` is null, which would match everything", key.node);
                return Err(self.refused(message).hint("say which one"));
            }
            self.advance()?;
            return Ok(());
        }
        *place = Some(self.string_slot(&format!("a string or a parameter for `{}`", key.node))?);
        Ok(())
    }

    /// `(id: "…")` or `(subject, predicate, object)`.
    pub(super) fn proposition_match(&mut self, used: Use) -> Result<PropositionMatch> {
        let start = self.span;
        self.open(Sign::OpenParenthesis, TRIPLE)?;
        if self.at_word("id") && self.second() == Token::Sign(Sign::Colon) {
            self.advance()?;
            self.advance()?;
            let id = self.string_slot("the id of a link, as a string or a parameter")?;
            self.close("`)`")?;
            return Ok(PropositionMatch::Id { id, span: self.since(start) });
        }
        let subject = self.term(used)?;
        self.sign(Sign::Comma, TRIPLE)?;
        let predicate = self.predicate(used)?;
        if !self.at(Sign::Comma) {
            return Err(self.after_predicate(&predicate));
        }
        self.advance()?;
        let object = self.term(used)?;
        if self.at(Sign::Comma) {
            return Err(self.expected_because("`)`", TRIPLE));
        }
        self.close("`)`")?;
        Ok(PropositionMatch::Triple(Box::new(Triple { subject, predicate, object, span: self.since(start) })))
    }

    /// One end of a link.
    pub(super) fn term(&mut self, used: Use) -> Result<Term> {
        let variable = self.eat_variable()?;
        if self.at(Sign::OpenBrace) {
            return Ok(Term::Concept { variable, matcher: self.concept_match(used)? });
        }
        if self.at(Sign::OpenParenthesis) {
            return Ok(Term::Proposition { variable, matcher: self.proposition_match(used)? });
        }
        if let Some(variable) = variable {
            return Ok(Term::Variable(variable));
        }
        let what = "a variable, `{...}` or `(...)`";
        Err(match &self.token {
            Token::String(text) => {
                let text = crate::lex::shown(text);
                self.expected(what)
                    .hint(format!("a concept is named in braces: {{type: \"...\", name: \"{text}\"}}"))
            }
            Token::Sign(Sign::Colon) => {
                self.expected(what).hint("a parameter goes into braces: {name: :name}")
            }
            _ => self.expected_variable(what),
        })
    }

    /// What stands between subject and object.
    fn predicate(&mut self, used: Use) -> Result<Predicate> {
        if let Token::Variable(name) = self.token {
            if used == Use::Write {
                let message = format!("?{name} cannot be the predicate of what is written");
                return Err(self.refused(message).hint("write the predicate as a string, like \"treats\""));
            }
            return Ok(Predicate::Variable(self.variable("a predicate")?));
        }
        let first = self.string_slot("a predicate, as in \"treats\"")?;
        if used == Use::Write && (self.at(Sign::OpenBrace) || self.at(Sign::Bar)) {
            let message = "what is written has one predicate, without hops and alternatives";
            return Err(self.refused(message).hint("write one link for each"));
        }
        if self.at(Sign::OpenBrace) {
            return self.hops(first);
        }
        let mut names = vec![first];
        while self.eat(Sign::Bar)? {
            names.push(self.string_slot("a predicate after `|`")?);
        }
        Ok(Predicate::OneOf(names))
    }

    /// `{n}`, `{m,}` or `{m,n}` after a predicate.
    fn hops(&mut self, name: Spanned<Slot<String>>) -> Result<Predicate> {
        let start = self.span;
        self.open(Sign::OpenBrace, "")?;
        let least = self.hop_count()?;
        let most = match self.eat(Sign::Comma)? {
            false => Some(least),
            true if self.at(Sign::CloseBrace) => None,
            true => Some(self.hop_count()?),
        };
        self.close("`,` or `}`")?;
        let span = self.since(start);
        match most {
            Some(most) if most < least => Err(self
                .refused(format!("hops go from the fewer to the more, and {least} is more than {most}"))
                .hint(format!("write {{{most},{least}}}"))
                .at(span)),
            _ => Ok(Predicate::Path { name, least, most, span }),
        }
    }

    fn hop_count(&mut self) -> Result<u16> {
        let what = "a number of hops from 0 to 65535";
        let count = match self.token {
            Token::Number(number) if !number.is_float() => {
                number.as_u64().and_then(|count| u16::try_from(count).ok())
            }
            _ => None,
        };
        let Some(count) = count else {
            return Err(self.expected_because(what, "hops are written {2}, {1,3} or {1,} for any number"));
        };
        self.advance()?;
        Ok(count)
    }

    /// Something other than a comma follows a predicate.
    fn after_predicate(&self, predicate: &Predicate) -> KipError {
        let combined = match predicate {
            Predicate::Path { .. } => self.at(Sign::Bar),
            Predicate::OneOf(names) => names.len() > 1 && self.at(Sign::OpenBrace),
            Predicate::Variable(_) => false,
        };
        if combined {
            return self
                .refused("hops and alternatives cannot stand in one predicate")
                .hint("write one pattern for each alternative, joined with UNION { ... }");
        }
        self.expected_because("`,` and the object", TRIPLE)
    }
}

/// Refuses matchers that name nothing, or too much.
fn check_matcher(matcher: &ConceptMatch, used: Use) -> Result<()> {
    let refuse = |message: &str, hint: &str| {
        Err(KipError::new(crate::KipCode::InvalidSyntax, message).hint(hint).at(matcher.span))
    };
    let (by_id, by_type, by_name) = (matcher.id.is_some(), matcher.kind.is_some(), matcher.name.is_some());
    if !by_id && !by_type && !by_name {
        return refuse("this matcher names nothing", MATCHER);
    }
    if by_id && (by_type || by_name) {
        return refuse("an id stands alone in its matcher", "leave out type and name, or the id");
    }
    if used == Use::Write && !by_id && !(by_type && by_name) {
        let message =
            format!("{} alone does not say which concept", if by_type { "a type" } else { "a name" });
        return refuse(
            &message,
            "what is written names one concept: {type: \"...\", name: \"...\"} or {id: \"...\"}",
        );
    }
    Ok(())
}

fn unknown_key(key: &str, span: Span) -> KipError {
    let shown = crate::lex::shown(key);
    let near = nearest(key, ["id", "type", "name"]).map(|near| format!("did you mean `{near}`? "));
    let hint = format!(
        "{}the keys are id, type and name; attributes are compared in FILTER(?x.attributes.{shown} == ...)",
        near.unwrap_or_default()
    );
    KipError::new(crate::KipCode::InvalidSyntax, format!("`{shown}` is no key of a concept matcher"))
        .hint(hint)
        .at(span)
}
