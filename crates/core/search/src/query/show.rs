//! Queries as people can read them, for tests and for logs of what was understood.

use std::fmt::{Display, Formatter, Result};

use super::{Clause, Occur, Parsed, QueryToken, What};

impl Display for Parsed {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (place, clause) in self.clauses.iter().enumerate() {
            let space = if place > 0 { " " } else { "" };
            write!(f, "{space}{clause}")?;
        }
        if !self.ignored.is_empty() {
            write!(f, " (ignored: {})", self.ignored.join(" "))?;
        }
        Ok(())
    }
}

impl Display for Clause {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self.occur {
            Occur::Should => "",
            Occur::Must => "+",
            Occur::MustNot => "-",
        })?;
        if let Some(field) = self.field {
            write!(f, "{field}:")?;
        }
        self.what.fmt(f)
    }
}

impl Display for What {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Word(tokens) => match tokens.as_slice() {
                [token] => token.fmt(f),
                [whole, parts @ ..] => {
                    write!(f, "[{whole}:")?;
                    parts.iter().try_for_each(|part| write!(f, " {part}"))?;
                    f.write_str("]")
                }
                [] => Ok(()),
            },
            Self::Phrase(tokens) => {
                f.write_str("\"")?;
                let mut next = 0;
                for (position, token) in tokens {
                    // A gap, where a word is left out.
                    (next..*position).try_for_each(|_| f.write_str(" _"))?;
                    let space = if *position > 0 { " " } else { "" };
                    write!(f, "{space}{token}")?;
                    next = position + 1;
                }
                f.write_str("\"")
            }
            Self::Prefix(prefix) => write!(f, "{prefix}*"),
        }
    }
}

impl Display for QueryToken {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&self.surface)
    }
}
