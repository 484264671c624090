//! Free-form JSON whose numbers stay as they were written.
//!
//! serde's JSON reader rounds numbers; these functions keep the text of a field and have
//! [`Value::parse_json`] read it. For `#[serde(with = "…")]`, and for JSON alone.

use cairn_base::Value;
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

pub(crate) fn serialize<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    value.serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    let text = Box::<RawValue>::deserialize(deserializer)?;
    Value::parse_json(text.get().as_bytes()).map_err(D::Error::custom)
}

/// The same for an object of values.
pub(crate) mod map {
    use std::collections::BTreeMap;

    use super::{Deserialize, Deserializer, Error, RawValue, Serialize, Serializer, Value};

    pub(crate) fn serialize<S: Serializer>(
        entries: &BTreeMap<String, Value>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        entries.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, Value>, D::Error> {
        let entries = BTreeMap::<String, Box<RawValue>>::deserialize(deserializer)?.into_iter();
        let parse = |(name, text): (String, Box<RawValue>)| {
            Ok((name, Value::parse_json(text.get().as_bytes()).map_err(D::Error::custom)?))
        };
        entries.map(parse).collect()
    }
}

/// The same for a field that may be absent, which null is not.
pub(crate) mod present {
    use super::{Deserializer, Serialize, Serializer, Value};

    pub(crate) fn serialize<S: Serializer>(value: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
        super::deserialize(deserializer).map(Some)
    }
}
