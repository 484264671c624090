//! Reading files of git while git writes them.
//!
//! Git replaces its files by rename, so a reader sees the old one or the new one. Other programs write in place, and a
//! file may be absent or incomplete for a moment.

use std::thread;

use crate::WorktreeError;
use crate::limits::{GIT_READ_PAUSE, GIT_READS_MAX};

/// Repeats an attempt that found an unreadable file of git, with a pause, a bounded number of times.
pub(crate) fn retry<T>(mut attempt: impl FnMut() -> Result<T, WorktreeError>) -> Result<T, WorktreeError> {
    for _ in 1..GIT_READS_MAX {
        match attempt() {
            Err(WorktreeError::GitUnreadable { .. }) => thread::sleep(GIT_READ_PAUSE),
            done => return done,
        }
    }
    attempt()
}

/// Repeats an attempt until it gives the same twice in a row, a bounded number of times; `None` if it never does.
pub(crate) fn until_stable<T: PartialEq>(
    mut attempt: impl FnMut() -> Result<T, WorktreeError>,
) -> Result<Option<T>, WorktreeError> {
    let mut last = attempt()?;
    for _ in 0..GIT_READS_MAX {
        let next = attempt()?;
        if next == last {
            return Ok(Some(next));
        }
        last = next;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::FileProblem;

    #[test]
    fn an_unreadable_file_is_read_again_a_bounded_number_of_times() {
        let mut reads = 0;
        let result: Result<(), _> = retry(|| {
            reads += 1;
            Err(WorktreeError::git(Path::new("HEAD"), FileProblem::Missing))
        });
        assert!(matches!(result, Err(WorktreeError::GitUnreadable { .. })));
        assert_eq!(reads, GIT_READS_MAX);
        let mut reads = 0;
        let result = retry(|| {
            reads += 1;
            if reads < 3 {
                Err(WorktreeError::git(Path::new("HEAD"), FileProblem::Missing))
            } else {
                Ok(reads)
            }
        });
        assert_eq!(result.unwrap(), 3);
    }

    #[test]
    fn what_changes_is_read_until_it_is_the_same_twice() {
        let mut answers = [1, 2, 3, 3, 4].into_iter();
        assert_eq!(until_stable(|| Ok(answers.next().unwrap())).unwrap(), Some(3));
        let mut counter = 0;
        let never = until_stable(|| {
            counter += 1;
            Ok(counter)
        });
        assert_eq!(never.unwrap(), None);
        assert_eq!(counter, GIT_READS_MAX + 1);
    }
}
