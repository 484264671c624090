//! Secrets on their way.

use std::fmt;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use zeroize::Zeroizing;

/// A secret, wiped after use and never printed by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Revealed(pub Zeroizing<String>);

impl fmt::Debug for Revealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Revealed(…)")
    }
}

impl Serialize for Revealed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Revealed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Revealed(Zeroizing::new(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_sent_and_not_printed() {
        let secret: Revealed = serde_json::from_str("\"cairn_AAAA\"").expect("a text");
        assert_eq!(serde_json::to_string(&secret).expect("plain data"), "\"cairn_AAAA\"");
        assert!(!format!("{secret:?}").contains("AAAA"));
    }
}
