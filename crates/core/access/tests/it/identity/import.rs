//! Key files of others.

use std::path::Path;

use cairn_access::identity::{Identity, IdentityError, Imported, Language, import_file, import_folder};
use cairn_access::limits::IDENTITY_FILE_BYTES_MAX;
use cairn_base::fs::SimulatedFs;

use super::{text, unhex, vectors};

/// Private and public key of a vector, as digits.
fn keys(index: usize) -> [String; 2] {
    let row = vectors("identities")[index].clone();
    ["private_key", "public_key"].map(|key| text(&row, key).to_owned())
}

fn disk(files: &[(&str, &[u8])]) -> SimulatedFs {
    let fs = SimulatedFs::new(1);
    for (name, content) in files {
        fs.write_raw(Path::new("/keys").join(name), content);
    }
    fs
}

fn folder(files: &[(&str, &[u8])]) -> Result<Identity, IdentityError> {
    import_folder(&disk(files), Path::new("/keys"))
}

#[test]
fn the_three_layouts_are_read() {
    let [private, public] = keys(0);
    let (raw, raw_public) = (unhex(&private), unhex(&public));
    let about = format!(
        "{{\"node_id\":\"{public}\",\"language\":\"pt\",\"word_count\":24,\"passphrase_protected\":true}}"
    );
    let line = format!("{private}\n");
    for files in [
        &[("node.key", &raw[..]), ("node.pub", &raw_public), ("identity.json", about.as_bytes())][..],
        &[("private.key", &raw), ("public.key", &raw_public)],
        &[("private.hex", private.as_bytes()), ("public.hex", public.as_bytes())],
        &[("private.hex", line.as_bytes()), ("public.hex", public.to_uppercase().as_bytes())],
        &[("node.key", &raw)],
        // The same key twice is one identity.
        &[("node.key", &raw), ("private.key", &raw), ("public.key", &raw_public)],
    ] {
        let identity = folder(files).expect("an identity");
        assert_eq!(identity.public_key().to_string(), public);
        let is_known = files.iter().any(|(name, _)| *name == "identity.json");
        assert_eq!(identity.about().language, is_known.then_some(Language::Portuguese));
        assert_eq!(identity.about().word_count, is_known.then_some(24));
        assert_eq!(identity.about().passphrase_protected, is_known);
        // The file alone does as well, and is looked at with those beside it.
        let one = import_file(&disk(files), &Path::new("/keys").join(files[0].0)).expect("an identity");
        assert!(matches!(one, Imported::Identity(one) if one.about() == identity.about()));
    }
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let ([private, public], [other, other_public]) = (keys(0), keys(3));
    let (raw, other_raw) = (unhex(&private), unhex(&other));
    let about_other = format!("{{\"node_id\":\"{other_public}\"}}");
    let backup = format!("{{\"private_key\":\"{private}\",\"public_key\":\"{other_public}\"}}");
    let mismatch: fn(&IdentityError) -> bool = |error| matches!(error, IdentityError::Mismatch { .. });
    let several: fn(&IdentityError) -> bool = |error| matches!(error, IdentityError::SeveralKeys { .. });
    let not_one: fn(&IdentityError) -> bool = |error| matches!(error, IdentityError::NotAnIdentity { .. });
    let no_key: fn(&IdentityError) -> bool = |error| matches!(error, IdentityError::NoKey { .. });
    let too_long = vec![b'a'; IDENTITY_FILE_BYTES_MAX + 1];
    for (files, expected) in [
        (&[("node.key", &raw[..]), ("node.pub", other_public.as_bytes())][..], mismatch),
        (&[("node.key", &raw), ("node.pub", b"short")], mismatch),
        (
            &[("node.key", &raw), ("node.pub", public.as_bytes()), ("identity.json", about_other.as_bytes())],
            mismatch,
        ),
        (&[("private.key", &raw), ("public.key", &raw)], mismatch),
        (&[("node.key", &raw), ("private.key", &other_raw)], several),
        (&[("private.key", &raw), ("private.hex", other.as_bytes())], several),
        (&[("node.key", &raw[1..])], not_one),
        (&[("node.key", b"")], not_one),
        (&[("node.key", &too_long)], not_one),
        (&[("private.hex", &private.as_bytes()[1..])], not_one),
        (&[("node.key", &raw), ("identity.json", b"no")], not_one),
        (&[("node.pub", public.as_bytes())], no_key),
        (&[("letter.txt", b"hello")], no_key),
    ] {
        let refused = folder(files).expect_err("it is refused");
        assert!(expected(&refused), "{refused:?}");
        assert!(!format!("{refused} {refused:?}").contains(&private));
    }
    for (content, expected) in [
        (backup.as_bytes(), mismatch),
        (&b"{}"[..], not_one),
        (b"{\"private_key\":1}", not_one),
        (b"KCPKEY1", not_one),
        (b"hello", not_one),
        (b"", not_one),
        (&too_long, not_one),
    ] {
        let refused = import_file(&disk(&[("a", content)]), Path::new("/keys/a")).expect_err("it is refused");
        assert!(expected(&refused), "{refused:?}");
        assert!(!format!("{refused} {refused:?}").contains(&private));
    }
    let missing = import_file(&disk(&[]), Path::new("/keys/a"));
    assert!(matches!(missing, Err(IdentityError::Io { .. })), "{missing:?}");
}
