//! Working trees to measure with: documents of a KB, and source files in five languages.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Result;

/// Writes documents: of five, two are requirements, one is a scenario, one a test and one a fact.
pub(super) fn documents(tree: &Path, count: usize) -> Result<()> {
    let folders = ["requirements", "requirements", "scenarios", "tests", "facts"];
    for folder in folders {
        fs::create_dir_all(tree.join("documentation").join(folder))?;
    }
    for number in 0..count {
        let folder = folders[number % folders.len()];
        let path = tree.join(format!("documentation/{folder}/{number:06}.md"));
        fs::write(path, document(number))?;
    }
    Ok(())
}

/// The text of a document, about 1 KiB.
pub(super) fn document(number: usize) -> String {
    let group = number / 5;
    let mut text = match number % 5 {
        0 | 1 => format!(
            "---\nid: REQ-{number}\ntype: req\ntitle: Sessions of group {group} expire after {number} minutes\n\
             status: open\npriority: {}\ntags: [session, group-{}]\nlinks:\n  - type: specified_by\n    target: \
             SCEN-{}\n  - type: verified_by\n    target: TEST-{}\n---\n",
            if number.is_multiple_of(10) { "must" } else { "should" },
            group % 50,
            group * 5 + 2,
            group * 5 + 3,
        ),
        2 => format!(
            "---\nid: SCEN-{number}\ntype: scenario\ntitle: An idle session of group {group}\nstatus: active\n---\n"
        ),
        3 => format!(
            "---\nid: TEST-{number}\ntype: test\ntitle: Idle session of group {group} ends\nstatus: passing\n\
             verification_scope: integration\nlinks:\n  - type: validates\n    target: SCEN-{}\n---\n",
            number - 1
        ),
        _ => format!(
            "---\nid: FACT-{number}\ntype: fact\ntitle: Timeout of group {group}\nstatus: active\nfact_kind: property_value\n\
             subject_key: session.group{group}\nproperty_key: timeout\noperator: lte\nvalue_type: int\nvalue_int: \
             {number}\nunit: minutes\n---\n"
        ),
    };
    text.push_str("\n# Details\n\n");
    for line in 0..8 {
        let _ = writeln!(
            text,
            "Line {line} of document {number} says what holds for group {group}, and for whom it matters most."
        );
    }
    text
}

/// Writes source files, in folders of 100.
pub(super) fn sources(tree: &Path, count: usize) -> Result<()> {
    for number in 0..count {
        let folder = tree.join(format!("src/part{:04}", number / 100));
        if number.is_multiple_of(100) {
            fs::create_dir_all(&folder)?;
        }
        let ending = ["ts", "py", "rs", "go", "java"][number % 5];
        fs::write(folder.join(format!("file{number:06}.{ending}")), source(number))?;
    }
    fs::write(tree.join("package.json"), "{\"name\": \"sample\", \"version\": \"1.0.0\"}\n")?;
    fs::write(tree.join("README.md"), "# Sample\n\nThe service must keep an audit log for 7 years.\n")?;
    Ok(())
}

/// The text of a source file: a type, 12 functions and a comment each.
pub(super) fn source(number: usize) -> String {
    let mut text = match number % 5 {
        0 => format!(
            "import {{ other }} from './other';\n\nexport interface Shape{number} {{ size: number }}\n\nexport class Store{number} {{\n  read(): number {{ return 1; }}\n}}\n"
        ),
        1 => format!("import os\n\n\nclass Store{number}:\n    def read(self):\n        return 1\n"),
        2 => format!(
            "use std::fmt;\n\npub struct Store{number};\n\nimpl Store{number} {{\n    pub fn read(&self) -> u32 {{\n        1\n    }}\n}}\n"
        ),
        3 => format!(
            "package part\n\nimport \"fmt\"\n\ntype Store{number} struct{{}}\n\nfunc (s Store{number}) Read() int {{ fmt.Println(1); return 1 }}\n"
        ),
        _ => format!("package part;\n\nimport java.util.List;\n\npublic class file{number:06} {{\n"),
    };
    for function in 0..12 {
        let _ = match number % 5 {
            0 => write!(
                text,
                "\n/** Handles case {function}. */\nexport function handle{number}x{function}(input: string): number {{\n  const parts = input.split(',');\n  if (parts.length > {function}) {{\n    return parts.length;\n  }}\n  return {function};\n}}\n"
            ),
            1 => write!(
                text,
                "\n\ndef handle{number}x{function}(value):\n    \"\"\"Handles case {function}.\"\"\"\n    parts = value.split(',')\n    if len(parts) > {function}:\n        return len(parts)\n    return {function}\n"
            ),
            2 => write!(
                text,
                "\n/// Handles case {function}.\npub fn handle{number}x{function}(value: &str) -> usize {{\n    let parts = value.split(',').count();\n    if parts > {function} {{\n        return parts;\n    }}\n    {function}\n}}\n"
            ),
            3 => write!(
                text,
                "\n// Handle{number}x{function} handles case {function}.\nfunc Handle{number}x{function}(value string) int {{\n\tif len(value) > {function} {{\n\t\treturn len(value)\n\t}}\n\treturn {function}\n}}\n"
            ),
            _ => write!(
                text,
                "\n    /** Handles case {function}. */\n    public int handle{number}x{function}(String value) {{\n        if (value.length() > {function}) {{\n            return value.length();\n        }}\n        return {function};\n    }}\n"
            ),
        };
    }
    if number % 5 == 4 {
        text.push_str("}\n");
    }
    text
}
