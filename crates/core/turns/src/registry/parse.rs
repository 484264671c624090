//! Where in a bundle something is wrong, and what.

use std::collections::BTreeMap;

use cairn_base::Value;

use crate::limits;

/// Something in a bundle that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// Where, such as `types.com.example.Message.versions.1.fields.2.type`.
    pub at: String,
    /// What is wrong with it.
    pub problem: String,
}

/// A place in a bundle that is being read.
#[derive(Debug, Clone)]
pub(super) struct Parsing<'a> {
    above: Option<&'a Parsing<'a>>,
    name: String,
}

impl<'a> Parsing<'a> {
    pub(super) fn top() -> Self {
        Parsing { above: None, name: String::new() }
    }

    /// What is under a key here.
    pub(super) fn key(&'a self, name: &str) -> Parsing<'a> {
        Parsing { above: Some(self), name: name.to_owned() }
    }

    pub(super) fn wrong(&self, problem: impl Into<String>) -> Wrong {
        Wrong { at: self.path(), problem: problem.into() }
    }

    fn path(&self) -> String {
        match self.above.map(Parsing::path).filter(|above| !above.is_empty()) {
            Some(above) => format!("{above}.{}", self.name),
            None if self.name.is_empty() => "the bundle".to_owned(),
            None => self.name.clone(),
        }
        .replace("the bundle.", "")
    }

    pub(super) fn object<'v>(&self, value: &'v Value) -> Result<&'v BTreeMap<String, Value>, Wrong> {
        value.as_object().ok_or_else(|| self.wrong("is not an object"))
    }

    /// The object under a key; an empty one if there is none.
    pub(super) fn object_at<'v>(
        &self,
        entries: &'v BTreeMap<String, Value>,
        key: &str,
    ) -> Result<&'v BTreeMap<String, Value>, Wrong> {
        static EMPTY: BTreeMap<String, Value> = BTreeMap::new();
        match entries.get(key) {
            None | Some(Value::Null) => Ok(&EMPTY),
            Some(value) => self.key(key).object(value),
        }
    }

    /// A name under a key, if there is one.
    pub(super) fn name(&self, entries: &BTreeMap<String, Value>, key: &str) -> Result<Option<String>, Wrong> {
        let Some(value) = entries.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
        let name = value.as_str().ok_or_else(|| self.key(key).wrong("is not a text"))?;
        self.key(key).check_name(name)?;
        Ok(Some(name.to_owned()))
    }

    /// Names are short, and not empty.
    pub(super) fn check_name(&self, name: &str) -> Result<(), Wrong> {
        let max = limits::TYPE_ID_BYTES_MAX;
        if name.is_empty() || name.len() > max {
            return Err(self.wrong(format!("must have 1 to {max} bytes")));
        }
        Ok(())
    }

    pub(super) fn flag(&self, entries: &BTreeMap<String, Value>, key: &str) -> Result<bool, Wrong> {
        match entries.get(key) {
            None | Some(Value::Null) => Ok(false),
            Some(value) => value.as_bool().ok_or_else(|| self.key(key).wrong("is neither true nor false")),
        }
    }

    /// A number that stands as a key.
    pub(super) fn number<T: std::str::FromStr>(&self, text: &str) -> Result<T, Wrong> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.then(|| text.parse().ok()).flatten();
        number.ok_or_else(|| self.key(text).wrong("is not a number, or too large a one"))
    }
}
