//! Error codes of the requirements KB.

cairn_base::error_codes! {
    /// Error codes of the requirements KB.
    pub KbCode;

    /// An entity or one of its fields is invalid.
    KbInvalidEntity: "KIP_2002", wire 422, http 422, rpc -32602, Never,
        "correct the fields that the message names; kb_validate_upsert checks a payload without storing it";
    /// A relationship is invalid: its type, its direction, its source, or a missing end.
    KbInvalidRelationship: "KIP_2002", wire 422, http 422, rpc -32602, Never,
        "create both ends first, and send relationships that start at the upserted entity";
    /// A parameter of a KB tool is invalid.
    KbInvalidArgument: "KIP_1001", wire 422, http 422, rpc -32602, Never,
        "correct the parameter that the message names";
    /// A symbol is linked more coarsely than its file allows.
    KbGranularity: "KIP_2002", wire 422, http 422, rpc -32602, Never,
        "link the narrow symbol, or give a granularity_reason";
    /// The write would create a contradiction.
    KbContradiction: "KIP_2003", wire 409, http 409, rpc -32009, Never,
        "add a supersedes relationship to the other requirement, or deprecate it, or change the claim";
    /// Entities that are to be deleted are still referred to.
    KbBlocked: "KIP_3001", wire 409, http 409, rpc -32009, Never,
        "delete the dependents first, or in the same call";
    /// There is no KB for this workspace and branch.
    KbNoBranch: "KIP_3002", wire 404, http 404, rpc -32002, Never,
        "create it with `cairn kb init`, or PUT /v1/kb/{workspace}/{branch}";
    /// There is no such entity.
    KbNoEntity: "KIP_3002", wire 404, http 404, rpc -32002, Never,
        "find the id with kb_search or kb_query";
    /// The store of a branch was lost or replaced, and could not be read again.
    KbRefreshError: "KIP_4003", wire 503, http 503, rpc -32053, Later,
        "retry; if it persists, run `cairn doctor` and look at the log";
    /// A branch is being created or deleted.
    KbBranchBusy: "KIP_4003", wire 503, http 503, rpc -32053, Later,
        "retry when the copy has finished; `cairn kb branch list` shows its state";
    /// Another sync of the branch was stored meanwhile.
    KbSyncMoved: "KIP_3001", wire 409, http 409, rpc -32009, Never,
        "list the synced files again, and send those that differ";
    /// A limit of the KB is reached.
    KbTooLarge: "KIP_4002", wire 413, http 413, rpc -32013, Never,
        "stay within the limit that the message names";
    /// A function is switched off by configuration.
    KbSwitchedOff: "KIP_3004", wire 403, http 403, rpc -32003, Never,
        "ask the operator to switch it on in cairn.toml";
}
