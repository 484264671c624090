//! Numbers of concepts and links, and how clients see them.

use std::fmt;

/// The bit that tells links from concepts in keys, so that concepts sort first.
const LINK_BIT: u64 = 1 << 63;

/// A concept. Numbers start at 1 in every space and are never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConceptId(pub u64);

/// A link. Numbers start at 1 in every space, beside those of concepts, and are never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u64);

/// A type: the number of the concept that defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u64);

/// A predicate: the number of the concept that defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PredicateId(pub u64);

impl TypeId {
    /// The concept that defines it.
    pub const fn concept(self) -> ConceptId {
        ConceptId(self.0)
    }
}

impl PredicateId {
    /// The concept that defines it.
    pub const fn concept(self) -> ConceptId {
        ConceptId(self.0)
    }
}

/// What can be the subject or the object of a link. Concepts sort before links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    /// A concept.
    Concept(ConceptId),
    /// Another link: then what is said is said about a fact.
    Link(LinkId),
}

impl Element {
    /// The number that stands for it in keys, in the same order.
    pub fn to_u64(self) -> u64 {
        match self {
            Element::Concept(ConceptId(number)) => number,
            Element::Link(LinkId(number)) => number | LINK_BIT,
        }
    }

    /// The other way round.
    pub fn from_u64(number: u64) -> Self {
        if number & LINK_BIT == 0 {
            Element::Concept(ConceptId(number))
        } else {
            Element::Link(LinkId(number ^ LINK_BIT))
        }
    }
}

impl From<ConceptId> for Element {
    fn from(id: ConceptId) -> Self {
        Element::Concept(id)
    }
}

impl From<LinkId> for Element {
    fn from(id: LinkId) -> Self {
        Element::Link(id)
    }
}

impl fmt::Display for ConceptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "C:{}", self.0)
    }
}

/// For people; clients get [`link_text`], which names the predicate too.
impl fmt::Display for LinkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "P:{}", self.0)
    }
}

/// A concept as clients name it, like `C:7`.
pub fn concept_text(id: ConceptId) -> String {
    id.to_string()
}

/// A link as clients name it, like `P:9:treats`.
pub fn link_text(id: LinkId, predicate: &str) -> String {
    format!("{id}:{predicate}")
}

/// Either of them; the predicate counts only for a link.
pub fn element_text(element: Element, predicate: &str) -> String {
    match element {
        Element::Concept(id) => concept_text(id),
        Element::Link(id) => link_text(id, predicate),
    }
}

/// What a client's id says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedId {
    /// The concept or link.
    pub element: Element,
    /// The predicate that the id of a link names. It need not be the link's own: that is for the caller to see.
    pub predicate: Option<String>,
}

/// Reads an id of a client; `None` if it is not written as ids are.
pub fn parse_id(text: &str) -> Option<ParsedId> {
    let (kind, rest) = text.split_once(':')?;
    match kind {
        "C" => Some(ParsedId { element: ConceptId(number(rest)?).into(), predicate: None }),
        "P" => {
            let (id, predicate) = rest.split_once(':')?;
            let predicate = Some(predicate.to_owned()).filter(|name| !name.is_empty())?;
            Some(ParsedId { element: LinkId(number(id)?).into(), predicate: Some(predicate) })
        }
        _ => None,
    }
}

/// Reads what [`ConceptId`] and [`LinkId`] print.
pub(crate) fn parse_plain(text: &str) -> Option<Element> {
    match text.split_once(':')? {
        ("C", rest) => number(rest).map(|id| ConceptId(id).into()),
        ("P", rest) => number(rest).map(|id| LinkId(id).into()),
        _ => None,
    }
}

/// A number from 1 on in the one form that we write it in.
fn number(digits: &str) -> Option<u64> {
    let is_written_so = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    let number = is_written_so.then(|| digits.parse().ok()).flatten()?;
    (number < LINK_BIT).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ids_are_read_in_the_form_they_are_written_in_and_in_no_other() {
        let link = |number, predicate: &str| {
            Some(ParsedId { element: LinkId(number).into(), predicate: Some(predicate.into()) })
        };
        assert_eq!(parse_id("C:7"), Some(ParsedId { element: ConceptId(7).into(), predicate: None }));
        assert_eq!(parse_id("P:9:treats"), link(9, "treats"));
        assert_eq!(parse_id("P:9:a:b"), link(9, "a:b"));
        assert_eq!(parse_id(&link_text(LinkId(u64::MAX >> 1), "p")), link(u64::MAX >> 1, "p"));
        for bad in [
            "",
            "C",
            "C:",
            "C:0",
            "C:07",
            "C:+7",
            "C: 7",
            "C:7 ",
            "c:7",
            "7",
            "C:7:x",
            "P:9",
            "P:9:",
            "P::x",
            "X:1",
            "C:9223372036854775808",
            "C:99999999999999999999999",
            "P:9223372036854775808:x",
            "C:٣",
        ] {
            assert_eq!(parse_id(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn numbers_in_keys_come_back_and_sort_as_elements_do(a in 0..LINK_BIT, b in 0..LINK_BIT) {
            let elements = [Element::Concept(ConceptId(a)), Element::Link(LinkId(b)), Element::Concept(ConceptId(b))];
            for one in elements {
                prop_assert_eq!(Element::from_u64(one.to_u64()), one);
                for other in elements {
                    prop_assert_eq!(one.cmp(&other), one.to_u64().cmp(&other.to_u64()));
                }
            }
            prop_assert_eq!(parse_id(&concept_text(ConceptId(a + 1))).map(|id| id.element), Some(ConceptId(a + 1).into()).filter(|_| a + 1 < LINK_BIT));
        }
    }
}
