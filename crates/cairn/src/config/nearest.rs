//! "Did you mean …?"

use cairn_base::most_alike;

/// What to say about a name that is not known: the nearest known one, or all of them.
pub(super) fn hint(name: &str, known: impl Iterator<Item = String>) -> String {
    let known: Vec<String> = known.collect();
    match most_alike(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_proposed_and_otherwise_all_are_listed() {
        let known = || ["http.addr", "log.level"].into_iter().map(str::to_owned);
        assert_eq!(hint("http.adr", known()), "did you mean `http.addr`?");
        assert_eq!(hint("loglevel", known()), "did you mean `log.level`?");
        assert_eq!(hint("zzz", known()), "known are http.addr, log.level");
    }
}
