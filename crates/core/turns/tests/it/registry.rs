//! Bundles into the store: what may grow, and what may not.

use std::collections::BTreeMap;

use cairn_seam::Blob;
use cairn_turns::TurnsError;
use cairn_turns::registry::{self, Bundle, Published, Registry};
use proptest::prelude::*;

use crate::kit::Kit;

impl Kit {
    pub(crate) fn publish(&self, json: &str) -> Result<Published, TurnsError> {
        let bundle = Bundle::parse(json.as_bytes())?;
        let blob = Blob::new(json.as_bytes().to_vec()).unwrap();
        self.write(move |tx, scope| registry::publish(tx, scope, &bundle, &blob))
    }

    pub(crate) fn registry(&self) -> Registry {
        registry::load(&*self.snapshot(), &self.scope).unwrap()
    }
}

/// A bundle with one version of type `T`.
fn version(id: &str, version: u32, fields: &str) -> String {
    bundle(id, &format!(r#""T":{{"versions":{{"{version}":{{"fields":{{{fields}}}}}}}}}"#), "")
}

fn bundle(id: &str, types: &str, enums: &str) -> String {
    format!(r#"{{"registry_version":1,"bundle_id":"{id}","types":{{{types}}},"enums":{{{enums}}}}}"#)
}

#[test]
fn the_same_bundle_is_taken_once_and_another_one_under_its_id_never() {
    let kit = Kit::new();
    let first = version("b", 1, r#""1":{"name":"a","type":"u8"}"#);
    assert_eq!(kit.publish(&first).unwrap(), Published::New);
    assert_eq!(kit.publish(&first).unwrap(), Published::Known);
    let other = version("b", 2, r#""1":{"name":"a","type":"u8"}"#);
    assert!(matches!(kit.publish(&other), Err(TurnsError::BundleDiffers(id)) if id == "b"));
    let known = kit.registry();
    assert_eq!((known.generation(), known.last_bundle()), (1, Some("b")));
    assert!(known.descriptor("T", 1).is_some() && known.descriptor("T", 2).is_none());
    let snapshot = kit.snapshot();
    let blob = registry::bundle_blob(&*snapshot, &kit.scope, "b").unwrap();
    assert_eq!(blob, Some(cairn_base::ContentHash::of(first.as_bytes())));
    assert_eq!(registry::bundle_blob(&*snapshot, &kit.scope, "c").unwrap(), None);
}

#[test]
fn what_may_grow_and_what_may_not() {
    const BEFORE: &str = r#""1":{"name":"a","type":"u8"},"2":{"name":"gone","type":"string","tombstone":true},
        "3":{"name":"list","type":"array","items":"u8"},"4":{"name":"role","type":"u8","enum":"E"}"#;
    let kit = || {
        let kit = Kit::new();
        let types = format!(r#""T":{{"versions":{{"2":{{"fields":{{{BEFORE}}}}}}}}}"#);
        kit.publish(&bundle("first", &types, r#""E":{"1":"one"}"#)).unwrap();
        kit
    };
    let allowed = [
        ("a new tag", version("b", 3, r#""9":{"name":"new","type":"string"}"#)),
        ("a new name", version("b", 3, r#""1":{"name":"other","type":"u8","optional":true}"#)),
        ("gone stays gone", version("b", 3, r#""2":{"tombstone":true}"#)),
        ("becomes gone", version("b", 3, r#""1":{"name":"a","type":"u8","tombstone":true}"#)),
        ("nothing of it", version("b", 7, "")),
        (
            "the same again",
            bundle("b", &format!(r#""T":{{"versions":{{"2":{{"fields":{{{BEFORE}}}}}}}}}"#), ""),
        ),
        ("a new label", bundle("b", "", r#""E":{"2":"two"}"#)),
        (
            "a first renderer",
            bundle(
                "b",
                &format!(
                    r#""T":{{"versions":{{"2":{{"fields":{{{BEFORE}}},"renderer":{{"esm_url":"builtin:X"}}}}}}}}"#
                ),
                "",
            ),
        ),
        (
            "a type that refers to itself",
            bundle("b", r#""N":{"versions":{"1":{"fields":{"1":{"name":"n","type":"ref","ref":"N"}}}}}"#, ""),
        ),
        (
            "an enum of an array's items",
            bundle(
                "b",
                r#""N":{"versions":{"1":{"fields":{"1":{"name":"n","type":"array","items":{"type":"u8","enum":"E"}}}}}}"#,
                "",
            ),
        ),
    ];
    for (what, sent) in &allowed {
        assert_eq!(kit().publish(sent).unwrap(), Published::New, "{what}");
    }
    let illegal = [
        (
            "another type",
            version("b", 3, r#""1":{"name":"a","type":"u16"}"#),
            "types.T.versions.3.fields.1 held `u8` in version 2; use a new tag",
        ),
        (
            "other items",
            version("b", 3, r#""3":{"name":"list","type":"array","items":"string"}"#),
            "types.T.versions.3.fields.3 held `array` in version 2; use a new tag",
        ),
        (
            "another enum",
            bundle(
                "b",
                r#""T":{"versions":{"3":{"fields":{"4":{"name":"role","type":"u8","enum":"F"}}}}}"#,
                r#""F":{"1":"one"}"#,
            ),
            "types.T.versions.3.fields.4 held `u8` in version 2; use a new tag",
        ),
        (
            "back from the dead",
            version("b", 3, r#""2":{"name":"gone","type":"string"}"#),
            "types.T.versions.3.fields.2 is gone since version 2; use a new tag",
        ),
        (
            "an older version",
            version("b", 1, ""),
            "types.T.versions.1 comes after version 2 was published; use a higher number",
        ),
        (
            "a version with other fields",
            version("b", 2, ""),
            "types.T.versions.2 was published with other fields; publish a new version",
        ),
        ("another label", bundle("b", "", r#""E":{"1":"uno"}"#), "enums.E.1 is `one` for ever, not `uno`"),
        ("another number", bundle("b", "", r#""E":{"2":"one"}"#), "enums.E.2 `one` is 1 for ever"),
    ];
    for (what, sent, problem) in &illegal {
        let kit = kit();
        match kit.publish(sent) {
            Err(TurnsError::IllegalEvolution(wrong)) => {
                assert_eq!(format!("{} {}", wrong.at, wrong.problem), *problem, "{what}");
            }
            other => panic!("{what}: {other:?}"),
        }
        // No trace of it: neither is its id taken.
        assert_eq!(kit.registry().generation(), 1, "{what}");
        kit.publish(&version("b", 3, "")).unwrap();
    }
    let unresolved = [
        (
            version("b", 3, r#""9":{"name":"n","type":"u8","enum":"Nope"}"#),
            "types.T.versions.3.fields.9.enum",
        ),
        (version("b", 3, r#""9":{"name":"n","type":"ref","ref":"Nope"}"#), "types.T.versions.3.fields.9.ref"),
        (
            version("b", 3, r#""9":{"name":"n","type":"array","items":{"type":"ref","ref":"Nope"}}"#),
            "types.T.versions.3.fields.9.ref",
        ),
    ];
    for (sent, at) in &unresolved {
        let kit = kit();
        assert!(matches!(kit.publish(sent), Err(TurnsError::BadBundle(wrong)) if wrong.at == *at), "{sent}");
        assert_eq!(kit.registry().generation(), 1);
    }
}

#[test]
fn a_renderer_stays_the_first_one() {
    let with = |id: &str, url: &str| {
        bundle(id, &format!(r#""T":{{"versions":{{"1":{{"renderer":{{"esm_url":"{url}"}}}}}}}}"#), "")
    };
    let kit = Kit::new();
    kit.publish(&version("a", 1, "")).unwrap();
    kit.publish(&with("b", "builtin:X")).unwrap();
    kit.publish(&with("c", "builtin:X")).unwrap();
    assert!(matches!(kit.publish(&with("d", "builtin:Y")), Err(TurnsError::IllegalEvolution(_))));
    kit.publish(&version("e", 1, "")).unwrap();
    let known = kit.registry();
    let renderer = known.latest("T").unwrap().descriptor.renderer.clone().unwrap();
    assert_eq!(renderer.esm_url, "builtin:X");
}

#[test]
fn the_conversation_type_is_there_until_somebody_publishes_it() {
    let kit = Kit::new();
    const ID: &str = "cxdb.ConversationItem";
    assert!(kit.registry().is_built_in(ID) && kit.registry().descriptor(ID, 3).is_some());
    assert!(kit.registry().types().any(|(id, _)| id == ID));
    kit.publish(&bundle(
        "mine",
        r#""cxdb.ConversationItem":{"versions":{"2":{"fields":{"1":{"name":"x","type":"u8"}}}}}"#,
        "",
    ))
    .unwrap();
    let known = kit.registry();
    assert!(!known.is_built_in(ID) && known.descriptor(ID, 3).is_none());
    assert_eq!(known.latest(ID).unwrap().version, 2);
}

#[test]
fn the_registry_has_an_end_and_so_has_a_type() {
    let kit = Kit::new();
    let long = "x".repeat(200);
    let fields: Vec<String> =
        (0..900).map(|tag| format!(r#""{tag}":{{"name":"{tag}{long}","type":"u8"}}"#)).collect();
    let refused = kit.publish(&version("b", 1, &fields.join(",")));
    assert!(matches!(refused, Err(TurnsError::DescriptionTooLarge { .. })), "{refused:?}");
    let many: Vec<String> =
        (0..1001).map(|tag| format!(r#""{tag}":{{"name":"{tag}","type":"u8"}}"#)).collect();
    assert!(matches!(kit.publish(&version("b", 1, &many.join(","))), Err(TurnsError::BadBundle(_))));
    assert_eq!(kit.publish(&version("b", 1, &many[..1000].join(","))).unwrap(), Published::New);
}

/// What a tag of a type has ever been said to hold.
type Meanings = BTreeMap<(String, u64), String>;

/// Fields by their tags: which kind, and whether it is gone.
type RandomFields = BTreeMap<u64, (u8, bool)>;
/// Types with their versions, and labels of one enum.
type RandomBundle = (BTreeMap<String, BTreeMap<u32, RandomFields>>, BTreeMap<u64, u8>);

fn random_bundle() -> impl Strategy<Value = RandomBundle> {
    let field = (0_u8..4, prop::bool::weighted(0.2));
    let fields = prop::collection::btree_map(0_u64..4, field, 0..4);
    let versions = prop::collection::btree_map(0_u32..5, fields, 0..3);
    let types = prop::collection::btree_map("[AB]", versions, 0..3);
    (types, prop::collection::btree_map(0_u64..3, 0_u8..3, 0..3))
}

proptest! {
    #[test]
    fn no_tag_ever_changes_its_meaning(bundles in prop::collection::vec(random_bundle(), 1..12)) {
        const TYPES: [&str; 4] = [r#""type":"u8""#, r#""type":"string""#, r#""type":"array","items":"u8""#, r#""type":"u8","enum":"E""#];
        let kit = Kit::new();
        let mut in_memory = Registry::default();
        let mut meanings = Meanings::new();
        let mut labels: BTreeMap<u64, u8> = BTreeMap::new();
        for (number, (types, enums)) in bundles.iter().enumerate() {
            let type_texts: Vec<String> = types.iter().map(|(id, versions)| {
                let versions: Vec<String> = versions.iter().map(|(version, fields)| {
                    let fields: Vec<String> = fields.iter().map(|(tag, (kind, gone))| {
                        format!(r#""{tag}":{{"name":"f{tag}",{},"tombstone":{gone}}}"#, TYPES[usize::from(*kind)])
                    }).collect();
                    format!(r#""{version}":{{"fields":{{{}}}}}"#, fields.join(","))
                }).collect();
                format!(r#""{id}":{{"versions":{{{}}}}}"#, versions.join(","))
            }).collect();
            let enum_texts: Vec<String> = enums.iter().map(|(value, label)| format!(r#""{value}":"label{label}""#)).collect();
            let json = bundle(&format!("bundle {number}"), &type_texts.join(","), &format!(r#""E":{{{}}}"#, enum_texts.join(",")));
            let Ok(parsed) = Bundle::parse(json.as_bytes()) else { continue };
            let taken = kit.publish(&json);
            prop_assert_eq!(taken.is_ok(), in_memory.take(&parsed).is_ok(), "{}", json);
            if taken.is_err() {
                continue;
            }
            for (id, versions) in types {
                for (tag, (kind, _)) in versions.values().flatten() {
                    let before = meanings.insert((id.clone(), *tag), TYPES[usize::from(*kind)].to_owned());
                    prop_assert!(before.is_none_or(|before| before == TYPES[usize::from(*kind)]), "{}", json);
                }
            }
            for (value, label) in enums {
                let before = labels.insert(*value, *label);
                prop_assert!(before.is_none_or(|before| before == *label), "{}", json);
            }
            // What the store holds is what was taken, whenever it is loaded.
            let loaded = kit.registry();
            prop_assert_eq!(described(&loaded), described(&in_memory));
            prop_assert_eq!(loaded.generation(), in_memory.generation());
        }
    }
}

fn described(registry: &Registry) -> Vec<String> {
    let versions = registry.types().flat_map(|(id, versions)| {
        versions
            .iter()
            .map(move |(version, descriptor)| format!("{id} {version} {}", descriptor.to_value().to_json()))
    });
    versions.collect()
}

#[test]
fn a_strict_store_takes_only_turns_of_published_types() {
    use cairn_turns::{Append, DeclaredType};
    let kit = Kit::new();
    let context = kit.create(None).unwrap().id;
    let of = |id: &str, version| Append {
        strict: true,
        declared: DeclaredType { id: id.into(), version },
        ..crate::kit::request(context, "x")
    };
    let refused =
        |id: &str, version| matches!(kit.append(of(id, version)), Err(TurnsError::TypeUnknown { .. }));
    assert!(refused("T", 1) && refused("", 0) && refused("cxdb.ConversationItem", 2));
    kit.append(of("cxdb.ConversationItem", 3)).unwrap();
    kit.publish(&version("b", 2, "")).unwrap();
    assert!(refused("T", 1));
    kit.append(of("T", 2)).unwrap();
    kit.publish(&bundle("mine", r#""cxdb.ConversationItem":{"versions":{"5":{}}}"#, "")).unwrap();
    assert!(refused("cxdb.ConversationItem", 3));
    kit.append(of("cxdb.ConversationItem", 5)).unwrap();
}
