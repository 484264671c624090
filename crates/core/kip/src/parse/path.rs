//! Variables and their fields.

use cairn_base::nearest;

use super::cursor::Parser;
use super::{KipCode, KipError, Result};
use crate::Spanned;
use crate::lex::{Sign, Token};
use crate::tree::{Path, Text};
use crate::words::{DEEP_FIELDS, FIELDS};

impl Parser<'_> {
    /// `?v`, `?v.name`, `?v.attributes.key`.
    pub(super) fn path(&mut self, what: &str) -> Result<Path> {
        let variable = self.variable(what)?;
        let mut fields = Vec::new();
        while self.eat(Sign::Dot)? {
            fields.push(self.field()?);
        }
        if self.at(Sign::OpenBracket) {
            let hint = format!("fields come after dots: ?{}.attributes.key", variable.node);
            return Err(self.expected_because("a dot", &hint));
        }
        check_fields(&variable, &fields)?;
        Ok(Path { variable, fields })
    }

    fn field(&mut self) -> Result<Text> {
        let span = self.span;
        let Token::Word(name) = self.token else {
            let what = "the name of a field after the dot";
            let error = self.expected_because(what, "as in ?drug.attributes.risk_level");
            // What is there, and is no name, is a malformed one; signs and the end are not.
            let malformed = matches!(self.token, Token::Odd(_) | Token::Number(_) | Token::String(_));
            let code = if malformed { KipCode::InvalidIdentifier } else { error.code };
            let hint =
                "fields are written in ASCII letters, digits and _, and begin with no digit".to_owned();
            return Err(KipError { code, hint: if malformed { Some(hint) } else { error.hint }, ..error });
        };
        self.advance()?;
        Ok(Spanned::new(name.to_owned(), span))
    }
}

/// Refuses fields that nothing has.
fn check_fields(variable: &Text, fields: &[Text]) -> Result<()> {
    let Some(first) = fields.first() else { return Ok(()) };
    let (name, field) = (&variable.node, first.node.as_str());
    let wrong = |message: String| KipError::new(KipCode::InvalidSyntax, message);
    if !FIELDS.contains(&field) {
        let nearest =
            nearest(field, FIELDS.iter().copied()).map(|near| format!("did you mean ?{name}.{near}? "));
        let hint = format!(
            "{}the fields are {}; anything else is under attributes or metadata: ?{name}.attributes.{field}",
            nearest.unwrap_or_default(),
            FIELDS.join(", ")
        );
        return Err(wrong(format!("`{field}` is no field of ?{name}")).hint(hint).at(first.span));
    }
    match fields.get(1) {
        Some(second) if !DEEP_FIELDS.contains(&field) => {
            let message = format!("?{name}.{field} has no fields of its own");
            let hint = format!("only attributes and metadata have: ?{name}.attributes.{}", second.node);
            Err(wrong(message).hint(hint).at(second.span))
        }
        _ => Ok(()),
    }
}
