//! Payloads as JSON: every type, every option, every odd value.

use cairn_base::{MsgpackWriter, Value};
use cairn_turns::projection::{
    BytesRender, EnumRender, Options, TimeRender, Undecodable, WideRender, project,
};
use cairn_turns::registry::{Bundle, Registry};
use proptest::prelude::*;

use crate::kit::conformance_payload;

const BUNDLE: &str = r#"{"registry_version":1,"bundle_id":"b","types":{
  "All":{"versions":{"1":{"fields":{
    "1":{"name":"u64","type":"u64"},"2":{"name":"i64","type":"int64"},"3":{"name":"u32","type":"u32"},
    "4":{"name":"i8","type":"i8"},"5":{"name":"f32","type":"f32"},"6":{"name":"f64","type":"f64"},
    "7":{"name":"text","type":"string"},"8":{"name":"bool","type":"bool"},"9":{"name":"bytes","type":"bytes"},
    "10":{"name":"time","type":"unix_ms"},"11":{"name":"when","type":"u64","semantic":"unix_ms"},
    "12":{"name":"role","type":"u8","enum":"Role"},"13":{"name":"list","type":"array","items":"u64"},
    "14":{"name":"roles","type":"array","items":{"type":"u8","enum":"Role"}},
    "15":{"name":"nested","type":"ref","ref":"Part"},"16":{"name":"parts","type":"array","items":{"type":"ref","ref":"Part"}},
    "17":{"name":"map","type":"map","key_type":"string","value_type":"u64"},"18":{"name":"any","type":"any"},
    "19":{"name":"odd","type":"no.such.type"},"20":{"name":"untyped","type":"array"},
    "21":{"name":"gone","type":"u8","tombstone":true},"22":{"name":"by_name","type":"map","value_type":{"type":"ref","ref":"Part"}}
  }}}},
  "Part":{"versions":{"1":{"fields":{"1":{"name":"old","type":"u8"}}},
    "2":{"fields":{"1":{"name":"a","type":"u8"},"2":{"name":"part","type":"ref","ref":"Part"}}}}}
 },"enums":{"Role":{"1":"system","2":"user"}}}"#;

fn registry() -> Registry {
    let mut registry = Registry::default();
    registry.take(&Bundle::parse(BUNDLE.as_bytes()).unwrap()).unwrap();
    registry
}

const PLAIN: Options = Options {
    include_unknown: false,
    bytes: BytesRender::Base64,
    wide: WideRender::Text,
    enums: EnumRender::Label,
    time: None,
};

fn shown(payload: &[u8], options: &Options) -> Result<(String, Option<String>), Undecodable> {
    let registry = registry();
    let projected = project(payload, registry.latest("All").unwrap(), options)?;
    // Whatever comes out is JSON, with every key once.
    for json in [Some(&projected.data), projected.unknown.as_ref()].into_iter().flatten() {
        Value::parse_json(json.as_bytes()).unwrap_or_else(|error| panic!("{error}: {json}"));
    }
    Ok((projected.data, projected.unknown))
}

fn field(tag: u64, value: &[u8], options: &Options) -> String {
    let mut writer = MsgpackWriter::new();
    writer.map(1);
    writer.unsigned(tag);
    let payload = [&writer.into_bytes()[..], value].concat();
    shown(&payload, options).unwrap().0
}

fn written(write: impl FnOnce(&mut MsgpackWriter)) -> Vec<u8> {
    let mut writer = MsgpackWriter::new();
    write(&mut writer);
    writer.into_bytes()
}

#[test]
fn every_type_with_every_kind_of_value() {
    let unsigned = |value: u64| written(|to| to.unsigned(value));
    let signed = |value: i64| written(|to| to.signed(value));
    let text = |value: &str| written(|to| to.text(value));
    let rows: &[(u64, Vec<u8>, &str)] = &[
        (1, unsigned(0), r#"{"u64":"0"}"#),
        (1, unsigned(u64::MAX), r#"{"u64":"18446744073709551615"}"#),
        (1, signed(-1), r#"{"u64":"-1"}"#),
        (1, text("7"), r#"{"u64":null}"#),
        (1, vec![0xc0], r#"{"u64":null}"#),
        (1, vec![0x92, 1, 2], r#"{"u64":null}"#),
        (1, vec![0x81, 1, 0x91, 2], r#"{"u64":null}"#),
        (1, vec![0xcb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0], r#"{"u64":null}"#),
        (2, signed(i64::MIN), r#"{"i64":"-9223372036854775808"}"#),
        (2, unsigned(5), r#"{"i64":"5"}"#),
        (3, unsigned(u64::from(u32::MAX)), r#"{"u32":4294967295}"#),
        (3, unsigned(u64::MAX), r#"{"u32":"18446744073709551615"}"#),
        (3, vec![0xc3], r#"{"u32":null}"#),
        (4, signed(-128), r#"{"i8":-128}"#),
        (5, vec![0xca, 0x3d, 0xcc, 0xcc, 0xcd], r#"{"f32":0.1}"#),
        (5, vec![0xca, 0x7f, 0xc0, 0, 0], r#"{"f32":null}"#),
        (5, unsigned(3), r#"{"f32":3}"#),
        (6, vec![0xcb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0], r#"{"f64":null}"#),
        (6, vec![0xcb, 0x80, 0, 0, 0, 0, 0, 0, 0], r#"{"f64":-0.0}"#),
        (6, written(|to| to.float64(1e300)), r#"{"f64":1e300}"#),
        (7, text(""), r#"{"text":""}"#),
        (7, text("a\"\n\u{1}ä"), "{\"text\":\"a\\\"\\n\\u0001ä\"}"),
        (7, vec![0xa2, 0xff, b'a'], "{\"text\":\"\u{fffd}a\"}"),
        (7, unsigned(7), r#"{"text":null}"#),
        (8, vec![0xc2], r#"{"bool":false}"#),
        (8, unsigned(1), r#"{"bool":null}"#),
        (9, vec![0xc4, 2, 0xfb, 0xff], r#"{"bytes":"+/8="}"#),
        (9, text("no bytes"), r#"{"bytes":null}"#),
        (10, unsigned(1_706_615_000_123), r#"{"time":"2024-01-30T11:43:20.123+00:00"}"#),
        (10, signed(-1), r#"{"time":"1969-12-31T23:59:59.999+00:00"}"#),
        (10, unsigned(u64::MAX), r#"{"time":"18446744073709551615"}"#),
        (10, signed(i64::MIN), r#"{"time":"-9223372036854775808"}"#),
        (10, text("now"), r#"{"time":null}"#),
        (11, unsigned(0), r#"{"when":"1970-01-01T00:00:00+00:00"}"#),
        (12, unsigned(2), r#"{"role":"user"}"#),
        (12, unsigned(9), r#"{"role":9}"#),
        (12, signed(-2), r#"{"role":-2}"#),
        (12, text("user"), r#"{"role":null}"#),
        (13, vec![0x92, 1, 0xff], r#"{"list":["1","-1"]}"#),
        (13, vec![0x90], r#"{"list":[]}"#),
        (13, unsigned(1), r#"{"list":null}"#),
        (14, vec![0x93, 1, 2, 3], r#"{"roles":["system","user",3]}"#),
        (15, vec![0x81, 1, 7], r#"{"nested":{"a":7}}"#),
        (15, vec![0x82, 1, 7, 2, 0x81, 1, 8], r#"{"nested":{"a":7,"part":{"a":8}}}"#),
        (15, vec![0x91, 7], r#"{"nested":[7]}"#),
        (15, vec![0xc0], r#"{"nested":null}"#),
        (16, vec![0x92, 0x81, 1, 7, 0x80], r#"{"parts":[{"a":7},{}]}"#),
        (17, vec![0x82, 0xa1, b'b', 2, 0xa1, b'a', 1], r#"{"map":{"a":"1","b":"2"}}"#),
        (17, vec![0x82, 1, 2, 0xa1, b'1', 3], r#"{"map":{"1":"3"}}"#),
        (18, unsigned(1 << 53), r#"{"any":9007199254740992}"#),
        (18, unsigned((1 << 53) + 1), r#"{"any":"9007199254740993"}"#),
        (18, signed(-(1 << 53) - 1), r#"{"any":"-9007199254740993"}"#),
        (18, vec![0x83, 0xc0, 1, 0xff, 2, 0x91, 3, 4], r#"{"any":{"-1":2,"9103":4,"null":1}}"#),
        (18, vec![0xd4, 5, 0xff], r#"{"any":"/w=="}"#),
        (19, vec![0x92, 1, 0xc4, 1, 0], r#"{"odd":[1,"AA=="]}"#),
        (20, vec![0x92, 1, 0xa1, b'x'], r#"{"untyped":[1,"x"]}"#),
        (21, unsigned(1), "{}"),
        (22, vec![0x81, 0xa1, b'k', 0x81, 1, 5], r#"{"by_name":{"k":{"a":5}}}"#),
        (99, unsigned(1), "{}"),
    ];
    for (tag, value, expected) in rows {
        assert_eq!(field(*tag, value, &PLAIN), *expected, "tag {tag} {value:x?}");
    }
}

#[test]
fn every_option() {
    let hex = Options { bytes: BytesRender::Hex, ..PLAIN };
    let length = Options { bytes: BytesRender::Length, ..PLAIN };
    let numbers = Options { wide: WideRender::Number, ..PLAIN };
    let enum_number = Options { enums: EnumRender::Number, ..PLAIN };
    let both = Options { enums: EnumRender::Both, ..PLAIN };
    let millis = Options { time: Some(TimeRender::UnixMillis), ..PLAIN };
    let rows: &[(u64, &[u8], Options, &str)] = &[
        (9, &[0xc4, 2, 0xfb, 0xff], hex, r#"{"bytes":"fbff"}"#),
        (9, &[0xc4, 2, 0xfb, 0xff], length, r#"{"bytes":2}"#),
        (18, &[0xc4, 2, 0xfb, 0xff], length, r#"{"any":2}"#),
        (1, &[0xcf, 255, 255, 255, 255, 255, 255, 255, 255], numbers, r#"{"u64":18446744073709551615}"#),
        (2, &[0xff], numbers, r#"{"i64":-1}"#),
        (18, &[0xcf, 255, 255, 255, 255, 255, 255, 255, 255], numbers, r#"{"any":18446744073709551615}"#),
        (12, &[2], enum_number, r#"{"role":2}"#),
        (12, &[2], both, r#"{"role":{"label":"user","value":2}}"#),
        (12, &[9], both, r#"{"role":9}"#),
        (14, &[0x92, 1, 9], both, r#"{"roles":[{"label":"system","value":1},9]}"#),
        (10, &[5], millis, r#"{"time":5}"#),
        (11, &[5], millis, r#"{"when":5}"#),
    ];
    for (tag, value, options, expected) in rows {
        assert_eq!(field(*tag, value, options), *expected, "tag {tag} {value:x?} {options:?}");
    }
}

#[test]
fn what_is_unknown_is_shown_on_request_at_every_depth() {
    let all = Options { include_unknown: true, ..PLAIN };
    let rows: &[(&[u8], &str, &str)] = &[
        (&[0x80], "{}", "{}"),
        (&[0x81, 99, 42], "{}", r#"{"99":42}"#),
        (&[0x82, 0xa4, b'n', b'a', b'm', b'e', 1, 21, 5], "{}", r#"{"21":5,"name":1}"#),
        (&[0x81, 15, 0x82, 1, 7, 9, 8], r#"{"nested":{"a":7}}"#, r#"{"15":{"9":8}}"#),
        (&[0x81, 15, 0x81, 2, 0x81, 9, 8], r#"{"nested":{"part":{}}}"#, r#"{"15":{"2":{"9":8}}}"#),
        (&[0x81, 16, 0x92, 0x80, 0x81, 9, 8], r#"{"parts":[{},{}]}"#, r#"{"16":{"1":{"9":8}}}"#),
        (&[0x81, 22, 0x81, 0xa1, b'k', 0x81, 9, 8], r#"{"by_name":{"k":{}}}"#, r#"{"22":{"k":{"9":8}}}"#),
        // The same tag as an integer and as digits: the last one counts.
        (&[0x82, 99, 1, 0xa2, b'9', b'9', 2], "{}", r#"{"99":2}"#),
    ];
    for (payload, data, unknown) in rows {
        let expected = (data.to_string(), Some(unknown.to_string()));
        assert_eq!(shown(payload, &all).unwrap(), expected, "{payload:x?}");
        assert_eq!(shown(payload, &PLAIN).unwrap(), (data.to_string(), None), "{payload:x?}");
    }
}

#[test]
fn fields_come_in_the_order_of_their_tags_each_once() {
    let rows: &[(&[u8], &str)] = &[
        (&[0x82, 3, 1, 1, 2], r#"{"u64":"2","u32":1}"#),
        (&[0x83, 3, 1, 1, 2, 3, 5], r#"{"u64":"2","u32":5}"#),
        (&[0x82, 0xa1, b'3', 1, 0xa2, b'0', b'3', 2], r#"{"u32":2}"#),
        (&[0x81, 15, 0x82, 2, 0x80, 1, 7], r#"{"nested":{"a":7,"part":{}}}"#),
        (&[0x81, 1, 5, 0xff, 0xff], r#"{"u64":"5"}"#),
    ];
    for (payload, expected) in rows {
        assert_eq!(shown(payload, &PLAIN).unwrap().0, *expected, "{payload:x?}");
    }
}

#[test]
fn a_hundred_levels_are_shown_and_endless_ones_are_refused() {
    let deep = |levels: usize| [&[0x81, 15][..], &[0x81, 2].repeat(levels - 2), &[0x80]].concat();
    let (data, _) = shown(&deep(100), &PLAIN).unwrap();
    assert_eq!(data.matches("part").count(), 98);
    let too_deep = Err(Undecodable::Msgpack(cairn_base::MsgpackError::TooDeep));
    for payload in [deep(200), deep(100_000), [&[0x81, 18][..], &[0x91; 100_000]].concat()] {
        assert_eq!(shown(&payload, &PLAIN), too_deep);
        assert_eq!(shown(&payload, &Options { include_unknown: true, ..PLAIN }), too_deep);
    }
    assert_eq!(
        shown(&[0x81, 99, 0x91].repeat(3), &PLAIN),
        Err(Undecodable::Msgpack(cairn_base::MsgpackError::Cut))
    );
    assert_eq!(shown(&[0x91, 1], &PLAIN), Err(Undecodable::NotAMap));
    assert_eq!(shown(&[], &PLAIN), Err(Undecodable::Msgpack(cairn_base::MsgpackError::Cut)));
}

/// A fuzzer found it: JSON of a key inside JSON of a key doubles with every level.
#[test]
fn keys_that_are_maps_take_no_more_than_their_bytes() {
    let payload = [&[0x81, 18][..], &[0x81; 100], &[1, 2].repeat(100)].concat();
    let (data, _) = shown(&payload, &PLAIN).unwrap();
    assert!(data.len() < 1000, "{} bytes", data.len());
}

#[test]
fn conversations_of_existing_clients_show_typed() {
    // {"1": "user_input", "3": 1700000000000, "10": {"1": "hi", "2": ["f"]}, "30": {"1": "tag"}}
    let payload = written(|to| {
        to.map(4);
        to.text("1");
        to.text("user_input");
        to.text("3");
        to.unsigned(1_700_000_000_000);
        to.text("10");
        to.map(2);
        to.text("1");
        to.text("hi");
        to.text("2");
        to.array(1);
        to.text("f");
        to.text("30");
        to.map(1);
        to.text("1");
        to.text("tag");
    });
    let registry = Registry::default();
    for id in ["cxdb.ConversationItem", "cxdb.v3:ConversationItem"] {
        let projected = project(&payload, registry.descriptor(id, 3).unwrap(), &PLAIN).unwrap();
        // Their readers parse an integer; whoever asks for ISO 8601 gets that.
        let expected = r#"{"item_type":"user_input","timestamp":1700000000000,"user_input":{"text":"hi","files":["f"]},"context_metadata":{"client_tag":"tag"}}"#;
        assert_eq!(projected.data, expected);
        let iso = Options { time: Some(TimeRender::Iso), ..PLAIN };
        let projected = project(&payload, registry.descriptor(id, 3).unwrap(), &iso).unwrap();
        assert!(projected.data.contains(r#""timestamp":"2023-11-14T22:13:20+00:00""#), "{}", projected.data);
    }
}

/// Uses the conformance folder when it is there.
#[test]
fn payloads_of_the_conformance_folder_are_shown() {
    let (Some(item), Some(numeric)) = (
        conformance_payload("msgpack_conversation_item.json"),
        conformance_payload("msgpack_numeric_map.json"),
    ) else {
        return;
    };
    let registry = Registry::default();
    let item = project(&item, registry.descriptor("cxdb.ConversationItem", 3).unwrap(), &PLAIN).unwrap();
    let data = Value::parse_json(item.data.as_bytes()).unwrap();
    let metadata = data.get("context_metadata").unwrap();
    assert_eq!(metadata.get("client_tag").unwrap().as_str(), Some("fixture-tag"));
    assert_eq!(metadata.get("title").unwrap().as_str(), Some("Fixture Title"));
    assert_eq!(metadata.get("labels").unwrap().to_json(), r#"["alpha","beta"]"#);
    assert_eq!(metadata.get("custom").unwrap().to_json(), r#"{"env":"test"}"#);
    let three = r#"{"registry_version":1,"bundle_id":"n","types":{"N":{"versions":{"1":{"fields":{"1":{"name":"a","type":"string"},"2":{"name":"b","type":"string"},"3":{"name":"c","type":"string"}}}}}}}"#;
    let mut registry = Registry::default();
    registry.take(&Bundle::parse(three.as_bytes()).unwrap()).unwrap();
    let shown = project(&numeric, registry.latest("N").unwrap(), &PLAIN).unwrap();
    assert_eq!(shown.data, r#"{"a":"one","b":"two","c":"three"}"#);
}

proptest! {
    #[test]
    fn any_bytes_are_shown_or_refused(tail: Vec<u8>, tag in 0_u8..24, unknown: bool) {
        let options = Options { include_unknown: unknown, ..PLAIN };
        for payload in [[&[0x81, tag][..], &tail].concat(), [&[0x8f][..], &tail].concat(), tail] {
            let _ = shown(&payload, &options);
        }
    }
}

#[test]
fn json_is_encoded_as_its_type_says_and_comes_back() {
    use cairn_turns::projection::encode;
    let registry = registry();
    let described = registry.latest("All").unwrap();
    let sent = r#"{"text":"hi","u64":"18446744073709551615","i64":-5,"u32":7,"i8":"-128","f32":0.5,"f64":2,
        "bool":true,"bytes":"+/8=","time":"2024-01-30T11:43:20.123Z","when":5,"role":"user","list":[1,"2"],
        "roles":["system",9],"nested":{"a":7,"part":{"a":8,"9":"kept"}},"parts":[{"a":1},{}],"map":{"b":2,"a":1},
        "any":{"x":[null,1.5]},"odd":[1],"untyped":["x"],"by_name":{"k":{"a":5}},"99":"unknown"}"#;
    let payload = encode(&Value::parse_json(sent.as_bytes()).unwrap(), described).unwrap();
    let all = Options { include_unknown: true, ..PLAIN };
    let shown = project(&payload, described, &all).unwrap();
    let expected = r#"{"u64":"18446744073709551615","i64":"-5","u32":7,"i8":-128,"f32":0.5,"f64":2.0,"text":"hi","bool":true,"bytes":"+/8=","time":"2024-01-30T11:43:20.123+00:00","when":"1970-01-01T00:00:00.005+00:00","role":"user","list":["1","2"],"roles":["system",9],"nested":{"a":7,"part":{"a":8}},"parts":[{"a":1},{}],"map":{"a":"1","b":"2"},"any":{"x":[null,1.5]},"odd":[1],"untyped":["x"],"by_name":{"k":{"a":5}}}"#;
    assert_eq!(shown.data, expected);
    assert_eq!(shown.unknown.as_deref(), Some(r#"{"15":{"2":{"9":"kept"}},"99":"unknown"}"#));
    // What was shown can be sent again, and gives the same bytes as far as it was shown.
    let again = encode(&Value::parse_json(shown.data.as_bytes()).unwrap(), described).unwrap();
    assert_eq!(project(&again, described, &PLAIN).unwrap().data, expected);
    assert_eq!(encode(&Value::parse_json(br#"{"u64":1}"#).unwrap(), described).unwrap(), [0x81, 1, 1]);
}

#[test]
fn everything_that_does_not_fit_is_told() {
    use cairn_turns::projection::encode;
    let registry = registry();
    let described = registry.latest("All").unwrap();
    let rows = [
        ("7", "payload must be an object of fields"),
        (r#"{"nope":1}"#, "payload.nope is no field of this version of the type"),
        (r#"{"gone":1}"#, "payload.gone is no field of this version of the type"),
        (r#"{"u64":1,"1":2}"#, "payload.u64 is the same field as `1`"),
        (r#"{"u64":-1}"#, "payload.u64 must be from 0 to 18446744073709551615 as `u64`"),
        (r#"{"i8":128}"#, "payload.i8 must be from -128 to 127 as `i8`"),
        (r#"{"u64":1.5}"#, "payload.u64 must be an integer, or a text of its digits"),
        (r#"{"u64":"x"}"#, "payload.u64 must be an integer, or a text of its digits"),
        (r#"{"text":7}"#, "payload.text must be a text"),
        (r#"{"bool":1}"#, "payload.bool must be true or false"),
        (r#"{"bytes":"!"}"#, "payload.bytes is not base64 with padding"),
        (r#"{"time":"today"}"#, "payload.time must be an integer, or a text of its digits"),
        (r#"{"role":"nobody"}"#, "payload.role is none of the labels system, user"),
        (r#"{"list":{}}"#, "payload.list must be an array"),
        (r#"{"parts":[{},{"b":1}]}"#, "payload.parts[1].b is no field of this version of the type"),
        (
            r#"{"nested":{"part":{"a":"x"}}}"#,
            "payload.nested.part.a must be an integer, or a text of its digits",
        ),
    ];
    for (json, expected) in rows {
        let misfits = encode(&Value::parse_json(json.as_bytes()).unwrap(), described).unwrap_err();
        let told: Vec<String> =
            misfits.iter().map(|misfit| format!("{} {}", misfit.at, misfit.problem)).collect();
        assert_eq!(told, [expected], "{json}");
    }
    let many = format!("{{{}}}", (0..100).map(|n| format!(r#""x{n}":1"#)).collect::<Vec<_>>().join(","));
    assert_eq!(encode(&Value::parse_json(many.as_bytes()).unwrap(), described).unwrap_err().len(), 20);
}
