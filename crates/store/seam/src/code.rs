//! Error codes of stores.

cairn_base::error_codes! {
    /// Error codes of stores.
    pub StoreCode;

    /// The disk has reached its reserve.
    StorageFull: "KIP_4002", wire 507, http 507, rpc -32057, Later,
        "free disk space; reads go on, and so do revoking, deleting and pruning";
    /// A write to disk failed, so nothing more is written until a restart.
    StorePoisoned: "KIP_4003", wire 503, http 503, rpc -32053, Later,
        "check the disk and restart the server; reads go on";
    /// A write to disk failed half-way: the change may be there after a restart, or not.
    OutcomeUnknown: "KIP_4003", wire 500, http 500, rpc -32603, Look,
        "after the restart, look whether the change is there before sending it again";
    /// The log is damaged and records are missing, so nothing is written.
    StoreReadOnly: "KIP_4003", wire 503, http 503, rpc -32053, Later,
        "reads go on; make a new store of everything that can be read with `cairn salvage --to DIR`, or start \
         with --accept-loss to go on without what is missing";
    /// The index is not what was written; the log, which it is made from, has everything.
    IndexDamaged: "KIP_4003", wire 503, http 503, rpc -32053, Later,
        "start the server again: the log is whole, and opening rebuilds the index";
    /// Another process owns the data directory.
    Locked: "KIP_4003", wire 503, http 503, rpc -32053, Later,
        "stop the other process, or name another data directory";
    /// The data directory was written by a newer cairn.
    NewerFormat: "KIP_4003", wire 500, http 500, rpc -32603, Never,
        "use the newer cairn";
    /// The data directory is sealed, and no key was given.
    KeyMissing: "KIP_4003", wire 500, http 500, rpc -32603, Never,
        "set CAIRN_ENCRYPTION_KEY_FILE, or store.encryption_key_file, to the key file of this data directory";
    /// The data directory is sealed with another key.
    KeyMismatch: "KIP_4003", wire 500, http 500, rpc -32603, Never,
        "name the key file that this data directory was made with, or that it was last rotated to";
    /// A key was given for a data directory that was made without one.
    NotSealed: "KIP_4003", wire 500, http 500, rpc -32603, Never,
        "take the key out of the configuration, or make a new data directory with it";
    /// The snapshot outlived its time.
    SnapshotTooOld: "KIP_4001", wire 503, http 503, rpc -32053, Same,
        "take a new snapshot and read on from the last key, in smaller pages";
    /// Changes that far back are gone.
    PositionTooOld: "KIP_3002", wire 410, http 410, rpc -32010, Never,
        "start again from a snapshot";
    /// The store has not reached that position.
    PositionAhead: "KIP_1001", wire 412, http 412, rpc -32012, Later,
        "wait for the store to get there; if it never does, the position is of another store";
    /// It was here and was removed for good.
    Gone: "KIP_3002", wire 410, http 410, rpc -32010, Never,
        "drop the reference";
}
