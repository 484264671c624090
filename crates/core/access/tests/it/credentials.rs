//! Who is let in, and what the others are told.

use cairn_access::{
    Credential, CredentialError, Login, LoginError, Principal, Role, Token, TokenKey, again, by_jwt,
    by_token, key_owner, registry,
};
use cairn_base::{Base64Url, SeededEntropy, TenantId, from_base64_url};
use ed25519_dalek::SigningKey;

use crate::support::{NODE_ID, NOW_MS, World, header, roles, signed, team, tenant, token_key, user};

const ACME: TenantId = TenantId(2);
const OTHER: TenantId = TenantId(3);
const NOW_S: u64 = NOW_MS / 1000;

fn log_in(world: &World, credential: &str, now_ms: u64) -> Result<Login, CredentialError> {
    let parsed = Credential::parse(credential, &token_key());
    let found = parsed.map_err(LoginError::from).and_then(|credential| match credential {
        Credential::Token(token) => by_token(&*world.snapshot(), &token, now_ms),
        Credential::Jwt(jwt) => {
            let jwt = jwt.verify()?;
            by_jwt(&jwt, &key_owner(&*world.snapshot(), &jwt)?, NODE_ID, now_ms)
        }
    });
    found.map_err(|error| match error {
        LoginError::Credential { error, .. } => error,
        LoginError::Registry(error) => panic!("{error}"),
    })
}

fn claims(exp: u64) -> String {
    format!(r#"{{"aud":"{NODE_ID}","exp":{exp},"jti":"1"}}"#)
}

#[test]
fn a_token_says_who_and_lends_no_more_than_its_scope() {
    let world = World::new();
    world.user(ACME, "ada", "admin");
    let core = team("core");
    world.write(ACME, move |tx, scope| registry::create_team(tx, scope, &core, NOW_MS));
    world.write(ACME, |tx, scope| registry::add_member(tx, scope, &team("core"), &user("ada")));
    let token = world.token(ACME, "ada", "reader", Some(NOW_MS + 1000));
    let login = log_in(&world, &token.reveal(), NOW_MS).expect("it is good");
    let principal = &login.principal;
    assert_eq!(
        (principal.user_id(), principal.tenant(), principal.tenant_name(), principal.is_in_team("core")),
        ("ada", ACME, "acme", true)
    );
    assert_eq!(principal.roles(), roles("reader"), "an administrator with a scope of reading");
    assert_eq!((login.expires_at_ms, login.is_signed()), (Some(NOW_MS + 1000), false));
    assert!(!principal.is_local_owner());
}

/// The same id and secret, and the number of another tenant: a bit of it is turned where it is hidden.
fn of_another_tenant(token: &str) -> String {
    let mut bytes = from_base64_url(&token[6..]).expect("it is base64");
    bytes[4] ^= 1;
    format!("cairn_{}", Base64Url(&bytes))
}

/// The same token as earlier versions wrote it: tenant and id in clear before the secret.
fn in_the_open(token: &Token) -> String {
    let bytes = from_base64_url(&token.reveal()[6..]).expect("it is base64");
    let secret = &bytes[bytes.len() - 24..];
    format!("cairn_{}", Base64Url(&[&token.tenant().0.to_be_bytes()[..], &token.id().0, secret].concat()))
}

#[test]
fn a_token_of_an_earlier_version_says_who_as_well() {
    let world = World::new();
    world.user(ACME, "ada", "writer");
    let token = world.token(ACME, "ada", "writer", None);
    let (hidden, open) = (token.reveal(), in_the_open(&token));
    assert_eq!((hidden.len(), open.len()), (56, 54));
    let logins = [&*hidden, &open].map(|text| log_in(&world, text, NOW_MS).expect("it is good"));
    assert_eq!(logins[0], logins[1]);
    assert_eq!((logins[0].principal.user_id(), logins[0].principal.tenant()), ("ada", ACME));

    // Of another tenant, node or secret it is unknown in either form.
    let mut other_secret = from_base64_url(&open[6..]).expect("it is base64");
    other_secret[35] ^= 1;
    let other_key = Token::random(ACME, &TokenKey::new([1; 32]), &SeededEntropy::new(1)).reveal();
    for wrong in [
        of_another_tenant(&hidden),
        of_another_tenant(&open),
        format!("cairn_{}", Base64Url(&other_secret)),
        other_key.to_string(),
    ] {
        assert_eq!(log_in(&world, &wrong, NOW_MS).unwrap_err(), CredentialError::UnknownToken, "{wrong}");
    }
    let id = token.id();
    world.write(ACME, move |tx, scope| registry::revoke_token(tx, scope, id, NOW_MS));
    for text in [&*hidden, &open] {
        assert_eq!(log_in(&world, text, NOW_MS).unwrap_err(), CredentialError::Revoked);
    }
}

#[test]
fn every_way_in_which_a_token_is_no_good_has_its_own_code() {
    let world = World::new();
    world.user(ACME, "ada", "writer");
    let expired = world.token(ACME, "ada", "writer", Some(NOW_MS + 1000));
    assert_eq!(log_in(&world, &expired.reveal(), NOW_MS + 999).map(drop), Ok(()));
    assert_eq!(log_in(&world, &expired.reveal(), NOW_MS + 1000).unwrap_err(), CredentialError::Expired);

    let revoked = world.token(ACME, "ada", "writer", None);
    let id = revoked.id();
    world.write(ACME, move |tx, scope| registry::revoke_token(tx, scope, id, NOW_MS));
    assert_eq!(log_in(&world, &revoked.reveal(), NOW_MS).unwrap_err(), CredentialError::Revoked);

    let good = world.token(ACME, "ada", "writer", None);
    let text = good.reveal();
    let next = if &text[50..51] == "A" { "B" } else { "A" };
    for (wrong, error) in [
        (format!("{}{next}{}", &text[..50], &text[51..]), CredentialError::UnknownToken),
        (of_another_tenant(&text), CredentialError::UnknownToken),
        (text[..40].to_owned(), CredentialError::Malformed),
        ("secret".to_owned(), CredentialError::Malformed),
        (String::new(), CredentialError::Malformed),
    ] {
        assert_eq!(log_in(&world, &wrong, NOW_MS).unwrap_err(), error, "{wrong}");
    }

    world.write(ACME, |tx, scope| registry::change_user(tx, scope, &user("ada"), Some(NOW_MS)));
    assert_eq!(log_in(&world, &text, NOW_MS).unwrap_err(), CredentialError::UserDisabled);
    world.user(ACME, "ada", "reader");
    assert_eq!(
        log_in(&world, &text, NOW_MS).unwrap_err(),
        CredentialError::UserDisabled,
        "other roles or not"
    );
    world.write(ACME, |tx, scope| registry::change_user(tx, scope, &user("ada"), None));
    assert_eq!(log_in(&world, &text, NOW_MS).map(|login| login.principal.roles()), Ok(roles("")));
    world.write(TenantId::NODE, |tx, node| registry::change_tenant(tx, node, &tenant("acme"), Some(NOW_MS)));
    assert_eq!(log_in(&world, &text, NOW_MS).unwrap_err(), CredentialError::TenantDisabled);
}

#[test]
fn a_jwt_is_taken_as_it_should_be_and_in_no_other_way() {
    let world = World::new();
    world.user(ACME, "ada", "writer");
    let key = world.key(ACME, "ada", 1);
    let stranger = SigningKey::from_bytes(&[2; 32]);
    let exp = NOW_S + 60;
    let with = |more: &str| format!(r#"{{"aud":"{NODE_ID}","exp":{exp},"jti":"1",{more}}}"#);
    let head = header(&key);
    let good = signed(&key, &head, &claims(exp));
    let login = log_in(&world, &good, NOW_MS).expect("it is good");
    assert_eq!((login.principal.user_id(), login.principal.tenant()), ("ada", ACME));
    assert_eq!((login.expires_at_ms, login.is_signed()), (Some(exp * 1000), true));
    assert!(login.principal.roles().has(Role::Writer));

    for fine in [
        with(r#""sub":"ada","tenant":"acme","iat":1,"nbf":2"#),
        with(&format!(r#""nbf":{}"#, NOW_S + 30)),
        format!(r#"{{"aud":["x","{NODE_ID}"],"exp":{exp}.75,"jti":"1"}}"#),
        claims(NOW_S + 330),
    ] {
        assert_eq!(log_in(&world, &signed(&key, &head, &fine), NOW_MS).map(drop), Ok(()), "{fine}");
    }
    for (claims, error) in [
        (claims(NOW_S), CredentialError::Expired),
        (claims(NOW_S + 331), CredentialError::TooLong),
        (claims(u64::MAX), CredentialError::TooLong),
        (with(&format!(r#""nbf":{}"#, NOW_S + 31)), CredentialError::NotYet),
        (with(&format!(r#""iat":{}"#, NOW_S + 31)), CredentialError::NotYet),
        (with(r#""sub":"eve""#), CredentialError::Claims),
        (with(r#""tenant":"other""#), CredentialError::UnknownKey),
        (with(r#""tenant":"nowhere""#), CredentialError::UnknownKey),
        (format!(r#"{{"aud":"another","exp":{exp},"jti":"1"}}"#), CredentialError::Audience),
        (format!(r#"{{"aud":[],"exp":{exp},"jti":"1"}}"#), CredentialError::Audience),
        (format!(r#"{{"exp":{exp},"jti":"1"}}"#), CredentialError::Claims),
        (format!(r#"{{"aud":"{NODE_ID}","jti":"1"}}"#), CredentialError::Claims),
        (format!(r#"{{"aud":"{NODE_ID}","exp":{exp}}}"#), CredentialError::Claims),
        (format!(r#"{{"aud":"{NODE_ID}","exp":{exp},"jti":""}}"#), CredentialError::Claims),
        (format!(r#"{{"aud":"{NODE_ID}","exp":"{exp}","jti":"1"}}"#), CredentialError::Claims),
        ("[]".to_owned(), CredentialError::Claims),
        ("{".to_owned(), CredentialError::Claims),
    ] {
        assert_eq!(log_in(&world, &signed(&key, &head, &claims), NOW_MS).unwrap_err(), error, "{claims}");
    }

    let kid = header(&key).replace(r#""EdDSA""#, r#""none""#);
    let (_, unsigned) = good.rsplit_once('.').map(|(signed, _)| (signed, format!("{signed}."))).unwrap();
    for (wrong, error) in [
        (signed(&key, &kid, &claims(exp)), CredentialError::Algorithm),
        (signed(&key, &head.replace("EdDSA", "HS256"), &claims(exp)), CredentialError::Algorithm),
        (signed(&key, &head.replace("EdDSA", "eddsa"), &claims(exp)), CredentialError::Algorithm),
        (signed(&key, &head.replace('}', r#","crit":["x"]}"#), &claims(exp)), CredentialError::Algorithm),
        (signed(&key, r#"{"alg":"EdDSA"}"#, &claims(exp)), CredentialError::UnknownKey),
        (signed(&key, r#"{"alg":"EdDSA","kid":"00"}"#, &claims(exp)), CredentialError::UnknownKey),
        (signed(&stranger, &header(&stranger), &claims(exp)), CredentialError::UnknownKey),
        (signed(&stranger, &head, &claims(exp)), CredentialError::Signature),
        (unsigned, CredentialError::Signature),
        (good.replace('.', "!"), CredentialError::Malformed),
        (format!("{good}."), CredentialError::Malformed),
        ("a.b.c".to_owned(), CredentialError::Malformed),
        (format!("{}.{}", good, "A".repeat(9000)), CredentialError::Malformed),
    ] {
        assert_eq!(log_in(&world, &wrong, NOW_MS).unwrap_err(), error, "{wrong}");
    }

    let id = key.verifying_key().to_bytes();
    world.write(ACME, move |tx, scope| registry::revoke_key(tx, scope, cairn_access::KeyId(id), NOW_MS));
    assert_eq!(log_in(&world, &good, NOW_MS).unwrap_err(), CredentialError::KeyRevoked);
}

#[test]
fn a_key_of_several_tenants_has_to_say_for_which_it_is_used() {
    let world = World::new();
    for tenant in [ACME, OTHER] {
        world.user(tenant, "ada", "reader");
    }
    let key = world.key(ACME, "ada", 1);
    world.key(OTHER, "ada", 1);
    let exp = NOW_S + 60;
    let for_tenant = |more: &str| {
        signed(&key, &header(&key), &format!(r#"{{"aud":"{NODE_ID}","exp":{exp},"jti":"1"{more}}}"#))
    };
    assert_eq!(log_in(&world, &for_tenant(""), NOW_MS).unwrap_err(), CredentialError::SeveralTenants);
    for (more, tenant) in [(r#","tenant":"acme""#, ACME), (r#","tenant":"other""#, OTHER)] {
        let login = log_in(&world, &for_tenant(more), NOW_MS).expect("it says for which");
        assert_eq!(login.principal.tenant(), tenant);
    }
    // Whoever only has the public key learns nothing of where it is registered.
    let forged = for_tenant("").rsplit_once('.').map(|(signed, _)| format!("{signed}.{}", "A".repeat(86)));
    assert_eq!(log_in(&world, &forged.unwrap(), NOW_MS).unwrap_err(), CredentialError::Signature);
    // Where it was revoked it does not count, and neither does a note without a key.
    let id = cairn_access::KeyId(key.verifying_key().to_bytes());
    world.write(ACME, move |tx, scope| registry::revoke_key(tx, scope, id, NOW_MS));
    world.write(TenantId::NODE, move |tx, node| registry::home_key(tx, node, id, TenantId::LOCAL));
    let login = log_in(&world, &for_tenant(""), NOW_MS).expect("one is left");
    assert_eq!(login.principal.tenant(), OTHER);
}

#[test]
fn who_was_let_in_is_looked_at_again() {
    let world = World::new();
    world.user(ACME, "ada", "writer");
    let token = world.token(ACME, "ada", "reader writer", None);
    let key = world.key(ACME, "ada", 1);
    let by_token = log_in(&world, &token.reveal(), NOW_MS).expect("it is good");
    let by_key =
        log_in(&world, &signed(&key, &header(&key), &claims(NOW_S + 60)), NOW_MS).expect("it is good");
    for login in [&by_token, &by_key] {
        let same = again(&*world.snapshot(), login, NOW_MS).expect("nothing has changed");
        assert_eq!(same, *login);
    }
    world.user(ACME, "ada", "reader");
    for login in [&by_token, &by_key] {
        let less = again(&*world.snapshot(), login, NOW_MS).expect("still good");
        assert_eq!(less.principal.roles(), roles("reader"));
    }
    let (id, kid) = (token.id(), cairn_access::KeyId(key.verifying_key().to_bytes()));
    world.write(ACME, move |tx, scope| registry::revoke_token(tx, scope, id, NOW_MS));
    world.write(ACME, move |tx, scope| registry::revoke_key(tx, scope, kid, NOW_MS));
    for (login, expected) in [(by_token, CredentialError::Revoked), (by_key, CredentialError::KeyRevoked)] {
        match again(&*world.snapshot(), &login, NOW_MS) {
            Err(LoginError::Credential { error, whose }) => {
                assert_eq!((error, whose.as_ref().map(Principal::user_id)), (expected, Some("ada")));
            }
            other => panic!("{other:?}"),
        }
    }
}
