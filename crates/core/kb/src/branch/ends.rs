//! The contents that the ends of a link had when the link was made: a link is suspect when they have changed since.

use cairn_base::Value;

use super::{Branch, Edge};
use crate::digest::ContentDigest;

/// Contents of the two ends of a link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Ends {
    /// Content of the source.
    pub from: ContentDigest,
    /// Content of the target.
    pub to: ContentDigest,
}

impl Ends {
    /// The key of the metadata of a link that holds them.
    pub const METADATA: &'static str = "ends";

    /// Returns them as metadata: the digests of source and target.
    pub fn to_metadata(self) -> Value {
        Value::Array([self.from, self.to].map(|digest| Value::String(digest.to_string())).into())
    }

    /// Reads metadata; `None` if it is none of ours.
    pub fn from_metadata(value: &Value) -> Option<Self> {
        let [from, to] = value.as_array()? else { return None };
        let digest = |value: &Value| ContentDigest::parse(value.as_str()?);
        Some(Ends { from: digest(from)?, to: digest(to)? })
    }
}

/// The state of a link with regard to the contents of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Neither end has changed since the link was made, or since its ends were accepted.
    Current,
    /// An end has changed since.
    Suspect {
        /// Whether the source has changed.
        from: bool,
        /// Whether the target has changed.
        to: bool,
    },
    /// The link is older than the digests, or an end is missing.
    Unknown,
}

impl Trust {
    /// Whether an end has changed.
    pub fn is_suspect(self) -> bool {
        matches!(self, Trust::Suspect { .. })
    }
}

impl Branch {
    /// Contents of the ends that a link was made with, or that were accepted last.
    pub fn ends(&self, edge: Edge) -> Option<Ends> {
        self.ends.get(&edge).copied()
    }

    /// Contents of the ends of a link as they are now; `None` if an end is missing.
    pub fn present_ends(&self, edge: Edge) -> Option<Ends> {
        Some(Ends { from: self.node(edge.from)?.digest, to: self.node(edge.to)?.digest })
    }

    /// Notes contents of the ends of a link, or forgets them. A link that is not there is left out.
    pub fn note_ends(&mut self, edge: Edge, ends: Option<Ends>) {
        match ends.filter(|_| self.has(edge)) {
            Some(ends) => drop(self.ends.insert(edge, ends)),
            None => drop(self.ends.remove(&edge)),
        }
    }

    /// Compares the ends of a link with the contents that it was made with.
    pub fn trust(&self, edge: Edge) -> Trust {
        let (Some(noted), Some(present)) = (self.ends(edge), self.present_ends(edge)) else {
            return Trust::Unknown;
        };
        let (from, to) = (noted.from != present.from, noted.to != present.to);
        if from || to { Trust::Suspect { from, to } } else { Trust::Current }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::{branch, node};
    use crate::{Change, NodeKey, Relation};

    fn edge(branch: &Branch, from: &str, to: &str) -> Edge {
        let key = |id| branch.find(id).unwrap().0;
        Edge { relation: Relation::DependsOn, from: key(from), to: key(to) }
    }

    #[test]
    fn a_link_is_suspect_while_an_end_differs_from_what_it_was_made_with() {
        let mut kb = branch("req A title=a\nreq B title=b");
        let link = edge(&kb, "A", "B");
        assert_eq!(kb.trust(link), Trust::Unknown);
        kb.apply([Change::Link(link)]);
        assert_eq!(kb.trust(link), Trust::Current);
        for (line, key, expected) in [
            ("req B title=b status=closed", link.to, Trust::Current),
            ("req B title=other", link.to, Trust::Suspect { from: false, to: true }),
            ("req A title=other", link.from, Trust::Suspect { from: true, to: true }),
            ("req B title=b", link.to, Trust::Suspect { from: true, to: false }),
            ("req A title=a", link.from, Trust::Current),
        ] {
            kb.apply([Change::Put(key, Box::new(node(line)))]);
            assert_eq!(kb.trust(link), expected, "{line}");
        }
    }

    #[test]
    fn accepting_ends_ends_the_suspicion_and_undoing_brings_it_back() {
        let mut kb = branch("req A title=a\nreq B title=b");
        let link = edge(&kb, "A", "B");
        kb.apply([Change::Link(link), Change::Put(link.to, Box::new(node("req B title=new")))]);
        let before = kb.clone();
        assert!(kb.trust(link).is_suspect());
        let changes = [
            vec![Change::Ends(link, kb.present_ends(link))],
            vec![Change::Unlink(link), Change::Link(link)],
            vec![Change::Remove(link.from)],
            vec![Change::Remove(link.to)],
            vec![Change::Ends(link, None)],
        ];
        for changes in changes {
            let undo = kb.apply(changes.clone());
            assert!(!kb.trust(link).is_suspect(), "{changes:?}");
            kb.apply(undo);
            assert_eq!(kb, before, "{changes:?}");
        }
    }

    #[test]
    fn ends_of_a_link_that_is_not_there_are_not_held() {
        let mut kb = branch("req A title=a\nreq B title=b");
        let link = edge(&kb, "A", "B");
        assert_eq!(kb.apply([Change::Ends(link, Some(Ends::default()))]), []);
        assert_eq!(kb.ends(link), None);
        kb.apply([Change::Link(link)]);
        kb.apply([Change::Remove(link.from)]);
        assert_eq!(kb.ends(link), None);
        let dangling = Edge { to: NodeKey(7), ..link };
        kb.apply([Change::Put(link.from, Box::new(node("req A title=a"))), Change::Link(dangling)]);
        assert_eq!((kb.ends(dangling), kb.trust(dangling)), (None, Trust::Unknown));
    }

    #[test]
    fn metadata_comes_back_and_what_is_none_of_ours_does_not() {
        let ends = Ends { from: ContentDigest(7), to: ContentDigest(u64::MAX) };
        let json = ends.to_metadata().to_json();
        assert_eq!(json, r#"["0000000000000007","ffffffffffffffff"]"#);
        let read = |json: &str| Ends::from_metadata(&Value::parse_json(json.as_bytes()).unwrap());
        assert_eq!(read(&json), Some(ends));
        for json in ["null", "[]", "\"x\"", r#"["0000000000000007"]"#, r#"["0000000000000007",7]"#] {
            assert_eq!(read(json), None, "{json}");
        }
    }
}
