//! How points of bodies answer impulses.

use super::{State, World};
use crate::body::BodyKind;
use crate::error::{Error, Result};
use crate::id::BodyId;
use crate::math::{Mat3, Point, Vec3};

impl World {
    /// K_ba: the change of velocity of the point of body `b` that is at `of`, per unit impulse on body `a` at `at`, with the whole tree
    /// moving where they are links; each column answers an impulse along one axis of the world.
    ///
    /// Zero where the impulse does not reach `b`: between two free bodies, between links of different trees, and for bodies that are
    /// not dynamic or not active. Contacts, limits, motors and joints that are not those of links do not count; they are forces.
    /// K_ab is the transpose of K_ba. Two points that exchange an impulse change their relative velocity by
    /// K_aa + K_bb - K_ab - K_ba times it.
    ///
    /// ```
    /// use tumble::articulation::{ArticulationDesc, LinkDesc};
    /// use tumble::{BodyDesc, World};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let ball = world.add_body(BodyDesc::dynamic().mass(2.0))?;
    /// // A cart of 3 kg on rails, with a slider of 1 kg on it across the rails.
    /// let mut cart = ArticulationDesc::new();
    /// let base = cart.add(LinkDesc::prismatic(BodyDesc::dynamic().mass(3.0), [1.0, 0.0, 0.0]));
    /// cart.add(LinkDesc::prismatic(BodyDesc::dynamic().mass(1.0), [0.0, 0.0, 1.0]).parent(base));
    /// let cart = world.add_articulation(cart)?;
    /// let [base, slider] = [world.articulation(cart)?.link(0)?, world.articulation(cart)?.link(1)?];
    /// let o = [0.0; 3];
    /// assert!((world.response(ball, o, ball, o)?.x.x - 1.0 / 2.0).abs() < 1e-6);
    /// assert!((world.response(slider, o, slider, o)?.z.z - 1.0).abs() < 1e-6);
    /// assert!((world.response(slider, o, base, o)?.x.x - 1.0 / 4.0).abs() < 1e-6); // along the rails the cart goes with it
    /// assert_eq!(world.response(ball, o, base, o)?, tumble::math::Mat3::ZERO);
    /// assert!(world.response(ball, [f64::NAN; 3], base, o).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Bodies that are not there, points that are not finite.
    pub fn response(&self, a: BodyId, at: impl Into<Point>, b: BodyId, of: impl Into<Point>) -> Result<Mat3<f64>> {
        self.whole()?;
        let (at, of) = (at.into(), of.into());
        for (body, point) in [(a, at), (b, of)] {
            self.state.bodies.cold.get(body)?;
            if !point.is_finite() {
                let subject = self.state.subject(body.index());
                return Err(Error::value(subject, "point", "finite", format_args!("{:?}", point.to_array())));
            }
        }
        Ok(self.state.response((a.index(), at), (b.index(), of)))
    }
}

impl State {
    /// K between two points of bodies that are there.
    fn response(&self, (a, at): (u32, Point), (b, of): (u32, Point)) -> Mat3<f64> {
        let moves = |slot: u32| self.bodies.cold.at(slot).is_some_and(|c| c.kind == BodyKind::Dynamic && c.active);
        if !moves(a) || !moves(b) {
            return Mat3::ZERO;
        }
        match (self.articulations.link_of(a), self.articulations.link_of(b)) {
            (None, None) if a == b => self.response_of_free(a, at, of),
            (Some((tree, a)), Some((other, b))) if tree == other => self
                .articulations
                .all
                .at(tree)
                .map_or(Mat3::ZERO, |articulation| articulation.response((a, at), (b, of))),
            _ => Mat3::ZERO,
        }
    }

    /// Δv + Δω × r, with Δv = J/m and Δω = I⁻¹ (r_a × J), and nothing along what is locked.
    fn response_of_free(&self, slot: u32, at: Point, of: Point) -> Mat3<f64> {
        let dense = self.bodies.dense_at(slot);
        let (params, pose) = (&self.bodies.params[dense], &self.bodies.pose[dense]);
        let (arm, reach) = (at - pose.centre, of - pose.centre);
        let inverse = params.inv_inertia_world(pose.rotation).to_f64();
        let inverse_mass = (params.locks().free_move() * params.inv_mass).to_f64();
        let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z]
            .map(|n: Vec3<f64>| n.scale(inverse_mass) + (inverse * arm.cross(n)).cross(reach));
        Mat3::from_columns(x, y, z)
    }
}
