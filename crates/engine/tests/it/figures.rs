//! Metrics and stats.

use std::time::Duration;

use cairn_base::TenantId;
use cairn_engine::{EngineStats, MetricKind, PrometheusText};

use crate::support::{World, name, start, stranger};

fn busy_world() -> World {
    let world = World::new();
    world.engine.consumer_register(&world.owner, &name("search"), start()).unwrap();
    let clock = world.clock.clone();
    world
        .engine
        .transact(&world.owner, crate::support::advance(), move |_, _| {
            clock.advance(Duration::from_millis(3));
            Ok(())
        })
        .unwrap();
    let _ = world.engine.consumers(&stranger());
    let _ = world.engine.feed_page(&world.owner, &name("nobody"), 1);
    world.engine.upkeep_once().unwrap();
    world
}

#[test]
fn metrics_are_reviewed_like_code() {
    insta::assert_snapshot!(busy_world().engine.render_prometheus());
}

#[test]
fn a_surface_adds_its_own_families() {
    let world = World::new();
    let mut text = PrometheusText::new();
    world.engine.write_metrics(&mut text);
    text.family("cairn_extra", MetricKind::Gauge, "More.").integer(&[], 1);
    let text = text.finish();
    assert!(text.starts_with(&world.engine.render_prometheus()));
    assert!(text.ends_with("# HELP cairn_extra More.\n# TYPE cairn_extra gauge\ncairn_extra 1\n"));
}

#[test]
fn stats_as_json() {
    let world = busy_world();
    let _listener = world.engine.subscribe(&world.owner, TenantId::LOCAL).unwrap();
    let stats = world.engine.stats(&world.owner).unwrap();
    assert_eq!(stats.position, world.engine.position());
    assert_eq!(stats.version, env!("CARGO_PKG_VERSION"));
    let stats = EngineStats { version: "(version)", ..stats };
    insta::assert_snapshot!(serde_json::to_string_pretty(&stats).unwrap());
}
