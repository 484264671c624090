//! Error codes of the search index.

cairn_base::error_codes! {
    /// Error codes of the search index.
    pub SearchCode;

    /// The search index is being opened, or cannot be used and is made anew.
    SearchNotReady: "KIP_4003", wire 503, http 503, rpc -32053, Later,
        "wait a moment and send the request again; everything else is served meanwhile";
}
