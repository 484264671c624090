//! Checks of tokens.

use std::hint::black_box;

use anyhow::Result;

use super::batches::PerCall;
use super::registered::Registered;
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::random::Random;
use crate::scratch::Scratch;

const USERS: usize = 16;
const TOKEN_US: f64 = 2.0;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "tokens")?;
    let registered = Registered::create(dir.path(), USERS)?;
    let mut tokens = registered.tokens(setting.pick(625, 25))?;
    let registered = registered.restarted(dir.path())?;
    shuffle(&mut tokens);
    let batch = tokens.len() / 40;
    let connection = registered.engine.new_connection();
    let check = |token: &String| {
        black_box(registered.engine.log_in(black_box(token), connection)?);
        Ok(())
    };

    // One in five is for warming up: the others are in the same pages of the index.
    let (warm_up, fresh) = tokens.split_at(tokens.len() / 5);
    PerCall::of(warm_up, batch, check)?;
    let first = PerCall::of(fresh, batch, check)?;
    // Twice, so that nobody is checked for the first time any more.
    PerCall::of(&tokens, batch, check)?;
    let again = PerCall::of(&tokens, batch, check)?;
    let only_one = vec![tokens[0].clone(); tokens.len()];
    let same = PerCall::of(&only_one, batch, check)?;
    registered.touch()?;
    let after_change = PerCall::of(&tokens, batch, check)?;

    let count = tokens.len();
    report.add(
        Figure::new("a token that was seen before", again.median_us, Unit::Micros)
            .target(Target::Below(TOKEN_US))
            .beside(format!("{count} tokens in turn; {}", again.shown())),
    );
    report.add(
        Figure::new("the same token over and over", same.median_us, Unit::Micros)
            .target(Target::Below(TOKEN_US))
            .beside(same.shown()),
    );
    report.add(Figure::new("a token, the first time", first.median_us, Unit::Micros).beside(first.shown()));
    report.add(
        Figure::new("a token, after a change of the registry", after_change.median_us, Unit::Micros)
            .beside(after_change.shown()),
    );
    registered.engine.close()?;
    Ok(())
}

/// So that neighbours in the store are not checked one after the other.
fn shuffle<T>(items: &mut [T]) {
    let mut random = Random::new(2);
    for at in (1..items.len()).rev() {
        items.swap(at, random.below(at as u64 + 1) as usize);
    }
}
