//! Many keys in one call.

use super::kit::{commit, key, now, put};
use super::{Make, RECORDS};
use crate::Reader;

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
