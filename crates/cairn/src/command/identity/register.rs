//! Registering the key of a new identity for the local owner, so that artifacts signed with it verify as the owner's.

use std::path::Path;

use cairn_access::identity::PublicKey;
use cairn_access::{LOCAL_OWNER, LOCAL_TENANT};

use crate::config::load;
use crate::failure::Failure;
use crate::{logging, reach};

/// Registers `key` through the owner of the store, or as its owner. Fails if there is no store yet or it cannot be
/// reached; the identity is kept all the same.
pub(super) fn register(dir: &Path, key: PublicKey) -> Result<(), Failure> {
    let config = load(dir, std::env::vars_os(), &[])?.config;
    logging::start_quietly(&config)?;
    let digits = key.to_string();
    reach::reach(dir, &config, async |client| {
        client.add_key(LOCAL_TENANT, &digits, LOCAL_OWNER).await.map(drop)
    })
}

/// The text that says whether the key is registered, and how to do it otherwise.
pub(super) fn to_text(key: PublicKey, registered: Result<(), Failure>) -> String {
    match registered {
        Ok(()) => format!("the key is registered for {LOCAL_OWNER} in tenant {LOCAL_TENANT}\n"),
        Err(failure) => format!(
            "the key is not registered yet: {}\nonce there is a store, run `cairn access key add {key} --user \
             {LOCAL_OWNER}`\n",
            failure.into_words().0
        ),
    }
}
