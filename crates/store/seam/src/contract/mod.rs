//! What every store promises, as tests.
//!
//! A store's own tests say how it is made and take over all contracts at once, one `#[test]` each:
//!
//! ```ignore
//! cairn_seam::contract_tests!(|| Box::new(MyStoreUnderTest::new()) as Box<dyn StoreUnderTest>);
//! ```
//!
//! Every contract makes stores of its own and asks nothing of the order they are run in.

use std::sync::Arc;

use cairn_base::{ManualClock, Position};

use crate::{HashedKeyspace, Keyspace, Store};

pub mod atomicity;
pub mod blobs;
pub mod bounds;
pub mod changes;
pub mod closing;
pub mod concurrency;
pub mod conflict;
pub mod delete_range;
pub mod derived;
pub mod full;
pub mod group;
pub mod hashed;
mod kit;
pub mod limits;
pub mod model;
pub mod multi_get;
pub mod order;
pub mod own_writes;
pub mod ranges;
pub mod reopen;
pub mod snapshots;
pub mod tenants;
pub mod uploads;

/// The ordered keyspace most contracts use.
pub const RECORDS: Keyspace = Keyspace::new(1, "contract-records");
/// A second ordered keyspace.
pub const OTHERS: Keyspace = Keyspace::new(2, "contract-others");
/// The hashed keyspace most contracts use.
pub const SEEN: HashedKeyspace = HashedKeyspace::new(1, "contract-seen");
/// A second hashed keyspace.
pub const UNSEEN: HashedKeyspace = HashedKeyspace::new(2, "contract-unseen");

/// A store and what its tests can do to it.
pub trait StoreUnderTest {
    /// The store. Contracts give up every handle and snapshot before they ask to reopen it.
    fn store(&self) -> Arc<dyn Store>;

    /// The clock the store was made with.
    fn clock(&self) -> ManualClock;

    /// Closes the store and opens it again; `false` if it cannot come back.
    fn reopen(&mut self) -> bool;

    /// Makes the changes so far go and says the new horizon; `None` if the store cannot do that.
    fn drop_history(&mut self) -> Option<Position>;

    /// Fills the disk, or makes room on it again; `false` if that cannot be done to this store.
    fn set_full(&mut self, _is_full: bool) -> bool {
        false
    }
}

/// Makes a new, empty store.
pub type Make<'a> = &'a dyn Fn() -> Box<dyn StoreUnderTest>;

/// One contract.
pub struct Contract {
    /// What it is about.
    pub topic: &'static str,
    /// What it promises.
    pub name: &'static str,
    /// Panics where the promise is broken.
    pub run: fn(Make<'_>),
}

/// Every contract, by topic.
pub const ALL: &[Contract] = crate::contract_tests! { @list table [] };

/// Runs every contract, one after the other.
pub fn run_all(make: Make<'_>) {
    for contract in ALL {
        eprintln!("contract {}::{}", contract.topic, contract.name);
        (contract.run)(make);
    }
}

/// One `#[test]` per contract, for a store made by the expression: a function or closure without
/// arguments that returns a `Box<dyn StoreUnderTest>`.
#[macro_export]
macro_rules! contract_tests {
    (@tests [$make:expr] $($topic:ident { $($name:ident)* })*) => {
        $($(
            #[test]
            fn $name() {
                $crate::contract::$topic::$name(&$make);
            }
        )*)*
    };
    (@table [] $($topic:ident { $($name:ident)* })*) => {
        &[$($(
            $crate::contract::Contract {
                topic: stringify!($topic),
                name: stringify!($name),
                run: $crate::contract::$topic::$name,
            },
        )*)*]
    };
    // The one list of contracts: a new one is written down here and nowhere else.
    (@list $use:ident $arguments:tt) => {
        $crate::contract_tests! { @$use $arguments
            order {
                keys_come_back_in_byte_order
                keyspaces_are_apart
            }
            bounds {
                every_pair_of_bounds_both_ways
                every_pair_of_bounds_inside_a_transaction
                empty_and_inverted_ranges_hold_nothing
                prefixes_end_where_they_should
                long_ranges_are_walked_to_their_end
            }
            ranges {
                several_ranges_keep_their_indexes
                next_range_and_stop_are_obeyed
            }
            multi_get {
                values_come_in_the_order_of_the_keys
                keys_of_several_keyspaces_come_in_one_round
            }
            snapshots {
                a_snapshot_stands_still_while_others_write
                many_snapshots_each_see_their_own_time
                a_snapshot_too_old_says_so_on_every_read
                a_snapshot_holds_what_was_asked_for
                a_slow_visitor_holds_up_no_writer
            }
            atomicity {
                a_transaction_lands_whole
                a_transaction_given_up_leaves_nothing
                a_panic_leaves_nothing
                an_overlooked_error_still_dooms_the_transaction
                a_transaction_without_changes_takes_no_position
            }
            own_writes {
                gets_see_own_writes
                scans_see_own_writes_in_both_directions
                a_put_after_delete_range_is_there
                hashed_entries_and_blobs_are_seen_before_commit
            }
            group {
                one_failing_closure_spares_the_others
                submitted_transactions_see_the_ones_before
            }
            conflict {
                concurrent_increments_lose_nothing
                concurrent_transfers_keep_the_sum
            }
            delete_range {
                a_range_goes_and_nothing_else
                order_and_limit_choose_what_goes
                a_long_range_goes_in_one_transaction
            }
            hashed {
                entries_are_found_by_tenant_and_keyspace
                entries_expire_by_the_clock
                an_entry_set_anew_replaces_value_and_expiry
                snapshots_see_the_newest_entry
                expiry_survives_reopening
            }
            blobs {
                blobs_of_every_size_come_back
                the_same_content_twice_is_one_blob
                blobs_belong_to_their_tenant
                a_blob_over_the_limit_cannot_be_made
            }
            uploads {
                uploads_of_every_size_come_back
                what_was_uploaded_is_read_in_one_piece_if_it_is_small
                only_what_a_transaction_puts_stays
                blobs_are_found_by_their_sha256
                a_blob_is_kept_if_it_is_there
                a_removed_blob_is_gone_until_it_is_put_again
            }
            changes {
                events_come_in_commit_order
                pages_neither_repeat_nor_skip
                next_moves_past_what_emitted_nothing
                a_position_ahead_is_refused
                a_change_is_read_again_from_just_before_it
                before_the_horizon_is_too_old
            }
            limits {
                keys_at_the_limits
                values_at_the_limit
                events_at_the_limit
                hashed_entries_at_the_limits
                changes_at_the_limit
                bytes_at_the_limit
            }
            tenants {
                writes_stay_inside_the_tenant
                reads_of_a_transaction_stay_inside_the_tenant
                open_ranges_end_with_the_tenant
            }
            concurrency {
                no_reader_sees_half_a_transaction
                snapshots_never_go_back
            }
            reopen {
                everything_is_there_after_reopening
                history_reads_on_across_reopening
            }
            derived {
                what_is_sealed_outside_opens_at_its_place_after_reopening
            }
            full {
                a_full_store_takes_only_what_may_use_the_reserve
                what_comes_from_the_reserve_is_bounded
            }
            closing {
                a_closed_store_takes_no_writes
            }
            model {
                random_transactions_equal_the_model
            }
        }
    };
    ($make:expr) => {
        $crate::contract_tests! { @list tests [$make] }
    };
}
