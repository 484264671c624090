//! Error codes of the protocol.

use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $code:ident = $text:literal, $name:literal, $hint:literal;)*) => {
        /// What went wrong, as the protocol names it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum KipCode {
            $($(#[$doc])* $code,)*
        }

        impl KipCode {
            /// Every code, in the order of their numbers.
            pub const ALL: &[KipCode] = &[$(KipCode::$code,)*];

            /// As it stands in `error.code`.
            pub fn text(self) -> &'static str {
                match self { $(KipCode::$code => $text,)* }
            }

            /// What people call it.
            pub fn name(self) -> &'static str {
                match self { $(KipCode::$code => $name,)* }
            }

            /// What to do next, where nothing more exact is known.
            pub fn hint(self) -> &'static str {
                match self { $(KipCode::$code => $hint,)* }
            }
        }
    };
}

codes! {
    /// The text is not KIP, or something in it makes no sense.
    InvalidSyntax = "KIP_1001", "InvalidSyntax", "correct the command at the named place";
    /// A name is not written as names are.
    InvalidIdentifier = "KIP_1002", "InvalidIdentifier", "types are UpperCamelCase, predicates and keys snake_case";
    /// A type or predicate is not registered.
    TypeMismatch = "KIP_2001", "TypeMismatch", "list what is registered with DESCRIBE CONCEPT TYPES or DESCRIBE PROPOSITION TYPES";
    /// The schema does not allow it.
    ConstraintViolation = "KIP_2002", "ConstraintViolation", "read the schema with DESCRIBE CONCEPT TYPE \"<Type>\"";
    /// The schema wants a value of another type.
    InvalidValueType = "KIP_2003", "InvalidValueType", "read the schema with DESCRIBE CONCEPT TYPE \"<Type>\"";
    /// A variable or handle is not defined.
    ReferenceError = "KIP_3001", "ReferenceError", "bind the variable in WHERE, or define the handle before it is used";
    /// What is named is not there.
    NotFound = "KIP_3002", "NotFound", "find the exact name with SEARCH CONCEPT \"<words>\"";
    /// It is there already.
    DuplicateExists = "KIP_3003", "DuplicateExists", "read what is there with FIND";
    /// It is protected.
    ImmutableTarget = "KIP_3004", "ImmutableTarget", "meta types, core domains, $self and $system stay as they are";
    /// The version is another one than expected.
    VersionMismatch = "KIP_3005", "VersionMismatch", "read metadata._version again and decide anew";
    /// It took too long.
    ExecutionTimeout = "KIP_4001", "ExecutionTimeout", "ask for less: add a type, a name or a LIMIT, or shorten paths";
    /// It is too much.
    ResourceExhausted = "KIP_4002", "ResourceExhausted", "ask for less: add a type, a name or a LIMIT, or shorten paths";
    /// Something failed that should not.
    InternalError = "KIP_4003", "InternalError", "try again; if it stays, look at the server's log";
}

impl fmt::Display for KipCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
