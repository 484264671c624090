//! Finding contexts by what their first turns say.

use std::time::Duration;

use anyhow::{Result, ensure};
use cairn_base::MsgpackWriter;

use super::{body, get, send};
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::random::Random;
use crate::scratch::Scratch;
use crate::turns::load::{Framing, Load, Span, Talk};
use crate::turns::server::Server;

/// So many contexts have the same tag.
const SAME_TAG: u64 = 50;
const CONNECTIONS: usize = 64;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "listing")?;
    let server = Server::start(dir.path())?;
    let contexts = setting.pick(100_000, 2000);
    let mut load = Load::connect(server.http, CONNECTIONS, Framing::Http)?;
    load.run(Span::WHOLE, &mut Create { left: contexts })?;
    load.run(Span::WHOLE, &mut Begin { next: 0, contexts })?;

    let mut load = Load::connect(server.http, 1, Framing::Http)?;
    let span =
        Span { warm_up: Duration::from_millis(500), measured: Duration::from_secs(setting.pick(3, 1)) };
    let tags = contexts / SAME_TAG;
    for (name, path) in [
        ("20 of them by a tag, p50", "/v1/contexts?tag=agent-{}"),
        ("20 of them by a label, p50", "/v1/contexts?label=env%3D{}"),
        ("a query for a tag, p50", "/v1/contexts/search?limit=20&q=tag%20%3D%20%22agent-{}%22"),
    ] {
        let mut talk = Lists { path, tags, random: Random::new(3) };
        let run = load.run(span, &mut talk)?;
        report.add(
            Figure::new(name, run.latency.quantile_ms(0.5), Unit::Millis)
                .target(Target::Below(2.0))
                .beside(format!("p99 {:.2} ms; {contexts} contexts", run.latency.quantile_ms(0.99))),
        );
    }
    server.stop()
}

struct Create {
    left: u64,
}

impl Talk for Create {
    fn ask(&mut self, _: usize, out: &mut Vec<u8>) -> bool {
        send("POST /v1/contexts", "application/json", b"{}", out);
        let goes_on = self.left > 0;
        self.left = self.left.saturating_sub(1);
        goes_on
    }

    fn hear(&mut self, _: usize, answer: &[u8]) -> Result<()> {
        body(answer).map(drop)
    }
}

/// The first turn of every context, with a tag and a label.
struct Begin {
    next: u64,
    contexts: u64,
}

impl Talk for Begin {
    fn ask(&mut self, _: usize, out: &mut Vec<u8>) -> bool {
        let tags = self.contexts / SAME_TAG;
        let mut payload = MsgpackWriter::new();
        payload.map(1);
        payload.unsigned(30);
        payload.map(2);
        payload.unsigned(1);
        payload.text(&format!("agent-{}", self.next % tags));
        payload.unsigned(3);
        payload.array(1);
        payload.text(&format!("env={}", self.next % tags));
        self.next += 1;
        let line = format!("POST /v1/contexts/{}/turns?type_id=t", self.next);
        send(&line, "application/msgpack", &payload.into_bytes(), out);
        self.next <= self.contexts
    }

    fn hear(&mut self, _: usize, answer: &[u8]) -> Result<()> {
        body(answer).map(drop)
    }
}

struct Lists {
    path: &'static str,
    tags: u64,
    random: Random,
}

impl Talk for Lists {
    fn ask(&mut self, _: usize, out: &mut Vec<u8>) -> bool {
        get(&self.path.replace("{}", &self.random.below(self.tags).to_string()), out);
        true
    }

    fn hear(&mut self, _: usize, answer: &[u8]) -> Result<()> {
        let text = std::str::from_utf8(body(answer)?)?;
        let found = text.matches("\"context_id\"").count();
        ensure!(found == 20, "{found} contexts: {text}");
        Ok(())
    }
}
