//! Ctrl-C.

use crate::failure::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a command that Ctrl-C ended, as shells expect it.
pub const EXIT_CODE: u8 = 130;

/// Says whether the user has asked to stop.
#[derive(Clone, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. The first Ctrl-C is a request, the second ends the command at once.
    pub fn listen() -> Result<Self, Failure> {
        let asked = Self(Arc::new(AtomicBool::new(false)));
        let flag = asked.0.clone();
        ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(EXIT_CODE));
            }
        })
        .map_err(|error| Failure::Broken(format!("cannot listen for Ctrl-C: {error}")))?;
        Ok(asked)
    }

    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
