//! Error codes of remote SPARQL.

cairn_base::error_codes! {
    /// Error codes of remote SPARQL.
    pub SparqlCode;

    /// Remote SPARQL is off at this node.
    Off as "SparqlOff": "KIP_3004", wire 403, http 403, rpc -32003, Never,
        "ask an operator to set `kb.sparql_remote = on`";
    /// The endpoint may not be reached from this node.
    Refused as "SparqlEndpointRefused": "KIP_3004", wire 403, http 403, rpc -32003, Never,
        "use the final http or https URL of a public endpoint";
    /// The endpoint did not respond, or not with an answer.
    Failed as "SparqlEndpointFailed": "KIP_4003", wire 502, http 502, rpc -32052, Later,
        "check that the endpoint is up and speaks the SPARQL 1.1 protocol";
}
