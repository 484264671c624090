//! From written values to typed ones. Each says what is wrong as the end of "`key` …".

use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use cairn_access::{Role, TrustedUser};
use cairn_gate::Network;

use super::{LogFormat, Raw};
use crate::limits;

pub(super) fn text(raw: &Raw) -> Result<&str, String> {
    match raw {
        Raw::Text(text) => Ok(text),
        Raw::Number(_) | Raw::List(_) | Raw::Other(_) => Err(format!("must be a text in quotes, not {raw}")),
    }
}

/// A path; an empty text is none.
pub(super) fn path(raw: &Raw) -> Result<Option<PathBuf>, String> {
    Ok(Some(text(raw)?).filter(|text| !text.is_empty()).map(PathBuf::from))
}

pub(super) fn address(raw: &Raw) -> Result<SocketAddr, String> {
    let text = text(raw)?;
    // A name would have to be looked up, and could lead anywhere; this one is what everybody types.
    let numeric = text.replace("localhost:", "127.0.0.1:");
    numeric.parse().map_err(|_| format!("must be an address and a port such as 127.0.0.1:9010, not {raw}"))
}

/// A number in a range.
pub(super) fn number(raw: &Raw, low: u64, high: u64) -> Result<u64, String> {
    let wrong = || format!("must be a number from {low} to {high}, not {raw}");
    let value = match raw {
        Raw::Number(number) => *number,
        Raw::Text(text) => text.trim().parse().map_err(|_| wrong())?,
        Raw::List(_) | Raw::Other(_) => return Err(wrong()),
    };
    if (low..=high).contains(&value) { Ok(value) } else { Err(wrong()) }
}

/// A number of bytes in a range, plain or as text with a unit: `"64 MiB"`.
pub(super) fn bytes(raw: &Raw, low: u64, high: u64) -> Result<u64, String> {
    let wrong = || format!("must be {low} to {high} bytes, such as 1048576 or \"1 MiB\", not {raw}");
    let plain = match raw {
        Raw::Text(text) => Raw::Number(with_unit(text).ok_or_else(wrong)?),
        Raw::Number(_) | Raw::List(_) | Raw::Other(_) => raw.clone(),
    };
    number(&plain, low, high).map_err(|_| wrong())
}

fn with_unit(text: &str) -> Option<u64> {
    let digits = text.trim().trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: u64 = match text.trim()[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        _ => return None,
    };
    digits.trim().parse::<u64>().ok()?.checked_mul(factor)
}

/// A number from 1 on, or `off` for none.
pub(super) fn number_or_off(raw: &Raw, high: u64) -> Result<Option<NonZeroU64>, String> {
    or_off(raw, number(raw, 1, high))
}

/// A number of bytes in a range, or `off` for none.
pub(super) fn bytes_or_off(raw: &Raw, low: u64, high: u64) -> Result<Option<NonZeroU64>, String> {
    or_off(raw, bytes(raw, low, high))
}

fn or_off(raw: &Raw, value: Result<u64, String>) -> Result<Option<NonZeroU64>, String> {
    if matches!(raw, Raw::Text(text) if text == "off") {
        return Ok(None);
    }
    value.map(NonZeroU64::new).map_err(|wrong| format!("{wrong}; \"off\" is no limit"))
}

pub(super) const MINUTE: u64 = 60;
pub(super) const DAY: u64 = 24 * 60 * MINUTE;

/// A time in a range of seconds, or `word` for none.
pub(super) fn time_or(raw: &Raw, word: &str, low: u64, high: u64) -> Result<Option<Duration>, String> {
    let text = text(raw)?;
    if text == word {
        return Ok(None);
    }
    let low_text = shown(Some(Duration::from_secs(low)), word);
    let high_text = shown(Some(Duration::from_secs(high)), word);
    let found = time(text).filter(|time| (low..=high).contains(&time.as_secs()));
    let wrong =
        || format!("must be {word:?} or a time from {low_text} to {high_text} such as \"30d\", not {raw}");
    found.map(Some).ok_or_else(wrong)
}

/// A time with its unit: `90s`, `15m`, `12h`, `30d`.
pub(crate) fn time(text: &str) -> Option<Duration> {
    cairn_base::time_span(text)
}

/// A time in its largest unit, or `word` for none.
pub(super) fn shown(time: Option<Duration>, word: &str) -> String {
    let Some(seconds) = time.map(|time| time.as_secs()) else { return word.to_owned() };
    let units = [(DAY, 'd'), (60 * MINUTE, 'h'), (MINUTE, 'm')];
    let fitting = units.into_iter().find(|(unit, _)| seconds > 0 && seconds.is_multiple_of(*unit));
    let (unit, name) = fitting.unwrap_or((1, 's'));
    format!("{}{name}", seconds / unit)
}

/// `on` or `off`.
pub(super) fn switch(raw: &Raw) -> Result<bool, String> {
    match text(raw)? {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("must be \"on\" or \"off\", not {raw}")),
    }
}

/// Texts, in a list or separated by commas.
fn items(raw: &Raw, of: &str) -> Result<Vec<String>, String> {
    match raw {
        Raw::List(items) => Ok(items.clone()),
        Raw::Text(text) => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            Ok(items.map(str::to_owned).collect())
        }
        Raw::Number(_) | Raw::Other(_) => Err(format!("must be a list of {of}, not {raw}")),
    }
}

/// Networks that are trusted.
pub(super) fn networks(raw: &Raw) -> Result<Vec<Network>, String> {
    let items = items(raw, "networks")?;
    if items.len() > limits::TRUSTED_NETWORKS_MAX {
        return Err(format!(
            "must hold at most {} networks, not {}",
            limits::TRUSTED_NETWORKS_MAX,
            items.len()
        ));
    }
    let network = |item: &String| item.parse().map_err(|error| format!("must hold networks: {error}"));
    items.iter().map(network).collect()
}

/// A user with its tenant; an empty text is none.
pub(super) fn trusted_user(raw: &Raw) -> Result<String, String> {
    let text = text(raw)?;
    if !text.is_empty() {
        TrustedUser::parse(text, Role::Reader)
            .map_err(|error| format!("must be a user: {error}, not {raw}"))?;
    }
    Ok(text.to_owned())
}

/// A role that can be lent without credentials.
pub(super) fn trusted_role(raw: &Raw) -> Result<Role, String> {
    let role = text(raw)?.parse().ok().filter(|role| matches!(role, Role::Reader | Role::Writer));
    role.ok_or_else(|| format!("must be \"reader\" or \"writer\", not {raw}"))
}

/// Origins, in a list or separated by commas.
pub(super) fn origins(raw: &Raw) -> Result<Vec<String>, String> {
    let items = items(raw, "origins")?;
    match items.iter().find(|item| !is_origin(item)) {
        Some(item) => Err(format!("must hold origins such as https://app.example.org, not {item:?}")),
        None => Ok(items),
    }
}

/// Scheme and host, perhaps a port, and nothing after it: what a browser sends. No wildcards.
fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.:[]".contains(c);
    host.is_some_and(|host| !host.is_empty() && host.chars().all(valid))
}

pub(super) fn log_format(raw: &Raw) -> Result<LogFormat, String> {
    match text(raw)? {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err(format!("must be \"text\" or \"json\", not {raw}")),
    }
}

pub(super) fn log_level(raw: &Raw) -> Result<String, String> {
    let text = text(raw)?;
    match tracing_subscriber::EnvFilter::builder().parse(text) {
        Ok(_) if !text.trim().is_empty() => Ok(text.to_owned()),
        _ => Err(format!(
            "must be error, warn, info, debug or trace, or a list such as info,cairn_http=debug, not {raw}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Raw {
        Raw::Text(text.to_owned())
    }

    #[test]
    fn trusted_networks_and_their_user() {
        let list = |items: &[&str]| Raw::List(items.iter().map(|item| (*item).to_owned()).collect());
        assert_eq!(networks(&written("10.0.0.0/8, fd00::/8")).map(|found| found.len()), Ok(2));
        assert_eq!(networks(&list(&[])).map(|found| found.len()), Ok(0));
        for bad in ["0.0.0.0/0", "10.0.0.1/8", "example.org", "10.0.0.0/8 192.168.0.0/16"] {
            assert!(networks(&list(&[bad])).is_err(), "{bad}");
        }
        let many = |count| networks(&Raw::List(vec!["10.0.0.0/8".to_owned(); count])).is_ok();
        assert!(many(limits::TRUSTED_NETWORKS_MAX) && !many(limits::TRUSTED_NETWORKS_MAX + 1));
        assert_eq!(trusted_user(&written("acme/sdk")), Ok("acme/sdk".to_owned()));
        assert_eq!(trusted_user(&written("")), Ok(String::new()));
        for bad in ["acme", "/sdk", "local/local-owner"] {
            assert!(trusted_user(&written(bad)).is_err(), "{bad}");
        }
        assert_eq!(trusted_role(&written("writer")), Ok(Role::Writer));
        for bad in ["admin", "operator", "", "Writer", "owner"] {
            assert!(trusted_role(&written(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn addresses() {
        assert_eq!(address(&written("localhost:0")), Ok(SocketAddr::from(([127, 0, 0, 1], 0))));
        assert!(address(&written("[::1]:9010")).is_ok());
        for bad in ["", "127.0.0.1", "9010", "example.org:80", "127.0.0.1:99999"] {
            assert!(address(&written(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn bytes_take_units_and_keep_their_range() {
        for (text, expected) in
            [("10", 10), ("1KiB", 1024), (" 2 MiB ", 2 << 20), ("1 gib", 1 << 30), ("7b", 7)]
        {
            assert_eq!(bytes(&written(text), 1, 1 << 30), Ok(expected), "{text}");
        }
        for bad in ["", "MiB", "1 MB", "-1", "1.5 MiB", "2 GiB", "0", "99999999999 GiB"] {
            assert!(bytes(&written(bad), 1, 1 << 30).is_err(), "{bad}");
        }
        assert_eq!(bytes(&Raw::Number(5), 1, 5), Ok(5));
        assert!(bytes(&Raw::Number(6), 1, 5).is_err());
    }

    #[test]
    fn off_is_no_limit_and_nothing_else_is() {
        assert_eq!(number_or_off(&written("off"), 9), Ok(None));
        assert_eq!(number_or_off(&Raw::Number(9), 9), Ok(NonZeroU64::new(9)));
        assert_eq!(bytes_or_off(&written("off"), 1024, 4096), Ok(None));
        assert_eq!(bytes_or_off(&written("2 KiB"), 1024, 4096), Ok(NonZeroU64::new(2048)));
        for bad in [Raw::Number(0), Raw::Number(10), written("0"), written("none"), written("")] {
            let wrong = number_or_off(&bad, 9).expect_err("out of range");
            assert!(wrong.contains("from 1 to 9") && wrong.ends_with("\"off\" is no limit"), "{wrong}");
        }
        assert!(bytes_or_off(&Raw::Number(0), 1024, 4096).is_err());
    }

    #[test]
    fn times_have_units_and_keep_their_range() {
        for (text, seconds) in [("0s", 0), ("90s", 90), ("15m", 900), ("12 h", 43_200), ("30d", 2_592_000)] {
            assert_eq!(time(text), Some(Duration::from_secs(seconds)), "{text}");
            let again = shown(time(text), "off");
            assert_eq!(time(&again), time(text), "{again}");
        }
        for bad in ["", "d", "30", "1w", "-1d", "1.5h", "99999999999999999d", "ä", "1 dä"] {
            assert_eq!(time(bad), None, "{bad}");
        }
        assert_eq!(time_or(&written("off"), "off", 60, 120), Ok(None));
        assert_eq!(time_or(&written("2m"), "off", 60, 120), Ok(Some(Duration::from_secs(120))));
        for bad in [written("59s"), written("121s"), written("all"), Raw::Number(60)] {
            assert!(time_or(&bad, "off", 60, 120).is_err(), "{bad}");
        }
    }

    #[test]
    fn origins_are_scheme_host_and_port() {
        let two = Ok(vec!["https://a.example".to_owned(), "http://localhost:3000".to_owned()]);
        assert_eq!(origins(&written("https://a.example, http://localhost:3000")), two);
        assert_eq!(origins(&written("")), Ok(Vec::new()));
        for bad in
            ["*", "null", "a.example", "https://", "https://a.example/", "https://A.example", "ftp://a"]
        {
            assert!(origins(&written(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn levels_and_formats() {
        assert!(log_level(&written("debug")).is_ok());
        assert!(log_level(&written("info,cairn_http=debug")).is_ok());
        for bad in ["", "a=b=c", "info,x=loud"] {
            assert!(log_level(&written(bad)).is_err(), "{bad}");
        }
        assert_eq!(log_format(&written("json")), Ok(LogFormat::Json));
        assert!(log_format(&written("xml")).is_err());
        assert!(log_format(&Raw::Number(1)).is_err());
    }
}
