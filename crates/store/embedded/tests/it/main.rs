//! Tests of the embedded store through its own door.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod backup;
mod backup_damage;
mod blob_model;
mod blob_power;
mod compact;
mod contract;
mod damage;
mod doctor;
mod doctor_files;
mod full_disk;
mod kill;
mod kit;
mod owner;
mod pipeline;
mod power;
mod regressions;
#[path = "../rot/mod.rs"]
mod rot;
#[path = "rot.rs"]
mod rot_seeds;
mod salvage;
mod scrub;
mod seal;
mod space;
mod thin;
#[path = "../turmoil/mod.rs"]
mod turmoil;
mod uploads;
mod workload;
