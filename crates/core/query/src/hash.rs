//! Maps and sets of small keys that no client chooses freely: numbers of elements, and rows of them.

pub(crate) use foldhash::{HashMap as FastMap, HashMapExt, HashSet as FastSet, HashSetExt};
