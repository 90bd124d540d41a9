//! What must hold: contacts, never how they are solved.

pub(crate) mod contact;
