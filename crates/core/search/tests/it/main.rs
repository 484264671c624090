//! The index from outside: the same answers as a model that looks at every document.

mod damage;
mod kit;
mod life;
mod model;
mod near;
mod retrieval;
mod words;
