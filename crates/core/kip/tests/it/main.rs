//! Tests of the language through its public face.

mod accepted;
mod bind;
mod kit;
mod request;
