//! Events about documents, waited for with a watchdog.

use std::fs;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use cairn_worktree::{Lanes, TreeEvent, TreeWatcher, WalkOptions, Workspace};

use crate::repo::Repo;

const WATCHDOG: Duration = Duration::from_secs(300);

struct Watched {
    workspace: Workspace,
    lanes: Lanes,
    watcher: TreeWatcher,
    events: Receiver<TreeEvent>,
}

impl Watched {
    fn new(repo: &Repo) -> Watched {
        let workspace = repo.workspace();
        let lanes = Lanes::of(&workspace.config(&[]).unwrap().paths).unwrap();
        let (tell, events) = channel();
        let tell = move |event| _ = tell.send(event);
        let watcher = TreeWatcher::new(&workspace, &lanes, tell).unwrap();
        let mut watched = Watched { workspace, lanes, watcher, events };
        watched.again();
        watched
    }

    /// Watches the folders that are there now.
    fn again(&mut self) {
        let options = WalkOptions { below: self.lanes.below(), ..WalkOptions::default() };
        let walk = self.workspace.walk(&options).unwrap();
        while self.watcher.watch(&self.workspace, &self.lanes, &walk).unwrap() {}
    }

    /// Something is done, an event follows, and later ones of the same burst are dropped by the next mark.
    fn expect(&self, what: &str, event: TreeEvent, act: impl FnOnce()) {
        while self.events.try_recv().is_ok() {}
        act();
        loop {
            match self.events.recv_timeout(WATCHDOG) {
                Ok(found) if found == event => return,
                Ok(_) => {}
                Err(_) => panic!("no event: {what}"),
            }
        }
    }
}

#[test]
fn documents_and_branches_have_events() {
    let repo = Repo::new();
    repo.git(&["branch", "two"]);
    repo.write("documentation/requirements/a.md", "a");
    let mut watched = Watched::new(&repo);
    let path = |name: &str| repo.root.join("documentation").join(name);
    let changed = TreeEvent::Changed;
    watched.expect("a write", changed, || fs::write(path("requirements/a.md"), "b").unwrap());
    watched.expect("a new file", changed, || fs::write(path("requirements/b.md"), "b").unwrap());
    watched.expect("an atomic save", changed, || {
        fs::write(path("requirements/.b.swp"), "c").unwrap();
        fs::rename(path("requirements/.b.swp"), path("requirements/b.md")).unwrap();
    });
    watched.expect("a removal", changed, || fs::remove_file(path("requirements/b.md")).unwrap());
    watched.expect("a switch", changed, || drop(repo.git(&["switch", "-q", "two"])));
    watched.expect("settings", changed, || repo.write("cairn-kb.toml", ""));
    watched.expect("a new folder", changed, || fs::create_dir(path("tests")).unwrap());
    watched.again();
    watched.expect("a file in it", changed, || fs::write(path("tests/t.md"), "t").unwrap());
    watched.expect("a renamed folder", changed, || fs::rename(path("tests"), path("facts")).unwrap());
    watched.again();
    watched.expect("a file below it", changed, || fs::write(path("facts/t.md"), "u").unwrap());
    watched.expect("a removed folder", changed, || fs::remove_dir_all(path("")).unwrap());
    watched.again();
    watched.expect("all of it again", changed, || repo.write("documentation/adr/a.md", "a"));
    watched.expect("the end of the tree", TreeEvent::Gone, || fs::remove_dir_all(&repo.root).unwrap());
}

#[test]
fn reading_and_other_files_are_no_events() {
    let repo = Repo::new();
    repo.write("documentation/requirements/a.md", "a");
    repo.write("documentation/requirements/picture.png", "a");
    let mut watched = Watched::new(&repo);
    watched
        .expect("the first write", TreeEvent::Changed, || repo.write("documentation/requirements/a.md", "b"));
    watched.again();
    while watched.events.try_recv().is_ok() {}
    fs::read(repo.root.join("documentation/requirements/a.md")).unwrap();
    watched.workspace.walk(&WalkOptions::default()).unwrap();
    repo.write("Cargo.lock", "x");
    repo.write("src/a.md", "x");
    repo.write("documentation/requirements/picture.png", "b");
    repo.write("documentation/other.md", "b");
    // Each is a round trip through the thread that reads events.
    (0..10).for_each(|_| watched.again());
    assert_eq!(watched.events.try_iter().collect::<Vec<_>>(), []);
}
