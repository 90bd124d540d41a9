//! What must hold, never how it is solved: contacts, and what joins two bodies.
//!
//! A [`Constraint`] is a pure function from where two bodies are now ([`Frames`]) to [`Row`]s. Methods solve rows and know
//! nothing of what they stand for; so a new constraint works with every method, and a new method with every constraint.

mod axis;
pub(crate) mod contact;
mod frame;
pub mod joint;
mod row;
mod signal;

pub use axis::{Axis, Drive, Limit, Motor};
pub use frame::{Frame, Frames, unwound};
pub use row::{Bound, Jacobian, Row, Rows, Stiffness};
pub use signal::Signal;

use core::fmt::Debug;

/// Something that must hold between two bodies, written outside the engine as well as inside.
///
/// The recipe (003-48): write the position function C(A, B) that is to be zero or not negative; differentiate it by time;
/// what stands before v_A, ω_A, v_B and ω_B in Ċ is the [`Jacobian`]. A row with a bound, a target velocity or a stiffness
/// makes a limit, a motor or a spring of it.
///
/// ```
/// use tumble::constraint::{Constraint, Frames, Jacobian, Row, Rows};
/// use tumble::math::Vec3;
///
/// /// Keeps the frame of B at the height of the frame of A.
/// #[derive(Debug)]
/// struct SameHeight;
///
/// impl Constraint for SameHeight {
///     fn name(&self) -> &str {
///         "same-height"
///     }
///     fn rows(&self, frames: &Frames, out: &mut Rows) {
///         let up = Vec3::Y;
///         // C = up·(p_B - p_A), Ċ = up·(v_B + ω_B × r_B - v_A - ω_A × r_A)
///         let jacobian = Jacobian::between(up, frames.a.arm, frames.b.arm);
///         out.push(Row::equal(jacobian, up.dot(frames.gap())));
///     }
/// }
/// # let mut rows = Rows::default();
/// # SameHeight.rows(&Frames::default(), &mut rows);
/// # assert_eq!(rows.len(), 1);
/// ```
pub trait Constraint: Debug + Send + Sync {
    /// The name under which it is found again in snapshots.
    fn name(&self) -> &str;

    /// Writes what must hold where the bodies are now. It is called several times in a step, wherever the method needs the
    /// rows anew; so that a run can be repeated to the bit, the answer must depend on nothing but `self` and `frames`. Where a world has several threads, any of
    /// them may call it, and several at once for joints that share it.
    ///
    /// The number of rows and their meaning must not change from call to call, since every row starts from the impulse that the
    /// row of the same number had: what asks for nothing now is written as [`Row::IDLE`]. At most [`Rows::MAX`] count.
    fn rows(&self, frames: &Frames, out: &mut Rows);

    /// Brings the memory of the constraint up to date, once per step: turns counted, the place on a curve.
    /// [`Frames::memory`] holds what it was; what is returned is what it will be.
    ///
    /// ```
    /// use tumble::constraint::{Constraint, Frames, Jacobian, Row, Rows, unwound};
    /// use tumble::math::{Float, Quat, Real, Vec3};
    ///
    /// /// Lets B turn about the axis of A by so many turns, and no further.
    /// #[derive(Debug)]
    /// struct Turns(f64);
    ///
    /// impl Turns {
    ///     fn angle(frames: &Frames) -> f64 {
    ///         unwound(frames.twist(), frames.memory[0])
    ///     }
    /// }
    ///
    /// impl Constraint for Turns {
    ///     fn name(&self) -> &str {
    ///         "turns"
    ///     }
    ///     fn rows(&self, frames: &Frames, out: &mut Rows) {
    ///         let left = core::f64::consts::TAU * self.0 - Self::angle(frames);
    ///         out.push(Row::push(Jacobian::turning(-frames.a.axes().x), Real::from_f64(left)));
    ///     }
    ///     fn remember(&self, frames: &Frames) -> [f64; 4] {
    ///         [Self::angle(frames), 0.0, 0.0, 0.0]
    ///     }
    /// }
    ///
    /// let mut frames = Frames::default();
    /// for _ in 0..10 {
    ///     frames.b.rotation = Quat::from_axis_angle(Vec3::X, 1.0) * frames.b.rotation;
    ///     frames.memory = Turns(3.0).remember(&frames);
    /// }
    /// assert!((frames.memory[0] - 10.0).abs() < 1e-4); // more than one turn
    /// ```
    fn remember(&self, frames: &Frames) -> [f64; 4] {
        frames.memory
    }

    /// What [`Constraint::load`] needs to make it again. Both may be called on any thread of the world.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    /// The constraint of this name that was saved as these bytes. `None` where they make none, and where constraints of this
    /// name are not restored.
    fn load(&self, bytes: &[u8]) -> Option<std::sync::Arc<dyn Constraint>> {
        let _ = bytes;
        None
    }
}
