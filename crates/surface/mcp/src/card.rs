//! What agents can read: the syntax of KIP.

use rmcp::model::{ReadResourceResult, Resource, ResourceContents};

/// Its address.
pub(crate) const URI: &str = "cairn://docs/kip";
const MIME_TYPE: &str = "text/markdown";

/// All that is written about KIP, of which agents need a page.
const DOCUMENT: &str = include_str!("../../../../docs/kip.md");
const HEADING: &str = "\n## Syntax on one page\n";

/// The page, from its heading to the next.
fn page() -> &'static str {
    let Some(start) = DOCUMENT.find(HEADING) else { return DOCUMENT };
    let rest = &DOCUMENT[start + 1..];
    let end = rest[HEADING.len()..].find("\n## ").map_or(rest.len(), |end| end + HEADING.len() + 1);
    &rest[..end]
}

/// What is said of it in lists.
pub(crate) fn listed() -> Resource {
    Resource::new(URI, "kip")
        .with_title("The syntax of KIP")
        .with_description("Everything that commands of execute_kip can say, on one page. Read it once before the first command.")
        .with_mime_type(MIME_TYPE)
        .with_size(page().len() as u64)
}

/// What it says.
pub(crate) fn read() -> ReadResourceResult {
    let text = page().strip_prefix('#').unwrap_or_default();
    ReadResourceResult::new(vec![ResourceContents::text(text, URI).with_mime_type(MIME_TYPE)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_the_page_and_no_more() {
        let page = page();
        assert!(page.starts_with("## Syntax on one page\n") && page.ends_with('\n'), "{page}");
        assert_eq!(page.matches("\n## ").count(), 0, "another section is in it");
        for word in [
            "FIND(",
            "WHERE {",
            "OPTIONAL {",
            "NOT {",
            "UNION {",
            "FILTER(",
            "ORDER BY",
            "UPSERT {",
            "SET PROPOSITIONS",
            "WITH METADATA",
            "EXPECT VERSION",
            "DELETE CONCEPT",
            "DETACH",
            "DESCRIBE PRIMER",
            "SEARCH CONCEPT",
            "EXPLAIN",
            ":name",
            "KIP_2001",
            "KIP_3005",
        ] {
            assert!(page.contains(word), "{word} is missing");
        }
    }
}
