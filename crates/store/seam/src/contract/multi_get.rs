//! Many keys in one call.

use super::kit::{US, commit, key, now, put};
use super::{Make, OTHERS, RECORDS, SEEN};
use crate::{Read, Reader, read_all};

type Answers = Vec<(usize, Option<Vec<u8>>)>;

fn look_up<R: Reader + ?Sized>(reader: &R, names: &[&str]) -> Answers {
    let keys: Vec<_> = names.iter().map(key).collect();
    let keys: Vec<_> = keys.iter().map(Vec::as_slice).collect();
    let mut found = Vec::new();
    let read =
        reader.multi_get(RECORDS, &keys, &mut |index, value| found.push((index, value.map(<[u8]>::to_vec))));
    read.expect("the keys can be read");
    found
}

/// One answer per key, in the order asked for, absent and repeated ones included.
pub fn values_come_in_the_order_of_the_keys(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("a", "1"), ("b", ""), ("c", "3")]);
    let some = |text: &str| Some(text.as_bytes().to_vec());
    let expected = vec![(0, some("3")), (1, None), (2, some("1")), (3, some("3")), (4, some("")), (5, None)];
    let names = ["c", "absent", "a", "c", "b", "bb"];
    assert_eq!(look_up(&*now(&*store), &names), expected);
    assert_eq!(look_up(&*now(&*store), &[]), []);
    let again = expected.clone();
    commit(&*store, move |tx| {
        tx.put(RECORDS, &key("c"), b"3")?;
        assert_eq!(look_up(&*tx, &names), again);
        Ok(())
    });
    let many: Vec<_> = names.iter().cycle().copied().take(600).collect();
    let values = |answers: Answers| answers.into_iter().map(|(_, value)| value).collect::<Vec<_>>();
    let found = look_up(&*now(&*store), &many);
    assert!(found.iter().map(|(index, _)| *index).eq(0..600));
    assert!(values(found).into_iter().eq(values(expected).into_iter().cycle().take(600)));
}

/// The same five reads.
fn read_five<R: Reader + ?Sized>(reader: &R) -> Vec<Option<Vec<u8>>> {
    let (a, b) = (key("a"), key("b"));
    let reads = [
        Read::Hashed(SEEN, US, b"a"),
        Read::Key(OTHERS, &a),
        Read::Key(RECORDS, &b),
        Read::Key(RECORDS, &a),
        Read::Hashed(SEEN, US, b"b"),
    ];
    let mut places = Vec::new();
    reader.multi_read(&reads, &mut |at, _| places.push(at)).expect("the keys can be read");
    assert_eq!(places, [0, 1, 2, 3, 4]);
    read_all(reader, &reads).expect("the keys can be read")
}

/// One answer per read, in the order asked for, whichever keyspaces they are of; a transaction sees its own
/// writes there too.
pub fn keys_of_several_keyspaces_come_in_one_round(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    commit(&*store, |tx| {
        tx.put(RECORDS, &key("a"), b"record")?;
        tx.put(OTHERS, &key("a"), b"other")?;
        tx.hashed_put(SEEN, b"a", b"seen", None)
    });
    let some = |text: &str| Some(text.as_bytes().to_vec());
    assert_eq!(read_five(&*now(&*store)), [some("seen"), some("other"), None, some("record"), None]);
    commit(&*store, move |tx| {
        tx.put(RECORDS, &key("b"), b"new")?;
        tx.hashed_put(SEEN, b"b", b"new", None)?;
        let expected = [some("seen"), some("other"), some("new"), some("record"), some("new")];
        assert_eq!(read_five(&*tx), expected);
        Ok(())
    });
    assert_eq!(read_all(&*now(&*store), &[]).expect("nothing can be read"), [None::<Vec<u8>>; 0]);
}
