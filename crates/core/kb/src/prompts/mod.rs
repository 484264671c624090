//! Prompts for agents: texts without arguments, embedded in the binary. A protocol mounts them under their names.

#[cfg(test)]
mod tests;

/// A prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prompt {
    /// Name.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Title for lists.
    pub title: &'static str,
    /// Description for lists.
    pub description: &'static str,
    /// Markdown text of the one message, which has the role of the user.
    pub text: &'static str,
}

/// Every prompt, ordered by name.
pub const PROMPTS: &[Prompt] = &[
    Prompt {
        name: "init-kb",
        aliases: &["init-kibi"],
        title: "Start a requirements KB",
        description: "Fills an empty KB: at most four questions, candidates, preview, approval, writes, check",
        text: include_str!("init-kb.md"),
    },
    Prompt {
        name: "kb_constraints",
        aliases: &["kibi_constraints"],
        title: "Constraints of the requirements KB",
        description: "Rules that writes are checked by, and what the tools never do",
        text: include_str!("kb_constraints.md"),
    },
    Prompt {
        name: "kb_overview",
        aliases: &["kibi_overview"],
        title: "Overview of the requirements KB",
        description: "Tools by task, and principles of modelling",
        text: include_str!("kb_overview.md"),
    },
    Prompt {
        name: "kb_workflow",
        aliases: &["kibi_workflow"],
        title: "Workflow of the requirements KB",
        description: "Order of calls from search to the final check",
        text: include_str!("kb_workflow.md"),
    },
];

/// Returns the prompt with this name or alias.
pub fn prompt(name: &str) -> Option<&'static Prompt> {
    PROMPTS.iter().find(|prompt| prompt.name == name || prompt.aliases.contains(&name))
}
