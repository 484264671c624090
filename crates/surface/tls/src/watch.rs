//! Noticing that the files have changed.

use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::Tls;
use crate::stamp::Stamp;

impl Tls {
    /// Has the files read again at once by whoever [watches](Tls::watch), whether they changed or not.
    pub fn reload_soon(&self) {
        self.inner.asked.notify_one();
    }

    /// Looks at the files so often, and reads them again when they changed. Never ends.
    ///
    /// They must look the same twice before that: who replaces two files does so one after the other, and
    /// half of it is of no use. Files that cannot be served are told of once, and the certificate stays.
    pub async fn watch(self, every: Duration) {
        let mut tried = self.inner.first;
        let mut seen = tried;
        loop {
            let asked = timeout(every, self.inner.asked.notified()).await.is_ok();
            let tls = self.clone();
            let look = spawn_blocking(move || tls.look(tried, seen, asked));
            // It ends early only with the runtime.
            let Ok((now, read)) = look.await else { return };
            seen = now;
            if read {
                tried = now;
            }
        }
    }

    /// How the files look now, and whether they were read again.
    fn look(&self, tried: Stamp, seen: Stamp, asked: bool) -> (Stamp, bool) {
        let now = Stamp::of(&self.inner.files);
        let settled = now != tried && now == seen;
        if !settled && !asked {
            return (now, false);
        }
        if let Err(error) = self.reload() {
            let hint = error.hint();
            tracing::warn!(%error, hint, "serving with the certificate from before");
        }
        (now, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Authority;

    #[test]
    fn what_looks_the_same_twice_is_read_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let authority = Authority::new();
        let files = authority.issue().write(folder.path());
        let tls = Tls::open(files.clone()).expect("good files");
        let first = tls.inner.first;
        assert_eq!(tls.look(first, first, false), (first, false));
        assert_eq!(tls.look(first, first, true), (first, true));

        authority.issue().write(folder.path());
        let second = Stamp::of(&files);
        assert_ne!(second, first);
        assert_eq!(tls.look(first, first, false), (second, false), "it may change on");
        assert_eq!(tls.look(first, second, false), (second, true));
        assert_eq!(tls.look(second, second, false), (second, false));

        std::fs::remove_file(&files.key).expect("it is there");
        let (third, read) = tls.look(second, second, false);
        assert!(third != second && !read);
        assert_eq!(tls.look(second, third, false), (third, true), "bad files are tried, too");
        assert_eq!(tls.look(third, third, false), (third, false), "and once only");
    }
}
