//! Searches over random histories, against a plain list of turns that is looked through from end to end.

use cairn_base::{ContextId, MsgpackWriter, TurnId};
use cairn_seam::{Blob, KeyRange, Visit};
use cairn_turns::query::{Filters, Found, Query, Search, search};
use cairn_turns::{Append, forks, limits, metadata, parents, root_of, tables};
use proptest::prelude::*;

use crate::kit::{Kit, request};

const WORDS: [&str; 4] = ["a", "A", "ab", "ß"];

/// What a first turn says; numbers choose from few words, so that contexts have something in common.
#[derive(Debug, Clone, Default)]
struct Said {
    /// Tag, title, user, service, host, trace id.
    texts: [Option<&'static str>; 6],
    labels: Vec<&'static str>,
    parent: Option<u64>,
    root: Option<u64>,
}

const TEXT_FIELDS: [&str; 6] = ["tag", "title", "user", "service", "host", "trace_id"];

impl Said {
    /// How many things it says.
    fn terms(&self) -> usize {
        let texts = self.texts.iter().flatten().count();
        texts + self.labels.len() + usize::from(self.parent.is_some()) + usize::from(self.root.is_some())
    }

    fn payload(&self) -> Vec<u8> {
        let mut to = MsgpackWriter::new();
        let [tag, title, user, service, host, trace] = self.texts;
        to.map(1);
        to.text("30");
        to.map(4);
        for (key, text) in [(1, tag), (2, title)] {
            to.unsigned(key);
            match text {
                Some(text) => to.text(text),
                None => to.nil(),
            }
        }
        to.unsigned(3);
        to.array(self.labels.len());
        self.labels.iter().for_each(|label| to.text(label));
        to.text("10");
        to.map(6);
        for (key, text) in [("20", user), ("40", service), ("45", host), ("10", trace)] {
            to.text(key);
            match text {
                Some(text) => to.text(text),
                None => to.nil(),
            }
        }
        for (key, number) in [(1, self.parent), (3, self.root)] {
            to.unsigned(key);
            match number {
                Some(number) => to.unsigned(number),
                None => to.nil(),
            }
        }
        to.into_bytes()
    }
}

#[derive(Debug, Clone)]
enum Step {
    Create(u8),
    Fork(usize, u8),
    /// To a context; what a first turn would say.
    Append(usize, Said),
    AppendBelow(usize, usize, Said),
}

fn said() -> impl Strategy<Value = Said> {
    let word = || prop_oneof![2 => Just(None), 3 => (0..WORDS.len()).prop_map(|at| Some(WORDS[at]))];
    let number = || prop_oneof![Just(None), (1..4_u64).prop_map(Some)];
    let labels = proptest::sample::subsequence(WORDS.to_vec(), 0..3);
    let texts = [word(), word(), word(), word(), word(), word()];
    (texts, labels, number(), number()).prop_map(|(texts, labels, parent, root)| Said {
        texts,
        labels,
        parent,
        root,
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..5_u8).prop_map(Step::Create),
        2 => any::<(usize, u8)>().prop_map(|(base, time)| Step::Fork(base, time % 5)),
        6 => (any::<usize>(), said()).prop_map(|(context, said)| Step::Append(context, said)),
        3 => (any::<usize>(), any::<usize>(), said())
            .prop_map(|(context, parent, said)| Step::AppendBelow(context, parent, said)),
    ]
}

#[derive(Debug, Clone)]
enum Asked {
    Text(usize, &'static str, &'static str),
    Texts(usize, Vec<&'static str>),
    Label(&'static str),
    Labels(Vec<&'static str>),
    Number(&'static str, u64),
    Numbers(&'static str, Vec<u64>),
    Ordered(&'static str, &'static str, i64),
    Live(bool),
    Not(Box<Asked>),
    NotEqual(usize, &'static str),
    All(Vec<Asked>),
    Any(Vec<Asked>),
}

fn asked() -> impl Strategy<Value = Asked> {
    let word = || (0..WORDS.len()).prop_map(|at| WORDS[at]);
    let words = || proptest::collection::vec(word(), 1..4);
    let named = || prop_oneof![Just("id"), Just("parent"), Just("root")];
    let ordered = prop_oneof![Just("created"), Just("depth")];
    let compare = prop_oneof![Just("="), Just("<"), Just("<="), Just(">"), Just(">=")];
    let operator = prop_oneof![Just("="), Just("^="), Just("~="), Just("^~=")];
    let one = prop_oneof![
        4 => (0..5_usize, operator, word()).prop_map(|(field, operator, word)| Asked::Text(field, operator, word)),
        1 => word().prop_map(|word| Asked::Text(5, "=", word)),
        2 => (0..5_usize, words()).prop_map(|(field, words)| Asked::Texts(field, words)),
        1 => (0..6_usize, word()).prop_map(|(field, word)| Asked::NotEqual(field, word)),
        2 => word().prop_map(Asked::Label),
        1 => words().prop_map(Asked::Labels),
        2 => (named(), 0..8_u64).prop_map(|(field, number)| Asked::Number(field, number)),
        1 => (named(), proptest::collection::vec(0..8_u64, 1..4)).prop_map(|(field, ids)| Asked::Numbers(field, ids)),
        2 => (ordered, compare, -1..6_i64).prop_map(|(field, compare, number)| Asked::Ordered(field, compare, number)),
        1 => any::<bool>().prop_map(Asked::Live),
    ];
    one.prop_recursive(3, 12, 3, |inner| {
        let parts = proptest::collection::vec(inner.clone(), 2..4);
        prop_oneof![
            inner.prop_map(|part| Asked::Not(Box::new(part))),
            parts.clone().prop_map(Asked::All),
            parts.prop_map(Asked::Any),
        ]
    })
}

impl Asked {
    fn text(&self) -> String {
        let quoted =
            |words: &[&str]| words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(", ");
        let joined = |parts: &[Asked], between: &str| {
            parts.iter().map(|part| format!("({})", part.text())).collect::<Vec<_>>().join(between)
        };
        match self {
            Asked::Text(field, operator, word) => format!("{} {operator} \"{word}\"", TEXT_FIELDS[*field]),
            Asked::Texts(field, words) => format!("{} IN ({})", TEXT_FIELDS[*field], quoted(words)),
            Asked::Label(word) => format!("label = '{word}'"),
            Asked::Labels(words) => format!("label in ({})", quoted(words)),
            Asked::Number(field, number) => format!("{field} = {number}"),
            Asked::Numbers(field, ids) => {
                let ids: Vec<_> = ids.iter().map(u64::to_string).collect();
                format!("{field} IN ({})", ids.join(","))
            }
            Asked::Ordered(field, compare, number) => format!("{field} {compare} {number}"),
            Asked::Live(live) => format!("is_live = {live}"),
            Asked::Not(part) => format!("NOT ({})", part.text()),
            Asked::NotEqual(field, word) => format!("{} != '{word}'", TEXT_FIELDS[*field]),
            Asked::All(parts) => joined(parts, " AND "),
            Asked::Any(parts) => joined(parts, " or "),
        }
    }

    fn holds(&self, row: &Row) -> bool {
        let folded = |text: &str| text.to_lowercase();
        match self {
            Asked::Text(field, operator, word) => {
                row.said.texts[*field].is_some_and(|text| match *operator {
                    "=" => text == *word,
                    "^=" => text.starts_with(word),
                    "~=" => folded(text) == folded(word),
                    _ => folded(text).starts_with(&folded(word)),
                })
            }
            Asked::Texts(field, words) => row.said.texts[*field].is_some_and(|text| words.contains(&text)),
            Asked::Label(word) => row.said.labels.contains(word),
            Asked::Labels(words) => words.iter().any(|word| row.said.labels.contains(word)),
            Asked::Number(field, number) => row.number(field) == Some(*number),
            Asked::Numbers(field, ids) => row.number(field).is_some_and(|number| ids.contains(&number)),
            Asked::Ordered(field, compare, number) => {
                let found = if *field == "created" { row.created } else { row.depth };
                match *compare {
                    "=" => found == *number,
                    "<" => found < *number,
                    "<=" => found <= *number,
                    ">" => found > *number,
                    _ => found >= *number,
                }
            }
            Asked::Live(live) => is_live(ContextId(row.id)) == *live,
            Asked::Not(part) => !part.holds(row),
            Asked::NotEqual(field, word) => row.said.texts[*field] != Some(*word),
            Asked::All(parts) => parts.iter().all(|part| part.holds(row)),
            Asked::Any(parts) => parts.iter().any(|part| part.holds(row)),
        }
    }
}

fn is_live(context: ContextId) -> bool {
    context.0.is_multiple_of(3)
}

/// A context as the model has it.
struct Row {
    id: u64,
    created: i64,
    depth: i64,
    said: Said,
}

impl Row {
    fn number(&self, field: &str) -> Option<u64> {
        match field {
            "id" => Some(self.id),
            "parent" => self.said.parent,
            _ => self.said.root,
        }
    }
}

#[derive(Default)]
struct Model {
    /// Parents by number less one (0 is none), contexts, and what each would say.
    turns: Vec<(u64, u64, Said)>,
    /// Heads, bases and times by number less one.
    contexts: Vec<(u64, u64, i64)>,
}

impl Model {
    fn row(&self, at: usize) -> Row {
        let (head, _, created) = self.contexts[at];
        let mut row = Row { id: at as u64 + 1, created, depth: 0, said: Said::default() };
        let mut turn = head;
        while turn > 0 {
            let (parent, _, said) = &self.turns[turn as usize - 1];
            if *parent > 0 {
                row.depth += 1;
            } else {
                row.said = said.clone();
            }
            turn = *parent;
        }
        row
    }

    fn append(&mut self, kit: &Kit, at: usize, parent: Option<u64>, said: Said) {
        let context = ContextId(at as u64 + 1);
        let payload = Blob::new(said.payload()).unwrap();
        let appended = kit.append(Append { parent: parent.map(TurnId), payload, ..request(context, "") });
        self.turns.push((parent.unwrap_or(self.contexts[at].0), context.0, said));
        self.contexts[at].0 = self.turns.len() as u64;
        assert_eq!(appended.unwrap().turn.id.0, self.turns.len() as u64);
    }

    fn take(&mut self, kit: &Kit, step: Step) {
        let some = |at: usize, count: usize| (count > 0).then(|| at % count.max(1));
        match step {
            Step::Create(time) => {
                kit.write(move |tx, scope| cairn_turns::create(tx, scope, None, u64::from(time))).unwrap();
                self.contexts.push((0, 0, i64::from(time)));
            }
            Step::Fork(base, time) => {
                let Some(base) = some(base, self.turns.len()).map(|base| base as u64 + 1) else { return };
                let base_id = Some(TurnId(base));
                kit.write(move |tx, scope| cairn_turns::create(tx, scope, base_id, u64::from(time))).unwrap();
                self.contexts.push((base, base, i64::from(time)));
            }
            Step::Append(at, said) => {
                let Some(at) = some(at, self.contexts.len()) else { return };
                self.append(kit, at, None, said);
            }
            Step::AppendBelow(at, parent, said) => {
                let Some(at) = some(at, self.contexts.len()) else { return };
                // 0 starts a new chain.
                let parent = parent as u64 % (self.turns.len() as u64 + 1);
                self.append(kit, at, Some(parent), said);
            }
        }
    }

    fn check(&self, kit: &Kit, asked: &Asked) {
        let text = asked.text();
        let rows: Vec<Row> = (0..self.contexts.len()).rev().map(|at| self.row(at)).collect();
        let expected: Vec<u64> = rows.iter().filter(|row| asked.holds(row)).map(|row| row.id).collect();
        let query = Query::parse(&text, 0).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let all = find(kit, &query, None, 1000, limits::SEARCH_VISITS_MAX);
        assert_eq!((ids(&all), all.count), (expected.clone(), expected.len()), "{text}");
        assert_eq!((all.is_truncated, all.next_before), (false, None), "{text}");
        // No index is used below a double negation.
        let plain = Query::parse(&format!("NOT NOT ({text})"), 0).unwrap();
        assert_eq!(all, find(kit, &plain, None, 1000, limits::SEARCH_VISITS_MAX), "{text}");
        for (limit, visits_max) in [(2, 1000), (1000, 3), (1, 1)] {
            let (mut seen, mut count, mut before) = (Vec::new(), None, None);
            loop {
                let page = find(kit, &query, before, limit, visits_max);
                seen.extend(ids(&page));
                count.get_or_insert(page.count);
                before = page.next_before;
                if before.is_none() {
                    break;
                }
            }
            assert_eq!(seen, expected, "{text} by {limit} and {visits_max}");
            assert!(visits_max < 1000 || count == Some(expected.len()), "{text}");
        }
    }

    fn check_filters(&self, kit: &Kit, wanted: &Said, times: [Option<i64>; 2]) {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let [tag, title, user, service, host, trace_id] = wanted.texts.map(owned);
        // A client of the wanted tag works on every third context, and on some that do not exist.
        let is_live = |id: u64| id.is_multiple_of(3);
        let query = Query::from(Filters {
            tag,
            live: (0..60).rev().filter(|id| is_live(*id)).map(ContextId).collect(),
            title,
            user,
            service,
            host,
            trace_id,
            label: owned(wanted.labels.first().copied()),
            parent: wanted.parent.map(ContextId),
            root: wanted.root.map(ContextId),
            created_after_ms: times[0],
            created_before_ms: times[1],
        });
        let rows: Vec<Row> = (0..self.contexts.len()).rev().map(|at| self.row(at)).collect();
        let fits = |row: &&Row| {
            let texts = wanted.texts.iter().zip(row.said.texts);
            let has_tag = row.said.texts[0].is_some() || wanted.texts[0].is_none();
            let by_live = |at: usize| at == 0 && !has_tag && is_live(row.id);
            texts.enumerate().all(|(at, (wanted, found))| wanted.is_none() || *wanted == found || by_live(at))
                && wanted.labels.first().is_none_or(|label| row.said.labels.contains(label))
                && (wanted.parent.is_none() || wanted.parent == row.said.parent)
                && (wanted.root.is_none() || wanted.root == row.said.root)
                && times[0].is_none_or(|after| row.created > after)
                && times[1].is_none_or(|before| row.created < before)
        };
        let expected: Vec<u64> = rows.iter().filter(fits).map(|row| row.id).collect();
        assert_eq!(ids(&find(kit, &query, None, 1000, 1000)), expected, "{wanted:?}");
        let (mut seen, mut before) = (Vec::new(), None);
        loop {
            let page = find(kit, &query, before, 2, 3);
            seen.extend(ids(&page));
            before = page.next_before;
            if before.is_none() {
                break;
            }
        }
        assert_eq!(seen, expected, "{wanted:?} in pages");
    }

    /// What is said, first turns, parents and forks are those of the model.
    fn check_lineage(&self, kit: &Kit) {
        let (snapshot, scope) = (kit.snapshot(), kit.scope);
        // Nothing is left in the index of what was said before.
        let terms = (0..self.contexts.len()).map(|at| self.row(at).said.terms()).sum::<usize>();
        let mut stored = 0;
        let all = KeyRange::prefix(&scope.key());
        let mut count = |_: usize, _: &[u8], _: &[u8]| {
            stored += 1;
            Visit::Continue
        };
        snapshot.multi_scan(tables::TERMS, &[all], &mut count).unwrap();
        assert_eq!(stored, terms);
        for (at, (head, base, _)) in self.contexts.iter().enumerate() {
            let context = ContextId(at as u64 + 1);
            let said = metadata(&*snapshot, &scope, &[context]).unwrap().remove(0);
            let row = self.row(at);
            assert_eq!(said.client_tag.as_deref(), row.said.texts[0]);
            assert_eq!(said.labels, row.said.labels);
            let mut root = *head;
            while root > 0 && self.turns[root as usize - 1].0 > 0 {
                root = self.turns[root as usize - 1].0;
            }
            let expected = (root > 0).then_some(TurnId(root));
            assert_eq!(root_of(&*snapshot, &scope, context).unwrap(), expected);

            let (mut chain, mut at) = (Vec::new(), *base);
            while at > 0 {
                let of = self.turns[at as usize - 1].1;
                chain.push((of, at));
                at = self.contexts[of as usize - 1].1;
            }
            let found = parents(&*snapshot, &scope, &kit.head(context), 100).unwrap();
            assert_eq!(
                found.iter().map(|above| (above.context.0, above.base.id.0)).collect::<Vec<_>>(),
                chain
            );
            let mut made: Vec<u64> = Vec::new();
            for (other, (_, base, _)) in self.contexts.iter().enumerate().rev() {
                if *base > 0 && self.turns[*base as usize - 1].1 == context.0 {
                    made.push(other as u64 + 1);
                }
            }
            let found = forks(&*snapshot, &scope, context, None, 100).unwrap();
            assert_eq!(found.iter().map(|(fork, _)| fork.id.0).collect::<Vec<_>>(), made);
        }
    }
}

fn find(kit: &Kit, query: &Query, before: Option<ContextId>, limit: usize, visits_max: usize) -> Found {
    let asked = Search { query, before, limit, counts_all: true, visits_max, is_live: &is_live };
    let found = search(&*kit.snapshot(), &kit.scope, &asked).unwrap();
    let page = search(&*kit.snapshot(), &kit.scope, &Search { counts_all: false, ..asked }).unwrap();
    assert_eq!((&page.contexts, page.next_before), (&found.contexts, found.next_before));
    found
}

fn ids(found: &Found) -> Vec<u64> {
    found.contexts.iter().map(|(context, _)| context.id.0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn searches_find_what_the_model_finds(
        steps in proptest::collection::vec(step(), 1..40),
        queries in proptest::collection::vec(asked(), 6),
        wanted in proptest::collection::vec((said(), [proptest::option::of(-1..6_i64), proptest::option::of(-1..6_i64)]), 4),
    ) {
        let kit = Kit::new();
        let mut model = Model::default();
        steps.into_iter().for_each(|step| model.take(&kit, step));
        queries.iter().for_each(|asked| model.check(&kit, asked));
        for (wanted, times) in &wanted {
            // Mostly one thing is asked for.
            let one = Said { texts: [wanted.texts[0], None, None, None, None, None], ..Said::default() };
            model.check_filters(&kit, &one, *times);
            model.check_filters(&kit, wanted, [None, None]);
        }
        model.check_lineage(&kit);
    }
}

#[test]
fn hundreds_of_matches_are_paged_and_counted_through_any_index() {
    let kit = Kit::new();
    let mut model = Model::default();
    for number in 0..700_usize {
        // The clock is set back in the middle.
        let time = if number < 600 { number / 100 } else { 1 };
        model.take(&kit, Step::Create(u8::try_from(time).unwrap()));
        let labels = if number % 2 == 0 { vec!["a", "ab"] } else { vec!["ab"] };
        model.append(&kit, number, None, Said { labels, ..Said::default() });
    }
    for asked in [
        Asked::Label("a"),
        Asked::Labels(vec!["a", "ab"]),
        Asked::Labels(vec!["ab", "a"]),
        Asked::All(vec![Asked::Label("ab"), Asked::Label("a")]),
        Asked::Any(vec![Asked::Number("id", 3), Asked::Label("a"), Asked::Number("id", 699)]),
        Asked::Ordered("created", ">=", 0),
        Asked::Ordered("created", "=", 1),
        Asked::Ordered("created", "<", 1),
        Asked::All(vec![Asked::Ordered("created", ">", 1), Asked::Ordered("created", "<=", 3)]),
        Asked::All(vec![Asked::Ordered("created", ">", 3), Asked::Ordered("created", "<", 3)]),
        Asked::Any(vec![Asked::Ordered("created", "<", 1), Asked::Ordered("created", ">", 4)]),
    ] {
        model.check(&kit, &asked);
    }
    // What is not of the time asked for is not even looked at.
    let old = Query::parse("created < 1 AND depth = 0", 0).unwrap();
    let found = find(&kit, &old, None, 1000, 300);
    assert_eq!((found.count, found.is_truncated), (100, false));
    // Blocks from before times were noted are looked at, also when contexts are added to them.
    for block in [0_u64, 2] {
        kit.write(move |tx, scope| Ok(tx.delete(tables::TIMES, &scope.key().u64(block))?)).unwrap();
    }
    for time in [0, 4] {
        model.take(&kit, Step::Create(time));
    }
    for (compare, time) in [("=", 0), ("=", 4), (">", 4), ("<", 0)] {
        model.check(&kit, &Asked::Ordered("created", compare, time));
    }
}
