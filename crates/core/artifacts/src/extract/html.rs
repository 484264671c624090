//! The text of an HTML page.
//!
//! A reader of tags, not a parser of documents: it knows which elements hold no text, which ones begin a new
//! line, and where the head ends. A page that is cut off or malformed yields the text that can be told from tags.

use super::entity;

/// Elements whose content is not text of the page.
const SKIPPED: [&str; 5] = ["script", "style", "template", "svg", "math"];
/// Elements of the head; any other one ends it.
const OF_HEAD: [&str; 10] =
    ["html", "head", "title", "meta", "link", "base", "script", "style", "noscript", "template"];
/// Elements inside a line: text before and after belongs together.
const INLINE: [&str; 24] = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "dfn", "em", "font", "i", "kbd", "mark", "q",
    "s", "small", "span", "strong", "sub", "sup", "u", "var", "wbr",
];

/// Returns the title and the text of a page, with entities decoded and white space collapsed.
pub(super) fn text(html: &str) -> String {
    let mut page = Page::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        page.text(&rest[..at]);
        rest = page.markup(&rest[at..]);
    }
    page.text(rest);
    page.out.truncate(page.out.trim_end().len());
    page.out
}

#[derive(Debug, Default)]
struct Page {
    out: String,
    is_in_head: bool,
    is_in_title: bool,
}

/// A tag that was read.
struct Tag<'a> {
    name: String,
    is_end: bool,
    /// What follows it.
    rest: &'a str,
}

impl Page {
    fn text(&mut self, text: &str) {
        if self.is_in_head && !self.is_in_title {
            return;
        }
        entity::decode(text, |piece| {
            for character in piece.chars() {
                if !character.is_whitespace() {
                    self.out.push(character);
                } else if self.out.ends_with(|last: char| !last.is_whitespace()) {
                    self.out.push(' ');
                }
            }
        });
    }

    fn new_line(&mut self) {
        if self.out.ends_with(' ') {
            self.out.pop();
        }
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    /// Takes what begins with `<`, and returns what follows it.
    fn markup<'a>(&mut self, html: &'a str) -> &'a str {
        if let Some(comment) = html.strip_prefix("<!--") {
            return after(comment, "-->");
        }
        if html.starts_with("<!") || html.starts_with("<?") {
            return after(html, ">");
        }
        let Some(tag) = tag(html) else {
            self.text("<");
            return &html[1..];
        };
        let name = tag.name.as_str();
        match name {
            "head" => self.is_in_head = !tag.is_end,
            "title" => self.is_in_title = self.is_in_head && !tag.is_end,
            _ if !OF_HEAD.contains(&name) => (self.is_in_head, self.is_in_title) = (false, false),
            _ => {}
        }
        if !INLINE.contains(&name) {
            self.new_line();
        }
        if !tag.is_end && SKIPPED.contains(&name) { after_element(tag.rest, name) } else { tag.rest }
    }
}

/// Reads a tag; `None` if the `<` is not the start of one.
fn tag(html: &str) -> Option<Tag<'_>> {
    let inner = html.strip_prefix('<')?;
    let (is_end, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
    if !inner.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return None;
    }
    let name_end = inner.find(|character: char| character.is_whitespace() || "/>".contains(character));
    let (name, attributes) = inner.split_at(name_end.unwrap_or(inner.len()));
    Some(Tag { name: name.to_ascii_lowercase(), is_end, rest: after_attributes(attributes) })
}

/// Skips attributes, whose quoted values may hold `>`.
fn after_attributes(mut rest: &str) -> &str {
    while let Some(at) = rest.find(['>', '"', '\'']) {
        let (before, from) = rest.split_at(at);
        rest = &from[1..];
        let is_value = before.trim_end().ends_with('=');
        match &from[..1] {
            ">" => return rest,
            quote if is_value => rest = after(rest, quote),
            _ => {}
        }
    }
    ""
}

/// Skips to the end of an element that holds no tags of its own.
fn after_element<'a>(mut rest: &'a str, name: &str) -> &'a str {
    while let Some(at) = rest.find("</") {
        rest = &rest[at..];
        let found = rest.get(2..2 + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name));
        if found {
            return after(rest, ">");
        }
        rest = &rest[2..];
    }
    ""
}

fn after<'a>(text: &'a str, end: &str) -> &'a str {
    text.find(end).map_or("", |at| &text[at + end.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_read_as_people_see_them() {
        for (html, expected) in [
            ("", ""),
            ("no tags", "no tags"),
            ("<p>a</p><p>b <b>c</b>d</p>", "a\nb cd"),
            ("a<br>b<br/>c", "a\nb\nc"),
            ("<ul><li> a </li>\n<li>b</li></ul>", "a\nb"),
            ("a &amp; b &lt;c&gt; &#228;&#xe4;", "a & b <c> ää"),
            (
                "<!DOCTYPE html><html><head><meta charset=utf-8><title>T &amp; U</title> noise \
                 <style>p{}</style><script>if (a<b) '</p>'</script></head><body><h1>H</h1>x</body></html>",
                "T & U\nH\nx",
            ),
            ("<head><title>T</title><p>body without a tag", "T\nbody without a tag"),
            ("<SCRIPT>x</ScRiPt >y", "y"),
            ("<style>never closed", ""),
            ("a<!-- b > c -->d", "ad"),
            ("a<!-- never closed", "a"),
            ("<a title=\"x > y\">z</a>", "z"),
            ("<a title='x > y'>z</a>", "z"),
            ("<a it's>z</a>", "z"),
            ("1 < 2 and 3 <4", "1 < 2 and 3 <4"),
            ("a<p", "a"),
            ("a<", "a<"),
            ("a</", "a</"),
            ("<svg><text>no</text></svg>yes", "yes"),
            ("<é>", "<é>"),
        ] {
            assert_eq!(text(html), expected, "{html}");
        }
    }
}
