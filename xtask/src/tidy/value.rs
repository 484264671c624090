//! Values of constants, computed from their source: as much arithmetic as limits need.

use std::collections::BTreeMap;

/// Names of limits and the source of their values.
pub(super) type Limits<'a> = BTreeMap<&'a str, &'a str>;

/// A value in words: a length of time, a size where the name speaks of bytes, or else a number.
pub(super) fn shown(name: &str, source: &str, limits: &Limits<'_>) -> Option<String> {
    let value = evaluate(source, limits)?;
    Some(match value {
        Value::Milliseconds(ms) => {
            in_units(ms, &[(86_400_000, "days"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms")])
        }
        Value::Number(bytes) if name.contains("BYTES") || name.contains("RATE_DEFAULT") => {
            in_units(bytes, &[(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "bytes")])
        }
        Value::Number(number) => grouped(number),
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    Number(u64),
    Milliseconds(u64),
}

/// In the largest unit that goes in evenly, in days from two of them on.
fn in_units(value: u64, units: &[(u64, &str)]) -> String {
    let fits = |&&(size, unit): &&(u64, &str)| {
        (value >= size && value.is_multiple_of(size)) && (unit != "days" || value > size)
    };
    let (size, unit) = units.iter().find(fits).or(units.last()).copied().unwrap_or((1, ""));
    format!("{} {unit}", grouped(value / size))
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn evaluate(source: &str, limits: &Limits<'_>) -> Option<Value> {
    let source = source.trim();
    for (constructor, ms) in [("Duration::from_secs(", 1000), ("Duration::from_millis(", 1)] {
        if let Some(inner) = source.strip_prefix(constructor) {
            let number = number(inner.strip_suffix(')')?, limits)?;
            return number.checked_mul(ms).map(Value::Milliseconds);
        }
    }
    if let Some(other) = source.rsplit("::").next().and_then(|name| limits.get(name)) {
        return evaluate(other, limits);
    }
    number(source, limits).map(Value::Number)
}

/// Products, shifts and casts of numbers and names; nothing else occurs in limits.
fn number(source: &str, limits: &Limits<'_>) -> Option<u64> {
    let source = source.trim();
    if let Some((left, right)) = source.split_once("<<") {
        return number(left, limits)?.checked_shl(u32::try_from(number(right, limits)?).ok()?);
    }
    if let Some((left, right)) = source.split_once('*') {
        return number(left, limits)?.checked_mul(number(right, limits)?);
    }
    if let Some((left, _)) = source.split_once(" as ") {
        return number(left, limits);
    }
    match source.rsplit("::").next()? {
        "KIB" => Some(1 << 10),
        "MIB" => Some(1 << 20),
        name if limits.contains_key(name) => number(limits[name], limits),
        digits => digits.replace('_', "").parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_in_their_units() {
        let limits = Limits::from([("BLOB_BYTES_MAX", "63 * MIB"), ("PAUSE", "Duration::from_millis(100)")]);
        let check = |name: &str, source: &str, expected: &str| {
            assert_eq!(shown(name, source, &limits).as_deref(), Some(expected), "{source}");
        };
        check("VALUE_BYTES_MAX", "64 * KIB", "64 KiB");
        check("VALUE_BYTES_MAX", "1024", "1 KiB");
        check("VALUE_BYTES_MAX", "255", "255 bytes");
        check("VALUE_BYTES_MAX", "1536 * KIB", "1,536 KiB");
        check("SCRUB_RATE_DEFAULT", "4 * MIB as u64", "4 MiB");
        check("CONTENT_BYTES_MAX", "cairn_engine::limits::BLOB_BYTES_MAX", "63 MiB");
        check("BLOB_BYTES_MAX", "1 << 30", "1 GiB");
        check("LOGINS_KEPT", "16 << 10", "16,384");
        check("ROWS_MAX", "10_000_000", "10,000,000");
        check("GRACE", "Duration::from_secs(24 * 60 * 60)", "24 h");
        check("EVERY", "Duration::from_secs(7 * 24 * 60 * 60)", "7 days");
        check("NOTHING_BYTES_MIN", "0", "0 bytes");
        check("HEARTBEAT", "Duration::from_secs(1)", "1 s");
        check("DEADLINE", "Duration::from_secs(90)", "90 s");
        check("PAUSE_MIN", "PAUSE", "100 ms");
    }

    #[test]
    fn what_is_not_understood_has_no_value() {
        for source in ["most()", "1 + 1", "Duration::MAX", "OTHER", ""] {
            assert_eq!(shown("X_MAX", source, &Limits::new()), None, "{source}");
        }
    }
}
