//! The scenes of the library: that they are described in full, that their checks pass, and that each check can fail.
#![allow(clippy::unwrap_used, clippy::panic)]

mod articulated;
mod box_stack;
mod contacts;
mod dzhanibekov_nut;
mod files;
mod flat;
mod flight;
mod free_fall;
mod library;
mod mechanisms;
mod meshes;
mod mutated;
mod mutation;
mod piles;
mod projectiles;
mod recordings;
mod structures;
mod things;

/// The largest of numbers that are not negative; not a number if one is not, which no bound lets pass.
fn largest(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().fold(0.0, |most, x| if x <= most || most.is_nan() { most } else { x })
}

#[test]
fn what_is_no_number_is_the_largest() {
    assert_eq!((largest([]), largest([1.0, 3.0, 2.0])), (0.0, 3.0));
    for numbers in [[f64::NAN, 1.0, 2.0], [1.0, f64::NAN, 2.0], [1.0, 2.0, f64::NAN]] {
        assert!(largest(numbers).is_nan());
    }
}
