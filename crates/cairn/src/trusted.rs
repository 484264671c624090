//! The rule that lets in clients of the binary protocol without credentials.
//!
//! The one exception to "no address but loopback without authentication and TLS", for clients that cannot send
//! a token. It is off by default, and nothing here guesses: networks, user and authentication are named.

use cairn_access::TrustedUser;
use cairn_binary::Trusted;
use cairn_engine::Engine;

use crate::config::Config;
use crate::exposure::Exposure;
use crate::failure::Failure;

/// The rule that the configuration names, if it does.
pub(crate) fn rule(config: &Config, exposure: Exposure) -> Result<Option<Trusted>, Failure> {
    if config.binary_trusted_networks.is_empty() {
        return Ok(None);
    }
    let wrong = |why: &str| Failure::usage(format!("binary.trusted_networks: {why}"));
    if config.binary_trusted_user.is_empty() {
        return Err(wrong("nothing says who clients from these networks are")
            .hint("make a user for them, and name it in binary.trusted_user as tenant/user"));
    }
    let user =
        TrustedUser::parse(&config.binary_trusted_user, config.binary_trusted_role).map_err(|error| {
            wrong(&error.to_string()).hint("correct binary.trusted_user and binary.trusted_role")
        })?;
    if !exposure.has_auth {
        return Err(wrong("authentication is off, and so everyone who reaches the server is its owner")
            .hint("turn authentication on with --auth on"));
    }
    if exposure.is_behind_proxy {
        return Err(wrong("behind a proxy every connection has the address of the proxy")
            .hint("leave out --insecure-behind-proxy, and have clients connect to binary.addr themselves"));
    }
    let in_the_open = !exposure.has_tls && !config.binary_addr.ip().to_canonical().is_loopback();
    Ok(Some(Trusted { networks: config.binary_trusted_networks.clone(), user, in_the_open }))
}

/// Has the rule hold from now on: its user exists and may come in, the audit trail and the log say so.
pub(crate) fn announce(engine: &Engine, rule: &Trusted) -> Result<(), Failure> {
    let networks: Vec<_> = rule.networks.iter().map(ToString::to_string).collect();
    let networks = networks.join(", ");
    engine.trust(&rule.user, &networks).map_err(|error| {
        Failure::usage(format!("binary.trusted_user: {error}"))
            .hint("make the user with `cairn access user add NAME --role ROLE --tenant TENANT`")
    })?;
    let encrypted = if rule.in_the_open { "not encrypted, " } else { "" };
    tracing::warn!(
        %networks, user = %rule.user,
        "clients of the binary protocol from these networks are let in without credentials, {encrypted}as this user"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use cairn_access::Role;

    use super::*;

    const EXPOSURE: Exposure =
        Exposure { has_auth: true, has_tls: false, is_behind_proxy: false, trusts_networks: false };

    fn config(addr: &str) -> Config {
        Config {
            binary_addr: addr.parse().expect("an address"),
            binary_trusted_networks: vec!["10.0.0.0/8".parse().expect("a network")],
            binary_trusted_user: "acme/sdk".to_owned(),
            binary_trusted_role: Role::Writer,
            ..Config::default()
        }
    }

    #[test]
    fn a_rule_is_named_in_full_or_refused() {
        assert_eq!(rule(&Config::default(), EXPOSURE).expect("no rule"), None);
        let refused =
            |config: &Config, exposure| format!("{:?}", rule(config, exposure).expect_err("refused"));
        let named = config("0.0.0.0:9009");
        let nameless = Config { binary_trusted_user: String::new(), ..named.clone() };
        assert!(refused(&nameless, EXPOSURE).contains("nothing says who"));
        let owner = Config { binary_trusted_user: "local/local-owner".to_owned(), ..named.clone() };
        assert!(refused(&owner, EXPOSURE).contains("local owner"));
        let admin = Config { binary_trusted_role: Role::Admin, ..named.clone() };
        assert!(refused(&admin, EXPOSURE).contains("administers"));
        assert!(refused(&named, Exposure { has_auth: false, ..EXPOSURE }).contains("authentication is off"));
        assert!(refused(&named, Exposure { is_behind_proxy: true, ..EXPOSURE }).contains("behind a proxy"));
    }

    #[test]
    fn where_nothing_is_encrypted_only_trusted_networks_get_in() {
        let with_tls = Exposure { has_tls: true, ..EXPOSURE };
        for (addr, exposure, in_the_open) in [
            ("0.0.0.0:9009", EXPOSURE, true),
            ("[::]:9009", EXPOSURE, true),
            ("10.1.1.1:9009", EXPOSURE, true),
            ("127.0.0.1:9009", EXPOSURE, false),
            ("[::ffff:127.0.0.1]:9009", EXPOSURE, false),
            ("0.0.0.0:9009", with_tls, false),
        ] {
            let found = rule(&config(addr), exposure).expect("a rule").expect("it is named");
            assert_eq!(found.in_the_open, in_the_open, "{addr} {exposure:?}");
        }
    }
}
