//! Which data directory a command works on.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cairn_worktree::Workspace;

use crate::failure::Failure;

/// The folder `cairn init` makes inside a project.
pub(crate) const PROJECT_FOLDER: &str = ".cairn";
/// Names the data directory, unless the flag does.
pub(crate) const ENVIRONMENT: &str = "CAIRN_DATA_DIR";

/// A data directory, and why this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DataDir {
    /// Where it is; it need not exist yet.
    pub(crate) path: PathBuf,
    /// Where the choice came from, for `cairn config`.
    pub(crate) source: &'static str,
}

impl DataDir {
    fn nearest(path: PathBuf) -> DataDir {
        DataDir { path, source: "the nearest .cairn up the tree" }
    }
}

/// What the choice depends on, so that tests need not change the process.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    current_dir: PathBuf,
    data_dir: Option<OsString>,
    xdg_data_home: Option<OsString>,
    home: Option<OsString>,
}

impl Surroundings {
    /// Those of this process.
    pub(crate) fn of_process() -> Result<Self, Failure> {
        let current_dir =
            env::current_dir().map_err(|error| Failure::io("find the current directory", &error))?;
        let var = |name| env::var_os(name).filter(|value| !value.is_empty());
        Ok(Surroundings {
            current_dir,
            data_dir: var(ENVIRONMENT),
            xdg_data_home: var("XDG_DATA_HOME"),
            home: var("HOME"),
        })
    }

    /// The same, seen from another folder.
    pub(crate) fn from(self, folder: &Path) -> Self {
        Surroundings { current_dir: self.absolute(folder), ..self }
    }

    /// A path as seen from the current directory, without the `.` in it.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        self.current_dir.join(path).components().collect()
    }
}

/// The flag, else the environment, else the nearest `.cairn` up the tree, else the user's own. In a linked worktree of git,
/// the main one is searched, too, before the folders above.
pub(crate) fn resolve(flag: Option<&Path>, around: &Surroundings) -> Result<DataDir, Failure> {
    if let Some(path) = flag {
        return Ok(DataDir { path: around.absolute(path), source: "--data-dir" });
    }
    if let Some(path) = &around.data_dir {
        return Ok(DataDir { path: around.absolute(Path::new(path)), source: ENVIRONMENT });
    }
    let in_main = in_main_tree(&around.current_dir);
    let is_within = |folder: &Path| in_main.iter().any(|(tree, _)| folder.starts_with(tree));
    let project = |folder: &Path| Some(folder.join(PROJECT_FOLDER)).filter(|path| path.is_dir());
    let above = || around.current_dir.ancestors();
    let nearest = DataDir::nearest;
    if let Some(path) = above().filter(|folder| is_within(folder)).find_map(project) {
        return Ok(nearest(path));
    }
    if let Some(path) = in_main.iter().flat_map(|(_, folders)| folders).find_map(|folder| project(folder)) {
        return Ok(DataDir { path, source: "the .cairn of the main worktree" });
    }
    if let Some(path) = above().find_map(project) {
        return Ok(nearest(path));
    }
    let user = user_data_dir(around).ok_or_else(|| {
        Failure::usage("there is no place for data: neither HOME nor XDG_DATA_HOME is set")
            .hint("name a data directory with --data-dir, or make one here with `cairn init`")
    })?;
    Ok(DataDir { path: user, source: "the user's data directory" })
}

/// For a folder of a linked worktree: the top of the worktree, and the same folder and those above it in the main one.
fn in_main_tree(folder: &Path) -> Option<(PathBuf, Vec<PathBuf>)> {
    let workspace = Workspace::find(folder, &|_| None).ok()?;
    let (top, main) = (workspace.git_top()?, workspace.main_tree()?);
    let below = folder.strip_prefix(top).ok()?;
    let folders = below.ancestors().map(|below| main.join(below)).collect();
    Some((top.to_owned(), folders))
}

fn user_data_dir(around: &Surroundings) -> Option<PathBuf> {
    // The XDG rules ignore a relative XDG_DATA_HOME.
    let xdg = around.xdg_data_home.as_ref().map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || around.home.as_ref().map(|home| Path::new(home).join(".local/share"));
    xdg.or_else(home).map(|base| base.join("cairn"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(flag: Option<&str>, around: &Surroundings, path: &Path, source: &str) {
        let found = resolve(flag.map(Path::new), around).expect("there is a place for data");
        assert_eq!((found.path.as_path(), found.source), (path, source));
    }

    #[test]
    fn the_nearest_choice_wins() {
        let project = tempfile::tempdir().expect("a temporary folder");
        let deep = project.path().join("src/deep");
        std::fs::create_dir_all(&deep).expect("folders");
        let mut around = Surroundings { current_dir: deep.clone(), ..Surroundings::default() };
        assert!(resolve(None, &around).is_err());

        around.home = Some("/nobody".into());
        check(None, &around, Path::new("/nobody/.local/share/cairn"), "the user's data directory");
        around.xdg_data_home = Some("relative".into());
        check(None, &around, Path::new("/nobody/.local/share/cairn"), "the user's data directory");
        around.xdg_data_home = Some("/data".into());
        check(None, &around, Path::new("/data/cairn"), "the user's data directory");

        let made = project.path().join(PROJECT_FOLDER);
        std::fs::create_dir(&made).expect("the project folder");
        check(None, &around, &made, "the nearest .cairn up the tree");

        around.data_dir = Some("/named".into());
        check(None, &around, Path::new("/named"), ENVIRONMENT);
        check(Some("mine"), &around, &deep.join("mine"), "--data-dir");
    }

    #[test]
    fn a_file_called_cairn_is_no_data_directory() {
        let project = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(project.path().join(PROJECT_FOLDER), "").expect("a file");
        let around = Surroundings { current_dir: project.path().to_path_buf(), ..Surroundings::default() };
        assert!(resolve(None, &around).is_err());
    }
}
