//! Pages about the KB in `docs` say what the code does.

mod errors;
mod modelling;
mod page;
mod play;
mod rules;
mod tables;
