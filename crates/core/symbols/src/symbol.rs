//! Results of parsing a source file.

use std::fmt;

use crate::TestFramework;

/// Symbols and other facts of one source file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Symbols {
    /// Its symbols, ordered by the place where they begin. Names can repeat: overloads, conditional compilation.
    pub symbols: Vec<Symbol>,
    /// Modules that it imports, as they are written; sorted, each once.
    pub imports: Vec<String>,
    /// Comments that say which requirements it implements, in their order.
    pub directives: Vec<Directive>,
    /// The test framework whose tests are in the file.
    pub test_framework: Option<TestFramework>,
    /// Whether the file has syntax errors.
    pub has_errors: bool,
    /// Whether something was left out because of a limit.
    pub is_truncated: bool,
}

/// A named part of a source file. Declarations inside of functions are not among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name. The default export of a module that has no name is `default`.
    pub name: String,
    /// Its name behind those of the classes, types and modules that it belongs to: `Session.end`, in all languages.
    pub qualified_name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Whether code elsewhere can use it: exported, public, not private by convention.
    pub is_exported: bool,
    /// Whether it is a test or a module of tests by an attribute, an annotation or a signature.
    pub is_test: bool,
    /// Line where it begins, with its decorators and its `export`; the first one is 1.
    pub line: u32,
    /// Column where it begins, in bytes; the first one is 1.
    pub column: u32,
    /// Line where it ends.
    pub end_line: u32,
    /// Column behind its last character, in bytes.
    pub end_column: u32,
    /// Index of the symbol that it is a part of: of a method its class.
    pub parent: Option<usize>,
}

impl Symbol {
    /// Returns the role of the symbol.
    pub fn role(&self) -> Role {
        self.kind.role()
    }
}

/// A comment that says which requirements a symbol implements: `implements REQ-001, REQ-002`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// Ids of the requirements, in their order.
    pub requirements: Vec<String>,
    /// Its line; the first one is 1.
    pub line: u32,
    /// Index of the symbol that it belongs to: one that ends before it on the line, else the one that begins after it,
    /// else the one that encloses it. `None` if there is no such symbol.
    pub symbol: Option<usize>,
}

/// The kind of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolKind {
    /// A function.
    Function,
    /// A class or a record.
    Class,
    /// A function of a class, of a type or of a trait.
    Method,
    /// A macro.
    Macro,
    /// An interface, a protocol.
    Interface,
    /// A trait.
    Trait,
    /// A type alias.
    TypeAlias,
    /// An enumeration.
    Enum,
    /// A struct, a union.
    Struct,
    /// A module, a namespace.
    Module,
    /// A constant.
    Constant,
    /// A variable.
    Variable,
}

impl SymbolKind {
    /// Returns the role of symbols of this kind.
    pub fn role(self) -> Role {
        match self {
            SymbolKind::Function | SymbolKind::Class | SymbolKind::Method | SymbolKind::Macro => {
                Role::Behavioral
            }
            SymbolKind::Interface
            | SymbolKind::Trait
            | SymbolKind::TypeAlias
            | SymbolKind::Enum
            | SymbolKind::Struct => Role::TypeShape,
            SymbolKind::Module => Role::Module,
            SymbolKind::Constant | SymbolKind::Variable => Role::Unknown,
        }
    }

    /// Returns the name of the kind.
    pub fn text(self) -> &'static str {
        match self {
            SymbolKind::Function => "function",
            SymbolKind::Class => "class",
            SymbolKind::Method => "method",
            SymbolKind::Macro => "macro",
            SymbolKind::Interface => "interface",
            SymbolKind::Trait => "trait",
            SymbolKind::TypeAlias => "type_alias",
            SymbolKind::Enum => "enum",
            SymbolKind::Struct => "struct",
            SymbolKind::Module => "module",
            SymbolKind::Constant => "constant",
            SymbolKind::Variable => "variable",
        }
    }

    /// Whether symbols of other files can be parts of one of this kind by its name.
    pub(crate) fn is_type(self) -> bool {
        match self {
            SymbolKind::Class
            | SymbolKind::Interface
            | SymbolKind::Trait
            | SymbolKind::TypeAlias
            | SymbolKind::Enum
            | SymbolKind::Struct => true,
            SymbolKind::Function
            | SymbolKind::Method
            | SymbolKind::Macro
            | SymbolKind::Module
            | SymbolKind::Constant
            | SymbolKind::Variable => false,
        }
    }
}

impl fmt::Display for SymbolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// The role of a symbol, in the words of the KB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// It does something.
    Behavioral,
    /// It describes data.
    TypeShape,
    /// It holds other symbols together.
    Module,
    /// It may be either.
    Unknown,
}

impl Role {
    /// Returns the value of `symbol_role`.
    pub fn text(self) -> &'static str {
        match self {
            Role::Behavioral => "behavioral",
            Role::TypeShape => "type-shape",
            Role::Module => "module",
            Role::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
