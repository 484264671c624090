//! Tests of the language through its public face.

mod accepted;
mod kit;
