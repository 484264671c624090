//! Error codes: one row per situation, one column per protocol.
//!
//! Every error of every crate answers a [`ErrorCode`]; surfaces translate by its row and nobody matches on
//! text. Codes that several tiers need are declared here, the others with [`error_codes!`](crate::error_codes)
//! in the crate that owns the situation, so that a changed hint rebuilds only that crate and those above it.
//! How the columns are filled:
//! - KIP has no codes for transport and permission, so the nearest of its list stands there;
//! - wire numbers are those of HTTP, except that whatever is wrong with a request itself is 422 and
//!   what only HTTP can get wrong has the nearest number;
//! - JSON-RPC has its own numbers for malformed requests and for internal errors, which are the 500s.
//!   The rest lies in its range for servers: -32000 less the last two digits of a 4xx status, -32050
//!   less the last digit of a 5xx one. A missing thing is -32002, as MCP has it.

use std::cmp::Ordering;

/// Whether, and how, the same request may be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Retry {
    /// It will fail again: change the request, or have an operator change the node.
    Never,
    /// Nothing was changed: send the same request again at once.
    Same,
    /// Nothing was changed: send the same request again after a pause.
    Later,
    /// It may have been done: look first.
    Look,
}

/// The names of one error code in every protocol, and what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorRow {
    /// Its name in `error.code` of an HTTP answer, and in logs and metrics.
    pub name: &'static str,
    /// Its KIP code.
    pub kip: &'static str,
    /// Its number in an ERROR frame of the binary protocol.
    pub wire: u32,
    /// Its HTTP status.
    pub http: u16,
    /// Its JSON-RPC code.
    pub json_rpc: i32,
    /// Whether to send the request again.
    pub retry: Retry,
    /// What to do next.
    pub hint: &'static str,
}

/// A situation a caller can act on, the same in every protocol: a handle to its row.
///
/// Two codes are equal if their rows are; names are unique, which a test over all crates holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ErrorCode(&'static ErrorRow);

/// Declares the error codes of a crate: constants of a type that is only their namespace, and `ALL` of them.
///
/// A code is called by the name of its constant in all protocols, unless `as "Name"` says otherwise.
///
/// ```
/// cairn_base::error_codes! {
///     /// Error codes of kettles.
///     pub KettleCode;
///
///     /// The kettle has no water.
///     Empty: "KIP_4003", wire 503, http 503, rpc -32053, Later,
///         "fill the kettle";
/// }
/// assert_eq!(KettleCode::Empty.name(), "Empty");
/// assert_eq!(KettleCode::ALL, [KettleCode::Empty]);
/// ```
#[macro_export]
macro_rules! error_codes {
    (
        $(#[$type_doc:meta])*
        $vis:vis $type:ident;
        $($row:tt)*
    ) => {
        $(#[$type_doc])*
        #[derive(Debug, Clone, Copy)]
        $vis enum $type {}

        $crate::error_codes! { @rows $vis $type ALL $($row)* }
    };
    (@rows $vis:vis $type:ident $all:ident $(
        $(#[$doc:meta])*
        $code:ident $(as $name:literal)?: $kip:literal, wire $wire:literal, http $http:literal,
            rpc $json_rpc:literal, $retry:ident, $hint:literal;
    )*) => {
        #[expect(non_upper_case_globals, reason = "a constant is spelled like the code on the wire")]
        impl $type {
            $(
                $(#[$doc])*
                $vis const $code: $crate::ErrorCode = $crate::ErrorCode::of(&$crate::ErrorRow {
                    name: $crate::error_codes!(@name $code $($name)?),
                    kip: $kip,
                    wire: $wire,
                    http: $http,
                    json_rpc: $json_rpc,
                    retry: $crate::Retry::$retry,
                    hint: $hint,
                });
            )*

            /// Every code declared here, in the order of declaration.
            $vis const $all: &'static [$crate::ErrorCode] = &[$($type::$code),*];
        }
    };
    (@name $code:ident) => { stringify!($code) };
    (@name $code:ident $name:literal) => { $name };
}

error_codes! { @rows pub ErrorCode GENERAL
    /// The request is well formed and asks for something that makes no sense.
    InvalidRequest: "KIP_1001", wire 422, http 422, rpc -32602, Never,
        "correct the request as the message says";
    /// The body is not JSON, or not JSON we read.
    MalformedJson: "KIP_1001", wire 422, http 400, rpc -32700, Never,
        "correct the JSON at the named line and column";
    /// What was named is not there, or not there for this caller.
    NotFound: "KIP_3002", wire 404, http 404, rpc -32002, Never,
        "check the name or id";
    /// The caller may not do this.
    Forbidden: "KIP_3004", wire 403, http 403, rpc -32003, Never,
        "ask an administrator for the permission";
    /// The current state does not admit the change.
    Conflict: "KIP_3005", wire 409, http 409, rpc -32009, Never,
        "read the current state, and change the request as the message says";
    /// The expected version is not the current one.
    PreconditionFailed: "KIP_3005", wire 412, http 412, rpc -32012, Never,
        "read the current version and decide again";
    /// Something is over its limit.
    TooLarge: "KIP_4002", wire 413, http 413, rpc -32013, Never,
        "stay within the limit that the message names";
    /// Too much is waiting already.
    Overloaded: "KIP_4002", wire 503, http 503, rpc -32053, Later,
        "wait a moment and send the request again";
    /// The request took longer than it may.
    DeadlineExceeded: "KIP_4001", wire 504, http 504, rpc -32054, Look,
        "ask for less at once; if it was a write, look whether it was done";
    /// The server starts, stops or lacks something it needs.
    Unavailable: "KIP_4003", wire 503, http 503, rpc -32053, Later,
        "wait until /readyz answers 200";
    /// Durable bytes are not what was written.
    Damaged as "DecodeError": "KIP_4003", wire 500, http 500, rpc -32603, Never,
        "restore it from a backup; `cairn doctor` names what is damaged, and `cairn salvage --to DIR` makes a \
         new store of everything that can be read";
    /// A fault of cairn or of the machine.
    Internal: "KIP_4003", wire 500, http 500, rpc -32603, Look,
        "find the request id in the log and report it; look before sending a write again";
}

impl ErrorCode {
    /// The code of a row that [`error_codes!`](crate::error_codes) declares.
    pub const fn of(row: &'static ErrorRow) -> ErrorCode {
        ErrorCode(row)
    }

    /// Its row.
    pub fn row(self) -> &'static ErrorRow {
        self.0
    }

    /// Its name, in camel case.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Its KIP code.
    pub fn kip(self) -> &'static str {
        self.row().kip
    }

    /// Its number in the binary protocol.
    pub fn wire(self) -> u32 {
        self.row().wire
    }

    /// Its HTTP status.
    pub fn http(self) -> u16 {
        self.row().http
    }

    /// Its JSON-RPC code.
    pub fn json_rpc(self) -> i32 {
        self.row().json_rpc
    }

    /// Whether to send the request again.
    pub fn retry(self) -> Retry {
        self.row().retry
    }

    /// What to do next.
    pub fn hint(self) -> &'static str {
        self.row().hint
    }
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl std::fmt::Debug for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// By name.
impl Ord for ErrorCode {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for ErrorCode {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    error_codes! {
        /// Codes of this test.
        pub(super) TestCode;

        /// One.
        Lonely: "KIP_4003", wire 503, http 503, rpc -32053, Later,
            "wait";
        /// Another, with a name of its own.
        Twin as "Second": "KIP_4003", wire 503, http 503, rpc -32053, Later,
            "wait";
    }

    #[test]
    fn codes_of_a_crate_are_constants_and_a_list() {
        assert_eq!(TestCode::ALL, [TestCode::Lonely, TestCode::Twin]);
        assert_eq!((TestCode::Lonely.name(), TestCode::Twin.name()), ("Lonely", "Second"));
        assert!(
            matches!(TestCode::ALL[0], TestCode::Lonely) && !matches!(TestCode::ALL[1], TestCode::Lonely)
        );
        assert_eq!(TestCode::Twin.to_string(), format!("{:?}", TestCode::Twin));
    }

    #[test]
    fn codes_are_ordered_by_name() {
        assert!(ErrorCode::Conflict < ErrorCode::Damaged && ErrorCode::Damaged < ErrorCode::Forbidden);
        assert!(ErrorCode::GENERAL.contains(&ErrorCode::Internal));
    }
}
