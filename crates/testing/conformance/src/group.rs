//! What a file of a suite says.

use std::collections::BTreeMap;

use cairn_base::Value;

type Map = BTreeMap<String, Value>;

/// Cases that run in order on one graph, which holds nothing but the bootstrap at first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What it is called.
    pub name: String,
    /// Commands that come before the first case and must succeed.
    pub setup: Vec<String>,
    /// The cases; each sees what those before it did.
    pub cases: Vec<Case>,
}

/// One request, and what is to be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// What it shows.
    pub name: String,
    /// The request of the protocol, without kept values.
    pub request: Map,
    /// Names of kept values that become parameters.
    pub uses: Vec<String>,
    /// What of the answer is kept: a name, and a JSON pointer into the answer.
    pub keep: BTreeMap<String, String>,
    /// Whether the order of rows counts though the command does not ask for one.
    pub ordered: bool,
    /// Whether there is to be a next page, where that matters.
    pub next_cursor: Option<bool>,
    /// What is to be answered.
    pub expected: Expected,
}

/// What a case expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// This result.
    Result(Value),
    /// A list that holds these items and perhaps others.
    Contains(Vec<Value>),
    /// An error.
    Error(Errors),
}

/// What is known of an expected error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Errors {
    /// Its code.
    pub code: String,
    /// Parts of its hint.
    pub hint_contains: Vec<String>,
    /// Parts of its message.
    pub message_contains: Vec<String>,
}

/// A file says something that is no suite.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {what}")]
pub struct FormatError {
    at: String,
    what: String,
}

impl Group {
    /// Reads a group. Keys that nobody knows are refused, so that a misspelt one does not go unheard.
    pub fn from_value(value: &Value) -> Result<Group, FormatError> {
        let entries = Entries::of(value, "the group")?;
        entries.only(&["name", "description", "setup", "cases"])?;
        let at = entries.text("name")?;
        let cases = entries.list("cases")?.iter();
        let cases: Vec<Case> = cases.map(|case| Case::from_value(case, &at)).collect::<Result<_, _>>()?;
        if let Some(twice) = repeated(&cases) {
            return Err(entries.wrong(format!("two cases are called \"{twice}\"")));
        }
        Ok(Group { setup: entries.texts("setup")?, cases, name: at })
    }
}

fn repeated(cases: &[Case]) -> Option<&str> {
    let mut names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// Keys of a case that are keys of its request too.
const REQUEST: &[&str] = &["command", "commands", "parameters", "format", "readonly", "dry_run", "space"];

/// Keys of a case that are for its runner.
const RUNNER: &[&str] = &["name", "use", "keep", "ordered", "next_cursor", "expect"];

impl Case {
    fn from_value(value: &Value, group: &str) -> Result<Case, FormatError> {
        let name = Entries::of(value, group)?.text("name")?;
        let entries = Entries::of(value, &format!("{group}: {name}"))?;
        entries.only(&[REQUEST, RUNNER].concat())?;
        if entries.get("command").is_some() == entries.get("commands").is_some() {
            return Err(entries.wrong("it needs either \"command\" or \"commands\""));
        }
        let said = REQUEST.iter().filter_map(|key| Some(((*key).to_owned(), entries.get(key)?.clone())));
        Ok(Case {
            request: said.collect(),
            uses: entries.texts("use")?,
            keep: entries.names("keep")?,
            ordered: entries.flag("ordered")?.unwrap_or(false),
            next_cursor: entries.flag("next_cursor")?,
            expected: Expected::from_value(entries.need("expect")?, &entries.at)?,
            name,
        })
    }
}

impl Expected {
    fn from_value(value: &Value, at: &str) -> Result<Expected, FormatError> {
        let entries = Entries::of(value, at)?;
        match entries.map.iter().next() {
            Some((key, result)) if entries.map.len() == 1 && key == "result" => {
                Ok(Expected::Result(result.clone()))
            }
            Some((key, _)) if entries.map.len() == 1 && key == "contains" => {
                Ok(Expected::Contains(entries.list("contains")?.to_vec()))
            }
            Some((key, error)) if entries.map.len() == 1 && key == "error" => {
                Ok(Expected::Error(Errors::from_value(error, at)?))
            }
            _ => Err(entries.wrong("\"expect\" has one of \"result\", \"contains\" and \"error\"")),
        }
    }
}

impl Errors {
    fn from_value(value: &Value, at: &str) -> Result<Errors, FormatError> {
        let entries = Entries::of(value, at)?;
        entries.only(&["code", "hint_contains", "message_contains"])?;
        Ok(Errors {
            code: entries.text("code")?,
            hint_contains: entries.texts("hint_contains")?,
            message_contains: entries.texts("message_contains")?,
        })
    }
}

/// An object that is being read, and where it stands.
struct Entries<'a> {
    at: String,
    map: &'a Map,
}

impl<'a> Entries<'a> {
    fn of(value: &'a Value, at: &str) -> Result<Self, FormatError> {
        let wrong = || FormatError { at: at.to_owned(), what: format!("not an object: {}", value.to_json()) };
        Ok(Entries { at: at.to_owned(), map: value.as_object().ok_or_else(wrong)? })
    }

    fn wrong(&self, what: impl Into<String>) -> FormatError {
        FormatError { at: self.at.clone(), what: what.into() }
    }

    fn only(&self, known: &[&str]) -> Result<(), FormatError> {
        match self.map.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(self.wrong(format!("the key \"{key}\" means nothing here"))),
            None => Ok(()),
        }
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key)
    }

    fn need(&self, key: &str) -> Result<&'a Value, FormatError> {
        self.get(key).ok_or_else(|| self.wrong(format!("the key \"{key}\" is missing")))
    }

    fn text(&self, key: &str) -> Result<String, FormatError> {
        let text = self.need(key)?.as_str();
        Ok(text.ok_or_else(|| self.wrong(format!("\"{key}\" is no string")))?.to_owned())
    }

    fn list(&self, key: &str) -> Result<&'a [Value], FormatError> {
        self.need(key)?.as_array().ok_or_else(|| self.wrong(format!("\"{key}\" is no list")))
    }

    /// One string or a list of them; none where the key is missing.
    fn texts(&self, key: &str) -> Result<Vec<String>, FormatError> {
        let wrong = || self.wrong(format!("\"{key}\" holds something that is no string"));
        let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(wrong);
        match self.get(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => items.iter().map(text).collect(),
            Some(value) => Ok(vec![text(value)?]),
        }
    }

    fn names(&self, key: &str) -> Result<BTreeMap<String, String>, FormatError> {
        let Some(value) = self.get(key) else { return Ok(BTreeMap::new()) };
        let inner = Entries::of(value, &self.at)?;
        inner.map.keys().map(|name| Ok((name.clone(), inner.text(name)?))).collect()
    }

    fn flag(&self, key: &str) -> Result<Option<bool>, FormatError> {
        let wrong = || self.wrong(format!("\"{key}\" is neither true nor false"));
        self.get(key).map(|value| value.as_bool().ok_or_else(wrong)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Group, FormatError> {
        Group::from_value(&Value::parse_json(json.as_bytes()).unwrap())
    }

    fn refuse(case: &str, reason: &str) {
        let error = read(&format!(r#"{{"name": "g", "setup": [], "cases": [{case}]}}"#)).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
    }

    #[test]
    fn a_group_is_read_with_everything_it_says() {
        let group = read(
            r#"{"name": "g", "description": "d", "setup": ["a"], "cases": [
                {"name": "c", "command": "b", "parameters": {"x": 1}, "dry_run": true, "ordered": true,
                 "use": ["u"], "keep": {"k": "/result/0"}, "next_cursor": false,
                 "expect": {"error": {"code": "KIP_1001", "hint_contains": "h", "message_contains": ["m", "n"]}}}
            ]}"#,
        )
        .unwrap();
        assert_eq!((group.name.as_str(), group.setup), ("g", vec!["a".to_owned()]));
        let case = &group.cases[0];
        assert_eq!(case.request.keys().collect::<Vec<_>>(), ["command", "dry_run", "parameters"]);
        assert_eq!((case.ordered, case.next_cursor), (true, Some(false)));
        assert_eq!((case.uses.join(","), case.keep["k"].as_str()), ("u".to_owned(), "/result/0"));
        let Expected::Error(error) = &case.expected else { panic!("an error is expected") };
        assert_eq!(
            (error.code.as_str(), error.hint_contains.len(), error.message_contains.len()),
            ("KIP_1001", 1, 2)
        );
    }

    #[test]
    fn what_means_nothing_is_refused() {
        refuse(r#"{"name": "c", "command": "b", "expect": {"result": 1}, "oredered": true}"#, "oredered");
        refuse(r#"{"name": "c", "command": "b", "expect": {"result": 1, "error": {"code": "x"}}}"#, "one of");
        refuse(r#"{"name": "c", "command": "b", "expect": {}}"#, "one of");
        refuse(r#"{"name": "c", "command": "b", "commands": [], "expect": {"result": 1}}"#, "either");
        refuse(r#"{"name": "c", "expect": {"result": 1}}"#, "either");
        refuse(r#"{"name": "c", "command": "b"}"#, "\"expect\" is missing");
        refuse(r#"{"name": "c", "command": "b", "expect": {"result": 1}, "ordered": "yes"}"#, "neither");
        let case = r#"{"name": "c", "command": "b", "expect": {"result": 1}}"#;
        refuse(&format!("{case}, {case}"), "two cases");
    }
}
