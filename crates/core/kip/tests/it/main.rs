//! Tests of the language through its public face.

mod accepted;
mod bind;
mod format;
mod kit;
mod limits;
mod refused;
mod request;
mod soup;
mod stream;
mod unfinished;
