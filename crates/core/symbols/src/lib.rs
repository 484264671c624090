//! Symbols of source files: names, kinds, exports, lines and imports, by tree-sitter. Reads no files.
