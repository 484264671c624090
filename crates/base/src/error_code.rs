//! The error-code table: one row per situation, one column per protocol.
//!
//! Every error of every crate answers a [`ErrorCode`]; surfaces translate by this table and nobody
//! matches on text. How the columns are filled:
//! - KIP has no codes for transport and permission, so the nearest of its list stands there;
//! - wire numbers are those of HTTP, except that whatever is wrong with a request itself is 422 and
//!   what only HTTP can get wrong has the nearest number;
//! - JSON-RPC has its own numbers for malformed requests and for internal errors, which are the 500s.
//!   The rest lies in its range for servers: -32000 less the last two digits of a 4xx status, -32050
//!   less the last digit of a 5xx one. A missing thing is -32002, as MCP has it.

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

/// What one error code is called in every protocol, and what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorRow {
    /// The code.
    pub code: ErrorCode,
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

/// Makes the enum and its table from the same rows, so that neither can miss one.
macro_rules! error_codes {
    ($(
        $(#[$doc:meta])*
        $code:ident: $name:literal, $kip:literal, wire $wire:literal, http $http:literal,
            rpc $json_rpc:literal, $retry:ident, $hint:literal;
    )*) => {
        /// A situation a caller can act on, the same in every protocol.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ErrorCode {
            $($(#[$doc])* $code,)*
        }

        /// In the order of the enum: a code is the index of its row.
        static TABLE: &[ErrorRow] = &[$(ErrorRow {
            code: ErrorCode::$code,
            name: $name,
            kip: $kip,
            wire: $wire,
            http: $http,
            json_rpc: $json_rpc,
            retry: Retry::$retry,
            hint: $hint,
        },)*];
    };
}

error_codes! {
    /// The request is well formed and asks for something that makes no sense.
    InvalidRequest: "InvalidRequest", "KIP_1001", wire 422, http 422, rpc -32602, Never,
        "correct the request as the message says";
    /// The body is not JSON, or not JSON we read.
    MalformedJson: "MalformedJson", "KIP_1001", wire 422, http 400, rpc -32700, Never,
        "correct the JSON at the named line and column";
    /// What was named is not there, or not there for this caller.
    NotFound: "NotFound", "KIP_3002", wire 404, http 404, rpc -32002, Never,
        "check the name or id";
    /// The method does not exist at this address.
    MethodNotAllowed: "MethodNotAllowed", "KIP_1001", wire 422, http 405, rpc -32601, Never,
        "use one of the methods listed in the API description";
    /// The caller did not show who they are.
    Unauthenticated: "Unauthenticated", "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "send a valid token";
    /// What the caller showed is no credential.
    TokenMalformed: "TokenMalformed", "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "send `Authorization: Bearer` with a token of cairn or a JWT";
    /// This node issued no such token.
    TokenUnknown: "TokenUnknown", "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "check that the whole token was sent, and to the node that issued it";
    /// The credential held until now.
    TokenExpired: "TokenExpired", "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "get a new token";
    /// The credential was taken back.
    TokenRevoked: "TokenRevoked", "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "get a new token from an administrator";
    /// The user or the tenant may not come in.
    PrincipalDisabled: "PrincipalDisabled", "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "ask an administrator";
    /// The JWT is not signed with EdDSA.
    TokenAlgorithm: "TokenAlgorithm", "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "sign with EdDSA and a registered Ed25519 key";
    /// The key is not registered.
    KeyUnknown: "KeyUnknown", "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "register the key, and name it in kid as 64 hexadecimal digits";
    /// The key was replaced or taken back.
    KeyRevoked: "KeyRevoked", "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "sign with the current key";
    /// The signature is not of the key.
    InvalidSignature: "InvalidSignature", "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "sign the exact bytes with the private key of the named public key";
    /// The JWT is for another node.
    TokenAudience: "TokenAudience", "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "set aud to the id of this node";
    /// The JWT lacks a claim that it needs, or one does not fit its key.
    TokenClaims: "TokenClaims", "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "send the claims aud, exp and jti; sub and tenant only as its key is registered";
    /// The JWT would hold for too long.
    TokenTooLong: "TokenTooLong", "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "let it expire within five minutes, and check the clocks";
    /// The JWT holds later.
    TokenNotYet: "TokenNotYet", "KIP_3004", wire 401, http 401, rpc -32001, Later,
        "check the clocks of both machines";
    /// The JWT was used on another connection.
    TokenReplayed: "TokenReplayed", "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "sign a new JWT with another jti";
    /// The caller may not do this.
    Forbidden: "Forbidden", "KIP_3004", wire 403, http 403, rpc -32003, Never,
        "ask an administrator for the permission";
    /// The Host header names somebody else.
    WrongHost: "WrongHost", "KIP_3004", wire 403, http 421, rpc -32021, Never,
        "call the server by an address it listens on";
    /// The page that sent the request comes from an origin that is not allowed.
    WrongOrigin: "WrongOrigin", "KIP_3004", wire 403, http 403, rpc -32003, Never,
        "add the origin to http.allowed_origins";
    /// The current state does not admit the change.
    Conflict: "Conflict", "KIP_3005", wire 409, http 409, rpc -32009, Never,
        "read the current state, and change the request as the message says";
    /// The expected version is not the current one.
    PreconditionFailed: "PreconditionFailed", "KIP_3005", wire 412, http 412, rpc -32012, Never,
        "read the current version and decide again";
    /// A turn does not say what it is, and neither does the request.
    MissingTypeHint: "MissingTypeHint", "KIP_1001", wire 422, http 422, rpc -32602, Never,
        "say as_type_id and as_type_version with type_hint_mode=explicit";
    /// Something that is needed to read it was not published.
    FailedDependency: "FailedDependency", "KIP_3002", wire 424, http 424, rpc -32024, Never,
        "publish a bundle with this type and version, or read with view=raw";
    /// Something is over its limit.
    TooLarge: "TooLarge", "KIP_4002", wire 413, http 413, rpc -32013, Never,
        "stay within the limit that the message names";
    /// The body has a media type that is not read here.
    UnsupportedMediaType: "UnsupportedMediaType", "KIP_1001", wire 422, http 415, rpc -32600, Never,
        "send application/json";
    /// This caller asks too often.
    TooManyRequests: "TooManyRequests", "KIP_4002", wire 429, http 429, rpc -32029, Later,
        "wait as long as Retry-After says";
    /// Too much is waiting already.
    Overloaded: "Overloaded", "KIP_4002", wire 503, http 503, rpc -32053, Later,
        "wait a moment and send the request again";
    /// The request took longer than it may.
    DeadlineExceeded: "DeadlineExceeded", "KIP_4001", wire 504, http 504, rpc -32054, Look,
        "ask for less at once; if it was a write, look whether it was done";
    /// The server starts, stops or lacks something it needs.
    Unavailable: "Unavailable", "KIP_4003", wire 503, http 503, rpc -32053, Later,
        "wait until /readyz answers 200";
    /// The search index is being opened, or cannot be used and is made anew.
    SearchNotReady: "SearchNotReady", "KIP_4003", wire 503, http 503, rpc -32053, Later,
        "wait a moment and send the request again; everything else is served meanwhile";
    /// The disk has reached its reserve.
    StorageFull: "StorageFull", "KIP_4002", wire 507, http 507, rpc -32057, Later,
        "free disk space; reads go on, and so do revoking, deleting and pruning";
    /// A write to disk failed, so nothing more is written until a restart.
    StorePoisoned: "StorePoisoned", "KIP_4003", wire 503, http 503, rpc -32053, Later,
        "check the disk and restart the server; reads go on";
    /// A write to disk failed half-way: the change may be there after a restart, or not.
    OutcomeUnknown: "OutcomeUnknown", "KIP_4003", wire 500, http 500, rpc -32603, Look,
        "after the restart, look whether the change is there before sending it again";
    /// Durable bytes are not what was written.
    Damaged: "DecodeError", "KIP_4003", wire 500, http 500, rpc -32603, Never,
        "restore it from a backup; `cairn doctor` names what is damaged, and `cairn salvage --to DIR` makes a \
         new store of everything that can be read";
    /// The log is damaged and records are missing, so nothing is written.
    StoreReadOnly: "StoreReadOnly", "KIP_4003", wire 503, http 503, rpc -32053, Later,
        "reads go on; make a new store of everything that can be read with `cairn salvage --to DIR`, or start \
         with --accept-loss to go on without what is missing";
    /// The index is not what was written; the log, which it is made from, has everything.
    IndexDamaged: "IndexDamaged", "KIP_4003", wire 503, http 503, rpc -32053, Later,
        "start the server again: the log is whole, and opening rebuilds the index";
    /// Another process owns the data directory.
    Locked: "Locked", "KIP_4003", wire 503, http 503, rpc -32053, Later,
        "stop the other process, or name another data directory";
    /// The data directory was written by a newer cairn.
    NewerFormat: "NewerFormat", "KIP_4003", wire 500, http 500, rpc -32603, Never,
        "use the newer cairn";
    /// The data directory is sealed, and no key was given.
    KeyMissing: "KeyMissing", "KIP_4003", wire 500, http 500, rpc -32603, Never,
        "set CAIRN_ENCRYPTION_KEY_FILE, or store.encryption_key_file, to the key file of this data directory";
    /// The data directory is sealed with another key.
    KeyMismatch: "KeyMismatch", "KIP_4003", wire 500, http 500, rpc -32603, Never,
        "name the key file that this data directory was made with, or that it was last rotated to";
    /// A key was given for a data directory that was made without one.
    NotSealed: "NotSealed", "KIP_4003", wire 500, http 500, rpc -32603, Never,
        "take the key out of the configuration, or make a new data directory with it";
    /// The snapshot outlived its time.
    SnapshotTooOld: "SnapshotTooOld", "KIP_4001", wire 503, http 503, rpc -32053, Same,
        "take a new snapshot and read on from the last key, in smaller pages";
    /// Changes that far back are gone.
    PositionTooOld: "PositionTooOld", "KIP_3002", wire 410, http 410, rpc -32010, Never,
        "start again from a snapshot";
    /// The store has not reached that position.
    PositionAhead: "PositionAhead", "KIP_1001", wire 412, http 412, rpc -32012, Later,
        "wait for the store to get there; if it never does, the position is of another store";
    /// It was here and was removed for good.
    Gone: "Gone", "KIP_3002", wire 410, http 410, rpc -32010, Never,
        "drop the reference";
    /// The configuration does not hold together.
    ConfigInvalid: "ConfigInvalid", "KIP_4003", wire 500, http 500, rpc -32603, Never,
        "correct the named setting and start again";
    /// A fault of cairn or of the machine.
    Internal: "Internal", "KIP_4003", wire 500, http 500, rpc -32603, Look,
        "find the request id in the log and report it; look before sending a write again";
}

impl ErrorCode {
    /// Every code, in the order of the table.
    pub fn all() -> impl ExactSizeIterator<Item = ErrorCode> {
        TABLE.iter().map(|row| row.code)
    }

    /// The code of a name.
    pub fn named(name: &str) -> Option<ErrorCode> {
        ErrorCode::all().find(|code| code.name() == name)
    }

    /// Its row.
    pub fn row(self) -> &'static ErrorRow {
        &TABLE[self as usize]
    }

    /// Its name, in snake case.
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fmt::Write;

    use super::*;

    #[test]
    fn the_table() {
        let mut table = String::new();
        for code in ErrorCode::all() {
            let ErrorRow { name, kip, wire, http, json_rpc, retry, hint, .. } = code.row();
            let retry = format!("{retry:?}");
            writeln!(table, "{name:22} {kip} wire {wire} http {http} rpc {json_rpc} {retry:5} {hint}")
                .expect("a string takes everything");
        }
        insta::assert_snapshot!(table);
    }

    #[test]
    fn every_code_has_one_row_and_a_name_of_its_own() {
        assert!(ErrorCode::all().all(|code| code.row().code == code));
        let names: HashSet<_> = ErrorCode::all().map(ErrorCode::name).collect();
        assert_eq!(names.len(), ErrorCode::all().len());
        for code in ErrorCode::all() {
            // The protocol of turns has a name of its own for it.
            let expected =
                if code == ErrorCode::Damaged { "DecodeError".into() } else { format!("{code:?}") };
            assert_eq!((code.name(), code.to_string()), (&*expected, expected.clone()));
            assert_eq!(ErrorCode::named(&expected), Some(code));
        }
    }

    #[test]
    fn the_columns_follow_their_rules() {
        for code in ErrorCode::all() {
            let ErrorRow { kip, wire, http, json_rpc, retry, hint, .. } = *code.row();
            assert!(kip.starts_with("KIP_") && kip.len() == 8, "{code}");
            assert!(wire == u32::from(http) || wire == 422 || wire == 403, "{code}");
            let from_status = match http {
                404 => -32002,
                400..500 => -32000 - i32::from(http % 100),
                500 => -32603,
                _ => -32050 - i32::from(http % 10),
            };
            let of_the_protocol = [-32700, -32600, -32601, -32602];
            assert!(json_rpc == from_status || of_the_protocol.contains(&json_rpc), "{code}");
            assert!(http != 503 || matches!(retry, Retry::Same | Retry::Later), "{code}");
            assert!(!hint.ends_with('.') && !hint.starts_with(char::is_uppercase), "{code}");
        }
    }
}
