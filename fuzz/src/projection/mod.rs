//! Payloads and bundles: whatever bytes they are, what comes out is JSON or an error, and what was shown can
//! be encoded again.
//!
//! The first byte of an input chooses the options, the second one what the rest is: a payload, or a bundle
//! and a payload behind it.

use std::sync::LazyLock;

use cairn_base::{Value, msgpack_text, value_from_msgpack};
use cairn_turns::projection::{BytesRender, EnumRender, Options, TimeRender, WideRender, encode, project};
use cairn_turns::registry::{Bundle, Registry};

const BUNDLE: &[u8] = br#"{"registry_version":1,"bundle_id":"b","types":{"T":{"versions":{"1":{"fields":{
    "1":{"name":"u64","type":"u64"},"2":{"name":"i8","type":"i8"},"3":{"name":"f32","type":"f32"},
    "4":{"name":"text","type":"string"},"5":{"name":"bool","type":"bool"},"6":{"name":"bytes","type":"bytes"},
    "7":{"name":"time","type":"unix_ms"},"8":{"name":"role","type":"u8","enum":"E"},
    "9":{"name":"list","type":"array","items":{"type":"u8","enum":"E"}},"10":{"name":"part","type":"ref","ref":"T"},
    "11":{"name":"parts","type":"array","items":{"type":"ref","ref":"T"}},
    "12":{"name":"map","type":"map","key_type":"u32","value_type":"u64"},"13":{"name":"any","type":"any"},
    "14":{"name":"gone","type":"u8","tombstone":true}}}}}},"enums":{"E":{"1":"one","2":"two"}}}"#;

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let mut registry = Registry::default();
    registry.take(&Bundle::parse(BUNDLE).expect("well formed")).expect("legal");
    registry
});

/// Panics when something is wrong.
pub fn check(input: &[u8]) {
    let Some(([choice, kind], rest)) = input.split_first_chunk() else { return };
    let options = options(*choice);
    let _ = msgpack_text(rest, 200);
    let _ = value_from_msgpack(rest);
    if kind % 2 == 0 {
        return shown(rest, &REGISTRY, "T", &options);
    }
    let at = usize::from(kind / 2).min(rest.len());
    let (payload, bundle) = rest.split_at(at);
    let Ok(bundle) = Bundle::parse(bundle) else { return };
    let mut registry = Registry::default();
    if registry.take(&bundle).is_ok() {
        for id in bundle.types.keys() {
            shown(payload, &registry, id, &options);
        }
        assert!(registry.take(&bundle).is_ok(), "a bundle fits itself");
    }
}

fn shown(payload: &[u8], registry: &Registry, id: &str, options: &Options) {
    let Some(described) = registry.latest(id) else { return };
    let Ok(projected) = project(payload, described, options) else { return };
    let data = Value::parse_json(projected.data.as_bytes()).expect("what is shown is JSON");
    if let Some(unknown) = &projected.unknown {
        Value::parse_json(unknown.as_bytes()).expect("what is unknown is JSON");
    }
    // What was shown may not fit (a number out of its range was shown all the same); if it does, showing it
    // again shows the same.
    if let Ok(encoded) = encode(&data, described) {
        project(&encoded, described, options).expect("what was encoded can be shown");
    }
}

fn options(choice: u8) -> Options {
    Options {
        include_unknown: choice & 1 != 0,
        bytes: [BytesRender::Base64, BytesRender::Hex, BytesRender::Length][usize::from(choice >> 1 & 3) % 3],
        wide: if choice & 8 == 0 { WideRender::Text } else { WideRender::Number },
        enums: [EnumRender::Label, EnumRender::Number, EnumRender::Both][usize::from(choice >> 4 & 3) % 3],
        time: Some(if choice & 64 == 0 { TimeRender::Iso } else { TimeRender::UnixMillis }),
    }
}

/// The first inputs.
pub fn seeds() -> Vec<Vec<u8>> {
    let payloads: [&[u8]; 6] = [
        b"\x80",
        b"\x84\x01\xcf\xff\xff\xff\xff\xff\xff\xff\xff\x04\xa2hi\x08\x02\x63\xff",
        b"\x82\x0a\x81\x0a\x81\x01\x05\x0b\x92\x80\x81\x01\x07",
        b"\x83\x07\xd3\x00\x00\x01\x8b\xcf\xe5\x68\x00\x06\xc4\x02\xfb\xff\x03\xca\x3d\xcc\xcc\xcd",
        b"\x82\xa2\x31\x32\x81\x05\x06\xa1x\xc0",
        b"\x81\x0d\x93\xc3\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00\xd4\x05\xff",
    ];
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    for (number, payload) in payloads.iter().enumerate() {
        let choice = u8::try_from(number * 37).unwrap_or(0);
        seeds.push([&[choice, 0][..], payload].concat());
        let at = u8::try_from(payload.len() * 2 + 1).unwrap_or(1);
        seeds.push([&[choice, at][..], payload, BUNDLE].concat());
    }
    seeds
}
