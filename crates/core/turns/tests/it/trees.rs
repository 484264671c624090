//! File trees of turns.

use cairn_base::{ContentHash, TurnId};
use cairn_turns::{Append, Found, TurnsError, find, tree_root};

use crate::kit::{Kit, conformance, request, unhex};

fn root_of(kit: &Kit, turn: u64) -> Option<(u64, ContentHash)> {
    let snapshot = kit.snapshot();
    let turn = cairn_turns::turn(&*snapshot, &kit.scope, TurnId(turn)).unwrap();
    tree_root(&*snapshot, &kit.scope, &turn).unwrap().map(|(from, root)| (from.0, root))
}

fn attach(kit: &Kit, turn: u64, root: ContentHash) -> Result<(), TurnsError> {
    kit.write(move |tx, scope| cairn_turns::attach(tx, scope, TurnId(turn), &root))
}

/// An entry with integer keys.
fn entry(name: &str, kind: u8, hash: ContentHash) -> Vec<u8> {
    let mut out = vec![0x83, 1, 0xa0 | name.len() as u8];
    out.extend(name.as_bytes());
    out.extend([2, kind, 5, 0xc4, 32]);
    out.extend(hash.as_bytes());
    out
}

#[test]
fn turns_inherit_the_nearest_tree_above_them() {
    let kit = Kit::new();
    let (one, two) = (kit.put_blob(&[0x90]), kit.put_blob(b"other"));
    let context = kit.create(None).unwrap().id;
    kit.say(context, "1");
    assert_eq!(root_of(&kit, 1), None);
    kit.append(Append { tree: Some(one), ..request(context, "2") }).unwrap();
    kit.say(context, "3");
    kit.say(context, "4");
    assert_eq!(
        [1, 2, 3, 4].map(|turn| root_of(&kit, turn)),
        [None, Some((2, one)), Some((2, one)), Some((2, one))]
    );
    // To the head: whatever comes below knows.
    attach(&kit, 4, two).unwrap();
    kit.say(context, "5");
    assert_eq!([3, 4, 5].map(|turn| root_of(&kit, turn)), [Some((2, one)), Some((4, two)), Some((4, two))]);
    // The last one counts.
    attach(&kit, 4, one).unwrap();
    assert_eq!(root_of(&kit, 5), Some((4, one)));
}

#[test]
fn a_tree_attached_late_is_found_from_below_also_in_forks() {
    let kit = Kit::new();
    let one = kit.put_blob(b"one");
    let context = kit.create(None).unwrap().id;
    kit.say_all(context, 4);
    attach(&kit, 2, one).unwrap();
    assert_eq!(
        [1, 2, 3, 4].map(|turn| root_of(&kit, turn)),
        [None, Some((2, one)), Some((2, one)), Some((2, one))]
    );

    let kit = Kit::new();
    let one = kit.put_blob(b"one");
    let context = kit.create(None).unwrap().id;
    kit.say(context, "1");
    let fork = kit.create(Some(TurnId(1))).unwrap().id;
    kit.say(fork, "2");
    // Turn 1 is the head of its own context and still has a child.
    attach(&kit, 1, one).unwrap();
    assert_eq!(root_of(&kit, 2), Some((1, one)));
}

#[test]
fn trees_that_are_not_there_are_refused_and_nothing_is_appended() {
    let kit = Kit::new();
    let context = kit.create(None).unwrap().id;
    kit.say(context, "1");
    let missing = ContentHash::of(b"missing");
    let error = kit.append(Append { tree: Some(missing), ..request(context, "2") }).unwrap_err();
    assert!(matches!(error, TurnsError::NoBlob(hash) if hash == missing));
    assert!(matches!(attach(&kit, 1, missing), Err(TurnsError::NoBlob(_))));
    let there = kit.put_blob(b"there");
    assert!(matches!(attach(&kit, 9, there), Err(TurnsError::NoTurn(TurnId(9)))));
    assert_eq!(kit.head(context).head, TurnId(1));
    assert_eq!(root_of(&kit, 1), None);
}

#[test]
fn paths_lead_to_folders_files_and_links() {
    let file = ContentHash::of(b"hello");
    let inner = [&[0x91][..], &entry("b.txt", 0, file)].concat();
    let outer = [&[0x92][..], &entry("a", 1, ContentHash::of(&inner)), &entry("link", 2, file)].concat();
    let root = ContentHash::of(&outer);
    let mut fetch = |hash: &ContentHash| {
        let blobs = [&inner, &outer].into_iter().find(|blob| ContentHash::of(blob) == *hash);
        blobs.cloned().ok_or(TurnsError::NoBlob(*hash))
    };
    for path in ["", "/", ".", "./"] {
        let found = find(&root, path, &mut fetch).unwrap();
        assert!(matches!(found, Some(Found::Folder(hash, _)) if hash == root), "{path:?}");
    }
    for path in ["a", "a/", "/a/."] {
        let found = find(&root, path, &mut fetch).unwrap();
        assert!(matches!(found, Some(Found::Folder(hash, _)) if hash == ContentHash::of(&inner)), "{path:?}");
    }
    for (path, name) in [("a/b.txt", "b.txt"), ("link", "link")] {
        let found = find(&root, path, &mut fetch).unwrap();
        assert!(matches!(found, Some(Found::Leaf(entry)) if entry.name == name), "{path:?}");
    }
    for path in ["b", "a/c", "a/b.txt/d", "link/x", "..", "a/../link"] {
        assert_eq!(find(&root, path, &mut fetch).unwrap(), None, "{path:?}");
    }
    let error = find(&file, "", &mut |_| Ok(b"hello".to_vec())).unwrap_err();
    assert!(matches!(error, TurnsError::BadTree(..)));
}

/// Uses the conformance folder when it is there.
#[test]
fn trees_of_the_conformance_folder_are_read() {
    let Some(vector) = conformance("fstree_basic.json") else { return };
    let hash_of = |value: &cairn_base::Value| value.as_str().unwrap().parse::<ContentHash>().unwrap();
    let kit = Kit::new();
    for (name, bytes) in vector.get("trees").unwrap().as_object().unwrap() {
        assert_eq!(kit.put_blob(&unhex(bytes.as_str().unwrap())).to_string(), *name);
    }
    let root = hash_of(vector.get("root_hash_hex").unwrap());
    let snapshot = kit.snapshot();
    let mut fetch = |hash: &ContentHash| {
        let mut found = None;
        snapshot.blobs(kit.scope.tenant(), &[*hash], &mut |_, bytes| found = bytes.map(<[u8]>::to_vec))?;
        found.ok_or(TurnsError::NoBlob(*hash))
    };
    for (path, hash) in vector.get("files").unwrap().as_object().unwrap() {
        match find(&root, path, &mut fetch).unwrap() {
            Some(Found::Leaf(entry)) => assert_eq!(entry.hash, hash_of(hash), "{path}"),
            other => panic!("{path}: {other:?}"),
        }
    }
    let known = vector.get("blake3").unwrap();
    assert_eq!(ContentHash::of(b""), hash_of(known.get("empty").unwrap()));
    assert_eq!(ContentHash::of(b"hello"), hash_of(known.get("hello").unwrap()));
}
