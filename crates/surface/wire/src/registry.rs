//! Types that writers publish.

use std::collections::BTreeMap;

use cairn_base::Value;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A bundle that was published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PublishedBundle {
    /// Its id.
    pub bundle_id: String,
}

/// Every type that is published or built in, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RegistryTypes {
    /// The bundle that was published last; null if there is none.
    pub registry_bundle_id: Option<String>,
    /// The types.
    pub types: Vec<RegistryType>,
}

/// A type and its versions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RegistryType {
    /// Whether it is built in, and not published.
    pub built_in: bool,
    /// Its newest version.
    pub latest: Option<u32>,
    /// Its name.
    #[schema(example = "com.example.Message")]
    pub type_id: String,
    /// Its versions, the oldest first.
    pub versions: Vec<u32>,
}

/// What shows types in a browser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Renderers {
    /// The renderer of the newest version of every type that has one, by type.
    #[serde(with = "crate::exact::map")]
    #[schema(value_type = Object)]
    pub renderers: BTreeMap<String, Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renderers_keep_their_numbers() {
        let text = r#"{"renderers":{"t":{"id":18446744073709551615,"scale":0.9812852326851965}}}"#;
        let read: Renderers = serde_json::from_str(text).expect("its own text");
        assert_eq!(serde_json::to_string(&read).expect("plain data"), text);
        assert!(serde_json::from_str::<Renderers>(r#"{"renderers":{"t":18446744073709551617}}"#).is_err());
    }
}
