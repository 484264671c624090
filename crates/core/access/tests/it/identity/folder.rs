//! The folder in which a node keeps its identity.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use cairn_access::identity::{
    Existing, FOLDER, Identity, IdentityError, IdentityFolder, import_file, import_folder,
};
use cairn_base::fs::{FileSystem, SimulatedFs, SystemFs};
use cairn_base::{ManualClock, SeededEntropy};

use super::{identity_of, private_key, text, vectors};

fn random(seed: u64) -> Identity {
    Identity::random(&SeededEntropy::new(seed), &ManualClock::new(1_700_000_000_000))
}

#[test]
fn files_are_for_their_owner_alone_and_others_can_read_the_layout() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let folder = IdentityFolder::new(&SystemFs, dir.path());
    assert!(folder.load().expect("nothing there").is_none());
    let identity = random(1);
    assert_eq!(folder.save(&identity, Existing::Refuse).expect("it is kept"), None);
    let path = dir.path().join(FOLDER);
    let mode = |path: &Path| path.metadata().expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    for name in ["node.key", "node.pub", "identity.json"] {
        assert_eq!(mode(&path.join(name)), 0o600, "{name}");
    }
    let mut names: Vec<_> =
        std::fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("one").file_name()).collect();
    names.sort();
    assert_eq!(names, ["LOCK", "identity.json", "node.key", "node.pub"]);
    assert_eq!(std::fs::read(path.join("node.key")).expect("a file").len(), 32);
    assert_eq!(std::fs::read(path.join("node.pub")).expect("a file"), identity.public_key().as_bytes());
    let about = std::fs::read_to_string(path.join("identity.json")).expect("a file");
    insta::assert_snapshot!(about);
    let loaded = folder.load().expect("it is read").expect("it is there");
    assert_eq!((loaded.public_key(), loaded.about()), (identity.public_key(), identity.about()));
    let foreign = import_folder(&SystemFs, &path).expect("our layout is one of the three");
    assert_eq!(foreign.about(), identity.about());
}

#[test]
fn a_private_key_that_others_may_read_is_refused() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let folder = IdentityFolder::new(&SystemFs, dir.path());
    let identity = random(1);
    folder.save(&identity, Existing::Refuse).expect("it is kept");
    let key = folder.path().join("node.key");
    let set = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    for name in ["node.pub", "identity.json"] {
        set(&folder.path().join(name), 0o644);
    }
    assert!(folder.load().expect("they are no secret").is_some());
    let backup = |name: &str, password: &str| {
        let password = cairn_access::identity::SecretText::new(password.to_owned());
        let path = dir.path().join(name);
        std::fs::write(&path, &*identity.to_backup(&password, &SeededEntropy::new(1))).expect("a file");
        set(&path, 0o644);
        import_file(&SystemFs, &path).map(drop)
    };
    assert!(backup("sealed", "password").is_ok(), "it is of no use without its password");
    for mode in [0o640, 0o604, 0o660, 0o602] {
        set(&key, mode);
        for refused in [
            folder.load().map(drop),
            folder.check(Existing::Replace),
            import_folder(&SystemFs, folder.path()).map(drop),
            import_file(&SystemFs, &key).map(drop),
        ] {
            let Err(IdentityError::OpenKey { file, mode: found }) = refused else { panic!("{refused:?}") };
            assert_eq!((file, found), (key.clone(), mode));
        }
    }
    assert!(matches!(backup("plain", ""), Err(IdentityError::OpenKey { .. })));
    set(&key, 0o400);
    assert!(folder.load().expect("it is private again").is_some());
}

#[test]
fn an_identity_is_replaced_only_when_asked_and_then_kept_beside() {
    let fs = SimulatedFs::new(1);
    fs.create_dir(Path::new("/data")).expect("a folder");
    let folder = IdentityFolder::new(&fs, Path::new("/data"));
    let (first, second) = (random(1), random(2));
    folder.save(&first, Existing::Refuse).expect("it is kept");
    for refused in [folder.save(&second, Existing::Refuse).map(drop), folder.check(Existing::Refuse)] {
        let Err(IdentityError::Exists { node_id }) = refused else { panic!("{refused:?}") };
        assert_eq!(node_id, first.public_key().to_string());
    }
    let load = || private_key(&folder.load().expect("it is read").expect("it is there"));
    assert_eq!(load(), private_key(&first));
    let kept = folder.save(&second, Existing::Replace).expect("it is kept").expect("there was one");
    assert_eq!(kept, PathBuf::from(format!("/data/identity/replaced-{}", first.public_key())));
    assert_eq!(load(), private_key(&second));
    assert_eq!(private_key(&import_folder(&fs, &kept).expect("it is whole")), private_key(&first));
    // There and back again, and once more.
    for identity in [&first, &second, &first, &first] {
        folder.save(identity, Existing::Replace).expect("it is kept");
        assert_eq!(load(), private_key(identity));
    }
    assert_eq!(folder.save(&first, Existing::Replace).expect("it is kept"), None);
}

#[test]
fn a_damaged_key_is_told_and_never_overwritten() {
    let fs = SimulatedFs::new(1);
    fs.create_dir(Path::new("/data")).expect("a folder");
    let folder = IdentityFolder::new(&fs, Path::new("/data"));
    folder.save(&random(1), Existing::Refuse).expect("it is kept");
    fs.corrupt("/data/identity/node.key", |bytes| bytes.truncate(31));
    for refused in [folder.load().map(drop), folder.save(&random(2), Existing::Replace).map(drop)] {
        assert!(matches!(refused, Err(IdentityError::Damaged { .. })), "{refused:?}");
    }
    assert_eq!(fs.read_all("/data/identity/node.key").expect("it is there").len(), 31);
}

#[test]
fn what_is_said_about_another_key_does_not_count() {
    let fs = SimulatedFs::new(1);
    fs.create_dir(Path::new("/data")).expect("a folder");
    let folder = IdentityFolder::new(&fs, Path::new("/data"));
    let identity = identity_of(text(&vectors("identities")[0], "private_key"));
    folder.save(&identity, Existing::Refuse).expect("it is kept");
    let other = format!("{{\"node_id\":\"{}\",\"language\":\"en\"}}", random(1).public_key());
    for about in [other.as_str(), "no JSON"] {
        fs.write_raw("/data/identity/identity.json", about.as_bytes());
        let loaded = folder.load().expect("it is read").expect("it is there");
        assert_eq!((loaded.public_key(), loaded.about().language), (identity.public_key(), None));
    }
}

#[test]
fn only_one_changes_it_at_a_time() {
    let fs = SimulatedFs::new(1);
    fs.create_dir(Path::new("/data/identity")).expect("a folder");
    let folder = IdentityFolder::new(&fs, Path::new("/data"));
    let lock = fs.lock(Path::new("/data/identity/LOCK"), "somebody").expect("a lock");
    let refused = folder.save(&random(1), Existing::Refuse);
    assert!(matches!(&refused, Err(IdentityError::Busy { owner }) if owner == "somebody"), "{refused:?}");
    drop(lock);
    folder.save(&random(1), Existing::Refuse).expect("it is kept");
}

/// Cuts the power in every operation of making and of replacing an identity, many times over: what is there
/// afterwards is the old one or the new one, and after a success it is the new one, with the old beside it.
#[test]
fn a_power_cut_leaves_the_old_identity_or_the_new_one() {
    let data = Path::new("/data");
    let (first, second) = (random(1), random(2));
    let mut cuts = 0;
    for seed in 0..40 {
        for operation in 0.. {
            let fs = SimulatedFs::new(seed);
            fs.create_dir(data).expect("a folder");
            let folder = IdentityFolder::new(&fs, data);
            fs.cut_power_at(operation);
            let made = folder.save(&first, Existing::Refuse).is_ok();
            let replaced = made && folder.save(&second, Existing::Replace).is_ok();
            let was_cut = !fs.is_powered();
            fs.power_cycle();
            let there = folder.load().unwrap_or_else(|error| panic!("seed {seed}, {operation}: {error}"));
            if let Some(identity) = there.as_ref().filter(|there| there.public_key() == second.public_key()) {
                assert_eq!(identity.about(), second.about(), "seed {seed}, operation {operation}");
            }
            let there = there.map(|identity| identity.public_key());
            let beside = import_folder(&fs, &data.join(format!("identity/replaced-{}", first.public_key())));
            let expected = match there {
                None => !made,
                Some(key) if key == first.public_key() => !replaced,
                Some(key) => key == second.public_key() && made && beside.is_ok(),
            };
            assert!(expected, "seed {seed}, operation {operation}: {made} {replaced} {there:?} {beside:?}");
            if !was_cut {
                assert!(replaced);
                break;
            }
            cuts += 1;
            // And it can be done again.
            folder.save(&second, Existing::Replace).expect("it is kept");
            assert_eq!(
                folder.load().ok().flatten().map(|there| there.public_key()),
                Some(second.public_key())
            );
        }
    }
    assert!(cuts > 1000, "{cuts}");
}
