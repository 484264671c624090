//! Bundles: what writers publish about their types, as JSON or as MessagePack.

use std::collections::BTreeMap;

use cairn_base::{Value, value_from_msgpack};

use super::descriptor::Descriptor;
use super::parse::{Parsing, Wrong};
use crate::limits;

/// What numbers of an enum are called.
pub type Labels = BTreeMap<u64, String>;

/// A bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// Its name.
    pub id: String,
    /// The version of its form, as its writer says.
    pub registry_version: u32,
    /// Versions of types.
    pub types: BTreeMap<String, BTreeMap<u32, Descriptor>>,
    /// Enums.
    pub enums: BTreeMap<String, Labels>,
}

impl Bundle {
    /// Reads a bundle. What is not known is passed over: bundles of later versions may have more.
    pub fn parse(bytes: &[u8]) -> Result<Self, Wrong> {
        let top = Parsing::top();
        if bytes.len() > limits::REGISTRY_BUNDLE_BYTES_MAX {
            return Err(top.wrong(format!("has more than {} bytes", limits::REGISTRY_BUNDLE_BYTES_MAX)));
        }
        // No JSON text starts with what starts a MessagePack map.
        let is_msgpack = matches!(bytes.first(), Some(0x80..=0x8f | 0xde | 0xdf));
        let value = if is_msgpack {
            value_from_msgpack(bytes).map_err(|error| top.wrong(error.to_string()))?
        } else {
            Value::parse_json(bytes).map_err(|error| top.wrong(error.to_string()))?
        };
        Bundle::from_value(&value)
    }

    /// Reads a bundle that a request calls `id`.
    ///
    /// # Errors
    ///
    /// Fails if it is invalid, or has another id.
    pub fn parse_named(id: &str, bytes: &[u8]) -> Result<Self, Wrong> {
        let bundle = Bundle::parse(bytes)?;
        if bundle.id != id {
            let problem = format!("is `{}`, and the request says `{id}`", bundle.id);
            return Err(Parsing::top().key("bundle_id").wrong(problem));
        }
        Ok(bundle)
    }

    fn from_value(value: &Value) -> Result<Self, Wrong> {
        let top = Parsing::top();
        let entries = top.object(value)?;
        let version = entries.get("registry_version").and_then(Value::as_number);
        let version =
            version.and_then(|number| u32::try_from(number.as_u64()?).ok()).filter(|version| *version > 0);
        let registry_version =
            version.ok_or_else(|| top.key("registry_version").wrong("must be a number from 1 on"))?;
        let id = top.name(entries, "bundle_id")?.ok_or_else(|| top.key("bundle_id").wrong("is missing"))?;
        let at_types = top.key("types");
        let mut types = BTreeMap::new();
        for (type_id, value) in top.object_at(entries, "types")? {
            let at = at_types.key(type_id);
            at.check_name(type_id)?;
            types.insert(type_id.clone(), versions(&at, value)?);
        }
        let at_enums = top.key("enums");
        let mut enums = BTreeMap::new();
        for (enum_id, value) in top.object_at(entries, "enums")? {
            let at = at_enums.key(enum_id);
            at.check_name(enum_id)?;
            enums.insert(enum_id.clone(), labels(&at, value)?);
        }
        Ok(Bundle { id, registry_version, types, enums })
    }
}

fn versions(at: &Parsing<'_>, value: &Value) -> Result<BTreeMap<u32, Descriptor>, Wrong> {
    let at_versions = at.key("versions");
    let mut versions = BTreeMap::new();
    for (version, value) in at.object_at(at.object(value)?, "versions")? {
        let at = at_versions.key(version);
        if versions.insert(at_versions.number(version)?, Descriptor::parse(&at, value)?).is_some() {
            return Err(at.wrong("is there twice"));
        }
    }
    Ok(versions)
}

/// Labels, out of a bundle or as they were stored.
pub(super) fn labels(at: &Parsing<'_>, value: &Value) -> Result<Labels, Wrong> {
    let entries = at.object(value)?;
    if entries.len() > limits::REGISTRY_LABELS_MAX {
        return Err(at.wrong(format!("has more than {} labels", limits::REGISTRY_LABELS_MAX)));
    }
    let mut labels: Labels = BTreeMap::new();
    for (number, label) in entries {
        let at_label = at.key(number);
        let label = label.as_str().ok_or_else(|| at_label.wrong("is not a text"))?;
        at_label.check_name(label)?;
        if let Some((other, _)) = labels.iter().find(|(_, other)| *other == label) {
            return Err(at_label.wrong(format!("`{label}` stands for {other} already")));
        }
        if labels.insert(at.number(number)?, label.to_owned()).is_some() {
            return Err(at_label.wrong("is there twice"));
        }
    }
    Ok(labels)
}

/// As a bundle has them, and as they are stored.
pub fn labels_to_value(labels: &Labels) -> Value {
    Value::Object(labels.iter().map(|(number, label)| (number.to_string(), label.as_str().into())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(json: &str) -> String {
        let Wrong { at, problem } = Bundle::parse(json.as_bytes()).unwrap_err();
        format!("{at} {problem}")
    }

    #[test]
    fn a_bundle_has_the_id_that_its_request_says() {
        let sent = br#"{"registry_version":1,"bundle_id":"b","types":{},"enums":{}}"#;
        assert_eq!(Bundle::parse_named("b", sent), Bundle::parse(sent));
        let wrong = Wrong { at: "bundle_id".into(), problem: "is `b`, and the request says `c`".into() };
        assert_eq!(Bundle::parse_named("c", sent), Err(wrong));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let rows = [
            ("[]", "the bundle is not an object"),
            ("{}", "registry_version must be a number from 1 on"),
            (r#"{"registry_version":0,"bundle_id":"b"}"#, "registry_version must be a number from 1 on"),
            (r#"{"registry_version":1}"#, "bundle_id is missing"),
            (r#"{"registry_version":1,"bundle_id":""}"#, "bundle_id must have 1 to 256 bytes"),
            (r#"{"registry_version":1,"bundle_id":7}"#, "bundle_id is not a text"),
            (r#"{"registry_version":1,"bundle_id":"b","types":[]}"#, "types is not an object"),
            (
                r#"{"registry_version":1,"bundle_id":"b","types":{"T":{"versions":{"x":{}}}}}"#,
                "types.T.versions.x is not a number, or too large a one",
            ),
            (
                r#"{"registry_version":1,"bundle_id":"b","types":{"T":{"versions":{"1":{"fields":{"1":{"name":"a"}}}}}}}"#,
                "types.T.versions.1.fields.1.type is missing",
            ),
            (
                r#"{"registry_version":1,"bundle_id":"b","types":{"T":{"versions":{"1":{"fields":{"1":{"name":"a","type":"u8"},"2":{"name":"a","type":"u8"}}}}}}}"#,
                "types.T.versions.1.fields.2.name `a` names two fields",
            ),
            (
                r#"{"registry_version":1,"bundle_id":"b","types":{"T":{"versions":{"1":{"fields":{"1":{"name":"a","type":"ref"}}}}}}}"#,
                "types.T.versions.1.fields.1.ref is missing: it names the type of the nested object",
            ),
            (
                r#"{"registry_version":1,"bundle_id":"b","types":{"T":{"versions":{"1":{"fields":{"1":{"name":"a","type":"array","items":7}}}}}}}"#,
                "types.T.versions.1.fields.1.items is not an object",
            ),
            (
                r#"{"registry_version":1,"bundle_id":"b","types":{"T":{"versions":{"1":{"fields":{"1":{"name":"a","type":"u8"},"01":{"name":"b","type":"u8"}}}}}}}"#,
                "types.T.versions.1.fields.1 is there twice",
            ),
            (
                r#"{"registry_version":1,"bundle_id":"b","enums":{"E":{"1":"a","2":"a"}}}"#,
                "enums.E.2 `a` stands for 1 already",
            ),
            (
                r#"{"registry_version":1,"bundle_id":"b","types":{"T":{"versions":{"1":{"renderer":{}}}}}}"#,
                "types.T.versions.1.renderer.esm_url is missing",
            ),
        ];
        for (json, expected) in rows {
            assert_eq!(wrong(json), expected, "{json}");
        }
    }

    #[test]
    fn descriptors_come_back_as_they_were_sent() {
        let json = r#"{"fields":{"1":{"enum":"E","name":"role","semantic":"x","type":"u8"},"2":{"items":"string","name":"b","optional":true,"type":"array"},"3":{"items":{"ref":"T","type":"ref"},"name":"c","type":"array"},"4":{"tombstone":true},"5":{"description":"why","key_type":"string","name":"d","type":"map","value_type":"f64"}},"renderer":{"component":"default","esm_url":"builtin:X","integrity":"sha"}}"#;
        let bundle = format!(
            r#"{{"registry_version":1,"bundle_id":"b","types":{{"T":{{"versions":{{"7":{json}}}}}}}}}"#
        );
        let bundle = Bundle::parse(bundle.as_bytes()).unwrap();
        let descriptor = &bundle.types["T"][&7];
        assert_eq!(descriptor.to_value().to_json(), json);
        assert_eq!(Descriptor::parse(&Parsing::top(), &descriptor.to_value()).unwrap(), *descriptor);
    }

    #[test]
    fn bundles_may_be_msgpack() {
        // {"registry_version": 1, "bundle_id": "b", "enums": {"E": {1: "a"}}}
        let mut writer = cairn_base::MsgpackWriter::new();
        writer.map(3);
        writer.text("registry_version");
        writer.unsigned(1);
        writer.text("bundle_id");
        writer.text("b");
        writer.text("enums");
        writer.map(1);
        writer.text("E");
        writer.map(1);
        writer.unsigned(1);
        writer.text("a");
        let bundle = Bundle::parse(&writer.into_bytes()).unwrap();
        assert_eq!(bundle.enums["E"][&1], "a");
        assert!(Bundle::parse(&[0x81]).unwrap_err().problem.contains("ends too early"));
    }
}
