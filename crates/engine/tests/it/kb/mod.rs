//! The requirements KB of branches, through the engine.

mod agree;
mod copies;
mod damage;
mod doctor;
mod faults;
mod kip;
mod kit;
mod life;
mod receipts;
mod refused;
mod results;
mod rights;
mod salvaged;
mod search;
mod sync;
mod suspect;
mod threads;
