use cairn_kb::EntityType;

use super::shown;
use crate::parse_markdown;

#[track_caller]
fn check(text: &str, expected: &str) {
    let document = parse_markdown("docs/requirements/r.md", text.as_bytes(), None);
    assert_eq!(shown(&document), expected.trim_matches('\n'), "{text}");
}

#[test]
fn front_matter_and_body_are_an_entity() {
    check(
        "---\nid: REQ-1\ntitle: Sessions end\nstatus: open\npriority: must\ntags: [auth, 1, yes]\nlinks:\n  \
         - REQ-2\n  - type: specified_by\n    target: SCEN-1\n    confidence: 1\n    source: talk\n  \
         - {type: verified_by, id: TEST-1}\n  - https://example.com/x\n---\n\n# Why\n\nBecause.\n",
        r##"
2 req REQ-1
  body = "# Why\n\nBecause."
  links = ["https://example.com/x"]
  priority = "must"
  source = "docs/requirements/r.md"
  status = "open"
  tags = ["auth","1","yes"]
  title = "Sessions end"
  -> relates_to REQ-2
  -> specified_by SCEN-1 (talk) (1)
  -> verified_by TEST-1
"##,
    );
}

#[test]
fn what_is_not_said_has_a_default() {
    check(
        "---\ntitle: 2026\nowner:\nstatus: ~\n---\n",
        // The first 16 digits of `printf docs/requirements/r.md:2026 | sha256sum`.
        r#"
2 req 1e6c99418b9dfc5d
  source = "docs/requirements/r.md"
  status = "draft"
  title = "2026"
"#,
    );
    check(
        "---\nid: F\ntype: fact\ntitle: t\nstatus: active\nsource: x#L1\ncreated_at: 2026-05-01\nfact_kind: \
         property_value\nsubject_key: s\nproperty_key: p\noperator: eq\nvalue_type: int\nvalue_int: 0x1F\n---",
        r#"
2 fact F
  created_at = "2026-05-01T00:00:00Z"
  fact_kind = "property_value"
  operator = "eq"
  property_key = "p"
  source = "x#L1"
  status = "active"
  subject_key = "s"
  title = "t"
  value_int = 31
  value_type = "int"
"#,
    );
}

#[test]
fn the_type_is_written_or_that_of_the_folder() {
    let kind = |path: &str, lane, front: &str| {
        let document = parse_markdown(path, format!("---\ntitle: t\n{front}---\n").as_bytes(), lane);
        document
            .entities
            .first()
            .map_or_else(|| shown(&document), |entity| entity.input.kind.text().to_owned())
    };
    assert_eq!(kind("docs/scenarios/a.md", None, ""), "scenario");
    assert_eq!(kind("tests/requirements/deep/a.md", None, ""), "req");
    assert_eq!(kind("docs/scenarios/a.md", Some(EntityType::Flag), ""), "flag");
    assert_eq!(kind("docs/scenarios/a.md", Some(EntityType::Flag), "type: adr\n"), "adr");
    assert_eq!(
        kind("docs/requirements.md", None, ""),
        "docs/requirements.md:2: missing type: type is missing (add a line like `type: req`; types are req, \
         scenario, test, adr, flag, event, symbol, fact)"
    );
    assert_eq!(
        kind("a.md", None, "type: reqs\n"),
        "a.md:3: invalid field: unknown type reqs (did you mean req?)"
    );
}

#[test]
fn files_without_front_matter_are_no_documents() {
    check("# Requirements\n\nAn overview.\n", "no document");
    check("", "no document");
    check("\n---\ntitle: t\n---\n", "no document");
}

#[test]
fn problems_have_lines_and_hints() {
    check(
        "---\ntitle: t\n\nBody",
        "docs/requirements/r.md:1: missing closing ---: the front matter begins here and does not end (end the \
         front matter with a line that is just ---)",
    );
    check(
        "---\nid: R\n---\n",
        "docs/requirements/r.md:2: missing field: title is missing (add a line like `title: Sessions end when \
         idle`)",
    );
    check(
        "---\nid: R\ntitle: Login: second factor\n---\n",
        "docs/requirements/r.md:3: unquoted colon: title has an unquoted colon in its value (put the value in \
         quotes: title: \"Login: second factor\")",
    );
    check(
        "---\ntitle: t\nstatus: opne\n---\n",
        "docs/requirements/r.md:3: invalid field: status: \"opne\" is not one of active, inactive, draft, \
         archived, deleted, approved, rejected, pending, in_progress, superseded, open, closed, deprecated, \
         passing, failing, skipped, proposed, accepted, removed; did you mean \"open\"?",
    );
    check(
        "---\ntitle: t\nscenarios: []\n---\n",
        "docs/requirements/r.md:3: embedded entity: the requirement contains scenarios (give scenarios and tests \
         documents of their own, and link them by specified_by and verified_by)",
    );
    check(
        "---\ntitle: t\ntitel: u\n---\n",
        "docs/requirements/r.md:3: unknown field: unknown field titel (did you mean title?)",
    );
    check(
        "---\ntitle: t\ntags: auth\n---\n",
        "docs/requirements/r.md:3: invalid field: tags is a single value, not a list (write `tags: [auth]`)",
    );
    check(
        "---\ntitle: [a]\n---\n",
        "docs/requirements/r.md:2: invalid field: title is a list, not text (write `title: …` on one line, or as \
         a block with `|`)",
    );
    check(
        "---\ntitle: t\nvalue: 5\n---\n",
        "docs/requirements/r.md:3: unknown field: unknown field value (write value_type, and the value as \
         value_string, value_int, value_number or value_bool)",
    );
    check(
        "---\ntitle: t\nfact_kind: subject\n---\n",
        "docs/requirements/r.md:3: invalid field: fact_kind: it is a field of fact, not of req",
    );
    check(
        "---\ntitle: t\nbody: a\n---\n\nb\n",
        "docs/requirements/r.md:5: invalid field: there is a body both in the front matter and below it (keep one \
         of them)",
    );
    check(
        "---\n- a\n---\n",
        "docs/requirements/r.md:2: invalid YAML: the front matter is a list, not a mapping (write one `field: \
         value` per line)",
    );
}

#[test]
fn a_wrong_link_costs_only_itself() {
    check(
        "---\nid: R\ntitle: t\nlinks:\n  - type: specifies\n    target: S\n  - type: verified_by\n  \
         - {type: verified_by, to: T, weight: 1}\n  - {from: X, to: T}\n  - [a]\n  -\n  \
         - {to: T, confidence: 2}\n  - {to: T, created_at: today}\n  - {to: T, target: U}\n  - T\n  - T\n---\n",
        r#"
2 req R
  source = "docs/requirements/r.md"
  status = "draft"
  title = "t"
  -> relates_to T
docs/requirements/r.md:5: invalid link: unknown relationship type specifies (did you mean specified_by?)
docs/requirements/r.md:7: invalid link: the link has no target (add `target: ID` with the id of the other entity)
docs/requirements/r.md:8: invalid link: unknown key weight of a link (keys of a link are type, target, to, id, from, created_at, created_by, source, confidence)
docs/requirements/r.md:9: invalid link: the link starts at X, not at R (write it into the document of the entity that it starts at)
docs/requirements/r.md:10: invalid link: a link is a list (write `- type: specified_by` and below it `target: SCEN-001`)
docs/requirements/r.md:11: invalid link: a link is empty (write `- type: specified_by` and below it `target: SCEN-001`)
docs/requirements/r.md:12: invalid link: confidence is not between 0 and 1
docs/requirements/r.md:13: invalid link: created_at "today" is no time; use ISO 8601
docs/requirements/r.md:14: invalid link: the link has two targets (keep one of them)
"#,
    );
}

#[test]
fn with_relationships_links_are_other_material() {
    check(
        "---\nid: R\ntitle: t\nlinks: [REQ-2]\nrelationships: [{type: depends_on, target: REQ-3}]\n---\n",
        r#"
2 req R
  links = ["REQ-2"]
  source = "docs/requirements/r.md"
  status = "draft"
  title = "t"
  -> depends_on REQ-3
"#,
    );
}

#[test]
fn older_spellings_are_read_with_a_warning_and_foreign_keys_are_ignored() {
    check(
        "---\nid: R\ntitle: t\ntextRef: x\nlayout: post\n---\n",
        r#"
2 req R
  source = "docs/requirements/r.md"
  status = "draft"
  text_ref = "x"
  title = "t"
docs/requirements/r.md:4: renamed field: textRef was read as text_ref (write text_ref)
docs/requirements/r.md:5: ignored field: unknown field layout was ignored (remove it, or put it into the text below the front matter)
"#,
    );
    check(
        "---\nid: R\ntitle: t\ntextRef: x\ntext_ref: y\n---\n",
        "docs/requirements/r.md:4: renamed field: textRef was read as text_ref (write text_ref)\n\
         docs/requirements/r.md:5: invalid field: text_ref is there twice, in two spellings (keep one of them)",
    );
}

#[test]
fn line_ends_and_byte_order_marks_do_not_matter() {
    let plain = "---\nid: R\ntitle: t\ntext_ref: |\n  a\n  b\n---\n\nx\ny\n";
    let windows = format!("\u{feff}{}", plain.replace('\n', "\r\n"));
    let parse = |text: &str| parse_markdown("requirements/r.md", text.as_bytes(), None);
    assert_eq!(parse(plain), parse(&windows));
    assert_eq!(parse(plain).entities[0].input.properties.text("text_ref"), Some("a\nb\n"));
}
