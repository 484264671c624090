//! The block of cairn in the text of a git hook.

/// The hooks that cairn has a block in.
pub(super) const HOOKS: [&str; 4] = ["pre-commit", "post-checkout", "post-merge", "post-rewrite"];

/// The first line of a file that is made for the block.
pub(super) const SHEBANG: &str = "#!/bin/sh\n";

const BEGIN: &str = "# >>> cairn kb >>>";
/// The first line of a block before which the file did not end with a line feed.
const BEGIN_JOINED: &str = "# >>> cairn kb (line feed added) >>>";
const END: &str = "# <<< cairn kb <<<";

/// The text of a hook cannot be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockError {
    /// It is no script for a shell.
    NotShell,
    /// The marks of the block are not in pairs.
    Marks,
}

/// Adds the block of a hook, or renews it where it is.
pub(super) fn with_block(text: &str, hook: &str) -> Result<String, BlockError> {
    if !is_shell(text) {
        return Err(BlockError::NotShell);
    }
    if let Some((start, end)) = find(text)? {
        let begin = text[start..].lines().next().unwrap_or(BEGIN);
        return Ok(format!("{}{}{}", &text[..start], block(begin, hook), &text[end..]));
    }
    let is_joined = !text.is_empty() && !text.ends_with('\n');
    let (gap, begin) = if is_joined { ("\n", BEGIN_JOINED) } else { ("", BEGIN) };
    Ok(format!("{text}{gap}{}", block(begin, hook)))
}

/// Removes the block. Returns `None` if there is none.
pub(super) fn without_block(text: &str) -> Result<Option<String>, BlockError> {
    let Some((start, end)) = find(text)? else { return Ok(None) };
    let before = &text[..start];
    let is_joined = text[start..].starts_with(BEGIN_JOINED);
    let before = if is_joined { before.strip_suffix('\n').unwrap_or(before) } else { before };
    Ok(Some(format!("{before}{}", &text[end..])))
}

/// Whether the last command before the end of a hook ends it, so that a block behind it never runs.
pub(super) fn ends_before(text: &str) -> bool {
    let start = text.find(BEGIN).or_else(|| text.find(BEGIN_JOINED)).unwrap_or(text.len());
    let mut commands =
        text[..start].lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with('#'));
    let word = commands.next_back().and_then(|line| line.split([' ', '\t', ';']).next());
    matches!(word, Some("exit" | "exec"))
}

fn block(begin: &str, hook: &str) -> String {
    // After anything but a commit, the exit code would only make git itself look as if it had failed.
    let end = if hook == "pre-commit" { "exit 1" } else { ":" };
    format!(
        "{begin}\n\
         # Added by `cairn kb init --hooks`; `cairn kb init --remove-hooks` removes it.\n\
         if command -v cairn >/dev/null 2>&1; then\n\
         \x20 cairn kb hook {hook} \"$@\" || {end}\n\
         fi\n\
         {END}\n"
    )
}

/// The place of the block, with its marks and the line feed behind them.
fn find(text: &str) -> Result<Option<(usize, usize)>, BlockError> {
    let mut at = 0;
    let mut begin = None;
    let mut found = None;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        match line.trim_end() {
            BEGIN | BEGIN_JOINED if begin.is_none() && found.is_none() => begin = Some(start),
            END if found.is_none() => found = Some((begin.ok_or(BlockError::Marks)?, at)),
            BEGIN | BEGIN_JOINED | END => return Err(BlockError::Marks),
            _ => {}
        }
    }
    if begin.is_some() && found.is_none() { Err(BlockError::Marks) } else { Ok(found) }
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

    #[test]
    fn a_block_comes_and_goes_without_a_trace() {
        for text in
            ["#!/bin/sh\n", "", "#!/usr/bin/env bash\necho a\n", "#!/bin/sh\necho a", "\n\n", "echo a\r\n"]
        {
            let with = with_block(text, "pre-commit").expect("it is for a shell");
            assert!(
                with.starts_with(text) && with.contains("cairn kb hook pre-commit \"$@\" || exit 1"),
                "{with}"
            );
            assert_eq!(with_block(&with, "pre-commit").as_deref(), Ok(&*with), "it is there already");
            assert_eq!(without_block(&with), Ok(Some(text.to_owned())));
            assert_eq!(without_block(text), Ok(None));
            let more = format!("{with}echo b\n");
            assert_eq!(with_block(&more, "pre-commit").as_deref(), Ok(&*more));
            let gone = without_block(&more).expect("marks are in pairs").expect("it is there");
            assert!(gone.starts_with(text.trim_end()) && gone.ends_with("echo b\n"), "{gone:?}");
        }
        assert!(with_block("", "post-merge").expect("it is for a shell").contains("|| :\n"));
    }

    #[test]
    fn an_older_block_is_renewed_in_its_place() {
        let old = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        let new = with_block(&old, "post-merge").expect("it is for a shell");
        assert!(new.starts_with(&format!("a\n{BEGIN}\n#")) && new.ends_with(&format!("{END}\nb\n")), "{new}");
        assert!(!new.contains("old"));
    }

    #[test]
    fn odd_hooks_are_refused() {
        for text in
            ["#!/usr/bin/python3\n", "#!/usr/bin/env -S node --x\n", "#!/usr/bin/env A=b ruby\n", "#!\n"]
        {
            assert_eq!(with_block(text, "pre-commit"), Err(BlockError::NotShell), "{text}");
        }
        for text in [
            format!("{BEGIN}\n"),
            format!("{END}\n"),
            format!("{BEGIN}\n{BEGIN}\n{END}\n"),
            format!("{BEGIN}\n{END}\n{END}\n"),
        ] {
            assert_eq!(with_block(&text, "pre-commit"), Err(BlockError::Marks), "{text}");
            assert_eq!(without_block(&text), Err(BlockError::Marks), "{text}");
        }
    }

    #[test]
    fn hooks_that_end_before_the_block_are_seen() {
        for (text, ends) in [
            ("#!/bin/sh\nexit 0\n", true),
            ("exec lint \"$@\"\n\n# end\n", true),
            ("#!/bin/sh\nlint || exit 1\n", false),
            ("if a; then\n  exit 1\nfi\n", false),
            ("", false),
        ] {
            assert_eq!(ends_before(text), ends, "{text}");
            let with = with_block(text, "pre-commit").expect("it is for a shell");
            assert_eq!(ends_before(&with), ends, "{with}");
        }
    }
}
