//! Content to publish: files, the files of directories, standard input.

use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use cairn_artifacts::limits::CONTENT_INLINE_BYTES_MAX;
use cairn_base::{Entropy, Hex, SystemEntropy};
use cairn_embedded::{Progress, ProgressFn};
use cairn_seam::{Sha256, Sha256Hasher};

use super::format;
use crate::command::input::is_stdin;
use crate::failure::Failure;

/// Bytes that are read at a time.
const PIECE_BYTES: usize = 256 << 10;

/// Something that becomes one artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Input {
    /// The file, or - for standard input.
    pub(super) path: PathBuf,
    /// The title that its name gives; `None` for standard input.
    pub(super) title: Option<String>,
    /// The format that its name gives.
    pub(super) format: &'static str,
}

/// Lists what paths stand for, one input per artifact.
pub(super) fn inputs(paths: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    if paths.is_empty() && std::io::stdin().is_terminal() {
        return Err(Failure::usage("nothing to publish")
            .hint("name a file or a directory, or pipe content to standard input"));
    }
    let stdin = [PathBuf::from("-")];
    let paths = if paths.is_empty() { &stdin } else { paths };
    if paths.iter().filter(|path| is_stdin(path)).count() > 1 {
        return Err(Failure::usage("standard input is named twice, and can be read once"));
    }
    let mut inputs = Vec::new();
    for path in paths {
        if is_stdin(path) {
            inputs.push(Input { path: path.clone(), title: None, format: format::TEXT });
            continue;
        }
        let about = path.metadata().map_err(|error| unreadable(path, &error))?;
        if about.is_dir() {
            let before = inputs.len();
            walk(path, path, &mut inputs)?;
            if inputs.len() == before {
                return Err(Failure::usage(format!("{} has no files to publish", path.display()))
                    .hint("hidden files are skipped; name them one by one to publish them"));
            }
        } else {
            let name = path.file_name().unwrap_or(path.as_os_str());
            inputs.push(of_file(path, &name.to_string_lossy()));
        }
    }
    Ok(inputs)
}

fn of_file(path: &Path, title: &str) -> Input {
    Input { path: path.to_owned(), title: Some(title.to_owned()), format: format::of_file(path) }
}

/// Adds the regular files of a directory and of the directories in it, sorted by name. Hidden names and symbolic
/// links are skipped.
fn walk(root: &Path, dir: &Path, inputs: &mut Vec<Input>) -> Result<(), Failure> {
    let entries = dir.read_dir().and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut entries = entries.map_err(|error| unreadable(dir, &error))?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let kind = entry.file_type().map_err(|error| unreadable(&path, &error))?;
        if kind.is_dir() {
            walk(root, &path, inputs)?;
        } else if kind.is_file() {
            let title = path.strip_prefix(root).unwrap_or(&path).to_string_lossy();
            inputs.push(of_file(&path, &title));
        }
    }
    Ok(())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::io(format_args!("read {}", path.display()), error)
}

/// Content that was hashed.
#[derive(Debug)]
pub(super) struct Content {
    /// Its SHA-256.
    pub(super) sha256: Sha256,
    /// Its length.
    pub(super) bytes: u64,
    /// Where its bytes are.
    pub(super) body: Body,
}

/// The bytes of content.
#[derive(Debug)]
pub(super) enum Body {
    /// In memory: they travel with the payload.
    Small(Vec<u8>),
    /// In a file: they are uploaded first.
    Large(File),
}

impl Body {
    /// Opens a large body from its beginning.
    pub(super) fn reader(file: &File) -> std::io::Result<File> {
        let mut reader = file.try_clone()?;
        reader.seek(SeekFrom::Start(0))?;
        Ok(reader)
    }
}

/// Reads content in one pass. What does not fit into a request stays in its file; standard input that does not is
/// written to an unnamed temporary file.
pub(super) fn load(path: &Path, show: &ProgressFn) -> Result<Content, Failure> {
    let failed = |error: std::io::Error| unreadable(path, &error);
    let (mut input, file): (Box<dyn Read>, Option<File>) = if is_stdin(path) {
        (Box::new(std::io::stdin()), None)
    } else {
        let file = File::open(path).map_err(failed)?;
        (Box::new(file.try_clone().map_err(failed)?), Some(file))
    };
    let mut small = Vec::new();
    let most = CONTENT_INLINE_BYTES_MAX as u64;
    (&mut input).take(most + 1).read_to_end(&mut small).map_err(failed)?;
    if small.len() as u64 <= most {
        return Ok(Content {
            sha256: Sha256::of(&small),
            bytes: small.len() as u64,
            body: Body::Small(small),
        });
    }
    let total = match &file {
        Some(file) => file.metadata().map_err(failed)?.len(),
        None => 0,
    };
    let mut spool = match file {
        Some(_) => None,
        None => Some(temporary()?),
    };
    let mut hasher = Sha256Hasher::default();
    let mut piece = small;
    let mut bytes = 0;
    while !piece.is_empty() {
        hasher.update(&piece);
        bytes += piece.len() as u64;
        if let Some(spool) = &mut spool {
            let written = spool.write_all(&piece);
            written.map_err(|error| Failure::io("write standard input to a temporary file", &error))?;
        }
        if total > 0 {
            show("hashing", Progress { done: bytes.min(total), total });
        }
        piece.resize(PIECE_BYTES, 0);
        let read = input.read(&mut piece).map_err(failed)?;
        piece.truncate(read);
    }
    let file = file.or(spool).expect("content comes from one of them");
    Ok(Content { sha256: hasher.finish(), bytes, body: Body::Large(file) })
}

/// A file without a name, for its owner only.
fn temporary() -> Result<File, Failure> {
    let mut digits = [0; 16];
    SystemEntropy.fill(&mut digits);
    let path = std::env::temp_dir().join(format!("cairn-publish-{}", Hex(&digits)));
    let failed = |error: std::io::Error| Failure::io(format_args!("create {}", path.display()), &error);
    let options = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path);
    let file = options.map_err(failed)?;
    std::fs::remove_file(&path).map_err(failed)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn directories_are_their_regular_files_in_order() {
        let dir = tempfile::tempdir().expect("a folder");
        for name in ["b.md", "a.csv", ".hidden", "sub/c.html", ".git/config", "sub/.d"] {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            std::fs::write(path, name).expect("a file");
        }
        std::os::unix::fs::symlink(dir.path().join("b.md"), dir.path().join("link.md")).expect("a link");
        let found = inputs(&[dir.path().to_owned()]).expect("files");
        let found: Vec<_> = found.iter().map(|input| (input.title.as_deref(), input.format)).collect();
        let expected = [(Some("a.csv"), "csv"), (Some("b.md"), "markdown"), (Some("sub/c.html"), "html")];
        assert_eq!(found, expected);
        let one = inputs(&[dir.path().join("sub/c.html")]).expect("a file");
        assert_eq!(one[0].title.as_deref(), Some("c.html"));
        assert!(inputs(&[dir.path().join("nothing")]).is_err());
        assert!(inputs(&["-".into(), "-".into()]).is_err());
        std::fs::create_dir(dir.path().join("empty")).expect("a folder");
        assert!(inputs(&[dir.path().join("empty")]).is_err());
    }

    #[test]
    fn small_content_is_in_memory_and_large_content_in_its_file() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("content");
        let show: ProgressFn = Arc::new(|_: &str, _: Progress| {});
        for (length, is_small) in
            [(0, true), (CONTENT_INLINE_BYTES_MAX, true), (CONTENT_INLINE_BYTES_MAX + 1, false)]
        {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            std::fs::write(&path, &bytes).expect("a file");
            let content = load(&path, &show).expect("content");
            assert_eq!((content.sha256, content.bytes), (Sha256::of(&bytes), length as u64));
            match content.body {
                Body::Small(small) => assert!(is_small && small == bytes),
                Body::Large(file) => {
                    let mut again = Vec::new();
                    Body::reader(&file).expect("it is open").read_to_end(&mut again).expect("bytes");
                    assert!(!is_small && again == bytes);
                }
            }
        }
    }
}
