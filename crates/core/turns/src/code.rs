//! Error codes of typed payloads.

cairn_base::error_codes! {
    /// Error codes of typed payloads.
    pub TurnsCode;

    /// A turn does not say what it is, and neither does the request.
    MissingTypeHint: "KIP_1001", wire 422, http 422, rpc -32602, Never,
        "say as_type_id and as_type_version with type_hint_mode=explicit";
    /// Something that is needed to read it was not published.
    FailedDependency: "KIP_3002", wire 424, http 424, rpc -32024, Never,
        "publish a bundle with this type and version, or read with view=raw";
}
