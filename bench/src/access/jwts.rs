//! Checks of JWTs.

use std::hint::black_box;

use anyhow::{Result, bail, ensure};
use cairn_access::{Credential, TokenKey};

use super::batches::PerCall;
use super::registered::Registered;
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;

const USERS: usize = 16;
const FIRST_US: f64 = 80.0;
const AGAIN_US: f64 = 2.0;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "jwts")?;
    let registered = Registered::create(dir.path(), USERS)?;
    let engine = &registered.engine;
    let jwts = registered.jwts(setting.pick(10_000, 400))?;
    // Each is for a connection of its own, and stays there.
    let shown: Vec<_> = jwts.into_iter().map(|jwt| (jwt, engine.new_connection())).collect();
    let batch = shown.len() / 40;
    let check = |(jwt, connection): &(String, cairn_engine::Connection)| {
        black_box(engine.log_in(black_box(jwt), *connection)?);
        Ok(())
    };

    let token_key = TokenKey::new([1; 32]);
    let verify = |(jwt, _): &(String, cairn_engine::Connection)| {
        let Credential::Jwt(jwt) = Credential::parse(black_box(jwt), &token_key)? else {
            bail!("a JWT is a token")
        };
        black_box(jwt.verify()?);
        Ok(())
    };

    let (warm_up, fresh) = shown.split_at(shown.len() / 5);
    PerCall::of(warm_up, batch, check)?;
    // In turns: what the machine does to one, it does to the other.
    let [alone, first] = PerCall::in_turns(fresh, batch, [&mut verify.clone(), &mut check.clone()])?;
    PerCall::of(&shown, batch, check)?;
    let again = PerCall::of(&shown, batch, check)?;
    ensure!(engine.log_in(&shown[0].0, shown[1].1).is_err(), "a JWT was taken on two connections");

    let count = shown.len();
    report.add(
        Figure::new("a JWT, the first time", first.median_us, Unit::Micros)
            .target(Target::Below(FIRST_US))
            .beside(format!(
                "{USERS} keys; noting it on disk is not waited for; {}; taking it apart and its signature alone, in \
                 turns: {:.2} µs, {}",
                first.shown(),
                alone.median_us,
                alone.shown()
            )),
    );
    report.add(
        Figure::new("a JWT again on its connection", again.median_us, Unit::Micros)
            .target(Target::Below(AGAIN_US))
            .beside(format!("{count} JWTs in turn; {}", again.shown())),
    );
    engine.close()?;
    Ok(())
}
