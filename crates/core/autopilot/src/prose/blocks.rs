//! The blocks of a Markdown text that carry prose: headings and paragraphs.
//!
//! Front matter, code, tables, quotes, comments and reference definitions are left out.

use crate::limits::AUTOPILOT_PARAGRAPH_BYTES_MAX;

/// A block of prose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Block {
    /// A heading.
    Heading {
        /// 1 for the top level.
        level: usize,
        text: String,
        line: u32,
    },
    /// A paragraph or an item of a list, its lines joined by blanks.
    Prose {
        text: String,
        /// The line on which each part begins: offset in the text, and line.
        lines: Vec<(usize, u32)>,
    },
}

/// Calls `emit` with each block in order. Returning false ends the scan.
pub(crate) fn blocks(markdown: &str, emit: &mut dyn FnMut(Block) -> bool) {
    let mut scan = Scan { emit, text: String::new(), lines: Vec::new(), is_over: false, in_list: false };
    let mut lines = (1_u32..).zip(markdown.trim_start_matches('\u{feff}').lines()).peekable();
    if lines.peek().is_some_and(|(_, line)| line.trim_end() == "---") {
        skip_front_matter(markdown, &mut lines);
    }
    let mut fence: Option<(char, usize)> = None;
    let mut in_comment = false;
    for (number, line) in lines {
        let trimmed = line.trim();
        if let Some((mark, count)) = fence {
            if is_end_of_fence(trimmed, mark, count) {
                fence = None;
            }
            continue;
        }
        if in_comment {
            in_comment = !trimmed.contains("-->");
            continue;
        }
        if let Some(opened) = start_of_fence(trimmed) {
            scan.flush();
            fence = Some(opened);
        } else if trimmed.starts_with("<!--") {
            scan.flush();
            in_comment = !trimmed.contains("-->");
        } else {
            scan.line(line, trimmed, number);
        }
        if scan.is_over {
            return;
        }
    }
    scan.flush();
}

/// Skips front matter if it ends; a text that only begins like it is read from its start.
fn skip_front_matter<'a>(
    markdown: &str,
    lines: &mut std::iter::Peekable<impl Iterator<Item = (u32, &'a str)>>,
) {
    let is_end = |line: &str| matches!(line.trim_end(), "---" | "...");
    if markdown.lines().skip(1).any(is_end) {
        lines.next();
        for (_, line) in lines.by_ref() {
            if is_end(line) {
                return;
            }
        }
    }
}

fn start_of_fence(trimmed: &str) -> Option<(char, usize)> {
    let mark = trimmed.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let count = trimmed.chars().take_while(|found| *found == mark).count();
    let is_inline = mark == '`' && trimmed[count..].contains('`');
    (count >= 3 && !is_inline).then_some((mark, count))
}

fn is_end_of_fence(trimmed: &str, mark: char, count: usize) -> bool {
    trimmed.chars().count() >= count && trimmed.chars().all(|found| found == mark)
}

struct Scan<'a> {
    emit: &'a mut dyn FnMut(Block) -> bool,
    text: String,
    lines: Vec<(usize, u32)>,
    is_over: bool,
    in_list: bool,
}

impl Scan<'_> {
    fn line(&mut self, line: &str, trimmed: &str, number: u32) {
        if trimmed.is_empty() {
            self.flush();
            return;
        }
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        if is_indented && self.text.is_empty() && !self.in_list {
            return;
        }
        if let Some((level, text)) = heading(trimmed) {
            self.flush();
            self.in_list = false;
            self.send(Block::Heading { level, text: text.to_owned(), line: number });
            return;
        }
        if let Some(level) = underline(trimmed).filter(|_| self.lines.len() == 1 && !self.in_list) {
            let (text, line) = (std::mem::take(&mut self.text), self.lines[0].1);
            self.lines.clear();
            self.send(Block::Heading { level, text, line });
            return;
        }
        if is_other(trimmed) {
            self.flush();
            return;
        }
        let item = item(trimmed);
        if item.is_some() {
            self.flush();
            self.in_list = true;
        } else if !is_indented && !line.starts_with(' ') && self.text.is_empty() {
            self.in_list = false;
        }
        let content = item.unwrap_or(trimmed);
        if self.text.len() + content.len() > AUTOPILOT_PARAGRAPH_BYTES_MAX {
            self.flush();
        }
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.lines.push((self.text.len(), number));
        self.text.push_str(cut(content, AUTOPILOT_PARAGRAPH_BYTES_MAX));
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            let block =
                Block::Prose { text: std::mem::take(&mut self.text), lines: std::mem::take(&mut self.lines) };
            self.send(block);
        }
        self.lines.clear();
    }

    fn send(&mut self, block: Block) {
        if !self.is_over {
            self.is_over = !(self.emit)(block);
        }
    }
}

/// A heading that begins with `#`: its level and its text.
fn heading(trimmed: &str) -> Option<(usize, &str)> {
    let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
    let rest = trimmed.get(level..)?;
    if !(1..=6).contains(&level) || !rest.starts_with([' ', '\t']) {
        return None;
    }
    let text = rest.trim();
    let bare = text.trim_end_matches('#');
    let text = if bare.is_empty() || bare.ends_with([' ', '\t']) { bare.trim_end() } else { text };
    (!text.is_empty()).then_some((level, text))
}

/// A line that makes the line above it a heading.
fn underline(trimmed: &str) -> Option<usize> {
    let all = |mark: u8| trimmed.len() >= 2 && trimmed.bytes().all(|byte| byte == mark);
    if all(b'=') {
        Some(1)
    } else if all(b'-') {
        Some(2)
    } else {
        None
    }
}

/// Whether a line is no prose: a table, a quote, a rule, HTML, an image or a reference definition.
fn is_other(trimmed: &str) -> bool {
    let is_rule = trimmed.len() >= 3
        && ["-", "*", "_", "="]
            .iter()
            .any(|mark| trimmed.split_whitespace().all(|part| part.replace(mark, "").is_empty()));
    let is_bare = trimmed.chars().all(|letter| letter == '#' || letter == ' ');
    let is_reference = trimmed.starts_with('[') && trimmed.contains("]: ");
    is_rule
        || is_bare
        || is_reference
        || trimmed.starts_with(['|', '>', '<'])
        || trimmed.starts_with("![")
        || trimmed.starts_with("[![")
}

/// The content of an item of a list.
fn item(trimmed: &str) -> Option<&str> {
    let bullet = trimmed.strip_prefix(['-', '*', '+']);
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = trimmed.get(digits..).filter(|_| (1..=9).contains(&digits));
    let numbered = numbered.and_then(|rest| rest.strip_prefix(['.', ')']));
    let content = bullet.or(numbered)?;
    let content = content.strip_prefix([' ', '\t'])?.trim_start();
    let task = ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| content.strip_prefix(mark));
    Some(task.unwrap_or(content))
}

/// The beginning of a text of at most `bytes_max` bytes.
fn cut(text: &str, bytes_max: usize) -> &str {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks as `level#line text` and `line text`.
    fn check(markdown: &str, expected: &[&str]) {
        let mut found = Vec::new();
        blocks(markdown, &mut |block| {
            found.push(match block {
                Block::Heading { level, text, line } => format!("{level}#{line} {text}"),
                Block::Prose { text, lines } => format!("{} {text}", lines[0].1),
            });
            true
        });
        assert_eq!(found, expected, "{markdown:?}");
    }

    #[test]
    fn prose_is_what_is_left() {
        check("# A\ntext\nmore\n\nlast", &["1#1 A", "2 text more", "5 last"]);
        check("---\ntitle: must\n---\ntext", &["4 text"]);
        check("---\ntext must", &["2 text must"]);
        check("a\n```\nb must\n```\nc", &["1 a", "5 c"]);
        check("~~~~\na\n~~~\nb\n~~~~\nc", &["6 c"]);
        check("```\nopen to the end", &[]);
        check("a\n\n    code must\n\nb", &["1 a", "5 b"]);
        check("- a\n  b\n- c\n\n    d", &["1 a b", "3 c", "5 d"]);
        check("1. a\n2) b\n- [x] c\n12345678901. d", &["1 a", "2 b", "3 c 12345678901. d"]);
        check("<!-- must\nnot -->\na", &["3 a"]);
        check("| a |\n> b\n<b>c</b>\n[a]: b\n![a](b)\n---\n***\nd", &["8 d"]);
        check("Title\n=====\ntext\n\nSub\n---\nx", &["1#1 Title", "3 text", "2#5 Sub", "7 x"]);
        check("## A ##\n#no\n####### seven\n# #", &["2#1 A", "2 #no ####### seven"]);
        check("\u{feff}# A\r\nb\r\n", &["1#1 A", "2 b"]);
        check("", &[]);
    }

    #[test]
    fn a_paragraph_has_a_limit_and_the_scan_can_end() {
        let long = "word ".repeat(AUTOPILOT_PARAGRAPH_BYTES_MAX);
        let mut count = 0;
        blocks(&long, &mut |block| {
            let Block::Prose { text, .. } = block else { panic!("it is prose") };
            assert!(text.len() <= AUTOPILOT_PARAGRAPH_BYTES_MAX);
            count += 1;
            true
        });
        assert_eq!(count, 1);
        let mut seen = 0;
        blocks("a\n\nb\n\nc", &mut |_| {
            seen += 1;
            seen < 2
        });
        assert_eq!(seen, 2);
    }
}
