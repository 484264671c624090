//! Candidates for a KB from the files of a repository: typed documents, prose, manifests, layout, tests and symbols.
//! Reads no files.
