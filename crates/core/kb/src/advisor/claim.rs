//! Claims of strict properties: one row per sentence pattern, in the order in which they are tried.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::receipt::SuggestedClaim;
use crate::model::{Operator, ValueType};
use crate::sentence::{
    Quantity, denies, plain_value, quantity, regex, slug, subject_fault, subject_key, unit, value_set,
    without_article,
};

/// A pattern of a claim.
pub(super) struct ClaimPattern {
    confidence: f64,
    /// Texts in lower case; a clause that contains none of them is not compared.
    cues: &'static [&'static str],
    form: &'static str,
    read: fn(&Captures<'_>) -> Option<SuggestedClaim>,
    /// Sentences that match, and their claims.
    #[cfg_attr(not(test), expect(dead_code, reason = "examples of the table are run by tests"))]
    matches: &'static [(&'static str, &'static str)],
    /// Sentences that do not match.
    #[cfg_attr(not(test), expect(dead_code, reason = "examples of the table are run by tests"))]
    rejects: &'static [&'static str],
}

/// Every pattern of a claim, in the order in which they are tried.
#[rustfmt::skip]
const CLAIMS: &[ClaimPattern] = &[
    ClaimPattern {
        confidence: 0.88, cues: &["expire"],
        form: r"(?P<s>.+?) (?:{M} |always )?expires? after (?P<n>{N}) ?(?P<u>{T})",
        read: |found| duration(found, "expiry"),
        matches: &[
            ("User sessions expire after 30 minutes.", "user.session expiry_minutes eq 30 minutes"),
            ("A token must expire after one hour", "token expiry_hours eq 1 hours"),
            ("Links always expire after 24 h", "link expiry_hours eq 24 hours"),
            ("Archives expire after 1,500 days", "archive expiry_days eq 1500 days"),
        ],
        rejects: &["Sessions expire after a while.", "Sessions expire after 1,5 hours.", "Sessions never expire after 5 hours.", "If idle, sessions expire after 5 minutes.", "Sessions expire after 30 minutes of rest."],
    },
    ClaimPattern {
        confidence: 0.86, cues: &[" be ", " exceed "],
        form: r"(?P<s>.+?) {M} (?:be (?P<op>less than|fewer than|smaller than|shorter than|greater than|more than|larger than|longer than|below|under|above|over|(?:a )?minimum(?: of)?|(?:a )?maximum(?: of)?|at least|at most|no more than|no less than|exactly)|(?:not|never) (?P<not>exceed|be less than|be fewer than|be smaller than|be shorter than|be greater than|be more than|be larger than|be longer than|be below|be under|be above|be over)) (?P<n>{N})(?: ?(?P<u>%|[a-z]+(?:/[a-z]+)?)(?: (?:long|wide|high|tall|deep|old|large|in size|in length))?)?",
        read: comparison,
        matches: &[
            ("The response time must be less than 200 ms.", "response.time value lt 200 ms"),
            ("Password length must be at least 12 characters", "password.length value gte 12 characters"),
            ("Passwords must be at least 12 characters long.", "password value gte 12 characters"),
            ("Uploads must be smaller than 10 MB", "upload value lt 10 MB"),
            ("Names must not be longer than 64 letters", "name value lte 64 letters"),
            ("Coverage should be above 80.5%", "coverage value gt 80.5 percent"),
            ("Latency must not exceed 200 ms", "latency value lte 200 ms"),
            ("Latency must never exceed 1,200 ms", "latency value lte 1200 ms"),
            ("Length must not be less than 8", "length value gte 8"),
            ("The pin must be exactly 6 digits", "pin value eq 6 digits"),
            ("Page size must be maximum 50", "page.size value lte 50"),
        ],
        rejects: &["The response time must be low.", "It must be at most 3 active sessions.", "Latency is below 200 ms",
            "No password shall be shorter than 12 characters.", "No upload shall be more than 20 MB", "Fees must not exceed 3,14 EUR",
            "Neither uploads nor downloads must be more than 20 MB", "Few requests must be longer than 5 s", "In production, uploads must be under 5 MB"],
    },
    ClaimPattern {
        confidence: 0.88, cues: &[" within "],
        form: r"(?P<s>.+?) {M} (?:return|respond|reply|answer) within (?P<n>{N}) ?(?P<u>ms|milliseconds?|s|seconds?)",
        read: |found| {
            let unit = unit(&found["u"]);
            let value = quantity(&found["n"])?;
            Some(claim(&found["s"], &format!("latency_{unit}"), Operator::Lte, value, Some(unit)))
        },
        matches: &[
            ("The search API must return within 200 ms.", "search.api latency_ms lte 200 ms"),
            ("Lookups should respond within 1.5 seconds", "lookup latency_seconds lte 1.5 seconds"),
        ],
        rejects: &["The search API must return fast.", "Books must return within 3 weeks."],
    },
    ClaimPattern {
        confidence: 0.88, cues: &["enabled", "disabled"],
        form: r"(?P<s>.+?) (?:{M}|(?P<not>{M} (?:not|never)|cannot|can not|can't|may not)) be (?P<v>enabled|disabled)",
        read: |found| {
            let is_on = found["v"].eq_ignore_ascii_case("enabled") != found.name("not").is_some();
            Some(SuggestedClaim { value_bool: Some(is_on), ..empty(&found["s"], "enabled", Operator::Eq, ValueType::Bool) })
        },
        matches: &[
            ("Two-factor login must be enabled.", "two.factor.login enabled eq true"),
            ("All debug endpoints are disabled.", "debug.endpoint enabled eq false"),
            ("The cache must not be enabled.", "cache enabled eq false"),
            ("Logging cannot be disabled", "logging enabled eq true"),
        ],
        rejects: &["Two-factor login is enabled.", "Exports must be enabled by a flag."],
    },
    ClaimPattern {
        confidence: 0.92, cues: &["retained for "],
        form: r"(?P<s>.+?) {M} be retained for (?P<n>{N}) ?(?P<u>{T})",
        read: |found| duration(found, "retention"),
        matches: &[("Customer data must be retained for 7 years.", "customer.data retention_years eq 7 years")],
        rejects: &["Customer data must be retained.", "Customer data is retained for 7 years."],
    },
    ClaimPattern {
        confidence: 0.86, cues: &["one of"],
        form: r"(?P<s>.+?) {M} be one of(?: (?:the following|these)(?: [a-z]+)?| the (?:values?|options?|states?|modes?))?:? (?P<l>.+)",
        read: |found| {
            let members = value_set(&found["l"]);
            let text = |members: &str| members.split('|').count() > 1;
            let claim = empty(&found["s"], "allowed_values", Operator::Eq, ValueType::String);
            text(&members).then_some(SuggestedClaim { value_string: Some(members), ..claim })
        },
        matches: &[("The order status must be one of draft, paid or In Transit.", "order.status allowed_values eq draft|paid|in_transit"),
            ("The mode must be one of: on, off", "mode allowed_values eq on|off"),
            ("The mode must be one of the following: on, off", "mode allowed_values eq on|off"),
            ("The mode must be one of the following on, off", "mode allowed_values eq on|off"),
            ("The mode must be one of these values: on or off", "mode allowed_values eq on|off")],
        rejects: &["The order status must be one of many.", "It is one of a and b."],
    },
    ClaimPattern {
        confidence: 0.90, cues: &["at most ", "at least ", "exactly ", "no more than ", "up to "],
        form: r"(?:(?P<b>.*)[^\w])?(?P<op>at most|at least|exactly|no more than|up to) (?P<n>{N}) (?P<r>[a-z][\w'-]*(?: [\w'-]+){0,3}?)(?: (?:is|are|may be|can be|{M} be) (?:allowed|permitted|accepted|supported|possible|kept))?",
        read: cardinality,
        matches: &[
            ("A user must have at most 3 active sessions.", "user.session active_count lte 3"),
            ("Each project has exactly two owners", "owner count eq 2"),
            ("No more than 3 retries are allowed.", "retrie count lte 3"),
            ("There must be no more than 3 carts.", "cart count lte 3"),
        ],
        rejects: &["No user may have exactly 3 carts.", "While offline, a user must have at most 3 carts.", "Up to 3 carts are shown",
            "A user must not have at least 3 carts", "Names must be at least 2 and at most 64 letters", "A user must wait at least 5 minutes.", "Users have 3 sessions", "Up to 5 requests per minute"],
    },
    ClaimPattern {
        confidence: 0.90, cues: &["cap"],
        form: r"(?P<s>.+?) (?:(?:{M} be|is|are) )?cap(?:s|ped)?(?: (?P<q>[\w' -]+?))? at (?:(?P<p>[a-z][\w'-]*(?: [a-z][\w'-]*)?) )?(?P<n>{N})(?: ?(?P<u>%|[a-z]+))?",
        read: |found| {
            let part = found.name("p").or_else(|| found.name("q")).map(|part| slug(without_article(part.as_str())));
            let property = part.filter(|part| !part.is_empty()).map_or_else(|| "count".to_owned(), |part| part + "_cap");
            let unit = found.name("u").map(|found| unit(found.as_str()));
            Some(claim(&found["s"], &property, Operator::Lte, quantity(&found["n"])?, unit))
        },
        matches: &[
            ("The list caps at 50.", "list count lte 50"),
            ("Uploads are capped at 20 MB", "upload count lte 20 MB"),
            ("The API caps page size at 100", "api page_size_cap lte 100"),
            ("The plan is capped at seats 25", "plan seats_cap lte 25"),
        ],
        rejects: &["The list has a cap.", "The captain is at 50."],
    },
];

static FORMS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| CLAIMS.iter().map(|claim| regex(&format!("^(?:{})$", claim.form))).collect());

/// Returns the claim of the plain form of a clause, and the confidence in it.
pub(crate) fn find_claim(clause: &str) -> Option<(SuggestedClaim, f64)> {
    let lower = clause.to_ascii_lowercase();
    let candidates = CLAIMS.iter().zip(FORMS.iter());
    candidates.into_iter().find_map(|(pattern, form)| {
        if !pattern.cues.iter().any(|cue| lower.contains(cue)) {
            return None;
        }
        Some((pattern.claim(form, clause)?, pattern.confidence))
    })
}

impl ClaimPattern {
    /// Returns the claim if the clause matches and names its subject.
    fn claim(&self, form: &Regex, clause: &str) -> Option<SuggestedClaim> {
        let found = form.captures(clause)?;
        let is_named = found.name("s").is_none_or(|subject| subject_fault(subject.as_str()).is_none());
        if !is_named || denies(clause) {
            return None;
        }
        let claim = (self.read)(&found)?;
        (!claim.subject_key.is_empty() && !claim.property_key.is_empty()).then_some(claim)
    }
}

fn empty(subject: &str, property: &str, operator: Operator, value_type: ValueType) -> SuggestedClaim {
    SuggestedClaim {
        subject_key: subject_key(subject),
        property_key: property.to_owned(),
        operator,
        value_type,
        value_string: None,
        value_int: None,
        value_number: None,
        value_bool: None,
        unit: None,
    }
}

fn claim(
    subject: &str,
    property: &str,
    operator: Operator,
    value: Quantity,
    unit: Option<String>,
) -> SuggestedClaim {
    match value {
        Quantity::Int(number) => SuggestedClaim {
            value_int: Some(number),
            unit,
            ..empty(subject, property, operator, ValueType::Int)
        },
        Quantity::Decimal(number) => SuggestedClaim {
            value_number: Some(number),
            unit,
            ..empty(subject, property, operator, ValueType::Number)
        },
    }
}

/// A duration in the property of its unit, such as `expiry_minutes`.
fn duration(found: &Captures<'_>, property: &str) -> Option<SuggestedClaim> {
    let unit = unit(&found["u"]);
    let value = quantity(&found["n"])?;
    Some(claim(&found["s"], &format!("{property}_{unit}"), Operator::Eq, value, Some(unit)))
}

fn comparison(found: &Captures<'_>) -> Option<SuggestedClaim> {
    let text = |name: &str| found.name(name).map(|taken| taken.as_str().to_ascii_lowercase());
    let operator = match (text("op"), text("not")) {
        (Some(op), _) => match op.as_str() {
            "less than" | "fewer than" | "smaller than" | "shorter than" | "below" | "under" => Operator::Lt,
            "greater than" | "more than" | "larger than" | "longer than" | "above" | "over" => Operator::Gt,
            "exactly" => Operator::Eq,
            "at least" | "no less than" => Operator::Gte,
            op if op.contains("minimum") => Operator::Gte,
            _ => Operator::Lte,
        },
        (None, Some(not)) => match not.as_str() {
            "be less than" | "be fewer than" | "be smaller than" | "be shorter than" | "be below"
            | "be under" => Operator::Gte,
            _ => Operator::Lte,
        },
        (None, None) => return None,
    };
    let unit = found.name("u").map(|found| unit(found.as_str()));
    Some(claim(&found["s"], "value", operator, quantity(&found["n"])?, unit))
}

/// Words that a counted thing cannot be: units, and words of rates and conditions.
const NOT_COUNTED: &[&str] = &[
    "ms", "second", "minute", "hour", "day", "week", "month", "year", "time", "percent", "kb", "mb", "gb",
    "per", "every", "each", "if", "when", "unless", "before", "after", "until", "long", "wide", "high",
    "old", "within", "must", "should", "shall", "is", "are", "be", "may", "can",
];

/// Words in front of a bound that turn it or make it conditional, and those of another bound.
const TURNING: &[&str] = &[
    "not", "never", "cannot", "can't", "if", "when", "while", "unless", "until", "during", "least", "most",
    "exactly",
];

fn cardinality(found: &Captures<'_>) -> Option<SuggestedClaim> {
    let before = found.name("b").map(|before| before.as_str().to_ascii_lowercase()).unwrap_or_default();
    if before.split_whitespace().any(|word| TURNING.contains(&word)) {
        return None;
    }
    let counted = &found["r"];
    let is_counted = counted.split(' ').all(|word| {
        let word = plain_value(word);
        !NOT_COUNTED.contains(&word.as_str())
            && !NOT_COUNTED.contains(&word.strip_suffix('s').unwrap_or(&word))
    });
    if !is_counted {
        return None;
    }
    let lower = counted.to_ascii_lowercase();
    let subject =
        if lower.ends_with("session") || lower.ends_with("sessions") { "user session" } else { counted };
    let property = if lower.starts_with("active session") { "active_count" } else { "count" };
    let operator = match found["op"].to_ascii_lowercase().as_str() {
        "at least" => Operator::Gte,
        "exactly" => Operator::Eq,
        _ => Operator::Lte,
    };
    Some(claim(subject, property, operator, quantity(&found["n"])?, None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentence::prepare;

    fn line(claim: &SuggestedClaim) -> String {
        let (_, value) = claim.value();
        let value = value.as_str().map_or_else(|| value.to_json(), str::to_owned);
        let unit = claim.unit.iter().map(|unit| format!(" {unit}")).collect::<String>();
        format!("{} {} {} {value}{unit}", claim.subject_key, claim.property_key, claim.operator)
    }

    #[test]
    fn every_example_of_the_table_gives_its_claim_in_its_row() {
        for (pattern, form) in CLAIMS.iter().zip(FORMS.iter()) {
            assert!(!pattern.matches.is_empty() && !pattern.rejects.is_empty());
            for (sentence, expected) in pattern.matches {
                let (claim, confidence) =
                    find_claim(&prepare(sentence)).unwrap_or_else(|| panic!("{sentence}"));
                assert_eq!(
                    (line(&claim).as_str(), confidence),
                    (*expected, pattern.confidence),
                    "{sentence}"
                );
            }
            for sentence in pattern.rejects {
                let plain = prepare(sentence);
                assert_eq!(pattern.claim(form, &plain), None, "{sentence}");
            }
        }
    }
}
