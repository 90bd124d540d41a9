//! Snapshot, restore and hash: everything the next step reads, as bytes.

pub(crate) mod stream;
