//! The block of cairn in the text of a git hook, directly behind the first line: what follows may end the script.
//!
//! The block has a line for each folder that is the root of a KB. It reads no input, which some hooks get from git.

/// The hooks that cairn has a block in.
pub(super) const HOOKS: [&str; 4] = ["pre-commit", "post-checkout", "post-merge", "post-rewrite"];

/// The first line of a file that is made for the block.
pub(super) const SHEBANG: &str = "#!/bin/sh\n";

const BEGIN: &str = "# >>> cairn kb >>>";
/// The first line of a block before which a line feed was added.
const BEGIN_JOINED: &str = "# >>> cairn kb (line feed added) >>>";
/// The first line of a block for which the file was made.
const BEGIN_CREATED: &str = "# >>> cairn kb (file created) >>>";
const BEGINS: [&str; 3] = [BEGIN, BEGIN_JOINED, BEGIN_CREATED];
const END: &str = "# <<< cairn kb <<<";

/// The text of a hook cannot be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockError {
    /// It is no script for a shell.
    NotShell,
    /// The marks of the block are not in pairs.
    Marks,
}

/// What is left of a hook without the line of a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Without {
    /// There is no such line. True if the block has lines of other roots.
    Absent(bool),
    /// The text; other roots may still have lines in it.
    Text(String),
    /// Nothing: the file was made for the block.
    Nothing,
}

/// Adds the line of a root to the block of a hook, which has no text if there is no such file. A block elsewhere in the
/// text is moved.
pub(super) fn with_root(text: Option<&str>, hook: &str, root: &str) -> Result<String, BlockError> {
    let found = text.map(Block::find).transpose()?.flatten();
    let Some(text) = text else {
        return Ok(inserted(SHEBANG, &Block::new(BEGIN_CREATED, vec![root.to_owned()]), hook));
    };
    if !is_shell(text) {
        return Err(BlockError::NotShell);
    }
    let (rest, mut block) = match found {
        Some(block) => (block.removed(text), block),
        None => (text.to_owned(), Block::new(BEGIN, Vec::new())),
    };
    if !block.roots.iter().any(|other| other == root) {
        block.roots.push(root.to_owned());
    }
    Ok(inserted(&rest, &block, hook))
}

/// Removes the line of a root, and the block with the last one. A block of an older cairn has no lines of roots.
pub(super) fn without_root(text: &str, hook: &str, root: &str) -> Result<Without, BlockError> {
    let Some(mut block) = Block::find(text)? else { return Ok(Without::Absent(false)) };
    if !block.roots.is_empty() && !block.roots.iter().any(|other| other == root) {
        return Ok(Without::Absent(true));
    }
    block.roots.retain(|other| other != root);
    let rest = block.removed(text);
    if !block.roots.is_empty() {
        return Ok(Without::Text(inserted(&rest, &block, hook)));
    }
    let is_nothing = block.begin == BEGIN_CREATED && rest == SHEBANG;
    Ok(if is_nothing { Without::Nothing } else { Without::Text(rest) })
}

/// A block in a text.
struct Block {
    begin: &'static str,
    roots: Vec<String>,
    /// Its place, with its marks and the line feed behind them.
    start: usize,
    end: usize,
}

impl Block {
    fn new(begin: &'static str, roots: Vec<String>) -> Block {
        Block { begin, roots, start: 0, end: 0 }
    }

    fn find(text: &str) -> Result<Option<Block>, BlockError> {
        let mut at = 0;
        let mut open: Option<Block> = None;
        let mut found = None;
        for line in text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            let line = line.trim_end();
            let begin = BEGINS.into_iter().find(|begin| *begin == line);
            match (begin, &mut open) {
                (Some(begin), None) if found.is_none() => {
                    open = Some(Block { start, ..Block::new(begin, Vec::new()) });
                }
                (Some(_), _) => return Err(BlockError::Marks),
                (None, None) if line == END => return Err(BlockError::Marks),
                (None, Some(_)) if line == END => {
                    found = open.take().map(|block| Block { end: at, ..block });
                }
                (None, Some(block)) => block.roots.extend(root_of(line)),
                (None, None) => {}
            }
        }
        if open.is_some() { Err(BlockError::Marks) } else { Ok(found) }
    }

    /// The text without the block.
    fn removed(&self, text: &str) -> String {
        let (before, after) = (&text[..self.start], &text[self.end..]);
        // A line that was added behind the block still begins on a line of its own.
        let is_joined = self.begin == BEGIN_JOINED && after.is_empty();
        let before = if is_joined { before.strip_suffix('\n').unwrap_or(before) } else { before };
        format!("{before}{after}")
    }
}

/// The text with a block behind its first line, if that names the shell.
fn inserted(text: &str, block: &Block, hook: &str) -> String {
    let first =
        if text.starts_with("#!") { text.split_inclusive('\n').next().unwrap_or_default() } else { "" };
    let is_joined = !first.is_empty() && !first.ends_with('\n');
    let (gap, begin) = match (is_joined, block.begin) {
        (true, _) => ("\n", BEGIN_JOINED),
        (false, BEGIN_JOINED) => ("", BEGIN),
        (false, begin) => ("", begin),
    };
    // After anything but a commit, the exit code would only make git itself look as if it had failed.
    let end = if hook == "pre-commit" { "exit 1" } else { ":" };
    let lines: String = block
        .roots
        .iter()
        .map(|root| format!("{LINE}{} hook {hook} \"$@\" </dev/null || {end}\n", quoted(root)))
        .collect();
    format!(
        "{first}{gap}{begin}\n\
         # Added by `cairn kb init --hooks`; `cairn kb init --remove-hooks` removes it.\n\
         if command -v cairn >/dev/null 2>&1; then\n\
         {lines}\
         fi\n\
         {END}\n\
         {}",
        &text[first.len()..]
    )
}

/// The beginning of the line of a root.
const LINE: &str = "  cairn kb --workspace-root=";

/// The root in a line of the block.
fn root_of(line: &str) -> Option<String> {
    let (root, _) = line.strip_prefix(LINE)?.rsplit_once(" hook ")?;
    Some(root.strip_prefix('\'')?.strip_suffix('\'')?.replace("'\\''", "'"))
}

/// A word of the shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Whether a hook is a script for a shell that knows `command -v`. One without a first line is run by `sh`.
fn is_shell(text: &str) -> bool {
    let Some(line) = text.strip_prefix("#!") else { return true };
    let line = line.lines().next().unwrap_or_default();
    let is_name = |word: &str| !word.starts_with('-') && !word.contains('=') && !word.ends_with("/env");
    let program = line.split_whitespace().find(|word| is_name(word)).unwrap_or_default();
    let program = program.rsplit('/').next().unwrap_or_default();
    matches!(program, "sh" | "bash" | "dash" | "ash" | "ksh" | "mksh" | "zsh")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str, root: &str) -> String {
        with_root(Some(text), "pre-commit", root).expect("it is for a shell")
    }

    fn without(text: &str, root: &str) -> Without {
        without_root(text, "pre-commit", root).expect("marks are in pairs")
    }

    #[test]
    fn a_block_comes_and_goes_without_a_trace() {
        for (text, first) in [
            ("#!/bin/sh\n", "#!/bin/sh\n"),
            ("", ""),
            ("#!/usr/bin/env bash\necho a\n", "#!/usr/bin/env bash\n"),
            ("#!/bin/sh\necho a", "#!/bin/sh\n"),
            ("#!/bin/sh", "#!/bin/sh\n"),
            ("\n\n", ""),
            ("echo a\r\n", ""),
            ("echo a", ""),
        ] {
            let new = with(text, ".");
            assert!(new.starts_with(&format!("{first}# >>> cairn")), "{new}");
            let line = "cairn kb --workspace-root='.' hook pre-commit \"$@\" </dev/null || exit 1\n";
            assert!(new.contains(line) && new.ends_with(&text[first.len().min(text.len())..]), "{new}");
            assert_eq!(with(&new, "."), new, "it is there already");
            assert_eq!(without(&new, "."), Without::Text(text.to_owned()));
            assert_eq!(without(text, "."), Without::Absent(false));
            let more = format!("{new}\necho b\n");
            assert_eq!(with(&more, ".").replace(BEGIN_JOINED, BEGIN), more.replace(BEGIN_JOINED, BEGIN));
            let Without::Text(gone) = without(&more, ".") else { panic!("{more}") };
            assert!(gone.starts_with(text.trim_end()) && gone.ends_with("\necho b\n"), "{gone:?}");
        }
        assert!(with_root(Some(""), "post-merge", ".").expect("it is for a shell").contains("|| :\n"));
    }

    #[test]
    fn a_file_that_is_made_for_the_block_goes_with_it() {
        let made = with_root(None, "pre-commit", ".").expect("it is for a shell");
        assert!(made.starts_with(&format!("{SHEBANG}{BEGIN_CREATED}\n")), "{made}");
        assert_eq!(without(&made, "."), Without::Nothing);
        let more = format!("{made}lint\n");
        assert_eq!(with(&more, "."), more);
        assert_eq!(without(&more, "."), Without::Text(format!("{SHEBANG}lint\n")));
        // A file of others that has nothing else stays.
        assert_eq!(without(&with(SHEBANG, "."), "."), Without::Text(SHEBANG.to_owned()));
    }

    #[test]
    fn each_root_has_a_line() {
        let roots = [".", "packages/it's a \"b\" $(c) hook ", "-x"];
        let one = with("lint\n", roots[0]);
        let two = with(&one, roots[1]);
        let all = with(&two, roots[2]);
        assert!(
            all.contains("--workspace-root='packages/it'\\''s a \"b\" $(c) hook ' hook pre-commit"),
            "{all}"
        );
        assert_eq!(without(&all, roots[2]), Without::Text(two.clone()));
        assert_eq!(without(&two, roots[1]), Without::Text(one.clone()));
        assert_eq!(without(&two, roots[2]), Without::Absent(true));
        assert_eq!(without(&one, roots[0]), Without::Text("lint\n".to_owned()));
    }

    #[test]
    fn an_older_block_is_moved_behind_the_first_line() {
        let old = format!("#!/bin/sh\na\n{BEGIN}\nold\n{END}\nb\n");
        let new = with(&old, ".");
        assert!(
            new.starts_with(&format!("#!/bin/sh\n{BEGIN}\n#")) && new.ends_with(&format!("{END}\na\nb\n"))
        );
        assert!(!new.contains("old"), "{new}");
        assert_eq!(without(&old, "."), Without::Text("#!/bin/sh\na\nb\n".to_owned()));
        let joined = format!("#!/bin/sh\na\n{BEGIN_JOINED}\nold\n{END}\n");
        let new = with(&joined, ".");
        assert!(new.ends_with("\na") && new.contains(BEGIN) && !new.contains(BEGIN_JOINED), "{new}");
        assert_eq!(without(&new, "."), Without::Text("#!/bin/sh\na".to_owned()));
    }

    #[test]
    fn odd_hooks_are_refused() {
        let with = |text: &str| with_root(Some(text), "pre-commit", ".");
        for text in
            ["#!/usr/bin/python3\n", "#!/usr/bin/env -S node --x\n", "#!/usr/bin/env A=b ruby\n", "#!\n"]
        {
            assert_eq!(with(text), Err(BlockError::NotShell), "{text}");
        }
        for text in [
            format!("{BEGIN}\n"),
            format!("{END}\n"),
            format!("{BEGIN}\n{BEGIN}\n{END}\n"),
            format!("{BEGIN}\n{END}\n{END}\n"),
            format!("{BEGIN}\n{END}\n{BEGIN_CREATED}\n{END}\n"),
        ] {
            assert_eq!(with(&text), Err(BlockError::Marks), "{text}");
            assert_eq!(without_root(&text, "pre-commit", "."), Err(BlockError::Marks), "{text}");
        }
    }
}
