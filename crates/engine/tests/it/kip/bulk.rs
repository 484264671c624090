//! Import: from a stream into the graph, in many transactions.

use std::io::{Error, ErrorKind, Read};
use std::ops::Bound;

use cairn_access::Role;
use cairn_base::{ErrorCode, Position, TenantId};
use cairn_engine::{
    EngineError, KipForm, KipImportOptions, KipImportProgress, KipImportReport, KipSelection, limits, tables,
};
use cairn_seam::{KeyRange, Store, StoreError, Visit};

use super::kit::{ACME, Kip, user};

pub(crate) const SCHEMA: &str = r#"UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Thing"} SET ATTRIBUTES { description: "Something." } }
    CONCEPT { {type: "$PropositionType", name: "leads_to"} SET ATTRIBUTES { description: "Leads to something." } }
}
"#;

const DESCRIPTION: &str = "twelve words that say something, \\\"quoted\\\", with } brackets { and // slashes";

/// So many things, each with a link from the one before it.
pub(crate) fn text(count: usize) -> String {
    let mut out = SCHEMA.to_owned();
    for n in 0..count {
        out += &format!(
            "UPSERT {{ CONCEPT {{ {{type: \"Thing\", name: \"thing {n}\"}} SET ATTRIBUTES {{ n: {n}, description: \
             \"{DESCRIPTION}\" }} }} WITH METADATA {{ source: \"a test\" }} }} // {n}\r\n"
        );
    }
    for n in 1..count {
        out += &format!(
            "UPSERT {{\n  PROPOSITION {{ ({{type: \"Thing\", name: \"thing {}\"}}, \"leads_to\",\n    {{type: \
             \"Thing\", name: \"thing {n}\"}}) SET ATTRIBUTES {{ weight: {n} }} }}\n}}\n",
            n - 1
        );
    }
    out
}

/// The same as lines of JSON.
pub(crate) fn lines(count: usize) -> String {
    let mut out = String::new();
    out += "{\"concept\":{\"type\":\"$ConceptType\",\"name\":\"Thing\",\"attributes\":{\"description\":\"Something.\"}}}\n";
    out += "{\"concept\":{\"type\":\"$PropositionType\",\"name\":\"leads_to\",\"attributes\":{\"description\":\"Leads to something.\"}}}\r\n\n";
    for n in 0..count {
        out += &format!(
            "{{\"concept\":{{\"type\":\"Thing\",\"name\":\"thing {n}\",\"attributes\":{{\"n\":{n},\"description\":\
             \"{DESCRIPTION}\"}},\"metadata\":{{\"source\":\"a test\"}}}}}}\n"
        );
    }
    for n in 1..count {
        out += &format!(
            "{{\"link\":{{\"subject\":{{\"type\":\"Thing\",\"name\":\"thing {}\"}},\"predicate\":\"leads_to\",\
             \"object\":{{\"type\":\"Thing\",\"name\":\"thing {n}\"}},\"attributes\":{{\"weight\":{n}}}}}}}\n",
            n - 1
        );
    }
    out
}

impl Kip {
    pub(crate) fn import_with(
        &self,
        text: &[u8],
        options: &KipImportOptions,
        on_progress: &mut dyn FnMut(KipImportProgress) -> bool,
    ) -> Result<KipImportReport, EngineError> {
        let owner = &self.world.owner;
        self.engine().kip_import(owner, owner.tenant(), &mut &text[..], options, on_progress)
    }

    pub(crate) fn import(&self, text: &str) -> Result<KipImportReport, EngineError> {
        self.import_with(text.as_bytes(), &KipImportOptions::default(), &mut |_| true)
    }

    /// How many imports are noted.
    fn notes(&self) -> usize {
        let snapshot = self.world.store.snapshot(Position::START).unwrap();
        let mut count = 0;
        let known = tables::keyspaces();
        let imports = known.iter().find(|keyspace| keyspace.name == "kip-imports").unwrap();
        snapshot
            .multi_scan(*imports, &[KeyRange::new(Bound::Unbounded, Bound::Unbounded)], &mut |_, _, _| {
                count += 1;
                Visit::Continue
            })
            .unwrap();
        count
    }

    fn things(&self) -> (String, String) {
        let count = |text: &str| self.ok(text).to_json();
        (
            count(r#"FIND(COUNT(?t)) WHERE { ?t {type: "Thing"} }"#),
            count(r#"FIND(COUNT(?l)) WHERE { ?l (?a, "leads_to", ?b) }"#),
        )
    }
}

/// What is wrong: the line, and what is said.
fn wrong(outcome: Result<KipImportReport, EngineError>) -> (u64, String, String) {
    match outcome {
        Err(EngineError::ImportKip { line, error, .. }) => {
            (line, error.code.text().to_owned(), format!("{} {}", error.message, error.advice()))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_long_input_is_imported_in_bounded_transactions_and_changes_nothing_the_second_time() {
    const COUNT: usize = 3_000;
    for text in [text(COUNT), lines(COUNT)] {
        let kip = Kip::new();
        let before = kip.world.store.stats().commits;
        let mut seen = Vec::new();
        let report = kip.import_with(text.as_bytes(), &KipImportOptions::default(), &mut |progress| {
            seen.push(progress);
            true
        });
        let counts = report.unwrap().counts;
        assert_eq!((counts.concepts_created, counts.links_created), (COUNT as u64 + 2, COUNT as u64 - 1));
        assert_eq!((counts.concepts_changed, counts.links_changed, counts.unchanged), (0, 0, 0));
        assert_eq!(kip.things(), (COUNT.to_string(), (COUNT - 1).to_string()));
        let transactions = kip.world.store.stats().commits - before;
        let least = (text.len() / limits::KIP_IMPORT_BYTES) as u64;
        assert!((least..=2 * least + 2).contains(&transactions), "{transactions} of {least}");
        assert_eq!(kip.notes(), 0);
        assert!(seen.is_sorted_by_key(|progress| (progress.bytes, progress.elements)));
        assert_eq!(seen.last().map(|progress| progress.bytes), Some(text.len() as u64));

        let again = kip.import(&text).unwrap();
        assert_eq!(again.counts.unchanged, 2 * COUNT as u64 + 1);
        assert_eq!(again.counts.elements(), again.counts.unchanged);
        assert_eq!(kip.notes(), 0);
    }
}

#[test]
fn what_is_wrong_is_told_with_its_line_and_nothing_of_its_transaction_stays() {
    let kip = Kip::new();
    let end = r#"{"type":"Drug","name":"Aspirin"}"#;
    let rows = [
        ("UPSERT {\n CONCEPT { {type: \"Drug\", name: \"x\"} }\n".to_owned(), 1, "KIP_1001", ""),
        ("// c\n\nUPSERT { CONCEPT x }".to_owned(), 3, "KIP_1001", ""),
        ("\nFIND(?x) WHERE { ?x {type: \"Drug\"} }".to_owned(), 1, "KIP_1001", "no UPSERT"),
        ("UPSERT { CONCEPT { {type: \"Drug\", name: \"x\"} } }\nDELETE".to_owned(), 2, "KIP_1001", ""),
        ("UPSERT {}\n".to_owned(), 1, "KIP_1001", "no block"),
        ("UPSERT { CONCEPT { {type: \"Drug\", name: \"x\"} } }\nUPSERT { CONCEPT { {type: \"Durg\", name: \"x\"} } }".to_owned(), 2, "KIP_2001", "Drug"),
        ("\n\nUPSERT { CONCEPT { {type: \"$ConceptType\", name: \"$ConceptType\"} SET ATTRIBUTES {a: 1} } }".to_owned(), 3, "KIP_3004", ""),
        ("UPSERT { CONCEPT { {type: \"Drug\", name: \"x\"} } WITH METADATA {_version: 1} }".to_owned(), 1, "KIP_2002", "_"),
        (format!("\n{{\"link\":{{\"subject\":{end},\"predicate\":\"treats\",\"object\":{{\"type\":\"Drug\",\"name\":\"none\"}}}}}}\n"), 2, "KIP_3002", "none"),
        (format!("{{\"link\":{{\"subject\":{end},\"predicate\":\"treat\",\"object\":{end}}}}}\n"), 1, "KIP_2001", "treats"),
        ("{\"concept\":{\"type\":\"Drug\",\"name\":\"x\"}}\n{\"concept\":{\"type\":\"Drug\"}}\n".to_owned(), 2, "KIP_1001", "has no `name`"),
        ("{\"concept\":{\"type\":\"Drug\",\"name\":\"x\"}}\n{\"thing\":{}}\n".to_owned(), 2, "KIP_1001", "no key"),
        ("{\"concept\":{\"type\":\"Drug\",\"name\":\"\"}}\n".to_owned(), 1, "KIP_1001", "name"),
    ];
    let position = kip.engine().position();
    for (text, line, code, hint) in rows {
        let found = wrong(kip.import(&text));
        assert_eq!((found.0, &*found.1), (line, code), "{text}: {}", found.2);
        assert!(found.2.contains(hint), "{text}: {}", found.2);
    }
    let broken = b"UPSERT { CONCEPT { {type: \"Drug\", name: \"x\"} } }\n// \xff\n";
    let found = wrong(kip.import_with(broken, &KipImportOptions::default(), &mut |_| true));
    assert_eq!((found.0, found.2.contains("UTF-8")), (2, true), "{}", found.2);
    assert_eq!(kip.engine().position(), position, "nothing was written");
}

#[test]
fn what_came_before_a_mistake_stays_and_the_corrected_input_goes_on_behind_it() {
    const COUNT: usize = 4_000;
    for whole in [text(COUNT), lines(COUNT)] {
        let kip = Kip::new();
        let at = whole.rfind("thing 3000").unwrap();
        let mut broken = whole.clone();
        broken.replace_range(at..at + 5, "thong");
        let line = whole[..at].matches('\n').count() as u64 + 1;
        let found = wrong(kip.import(&broken));
        assert!(found.0.abs_diff(line) <= 1 && found.1 == "KIP_3002", "{found:?} at {line}");
        assert_eq!(kip.notes(), 1);
        let (concepts, links) = kip.things();
        assert_eq!(concepts, COUNT.to_string());
        assert!(links.parse::<usize>().unwrap() < 3_000);

        let report = kip.import(&whole).unwrap();
        assert!(report.bytes_skipped > 0 && report.bytes_skipped < at as u64, "{report:?}");
        assert!(report.counts.elements() < COUNT as u64, "{report:?}");
        assert_eq!(kip.things(), (COUNT.to_string(), (COUNT - 1).to_string()));
        assert_eq!(kip.notes(), 0);
    }
}

#[test]
fn an_import_that_was_stopped_goes_on_where_it_was() {
    const COUNT: usize = 4_000;
    let whole = text(COUNT);
    let stopped = |kip: &Kip, options: &KipImportOptions| {
        let outcome = kip.import_with(whole.as_bytes(), options, &mut |at| at.bytes < 700_000);
        assert!(matches!(outcome, Err(EngineError::Store(StoreError::Stopped))), "{outcome:?}");
        assert_eq!(kip.notes(), 1);
    };
    let plain = KipImportOptions::default();
    let kip = Kip::new();
    stopped(&kip, &plain);
    let dry = KipImportOptions { dry_run: true, ..plain.clone() };
    let tried = kip.import_with(whole.as_bytes(), &dry, &mut |_| true).unwrap();
    assert!(tried.bytes_skipped == 0 && tried.counts.unchanged > 0, "a dry run begins at the beginning");
    let report = kip.import(&whole).unwrap();
    assert!(report.bytes_skipped > 0);
    assert_eq!((kip.things().1, kip.notes()), ((COUNT - 1).to_string(), 0));

    // There is nothing behind what is imported: the note goes all the same.
    let kip = Kip::new();
    stopped(&kip, &plain);
    let imported = usize::try_from(report.bytes_skipped).unwrap();
    let report = kip.import(&whole[..imported]).unwrap();
    assert_eq!((report.bytes_skipped, report.counts.elements()), (imported as u64, 0));
    assert_eq!(kip.notes(), 0);

    // From the beginning, whatever is noted.
    let kip = Kip::new();
    stopped(&kip, &plain);
    let restart = KipImportOptions { restart: true, ..plain.clone() };
    let report = kip.import_with(whole.as_bytes(), &restart, &mut |_| true).unwrap();
    assert!(report.bytes_skipped == 0 && report.counts.unchanged > 0, "{report:?}");
    assert_eq!((kip.things().1, kip.notes()), ((COUNT - 1).to_string(), 0));

    // Under a name: another name begins anew, and the same one takes only the same input.
    let kip = Kip::new();
    let named = |name: &str| KipImportOptions { resume: Some(name.to_owned()), ..plain.clone() };
    stopped(&kip, &named("a"));
    let mut other = whole.clone();
    other.replace_range(0..0, "// another beginning\n");
    let refused = kip.import_with(other.as_bytes(), &named("a"), &mut |_| true).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::PreconditionFailed, "{refused}");
    let report = kip.import_with(other.as_bytes(), &named("b"), &mut |_| true).unwrap();
    assert!(report.bytes_skipped == 0 && report.counts.unchanged > 0, "{report:?}");
    let report = kip.import_with(whole.as_bytes(), &named("a"), &mut |_| true).unwrap();
    assert!(report.bytes_skipped > 0 && report.counts.elements() == report.counts.unchanged, "{report:?}");
    assert_eq!(kip.notes(), 0);
    for name in [String::new(), "x".repeat(cairn_turns::limits::IMPORT_ID_BYTES_MAX + 1)] {
        let refused = kip.import_with(b"", &named(&name), &mut |_| true).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::InvalidRequest);
    }

    // The same beginning, and something else behind it.
    let kip = Kip::new();
    stopped(&kip, &plain);
    let changed = whole.replace("n: 900,", "n: 901,");
    let refused = kip.import(&changed).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::PreconditionFailed, "{refused}");
    assert!(refused.to_string().contains("--restart"));
}

/// Is interrupted at each piece, and fails before the last byte.
struct Failing<'t> {
    rest: &'t [u8],
    is_interrupted: bool,
}

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.is_interrupted = !self.is_interrupted;
        if self.is_interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        match self.rest.len() {
            0 | 1 => Err(Error::other("the disk is gone")),
            most => {
                self.rest[..most - 1].as_ref().read(buffer).inspect(|bytes| self.rest = &self.rest[*bytes..])
            }
        }
    }
}

#[test]
fn an_input_that_cannot_be_read_to_its_end_is_no_whole_one() {
    let kip = Kip::new();
    let whole = text(4_000);
    let mut input = Failing { rest: whole.as_bytes(), is_interrupted: false };
    let owner = &kip.world.owner;
    let options = KipImportOptions::default();
    let failed =
        kip.engine().kip_import(owner, owner.tenant(), &mut input, &options, &mut |_| true).unwrap_err();
    assert!(
        matches!(&failed, EngineError::Input { cause } if cause.contains("the disk is gone")),
        "{failed}"
    );
    assert_eq!(kip.notes(), 1, "what was imported is noted");
    assert!(kip.import(&whole).unwrap().bytes_skipped > 0);
    assert_eq!(kip.things().1, "3999");

    let mut stopped = kip.engine().kip_import_begin(owner, owner.tenant(), &options).unwrap();
    stopped.feed(kip.engine(), owner, SCHEMA.as_bytes()).unwrap();
    stopped.stop().unwrap();
    let ended = stopped.finish(kip.engine(), owner);
    assert!(matches!(ended, Err(EngineError::Store(StoreError::Stopped))), "{ended:?}");
}

#[test]
fn two_imports_under_one_name_do_not_mix() {
    let kip = Kip::new();
    let (owner, engine) = (&kip.world.owner, kip.engine());
    let begin = || engine.kip_import_begin(owner, owner.tenant(), &KipImportOptions::default()).unwrap();
    let whole = text(4_000);
    let half = whole.len() / 2;
    let (mut one, mut two) = (begin(), begin());
    one.feed(engine, owner, &whole.as_bytes()[..limits::KIP_IMPORT_BYTES / 2]).unwrap();
    two.feed(engine, owner, &whole.as_bytes()[..limits::KIP_IMPORT_BYTES / 2]).unwrap();
    one.feed(engine, owner, &whole.as_bytes()[limits::KIP_IMPORT_BYTES / 2..half]).unwrap();
    let refused = two.feed(engine, owner, &whole.as_bytes()[limits::KIP_IMPORT_BYTES / 2..half]).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::Conflict, "{refused}");
    assert!(two.feed(engine, owner, b"UPSERT").is_err(), "it is over");
    one.feed(engine, owner, &whole.as_bytes()[half..]).unwrap();
    assert_eq!(one.finish(engine, owner).unwrap().counts.links_created, 3_999);
    assert_eq!(kip.notes(), 0);
}

#[test]
fn a_dry_run_says_what_would_be_and_how_much_of_it_was_tried() {
    let kip = Kip::new();
    let position = kip.engine().position();
    let dry = KipImportOptions { dry_run: true, ..KipImportOptions::default() };
    let report = kip.import_with(text(2_000).as_bytes(), &dry, &mut |_| true).unwrap();
    assert_eq!((report.counts.concepts_created, report.counts.links_created), (2_002, 1_999));
    assert_eq!(report.only_read, 0);
    let mistake = text(100) + "UPSERT { CONCEPT { {type: \"None\", name: \"x\"} } }";
    assert_eq!(wrong(kip.import_with(mistake.as_bytes(), &dry, &mut |_| true)).1, "KIP_2001");

    const COUNT: usize = 14_000;
    let long = text(COUNT);
    assert!(long.len() > limits::KIP_IMPORT_TRIED_BYTES);
    let report = kip.import_with(long.as_bytes(), &dry, &mut |_| true).unwrap();
    assert!(report.only_read > 0 && report.counts.elements() > 2_000, "{report:?}");
    assert_eq!(report.only_read + report.counts.elements(), 2 * COUNT as u64 + 1);
    assert_eq!(kip.engine().position(), position);
}

#[test]
fn behind_what_a_dry_run_left_out_nothing_is_tried_and_everything_is_counted() {
    let kip = Kip::new();
    let words = "x".repeat(100_000);
    let large = |n: usize| {
        format!(
            "UPSERT {{ CONCEPT {{ {{type: \"Thing\", name: \"{n}\"}} SET ATTRIBUTES {{ words: \"{words}\" }} }} }}\n"
        )
    };
    let mut text = SCHEMA.to_owned();
    text.extend((0..45).map(large));
    // The last piece is short and would find room, and refers to what found none.
    text += r#"UPSERT { CONCEPT { {type: "Thing", name: "last"} SET PROPOSITIONS { ("leads_to", {type: "Thing", name: "43"}) } } }"#;
    let dry = KipImportOptions { dry_run: true, ..KipImportOptions::default() };
    let report = kip.import_with(text.as_bytes(), &dry, &mut |_| true).unwrap();
    assert!(report.only_read > 2, "{report:?}");
    assert_eq!(report.only_read + report.counts.elements(), 2 + 45 + 2);
}

#[test]
fn nothing_comes_to_nothing_and_a_space_is_made_by_its_first_import() {
    let kip = Kip::new();
    let position = kip.engine().position();
    for nothing in ["", " \n\r\n", "// only a comment\n", "\u{feff}\n"] {
        let report = kip.import(nothing).unwrap();
        assert_eq!(report.counts.elements(), 0, "{nothing:?}");
    }
    assert_eq!(kip.engine().position(), position);
    let marked = format!("\u{feff}{}", lines(3));
    let into = KipImportOptions { space: Some("work".to_owned()), ..KipImportOptions::default() };
    kip.import_with(marked.as_bytes(), &into, &mut |_| true).unwrap();
    let found = kip.ask(r#"{"command":"FIND(COUNT(?t)) WHERE { ?t {type: \"Thing\"} }","space":"work"}"#);
    assert_eq!(found.get("result").unwrap().to_json(), "3");
    let as_text = KipImportOptions { form: Some(KipForm::Text), ..KipImportOptions::default() };
    assert_eq!(wrong(kip.import_with(lines(1).as_bytes(), &as_text, &mut |_| true)).0, 1);
}

#[test]
fn whoever_may_not_write_imports_nothing_and_whoever_may_not_read_exports_nothing() {
    let kip = Kip::new();
    let reader = user("ada", ACME, Role::Reader);
    let options = KipImportOptions::default();
    let begun = kip.engine().kip_import_begin(&reader, ACME, &options);
    assert!(matches!(begun, Err(EngineError::Refused(_))));
    let writer = user("ben", ACME, Role::Writer);
    assert!(kip.engine().kip_import_begin(&writer, ACME, &options).is_ok());
    let begun = kip.engine().kip_import_begin(&writer, TenantId::LOCAL, &options);
    assert!(matches!(begun, Err(EngineError::Refused(_))));
    let export = super::bulk_out::options(KipForm::Text, None::<KipSelection>);
    assert!(kip.engine().kip_export_begin(&reader, ACME, &export).is_ok());
    let begun = kip.engine().kip_export_begin(&reader, TenantId::LOCAL, &export);
    assert!(matches!(begun, Err(EngineError::Refused(_))));
}
