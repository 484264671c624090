//! Units, pages, filters, and what others must not see.

use std::collections::BTreeSet;

use cairn_access::{Action, Principal, Resource, Role, Roles};
use cairn_base::{ContextId, ErrorCode, Position, TenantId};
use cairn_engine::{Act, SearchHit, SearchIn, SearchQuestion};
use cairn_turns::{Append, DeclaredType};

use super::kit::{Kit, TENANT, question, request, sorted, text, word};
use crate::support::NOW_MS;

const UNITS: [SearchIn; 4] = [SearchIn::Turns, SearchIn::Windows, SearchIn::Contexts, SearchIn::Auto];

/// Histories in which some words are rare and some are not.
fn histories(kit: &Kit, count: usize) -> Vec<ContextId> {
    let contexts: Vec<_> = (0..count).map(|_| kit.context()).collect();
    for (at, context) in contexts.iter().enumerate() {
        for turn in 0..20 {
            let rare = if turn % 7 == at % 7 { "curlew" } else { "gull" };
            kit.say(*context, &format!("{rare} {} shore n{at}t{turn}", "tide ".repeat(turn % 5)));
        }
    }
    contexts
}

fn pages(kit: &Kit, question: &SearchQuestion) -> (Vec<SearchHit>, u64) {
    let mut hits = Vec::new();
    let mut skip = 0;
    let mut total = None;
    let mut unit = None;
    loop {
        let page = kit.ask(&SearchQuestion { skip, ..question.clone() });
        assert!(page.hits.len() <= question.limit);
        assert_eq!(*total.get_or_insert(page.total), page.total);
        assert_eq!(*unit.get_or_insert(page.search_in), page.search_in, "every page is of the same kind");
        hits.extend(page.hits);
        match page.next_skip {
            Some(next) => skip = next,
            None => return (hits, total.unwrap()),
        }
    }
}

fn name(hit: &SearchHit) -> (u64, Option<u64>) {
    (hit.context.0, hit.turn.map(|turn| turn.0))
}

#[test]
fn every_hit_is_on_one_page_whatever_is_looked_for() {
    let kit = Kit::new();
    histories(&kit, 9);
    for search_in in UNITS {
        for (words, limit) in [("curlew", 3), ("curlew shore", 4), ("gull n3t4", 7), ("shore", 100)] {
            let asked = SearchQuestion { search_in, limit, ..question(words) };
            let (hits, total) = pages(&kit, &asked);
            let names: BTreeSet<_> = hits.iter().map(name).collect();
            assert_eq!((names.len(), hits.len() as u64), (hits.len(), total), "{search_in:?} {words}");
            assert!(hits.iter().all(|hit| hit.score > 0.0 && hit.score <= 1.0 && hit.snippet.is_some()));
            // Where a page begins decides nothing about the order.
            for skip in [1, 2, 5] {
                let page = kit.ask(&SearchQuestion { skip, ..asked.clone() });
                let expected: Vec<_> = hits.iter().skip(skip).take(limit).map(name).collect();
                assert_eq!(page.hits.iter().map(name).collect::<Vec<_>>(), expected, "{search_in:?} {words}");
            }
        }
    }
    let deep = kit.ask(&SearchQuestion { skip: 100_000, ..question("shore") });
    assert_eq!((deep.hits.len(), deep.total, deep.next_skip), (0, 180, None));
}

#[test]
fn a_window_is_eight_turns_and_a_context_all_of_them() {
    let kit = Kit::new();
    let context = kit.context();
    for turn in 0..20 {
        kit.say(context, &format!("{} sandbar", word(turn)));
    }
    let count = |search_in, words| {
        let page = kit.ask(&SearchQuestion { search_in, ..question(words) });
        (page.total, page.hits.iter().map(|hit| hit.count).collect::<BTreeSet<_>>())
    };
    assert_eq!(count(SearchIn::Turns, "sandbar"), (20, BTreeSet::from([1])));

    assert_eq!(count(SearchIn::Windows, "sandbar"), (3, BTreeSet::from([4, 8])));
    assert_eq!(count(SearchIn::Contexts, "sandbar"), (1, BTreeSet::from([20])));
    let unit = |words: &str| {
        kit.ask(&SearchQuestion { search_in: SearchIn::Auto, limit: 1, ..question(words) }).search_in
    };
    assert_eq!(unit(&format!("{} sandbar", word(3))), SearchIn::Turns);
    assert_eq!(unit(&format!("{} {}", word(2), word(4))), SearchIn::Windows);
    assert_eq!(unit(&format!("{} {}", word(2), word(17))), SearchIn::Contexts);
    assert_eq!(unit(&format!("{} phalarope", word(2))), SearchIn::Turns, "nothing has it all");
    assert_eq!(unit("phalarope"), SearchIn::Turns);
}

#[test]
fn what_stands_beside_a_hit_lifts_it() {
    let kit = Kit::new();
    let (alone, pair) = (kit.context(), kit.context());
    kit.say(alone, "smew on the lake");
    kit.say(pair, "smew on the lake");
    kit.say(pair, "smew on the lake");
    let page = kit.ask(&question("smew"));
    let contexts: Vec<_> = page.hits.iter().map(|hit| hit.context).collect();
    assert_eq!(contexts, [pair, pair, alone]);
    assert!(page.hits[0].score > page.hits[2].score);
    assert!(page.hits[0].reasons.iter().any(|reason| reason.rule.name() == "neighbour"));
}

#[test]
fn filters_leave_out_what_does_not_fit() {
    let kit = Kit::new();
    let (first, second) = (kit.context(), kit.context());
    let at = |now_ms, id: &str, context| Append {
        now_ms,
        declared: DeclaredType { id: id.into(), version: 1 },
        ..request(context, text("eider duck"))
    };
    let turns = [
        kit.append(TENANT, at(NOW_MS, "a", first)).0,
        kit.append(TENANT, at(NOW_MS + 10, "b", first)).0,
        kit.append(TENANT, at(NOW_MS + 20, "a", second)).0,
    ];
    let found = |change: &dyn Fn(&mut SearchQuestion)| {
        let mut asked = question("eider");
        change(&mut asked);
        let page = kit.ask(&asked);
        assert_eq!(page.total, page.hits.len() as u64);
        sorted(&page)
    };
    assert_eq!(found(&|asked| asked.kinds = vec!["a".into()]), [turns[0], turns[2]]);
    assert_eq!(found(&|asked| asked.kinds = vec!["a".into(), "b".into()]), turns);
    assert_eq!(found(&|asked| asked.kinds = vec!["c".into()]), [0; 0]);
    assert_eq!(found(&|asked| asked.context = Some(first)), [turns[0], turns[1]]);
    assert_eq!(found(&|asked| asked.context = Some(ContextId(77))), [0; 0]);
    assert_eq!(found(&|asked| asked.since_ms = Some(NOW_MS + 10)), [turns[1], turns[2]]);
    assert_eq!(found(&|asked| asked.until_ms = Some(NOW_MS + 10)), [turns[0], turns[1]]);
    assert_eq!(
        found(&|asked| (asked.since_ms, asked.until_ms) = (Some(NOW_MS + 1), Some(NOW_MS + 19))),
        [turns[1]]
    );
}

#[test]
fn tenants_learn_nothing_of_each_other() {
    let kit = Kit::new();
    let (one, other) = (TenantId(7), TenantId(8));
    let mine = kit.context_of(one, None);
    kit.append(one, request(mine, text("bittern in the reeds")));
    let answer = |principal: &Principal, tenant| {
        let mut pages = Vec::new();
        for search_in in UNITS {
            let asked = SearchQuestion { tenant, search_in, ..question("bittern reeds the") };
            pages.push(kit.engine.search(principal, &asked).map_err(|error| error.code()));
        }
        pages
    };
    let reader = Principal::new("ada", one, Roles::NONE.with(Role::Reader));
    let before = answer(&reader, one);
    assert!(before.iter().all(|page| page.as_ref().is_ok_and(|page| page.total == 1)), "{before:?}");
    let theirs = kit.context_of(other, None);
    for _ in 0..30 {
        kit.append(other, request(theirs, text("bittern heron the the reeds")));
    }
    assert_eq!(answer(&reader, one), before, "to the last digit of the score");
    let stranger = Principal::new("eve", other, Roles::NONE.with(Role::Reader));
    let nobody = Principal::new("nobody", one, Roles::NONE);
    for principal in [stranger, nobody] {
        let act = Act::new(Action::TurnsRead, Resource::tenant(one));
        let read = kit.engine.read(&principal, act, Position::START, |_, _| Ok(()));
        let code = read.unwrap_err().code();
        assert!([ErrorCode::NotFound, ErrorCode::Forbidden].contains(&code), "{code:?}");
        let refused = answer(&principal, one);
        assert!(refused.iter().all(|page| *page == Err(code)), "like every read: {refused:?}");
    }
    let empty = answer(&Principal::local_owner(), TenantId(9));
    assert!(empty.iter().all(|page| page.as_ref().is_ok_and(|page| page.hits.is_empty() && page.total == 0)));
}

#[test]
fn the_same_memory_gives_the_same_answers_however_it_was_indexed() {
    let mut answers = Vec::new();
    for (tail_bytes, restarts, starts_late) in
        [(16 << 20, false, false), (20_000, false, false), (16 << 20, true, false), (50_000, false, true)]
    {
        let mut kit = Kit { tail_bytes, ..Kit::still() };
        if !starts_late {
            kit.start();
        }
        let contexts = histories(&kit, 5);
        if restarts {
            kit.restart();
        }
        let gone = kit.context();
        kit.say(gone, "curlew curlew curlew");
        if !starts_late {
            kit.found("curlew");
        }
        if restarts {
            kit.restart();
        }
        kit.prune(&[gone]);
        kit.say(contexts[0], "the last curlew");
        kit.start();
        kit.ready();
        let mut pages = Vec::new();
        for search_in in UNITS {
            for words in ["curlew", "shore gull n1t3", "\"gull tide\"", "cur*", "the curlew -tide"] {
                pages.push(kit.ask(&SearchQuestion { search_in, limit: 9, ..question(words) }));
            }
        }
        answers.push(pages);
    }
    for other in &answers[1..] {
        assert_eq!(&answers[0], other);
    }
}
