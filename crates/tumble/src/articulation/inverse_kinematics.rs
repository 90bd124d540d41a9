//! Inverse kinematics: coordinates at which a link is where it is wanted, by damped least squares.
//!
//! With the error e of the link's point (and of its orientation, as a rotation vector times a length) and its Jacobian J, each
//! round solves
//!
//! ```text
//!   (J Jᵀ + μ² 1) x = e      Δq = Jᵀ x
//! ```
//!
//! which is the shortest step that makes the error small, and stays short where the tree is stretched out and J loses rank (Wampler
//! 1986; Nakamura and Hanafusa 1986). A degree of freedom that a step would lead out of its limits is put on the limit and taken
//! out of J for the rest of the round. Steps that do not help are taken back with a larger μ. Degrees of freedom that are coupled move as
//! one, whose column is the sum of theirs, each times its share.
//!
//! That finds the nearest way down, and with limits and orientations it may end where all steps lead up and the target is
//! elsewhere. Then the search begins again from other coordinates within the limits, the same ones every time.

use super::dynamics::{Pass, path};
use super::kind::Kind;
use super::tree::Tree;
use super::view::ArticulationRef;
use crate::error::{Error, Result};
use crate::math::dense::solve_semidefinite;
use crate::math::{Float, Num, Point, Quad, Quat, Vec3};

/// Where a link is to go.
///
/// ```
/// use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, Reach};
/// use tumble::{BodyDesc, World, math::Quat};
/// # fn main() -> tumble::Result<()> {
/// // An arm of two links of 1 m, whose elbow bends one way only.
/// let mut arm = ArticulationDesc::new();
/// let z = [0.0, 0.0, 1.0];
/// let upper = arm.add(LinkDesc::revolute(BodyDesc::dynamic(), z).anchor([-0.5, 0.0, 0.0]));
/// let elbow = Dof::default().limits(0.1, 2.5);
/// let lower = LinkDesc::revolute(BodyDesc::dynamic(), z).parent(upper).at([0.5, 0.0, 0.0]).anchor([-0.5, 0.0, 0.0]);
/// let lower = arm.add(lower.dof(0, elbow).position(&[0.5]));
/// let mut world = World::new();
/// let id = world.add_articulation(arm)?;
/// let hand = Reach::point([1.0, 1.0, 0.0]).of([0.5, 0.0, 0.0]);
/// let found = world.articulation(id)?.reach(lower, &hand)?;
/// assert!(found.distance < 1e-6 && found.position[1] > 0.1);
/// world.articulation_mut(id)?.set_position(&found.position)?;
/// let there = world.body(world.articulation(id)?.link(lower)?)?.to_world([0.5, 0.0, 0.0]);
/// assert!((there - [1.0, 1.0, 0.0].into()).length() < 1e-5);
/// // With an orientation as well, in at most 50 rounds: of three numbers in the plane two joints meet two at the most.
/// let level = hand.turned(Quat::IDENTITY).rounds(50);
/// let found = world.articulation(id)?.reach(lower, &level)?;
/// assert!(found.rounds <= 50 && found.distance + found.angle > 0.1);
/// // Coordinates that follow a target from frame to frame must not leap: one start alone, where the arm is.
/// let near = world.articulation(id)?.reach(lower, &hand.starts(1))?;
/// assert!(near.distance < 1e-6);
/// // Too far: as near as it gets, and the answer says how near that is.
/// let far = world.articulation(id)?.reach(lower, &Reach::point([0.0, 3.0, 0.0]).of([0.5, 0.0, 0.0]))?;
/// assert!((far.distance - 1.0).abs() < 0.02);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// The place in the world.
    pub place: Point,
    /// The point of the link that is to be there, in the frame of its body.
    pub point: Vec3<f64>,
    /// The orientation of the body in the world; `None` for any.
    pub rotation: Option<Quat<f64>>,
    /// The length by which an error of one radian counts as much as an error of place.
    pub arm: f64,
    /// Rounds from one start at the most.
    pub rounds: u32,
    /// Starts at the most, the first of them where the tree is. Others are tried where that one does not lead to the target.
    pub starts: u32,
    /// The error of place, and of turn times the arm, below which it is there.
    pub tolerance: f64,
}

impl Reach {
    /// The origin of the link's body is to be here, however it is turned; to a millionth of a metre, in 200 rounds from each of
    /// 16 starts.
    pub fn point(place: impl Into<Point>) -> Self {
        Self {
            place: place.into(),
            point: Vec3::ZERO,
            rotation: None,
            arm: 0.5,
            rounds: 200,
            starts: 16,
            tolerance: 1e-6,
        }
    }

    /// Another point of the body.
    #[must_use]
    pub fn of(mut self, point: impl Into<Vec3<f64>>) -> Self {
        self.point = point.into();
        self
    }

    /// Turned like this.
    #[must_use]
    pub fn turned(mut self, rotation: Quat<f64>) -> Self {
        self.rotation = Some(rotation);
        self
    }

    /// Sets [`Reach::rounds`].
    #[must_use]
    pub fn rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds;
        self
    }

    /// Sets [`Reach::starts`]. With one, coordinates follow a target that moves without ever leaping.
    #[must_use]
    pub fn starts(mut self, starts: u32) -> Self {
        self.starts = starts;
        self
    }
}

/// How near a link can come to where it is to go.
///
/// ```
/// use tumble::{BodyDesc, World, articulation::{ArticulationDesc, LinkDesc, Reach}};
/// # fn main() -> tumble::Result<()> {
/// let mut desc = ArticulationDesc::new();
/// desc.add(LinkDesc::prismatic(BodyDesc::dynamic(), [1.0, 0.0, 0.0]));
/// let mut world = World::new();
/// let id = world.add_articulation(desc)?;
/// let found = world.articulation(id)?.reach(0, &Reach::point([2.0, 1.0, 0.0]))?;
/// // A slider can go below its target, and is a metre short of it there.
/// assert!((found.position[0] - 2.0).abs() < 1e-3 && (found.distance - 1.0).abs() < 1e-6);
/// assert_eq!(found.angle, 0.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    /// The coordinates of all joints.
    pub position: Vec<f64>,
    /// The distance that is left, in metres.
    pub distance: f64,
    /// The turn that is left, in radians; 0 where none was asked for.
    pub angle: f64,
    /// Rounds that it took from the start that led there.
    pub rounds: u32,
}

/// The share of an error by which another start must do better to be preferred to the one where the tree is.
const BETTER: f64 = 0.99;

/// The least and the largest damping, as shares of the size of J.
const LEAST: f64 = 1e-6;
const MOST: f64 = 1e3;

impl ArticulationRef<'_> {
    /// Coordinates at which a link is where it is wanted, or as near as they get from where they are now, within the limits of all
    /// joints. What is coupled moves together. The root of a floating tree stays where it is. Nothing is moved: see
    /// [`ArticulationMut::set_position`](super::ArticulationMut::set_position).
    ///
    /// # Errors
    /// A link that there is not, and numbers that are not finite.
    pub fn reach(&self, link: usize, target: &Reach) -> Result<Reached> {
        self.link(link)?;
        let subject = || format!("target of link {link}");
        let sizes = [target.arm, target.tolerance];
        let finite =
            target.place.is_finite() && target.point.is_finite() && sizes.iter().all(|v| *v >= 0.0 && v.is_finite());
        if !finite {
            return Err(Error::value(
                subject(),
                "place, point, arm and tolerance",
                "finite",
                format_args!("{target:?}"),
            ));
        }
        let rotation = match target.rotation {
            Some(q) => Some(
                q.try_normalize()
                    .ok_or_else(|| Error::value(subject(), "rotation", "finite and not zero", format_args!("{q:?}")))?,
            ),
            None => None,
        };
        let tree = &self.articulation.tree;
        let mut search = Search::new(tree, link, Reach { rotation, ..*target });
        let (mut error, mut rounds) = search.descend();
        let mut best = search.q.clone();
        for start in 1..target.starts {
            if !(error.size(target.arm) > target.tolerance) {
                break;
            }
            search.begin(start);
            let (other, took) = search.descend();
            if other.size(target.arm) < BETTER * error.size(target.arm) {
                (error, rounds) = (other, took);
                best.copy_from_slice(&search.q);
            }
        }
        Ok(Reached { position: best, distance: error.place.length(), angle: error.turn.length(), rounds })
    }
}

/// What is missing to the target.
#[derive(Clone, Copy)]
struct Missing {
    place: Vec3<f64>,
    turn: Vec3<f64>,
}

impl Missing {
    fn size(&self, arm: f64) -> f64 {
        Num::sqrt(self.place.length_squared() + self.turn.length_squared() * (arm * arm))
    }
}

struct Search<'a> {
    tree: &'a Tree,
    link: usize,
    target: Reach,
    q: Vec<f64>,
    pass: Pass,
    /// What may move, on the way to the world.
    way: Vec<Mover>,
}

/// Degrees of freedom that move as one, each by its share of a step: one on the way, and all that are coupled to it.
#[derive(Clone)]
struct Mover {
    all: Vec<(usize, f64)>,
}

impl Mover {
    /// The degree of freedom with all that couplings lead along; none where they hold it still.
    fn new(tree: &Tree, dof: usize) -> Option<Self> {
        let mut all = vec![(dof, 1.0)];
        let mut next = 0;
        while let Some(&(dof, share)) = all.get(next) {
            for c in &tree.couplings {
                let [a, b] = [c.a, c.b].map(|(link, dof)| tree.links[link].first_dof as usize + dof);
                // One that follows at no ratio stands, whatever leads it.
                let led = match dof {
                    _ if dof == b && c.ratio == 0.0 && share == 0.0 => continue,
                    _ if dof == b && c.ratio == 0.0 => return None,
                    _ if dof == b => (a, share / c.ratio),
                    _ if dof == a => (b, share * c.ratio),
                    _ => continue,
                };
                match all.iter().find(|member| member.0 == led.0) {
                    _ if !led.1.is_finite() => return None,
                    None => all.push(led),
                    // Two ratios for one: only where it stands do both hold.
                    Some(known) if (known.1 - led.1).abs() > 1e-9 * known.1.abs() => return None,
                    Some(_) => {}
                }
            }
            next += 1;
        }
        Some(Self { all })
    }

    fn has(&self, dof: usize) -> bool {
        self.all.iter().any(|member| member.0 == dof)
    }
}

impl<'a> Search<'a> {
    fn new(tree: &'a Tree, link: usize, target: Reach) -> Self {
        let free = |&k: &usize| tree.links[tree.dof_link[k] as usize].kind != Kind::Free;
        let mut way: Vec<Mover> = Vec::new();
        for dof in path(tree, link).filter(free) {
            if !way.iter().any(|mover| mover.has(dof)) {
                way.extend(Mover::new(tree, dof));
            }
        }
        let mut search = Self { tree, link, target, q: tree.q.clone(), pass: Pass::default(), way };
        search.place();
        search
    }

    fn place(&mut self) {
        self.pass.place::<Quad>(self.tree, &self.q);
    }

    /// Another start: what is on the way is anywhere within its limits, and turns without limits anyhow.
    fn begin(&mut self, start: u32) {
        self.q.copy_from_slice(&self.tree.q);
        let mut step = vec![0.0; self.way.len()];
        for (step, mover) in step.iter_mut().zip(&self.way) {
            let k = mover.all[0].0;
            let link = &self.tree.links[self.tree.dof_link[k] as usize];
            let anywhere = scattered(start, k);
            let [low, high] = self.range(mover);
            *step = match (low.is_finite(), high.is_finite()) {
                (true, true) => low + anywhere * Num::max(high - low, 0.0),
                (false, false) if link.kind.turns(k - link.first_dof as usize) => (2.0 * anywhere - 1.0) * f64::PI,
                _ => 0.0,
            };
        }
        let way = core::mem::take(&mut self.way);
        self.advance(way.iter().zip(step));
        self.way = way;
        self.place();
    }

    /// Down from where it is: what is missing at the end, and how many rounds it took.
    fn descend(&mut self) -> (Missing, u32) {
        let Reach { arm, tolerance, rounds: most, .. } = self.target;
        let mut error = self.error();
        let mut damping = 1e-2;
        let mut rounds = 0;
        while rounds < most && error.size(arm) > tolerance {
            rounds += 1;
            let before = self.q.clone();
            self.step(&error, damping);
            let after = self.error();
            if after.size(arm) < error.size(arm) {
                let gained = error.size(arm) - after.size(arm);
                error = after;
                damping = Num::max(damping * 0.3, LEAST);
                if gained < 1e-9 * error.size(arm) && damping <= LEAST {
                    break;
                }
            } else {
                self.q = before;
                self.place();
                damping *= 10.0;
                if damping > MOST {
                    break;
                }
            }
        }
        (error, rounds)
    }

    /// The point of the link, about O.
    fn point(&self) -> Vec3<f64> {
        let link = &self.tree.links[self.link];
        self.pass.links[self.link].place.unpacked().point(link.body_place.point(self.target.point))
    }

    fn error(&self) -> Missing {
        let place = self.target.place - self.pass.origin - self.point();
        let link = &self.tree.links[self.link];
        let turn = self.target.rotation.map_or(Vec3::ZERO, |wanted| {
            let now = Quat::from_mat3(&self.pass.links[self.link].place.unpacked().rotation) * link.body_rotation;
            (wanted * now.conjugate()).normalized().to_rotation_vector()
        });
        Missing { place, turn }
    }

    /// One step against an error.
    fn step(&mut self, error: &Missing, damping: f64) {
        let (point, arm) = (self.point(), if self.target.rotation.is_some() { self.target.arm } else { 0.0 });
        let (on_way, way) = (self.on_way(), core::mem::take(&mut self.way));
        // By number, those that have not met a limit.
        let mut free: Vec<usize> = (0..way.len()).collect();
        let mut rest = [error.place, error.turn * arm];
        // Each time something meets its limit, the others take over what is left.
        for _ in 0..=way.len() {
            let columns: Vec<[f64; 6]> = free
                .iter()
                .map(|&i| {
                    let mut column = [0.0; 6];
                    for &(k, share) in way[i].all.iter().filter(|member| on_way[member.0]) {
                        let axis = self.pass.axes[k].motion();
                        let (v, w) = (axis.velocity_at(point) * share, axis.angular * (arm * share));
                        for (sum, part) in column.iter_mut().zip([v.x, v.y, v.z, w.x, w.y, w.z]) {
                            *sum += part;
                        }
                    }
                    column
                })
                .collect();
            let step = least_squares(&columns, rest, damping);
            let met = free.iter().zip(&step).position(|(&i, &step)| self.inside(&way[i], step) != step);
            let Some(met) = met else {
                self.advance(free.iter().map(|&i| &way[i]).zip(step));
                break;
            };
            let mover = &way[free.remove(met)];
            let allowed = self.inside(mover, step[met]);
            for (rest, part) in rest.iter_mut().zip(columns[met].chunks(3)) {
                *rest -= Vec3::new(part[0], part[1], part[2]) * allowed;
            }
            self.advance([(mover, allowed)]);
        }
        self.way = way;
        self.place();
    }

    /// Whether the link moves with each degree of freedom.
    fn on_way(&self) -> Vec<bool> {
        let mut on_way = vec![false; self.tree.dofs.len()];
        path(self.tree, self.link).for_each(|k| on_way[k] = true);
        on_way
    }

    /// The least and the largest step that leave all that moves along within its limits.
    fn range(&self, mover: &Mover) -> [f64; 2] {
        let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
        for &(k, share) in mover.all.iter().filter(|member| member.1 != 0.0) {
            let Some([low, high]) = self.tree.dofs[k].limits else { continue };
            let link = &self.tree.links[self.tree.dof_link[k] as usize];
            let q = self.q[link.first_q as usize + (k - link.first_dof as usize)];
            let (a, b) = ((low - q) / share, (high - q) / share);
            (least, most) = (Num::max(least, Num::min(a, b)), Num::min(most, Num::max(a, b)));
        }
        [least, most]
    }

    /// As much of a step as the limits let it go.
    fn inside(&self, mover: &Mover, step: f64) -> f64 {
        let [least, most] = self.range(mover);
        step.clamp(least, Num::max(most, least))
    }

    fn advance<'b>(&mut self, steps: impl IntoIterator<Item = (&'b Mover, f64)>) {
        let mut u = vec![0.0; self.tree.dofs.len()];
        for (mover, step) in steps {
            for &(k, share) in &mover.all {
                u[k] = step * share;
            }
        }
        for link in &self.tree.links {
            let (qs, vs) = (link.coordinates(), link.dofs());
            if link.kind == Kind::Spherical {
                let turn = Vec3::new(u[vs.start], u[vs.start + 1], u[vs.start + 2]);
                let now = super::kind::quaternion(&self.q[qs.clone()]);
                let mut new = (now * Quat::from_rotation_vector(turn)).normalized();
                if let Some(swing) = &link.swing {
                    new = swing.nearest(new);
                }
                self.q[qs].copy_from_slice(&[new.x, new.y, new.z, new.w]);
            } else if link.kind != Kind::Free {
                for (q, u) in self.q[qs].iter_mut().zip(&u[vs]) {
                    *q += u;
                }
            }
        }
    }
}

/// A number from 0 to 1 for a start and a degree of freedom, like dice but always the same (the finaliser of SplitMix64).
fn scattered(start: u32, dof: usize) -> f64 {
    let mut x = (u64::from(start) << 32 | dof as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ x >> 31) >> 11) as f64 / (1u64 << 53) as f64
}

/// Jᵀ (J Jᵀ + μ² 1)⁻¹ e with J by columns, μ as a share of its size.
fn least_squares(columns: &[[f64; 6]], error: [Vec3<f64>; 2], damping: f64) -> Vec<f64> {
    let mut jj = [[0.0; 6]; 6];
    for c in columns {
        for (row, ci) in jj.iter_mut().zip(c) {
            for (entry, cj) in row.iter_mut().zip(c) {
                *entry += ci * cj;
            }
        }
    }
    let trace: f64 = (0..6).map(|i| jj[i][i]).sum();
    let add = if trace > 0.0 { trace * damping * damping } else { 1.0 };
    for (i, row) in jj.iter_mut().enumerate() {
        row[i] += add;
    }
    let [p, t] = error;
    let x = solve_semidefinite(&jj, [p.x, p.y, p.z, t.x, t.y, t.z]);
    columns.iter().map(|c| c.iter().zip(x).map(|(c, x)| c * x).sum()).collect()
}
