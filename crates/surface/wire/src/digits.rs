//! Numbers of contexts and turns as text: not every reader of JSON keeps 64 bits. A plain number is read too.

use std::fmt::{self, Display};
use std::marker::PhantomData;

use cairn_base::{ContextId, TurnId};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// An id that is written in decimal digits.
pub(crate) trait Digits: Copy + Display {
    /// The id with this number.
    fn of(number: u64) -> Self;
}

impl Digits for ContextId {
    fn of(number: u64) -> Self {
        ContextId(number)
    }
}

impl Digits for TurnId {
    fn of(number: u64) -> Self {
        TurnId(number)
    }
}

pub(crate) fn serialize<T: Digits, S: Serializer>(id: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

pub(crate) fn deserialize<'de, T: Digits, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    AsText::deserialize(deserializer).map(|AsText(id)| id)
}

/// The same for an id that may be missing.
pub(crate) mod option {
    use super::{AsText, Deserialize, Deserializer, Digits, Serialize, Serializer};

    pub(crate) fn serialize<T: Digits, S: Serializer>(
        id: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        id.map(AsText).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, T: Digits, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        Ok(Option::<AsText<T>>::deserialize(deserializer)?.map(|AsText(id)| id))
    }
}

/// The same for a list of ids.
pub(crate) mod list {
    use super::{AsText, Deserialize, Deserializer, Digits, Serializer};

    pub(crate) fn serialize<T: Digits, S: Serializer>(ids: &[T], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(ids.iter().copied().map(AsText))
    }

    pub(crate) fn deserialize<'de, T: Digits, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<T>, D::Error> {
        Ok(Vec::<AsText<T>>::deserialize(deserializer)?.into_iter().map(|AsText(id)| id).collect())
    }
}

struct AsText<T>(T);

impl<T: Digits> Serialize for AsText<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de, T: Digits> Deserialize<'de> for AsText<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Number(PhantomData))
    }
}

struct Number<T>(PhantomData<T>);

impl<T: Digits> Visitor<'_> for Number<T> {
    type Value = AsText<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number as text, such as \"7\"")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(AsText(T::of(number)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        let digits = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        let number = digits.and_then(|text| text.parse().ok());
        number
            .map(|number| AsText(T::of(number)))
            .ok_or_else(|| E::custom(format!("{text:?} is no number as text")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Ids {
        #[serde(with = "super")]
        one: ContextId,
        #[serde(default, with = "super::option")]
        may_be: Option<TurnId>,
        #[serde(with = "super::list")]
        some: Vec<TurnId>,
    }

    #[test]
    fn ids_are_text_and_plain_numbers_are_read() {
        let ids = Ids { one: ContextId(u64::MAX), may_be: None, some: vec![TurnId(1), TurnId(2)] };
        let text = r#"{"one":"18446744073709551615","may_be":null,"some":["1","2"]}"#;
        assert_eq!(serde_json::to_string(&ids).expect("plain data"), text);
        assert_eq!(serde_json::from_str::<Ids>(text).expect("its own text"), ids);
        let plain: Ids = serde_json::from_str(r#"{"one":7,"may_be":"9","some":[]}"#).expect("numbers");
        assert_eq!(plain, Ids { one: ContextId(7), may_be: Some(TurnId(9)), some: vec![] });
        for wrong in [r#""+7""#, r#""""#, "-1", "1.5", r#""18446744073709551616""#, "null"] {
            let text = format!(r#"{{"one":{wrong},"some":[]}}"#);
            assert!(serde_json::from_str::<Ids>(&text).is_err(), "{wrong}");
        }
    }
}
