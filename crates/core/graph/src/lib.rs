//! The graph: what is known. Concepts, the propositions that link them, and the schema they follow.
//!
//! Everything here is a function over a reader or a transaction and a [`Scope`](cairn_access::Scope).
//! It knows nothing of KIP, the language that asks for it.
