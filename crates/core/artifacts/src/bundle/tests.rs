//! Whole bundles: written, appended to, torn, damaged, verified and proved.

use std::io::Cursor;

use cairn_access::identity::{Identity, Phrase, SecretText};
use cairn_base::{Hex, ManualClock, SeededEntropy, from_hex};
use cairn_seam::Sha256;
use proptest::prelude::*;

use super::*;

/// A key pair that follows from a number.
pub(crate) fn identity(seed: u64) -> Identity {
    Identity::random(&SeededEntropy::new(seed), &ManualClock::new(0))
}

fn id(number: u8) -> String {
    [8, 4, 4, 4, 12].map(|digits| format!("{number:x}").repeat(digits)).join("-")
}

/// The canonical payload of an artifact.
pub(crate) fn payload(number: u8, content: &[u8]) -> String {
    let hash = Hex(Sha256::of(content).as_bytes()).to_string();
    format!(
        "{{\"content_hash\":\"{hash}\",\"id\":\"{}\",\"tenant_id\":\"acme\",\"title\":\"Title {number}\",\
         \"user_id\":\"alice\",\"version\":\"1\"}}",
        id(number)
    )
}

fn artifact(number: u8, content: &[u8], author: &Identity) -> BundledArtifact {
    let payload = payload(number, content);
    BundledArtifact {
        signature: author.sign_bytes(payload.as_bytes()),
        public_key: *author.public_key().as_bytes(),
        attested_by: if number.is_multiple_of(2) { AttestedBy::Author } else { AttestedBy::Node },
        derived_from: number.is_multiple_of(3).then_some([9; 16]),
        received_at_ms: 1000 + u64::from(number),
        payload,
    }
}

fn tombstone(number: u8, author: &Identity) -> BundledTombstone {
    let text =
        format!("{{\"by\":\"alice\",\"deleted_at\":\"x\",\"id\":\"{}\",\"version\":\"1\"}}", id(number));
    let signature = author.sign_bytes(text.as_bytes());
    BundledTombstone { text, signature, public_key: *author.public_key().as_bytes() }
}

fn key(author: &Identity) -> BundledKey {
    let public_key = *author.public_key().as_bytes();
    BundledKey { tenant: "acme".into(), user: "alice".into(), public_key, revoked_at_ms: Some(7) }
}

/// One of each kind of entry.
fn session(writer: &mut BundleWriter<impl std::io::Write>, number: u8, content: &[u8]) {
    let author = identity(1);
    writer.artifact(&artifact(number, content, &author)).expect("room");
    writer.content(&Sha256::of(content), content.len() as u64, &mut &*content).expect("room");
    writer.key(&key(&author)).expect("room");
    writer.tombstone(&tombstone(number, &author)).expect("room");
}

/// A bundle of so many sessions.
fn bundle(sessions: u8, content: &[u8]) -> Vec<u8> {
    let mut writer = BundleWriter::create(Cursor::new(Vec::new()), 5).expect("memory");
    for number in 1..=sessions {
        session(&mut writer, number, content);
        let (head, file) = writer.finish(&identity(2), 100).expect("memory");
        assert_eq!(head.tree_size, 4 * u64::from(number));
        writer = BundleWriter::append_to(file).expect("a bundle");
    }
    let (_, file) = writer.finish(&identity(2), 200).expect("memory");
    file.into_inner()
}

/// An entry, and its content.
type Read = (Entry, Vec<u8>);

/// The entries that the last valid head covers, with content as it was read.
fn covered(bytes: &[u8]) -> Result<(Vec<Read>, Tail), BundleError> {
    let mut reader = BundleReader::open(bytes)?;
    let (mut covered, mut waiting) = (Vec::new(), Vec::new());
    while let Some(entry) = reader.next_entry()? {
        let mut content = Vec::new();
        let is_head = matches!(entry, Entry::Head(_));
        if matches!(entry, Entry::Content { .. }) {
            reader.content(&mut |bytes| {
                content.extend_from_slice(bytes);
                Ok(())
            })?;
        }
        waiting.push((entry, content));
        if is_head {
            covered.append(&mut waiting);
        }
    }
    Ok((covered, reader.tail().expect("the end was reached")))
}

#[test]
fn sessions_come_back() {
    let bytes = bundle(2, b"content");
    let (entries, tail) = covered(&bytes).expect("a bundle");
    let length = bytes.len() as u64;
    assert_eq!(tail, Tail { torn_bytes: 0, covered_bytes: length, torn_at: None });
    let author = identity(1);
    for (number, entries) in [1, 2].into_iter().zip(entries.chunks(5)) {
        let content = Entry::Content { sha256: Sha256::of(b"content"), length: 7 };
        let expected = [
            Entry::Artifact(artifact(number, b"content", &author)),
            content,
            Entry::Key(key(&author)),
            Entry::Tombstone(tombstone(number, &author)),
        ];
        assert!(entries[..4].iter().map(|(entry, _)| entry).eq(&expected));
        assert_eq!(entries[1].1, b"content");
        let Entry::Head(head) = &entries[4].0 else { panic!("{entries:?}") };
        assert_eq!((head.tree_size, head.created_at_ms, head.signed_at_ms), (4 * u64::from(number), 5, 100));
        assert_eq!(head.public_key, identity(2).public_key());
    }
}

#[test]
fn an_empty_bundle_has_a_head() {
    let writer = BundleWriter::create(Vec::new(), 5).expect("memory");
    let (head, bytes) = writer.finish(&identity(2), 6).expect("memory");
    assert_eq!((head.tree_size, head.root), (0, Sha256::of(b"")));
    assert_eq!(covered(&bytes).expect("a bundle").0.len(), 1);
}

#[test]
fn every_cut_leaves_what_a_head_covers() {
    let whole = bundle(3, b"content");
    let (all, _) = covered(&whole).expect("a bundle");
    let mut seen = [false; 3];
    for cut in 0..whole.len() {
        match covered(&whole[..cut]) {
            Ok((entries, tail)) => {
                assert!(entries.len() % 5 == 0 && entries[..] == all[..entries.len()], "{cut}");
                assert_eq!(tail.torn_bytes + tail.covered_bytes, cut as u64);
                assert_eq!(tail.torn_bytes > 0, tail.torn_at.is_some());
                seen[entries.len() / 5] = true;
            }
            Err(BundleError::NotABundle) => assert!(cut < 24),
            Err(BundleError::NoHead { .. }) => seen[0] = true,
            Err(error) => panic!("{cut}: {error}"),
        }
    }
    assert_eq!(seen, [true; 3]);
}

#[test]
fn every_flipped_bit_is_detected_or_behind_the_last_head() {
    let whole = bundle(2, b"content");
    let (all, _) = covered(&whole).expect("a bundle");
    let first_end = covered(&bundle(1, b"content")).expect("a bundle").1.covered_bytes;
    for at in 0..whole.len() {
        for bit in [0, 3, 7] {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << bit;
            match covered(&flipped) {
                Ok((entries, tail)) => {
                    assert!(at as u64 >= first_end, "{at}: a valid head follows");
                    assert!(entries[..] == all[..5] && tail.torn_bytes > 0, "{at}");
                }
                Err(BundleError::Damaged { offset, .. } | BundleError::NoHead { offset, .. }) => {
                    assert!(offset <= at as u64 || at < 24, "{at}: {offset}");
                }
                Err(BundleError::NotABundle | BundleError::UnsupportedVersion { .. }) => assert!(at < 16),
                Err(error) => panic!("{at}: {error}"),
            }
            let report = verify(&flipped[..], &mut |_| {});
            assert!(
                report.is_err() || report.is_ok_and(|report| !report.is_ok() || report.torn_bytes > 0),
                "{at}"
            );
        }
    }
}

#[test]
fn damage_before_a_head_is_not_taken_for_a_torn_tail() {
    let whole = bundle(2, &[7; 100]);
    let first_end = covered(&bundle(1, &[7; 100])).expect("a bundle").1.covered_bytes as usize;
    for at in [24, 26, 40, first_end - 1, first_end - 180] {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x10;
        assert!(matches!(covered(&flipped), Err(BundleError::Damaged { .. })), "{at}");
        let refused = BundleWriter::append_to(Cursor::new(flipped));
        assert!(matches!(refused, Err(BundleError::Damaged { .. })), "{at}");
    }
}

#[test]
fn appending_cuts_off_a_torn_tail() {
    let whole = bundle(2, b"content");
    let first_end = covered(&bundle(1, b"content")).expect("a bundle").1.covered_bytes as usize;
    for cut in first_end..whole.len() {
        let mut writer = BundleWriter::append_to(Cursor::new(whole[..cut].to_vec())).expect("a bundle");
        assert_eq!(writer.entries(), 4);
        session(&mut writer, 2, b"content");
        let (_, file) = writer.finish(&identity(2), 100).expect("memory");
        assert!(file.into_inner() == whole, "{cut}");
    }
    let garbage = [&whole[..], &[0; 500]].concat();
    let writer = BundleWriter::append_to(Cursor::new(garbage)).expect("a bundle");
    let (head, file) = writer.finish(&identity(3), 100).expect("memory");
    assert!(
        file.into_inner() == whole && head.public_key == identity(2).public_key(),
        "nothing was appended"
    );
    for bad in [&whole[..first_end - 1], &whole[..24], &whole[..10], b""] {
        assert!(BundleWriter::append_to(Cursor::new(bad.to_vec())).is_err());
    }
}

#[test]
fn wrong_content_is_never_signed() {
    for (content, length) in
        [(&b"content"[..], 7_u64), (b"conten", 6), (b"contents", 8), (b"conten", 7), (b"contents", 7)]
    {
        let mut writer = BundleWriter::create(Vec::new(), 5).expect("memory");
        let written = writer.content(&Sha256::of(b"content"), length, &mut &*content);
        let is_right = content == b"content";
        assert_eq!(written.is_ok(), is_right, "{content:?} {length}");
        assert_eq!(writer.key(&key(&identity(1))).is_ok(), is_right);
        assert_eq!(writer.finish(&identity(2), 6).is_ok(), is_right);
    }
    let mut writer = BundleWriter::create(Vec::new(), 5).expect("memory");
    let refused = writer.content(&Sha256::of(b""), (1 << 30) + 1, &mut std::io::empty());
    assert!(matches!(refused, Err(BundleError::TooLarge { .. })));
    assert!(writer.finish(&identity(2), 6).is_ok(), "nothing was written");
}

#[test]
fn large_content_is_streamed() {
    let content: Vec<u8> = (0..300_000_u32).map(|at| at.to_le_bytes()[1]).collect();
    let bytes = bundle(1, &content);
    let (entries, _) = covered(&bytes).expect("a bundle");
    assert!(entries[1].1 == content);
    let mut reader = BundleReader::open(&bytes[..]).expect("a bundle");
    reader.next_entry().expect("an artifact");
    reader.next_entry().expect("content");
    let refused = reader.content(&mut |_| Err(std::io::Error::other("disk full")));
    assert!(matches!(refused, Err(BundleError::Io(_))));
    assert_eq!(reader.next_entry().expect("the end"), None);
}

#[test]
fn verifying_tells_who_signed_what() {
    let (author, other) = (identity(1), identity(4));
    let mut writer = BundleWriter::create(Vec::new(), 5).expect("memory");
    writer.key(&key(&author)).expect("room");
    writer.artifact(&artifact(1, b"there", &author)).expect("room");
    writer.content(&Sha256::of(b"there"), 5, &mut &b"there"[..]).expect("room");
    writer.artifact(&artifact(2, b"elsewhere", &other)).expect("room");
    let forged = BundledArtifact { payload: payload(3, b"x"), ..artifact(4, b"x", &author) };
    writer.artifact(&forged).expect("room");
    let text = "{ \"id\":1}".to_owned();
    let spaced = BundledArtifact { signature: author.sign_bytes(text.as_bytes()), payload: text, ..forged };
    writer.artifact(&spaced).expect("room");
    writer.tombstone(&tombstone(9, &author)).expect("room");
    let (head, bytes) = writer.finish(&identity(2), 100).expect("memory");
    let torn = [&bytes[..], &[1, 2, 3]].concat();

    let mut progress = Vec::new();
    let report = verify(&torn[..], &mut |at| progress.push(at)).expect("a bundle");
    let expected = VerifyProgress { entries: 7, bytes: torn.len() as u64 };
    assert_eq!(progress, [expected]);
    assert_eq!((report.head, report.heads, report.tree_ok, report.torn_bytes), (Some(head), 1, true, 3));
    assert_eq!((report.contents, report.keys, report.created_at_ms, report.is_ok()), (1, 1, 5, false));
    let rows: Vec<_> = report
        .artifacts
        .iter()
        .map(|row| (row.entry, row.title.as_str(), row.signature_ok, row.has_content, row.key_in_bundle))
        .collect();
    assert_eq!(
        rows,
        [
            (1, "Title 1", true, true, true),
            (3, "Title 2", true, false, false),
            (4, "Title 3", false, false, true),
            (5, "", false, false, false),
        ]
    );
    let first = &report.artifacts[0];
    assert_eq!(
        (first.id.as_str(), first.user_id.as_str(), first.tenant_id.as_str()),
        (id(1).as_str(), "alice", "acme")
    );
    assert_eq!(
        (first.signer.as_str(), first.attested_by),
        (author.public_key().to_string().as_str(), AttestedBy::Node)
    );
    let [tombstone] = &report.tombstones[..] else { panic!("{report:?}") };
    assert_eq!(
        (tombstone.id.as_str(), tombstone.by.as_str(), tombstone.signature_ok),
        (id(9).as_str(), "alice", true)
    );
}

#[test]
fn verifying_leaves_out_what_no_head_covers() {
    let whole = bundle(2, b"content");
    let report = verify(&whole[..whole.len() - 1], &mut |_| {}).expect("a bundle");
    assert_eq!((report.artifacts.len(), report.tombstones.len(), report.contents, report.keys), (1, 1, 1, 1));
    assert!(report.is_ok() && report.torn_bytes > 0);
    let report = verify(&whole[..whole.len() / 2 - 40], &mut |_| {}).expect("a bundle");
    assert!(!report.is_ok() && report.head.is_none() && report.damage.is_some());
}

#[test]
fn a_damaged_bundle_still_shows_what_comes_first() {
    let mut damaged = bundle(2, b"content");
    let at = damaged.windows(7).position(|bytes| bytes == b"content" && bytes[0] == b'c').expect("content");
    let at =
        damaged[at + 7..].windows(7).position(|bytes| bytes == b"content").map_or(at, |next| at + 7 + next);
    damaged[at] ^= 1;
    let report = verify(&damaged[..], &mut |_| {}).expect("a bundle");
    assert!(report.damage.is_some() && !report.tree_ok && !report.is_ok());
    assert!(report.artifacts[0].signature_ok);
}

#[test]
fn proofs_hold_without_the_bundle() {
    let bytes = bundle(3, b"content");
    for number in 1..=3 {
        let proof = prove(&bytes[..], &id(number)).expect("a bundle").expect("an artifact");
        assert_eq!((proof.entry_index, proof.head.tree_size), (4 * u64::from(number) - 4, 12));
        let json = proof.to_json().expect("short");
        let read = Proof::parse(&json).expect("a proof");
        assert_eq!((read.verify(), &read), (Ok(()), &proof));
        let mut other = read.clone();
        other.artifact.received_at_ms += 1;
        assert_eq!(other.verify(), Err(ProofError::NotIncluded));
        let mut other = read.clone();
        other.entry_index += 1;
        assert_eq!(other.verify(), Err(ProofError::NotIncluded));
        let mut other = read;
        other.head.signed_at_ms += 1;
        assert_eq!(other.verify(), Err(ProofError::HeadSignature));
    }
    assert_eq!(prove(&bytes[..], &id(4)).expect("a bundle"), None);
    let torn = &bytes[..bytes.len() - 1];
    assert_eq!(prove(torn, &id(3)).expect("a bundle"), None);
    assert_eq!(prove(torn, &id(2)).expect("a bundle").map(|proof| proof.head.tree_size), Some(8));
    for bad in ["", "{}", "[]", "{\"kcp_proof\":\"1\"}", &" ".repeat(2 << 20)] {
        assert!(matches!(Proof::parse(bad), Err(ProofError::Malformed(_))));
    }
}

#[test]
fn proofs_with_a_changed_byte_do_not_hold() {
    let json = prove(&bundle(1, b"c")[..], &id(1)).expect("a bundle").expect("one").to_json().expect("short");
    for at in 0..json.len() {
        let mut bad = json.clone().into_bytes();
        bad[at] ^= 1;
        let Ok(bad) = String::from_utf8(bad) else { continue };
        let holds = Proof::parse(&bad).is_ok_and(|proof| proof.verify().is_ok());
        assert!(!holds, "{at}: {bad}");
    }
}

/// The bundle in the documentation of the format, byte by byte.
#[test]
fn the_documented_bundle_is_written_and_read() {
    let words = SecretText::new(format!("{}about", "abandon ".repeat(11)));
    let phrase = Phrase::parse(&words, None).expect("words");
    let node =
        Identity::from_phrase(&phrase, &SecretText::new(String::new()), &ManualClock::new(0)).expect("a key");
    let public_key = *node.public_key().as_bytes();
    let content = b"hello world";
    let payload = format!(
        "{{\"content_hash\":\"{}\",\"id\":\"550e8400-e29b-41d4-a716-446655440000\",\"version\":\"1\"}}",
        Hex(Sha256::of(content).as_bytes())
    );
    let tombstone = "{\"by\":\"alice\",\"deleted_at\":\"2026-03-20T12:34:56Z\",\
                     \"id\":\"550e8400-e29b-41d4-a716-446655440000\",\"version\":\"1\"}";
    let mut writer = BundleWriter::create(Vec::new(), 1_774_010_096_789).expect("memory");
    let derived_from = from_hex("11111111111141118111111111111111");
    let artifact = BundledArtifact {
        signature: node.sign_bytes(payload.as_bytes()),
        public_key,
        attested_by: AttestedBy::Node,
        derived_from,
        received_at_ms: 1_774_010_096_000,
        payload,
    };
    writer.artifact(&artifact).expect("room");
    writer.content(&Sha256::of(content), 11, &mut &content[..]).expect("room");
    let key = BundledKey { tenant: "acme".into(), user: "alice".into(), public_key, revoked_at_ms: None };
    writer.key(&key).expect("room");
    let signature = node.sign_bytes(tombstone.as_bytes());
    writer.tombstone(&BundledTombstone { text: tombstone.into(), signature, public_key }).expect("room");
    let (_, bytes) = writer.finish(&node, 1_774_010_097_000).expect("memory");
    let documented = include_str!("vector.hex");
    assert_eq!(Hex(&bytes).to_string(), documented.split_whitespace().collect::<String>());
    assert!(verify(&bytes[..], &mut |_| {}).expect("a bundle").is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn bundles_come_back(sessions in prop::collection::vec(prop::collection::vec((0..4_u8, any::<u8>(), 0..200_usize), 0..6), 1..5)) {
        let author = identity(1);
        let mut file = BundleWriter::create(Cursor::new(Vec::new()), 5)?.finish(&identity(2), 6)?.1;
        let mut expected = Vec::new();
        for entries in &sessions {
            let mut writer = BundleWriter::append_to(file)?;
            for (kind, number, length) in entries {
                let content = vec![*number; *length];
                expected.push(match kind {
                    0 => Entry::Artifact(artifact(*number, &content, &author)),
                    1 => Entry::Key(key(&author)),
                    2 => Entry::Tombstone(tombstone(*number, &author)),
                    _ => Entry::Content { sha256: Sha256::of(&content), length: content.len() as u64 },
                });
                match expected.last() {
                    Some(Entry::Artifact(artifact)) => writer.artifact(artifact)?,
                    Some(Entry::Key(key)) => writer.key(key)?,
                    Some(Entry::Tombstone(tombstone)) => writer.tombstone(tombstone)?,
                    _ => writer.content(&Sha256::of(&content), content.len() as u64, &mut &content[..])?,
                }
            }
            file = writer.finish(&identity(2), 7)?.1;
        }
        let (entries, tail) = covered(file.get_ref())?;
        prop_assert_eq!(tail.torn_bytes, 0);
        let entries: Vec<_> = entries.into_iter().map(|(entry, _)| entry).filter(|entry| !matches!(entry, Entry::Head(_))).collect();
        prop_assert_eq!(entries, expected);
    }

    #[test]
    fn any_bytes_are_refused_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), kind in 0..5_usize) {
        let mut file = super::format::header(5).to_vec();
        file.push(b"ACHKT"[kind]);
        file.extend_from_slice(&bytes);
        prop_assert!(covered(&file).is_err());
        prop_assert!(covered(&bytes).is_err());
        let whole = [bundle(1, b"x"), bytes].concat();
        prop_assert_eq!(covered(&whole)?.0.len(), 5);
    }
}
