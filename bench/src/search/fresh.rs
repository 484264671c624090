//! From a durable append to an answer that holds it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use cairn_access::{Action, Principal, Resource};
use cairn_base::{Clock, ContextId, SystemClock, TenantId, TurnId};
use cairn_engine::{Act, Engine, SearchIn, SearchQuestion};
use cairn_seam::Blob;
use cairn_turns::{Append, DeclaredType};

use super::home_in;
use super::million::{open, wait_until_ready};
use super::words::{Vocabulary, payload};
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::random::Random;
use crate::scratch::Scratch;
use crate::spread::Spread;

/// Words of a text of about 200 bytes.
const WORDS: u64 = 38;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "fresh")?;
    let engine = open(dir.path())?;
    engine.start_search(home_in(dir.path()))?;
    wait_until_ready(&engine)?;
    let vocabulary = Vocabulary::new();
    let mut random = Random::new(5);
    let owner = Principal::local_owner();
    let act = || Act::new(Action::TurnsWrite, Resource::tenant(TenantId::LOCAL));
    let now_ms = SystemClock.now_ms();
    let made =
        engine.transact(&owner, act(), move |tx, scope| Ok(cairn_turns::create(tx, scope, None, now_ms)?))?;
    let context = made.value.id;
    for _ in 0..setting.pick(5000, 500) {
        append(&engine, &owner, act(), context, vocabulary.words_of(&mut random, WORDS))?;
    }
    let (mut appends, mut answers) = (Vec::new(), Vec::new());
    for number in 0..setting.pick(2000, 100) {
        let word = word_of(number);
        let text = format!("{} {word}", vocabulary.words_of(&mut random, WORDS));
        let began = Instant::now();
        let turn = append(&engine, &owner, act(), context, text)?;
        let acknowledged = Instant::now();
        let page = engine.search(&owner, &question(word))?;
        answers.push(acknowledged.elapsed());
        appends.push(acknowledged - began);
        ensure!(!page.behind && page.hits.iter().any(|hit| hit.turn == Some(turn)), "{turn:?} is not found");
        // Somebody else's work on it, such as writing it down, does not always meet the same step.
        std::thread::sleep(Duration::from_micros(random.below(3000)));
    }
    let (appends, answers) = (Spread::new(appends), Spread::new(answers));
    report.add(
        Figure::new(
            "from a durable append to the answer with it, p50",
            answers.quantile_ms(0.5),
            Unit::Millis,
        )
        .target(Target::Below(5.0))
        .beside(format!(
            "p99 {:.2} ms, the longest {:.1} ms; the append itself {}",
            answers.quantile_ms(0.99),
            answers.max_ms(),
            appends.shown()
        )),
    );
    engine.close()?;
    Ok(())
}

fn append(
    engine: &Arc<Engine>,
    owner: &Principal,
    act: Act,
    context: ContextId,
    text: String,
) -> Result<TurnId> {
    let payload = Blob::new(payload(&text))?;
    let request = Append {
        context,
        parent: None,
        expected_head: None,
        declared: DeclaredType { id: "com.example.Message".into(), version: 1 },
        encoding: 1,
        compression: 0,
        payload_bytes: payload.len() as u32,
        payload,
        tree: None,
        key: None,
        remember_ms: 0,
        now_ms: SystemClock.now_ms(),
        strict: false,
    };
    let done = engine.transact(owner, act, move |tx, scope| Ok(cairn_turns::append(tx, scope, &request)?))?;
    Ok(done.value.turn.id)
}

/// A word that no other text has.
fn word_of(number: u64) -> String {
    let letters = (0..5).map(|place| char::from(b'a' + (number / 16_u64.pow(place) % 16) as u8));
    format!("xq{}", letters.collect::<String>())
}

/// Asks for turns.
pub(crate) fn question(text: String) -> SearchQuestion {
    SearchQuestion {
        tenant: TenantId::LOCAL,
        text,
        search_in: SearchIn::Turns,
        kinds: Vec::new(),
        context: None,
        since_ms: None,
        until_ms: None,
        limit: 10,
        skip: 0,
        half_life_ms: 0,
    }
}
