//! Scene files: worlds as text.
//!
//! A file is TOML; `docs/src/scene-files.md` is its manual. [`load`] makes a [`Scene`](crate::Scene) of it, which is built, run and
//! checked as those of the library are; [`write()`] says a world as a file.
//!
//! ```text
//!   text ── text.rs ──► tree with places ── record.rs, forms*.rs ──► values ── read/ ──► world ── write/ ──► text
//!                                             │ expression.rs, units.rs
//!                                             └─► schema.rs (JSON Schema)
//! ```

mod expression;
mod form;
mod forms;
mod forms_of_joints;
mod forms_of_links;
mod inspect;
mod read;
mod record;
mod reference;
mod schema;
mod sight;
mod text;
mod units;
mod write;

pub use read::{FORMAT, load, parse};
pub use reference::reference;
pub use schema::{as_json, schema};
pub use text::FileError;
pub use write::{left_out, write, write_world};

pub(crate) use read::{Document, read_file};
pub(crate) use sight::gauges;
