//! Joints as the kernels see them: joints of one form and one colour in groups of [`LANES`], number beside number, so that every
//! instruction works on a whole group.
//!
//! Three forms cover what worlds are full of. All hold a point, and nothing, two or three of the turns; what they hold is
//! as hard as the method makes it. All other joints are solved row by row: see `joint_work`.
//!
//! | form | rows | held |
//! |---|---|---|
//! | ball | 3 | C = d |
//! | hinge | 5 | C = d, C = (y_A·e, z_A·e); its twist may be limited |
//! | fixed | 6 | C = d, C = R_A φ |

use super::contact_constraint::{Wide, Wide3, Wide6};
use super::joint_load::Effort;
use super::motion::Motion;
use crate::body::store::CentrePose;
use crate::constraint::contact::NONE;
use crate::constraint::joint::JointKind;
use crate::constraint::joint::store::Joint;
use crate::constraint::{Stiffness, unwound};
use crate::crew::{Shared, Team};
use crate::math::{LANES, Lane, NO_ROW, Quat, Real, Vec3};

/// Groups that one thread takes at a time.
const SHARE: usize = 16;

/// A quaternion for each lane.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Wide4(pub [Wide; 4]);

impl Wide4 {
    pub const ZERO: Self = Self([Wide::ZERO; 4]);

    #[inline(always)]
    pub fn load<L: Lane>(&self, at: usize) -> Quat<L> {
        let [x, y, z, w] = &self.0;
        Quat::new(x.load(at), y.load(at), z.load(at), w.load(at))
    }

    pub fn set(&mut self, lane: usize, q: Quat) {
        for (wide, value) in self.0.iter_mut().zip([q.x, q.y, q.z, q.w]) {
            wide.0[lane] = value;
        }
    }
}

impl Wide3 {
    /// Sets the vector of one lane.
    pub fn set(&mut self, lane: usize, v: Vec3) {
        for (wide, value) in self.0.iter_mut().zip(v.to_array()) {
            wide.0[lane] = value;
        }
    }
}

/// The form of a joint that the kernels know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    Ball,
    /// With the range of the twist; infinite where it is free.
    Hinge(Real, Real),
    Fixed,
}

impl Form {
    /// The form of a joint; `None` for those that are solved row by row.
    pub fn of(joint: &Joint) -> Option<Self> {
        if joint.stiffness != Stiffness::Method {
            return None;
        }
        match &*joint.kind {
            JointKind::Ball(ball) if ball.motor.is_none() => Some(Self::Ball),
            JointKind::Hinge(hinge) if hinge.turn.motor.is_none() => match &hinge.turn.limit {
                None => Some(Self::Hinge(-Real::INFINITY, Real::INFINITY)),
                Some(l) if l.stiffness == Stiffness::Method && l.restitution == 0.0 => Some(Self::Hinge(l.low, l.high)),
                Some(_) => None,
            },
            JointKind::Fixed(_) => Some(Self::Fixed),
            _ => None,
        }
    }
}

/// One side of a joint: what does not change during the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    /// The motion of the body; [`NO_ROW`] where it does not move.
    pub body: u32,
    /// The same, and [`NO_ROW`] where impulses change nothing.
    pub write: u32,
    pub inv_mass: Real,
    /// From the centre of mass to the frame, in the frame of the body; zero where it does not move.
    pub offset: Vec3,
    /// The frame in that of the body; in the world where it does not move.
    pub turn: Quat,
}

/// [`LANES`] joints of N rows, X of which are turns about axes that are kept, with P = N (N + 1)/2 entries of an inverse, and
/// Q = P + N numbers of another, or none.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct JointGroup<const N: usize, const X: usize, const P: usize, const Q: usize> {
    pub body: [[u32; LANES]; 2],
    pub write: [[u32; LANES]; 2],
    /// Where its limits are, or [`NONE`].
    pub limit: u32,
    pub effort: Effort,
    pub inv_mass: [Wide; 2],
    /// From here on it is where the bodies are now that counts.
    pub inv_inertia: [Wide6; 2],
    pub arm: [Wide3; 2],
    /// y and z of the frame of A.
    pub axes: [Wide3; X],
    pub impulse: [Wide; N],
    /// Inverse of K, packed as the lower triangle by rows; K itself in webs, which are inverted as a whole.
    pub inverse: [Wide; P],
    /// 1/(1 + γ) of balls, and γ itself in webs: one that is very hard would be rounded away.
    pub firm: Wide,
    /// The velocity that the pushing pass adds.
    pub bias: [Wide; N],
    /// The inverse of K + Γ, packed, and Γ, where turns are held.
    pub soft: [Wide; Q],
}

/// What the passes that solve do not read of [`LANES`] joints.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct JointBase {
    /// Slots of the joints, or [`NONE`].
    pub joint: [u32; LANES],
    /// What the impulses of the last pushing pass owe ω_A and ω_B, since arms and inertias have turned.
    pub owed: [Wide3; 2],
    /// Sums of the impulse and the angular impulse on B about its frame over the sub-steps.
    pub sum: Wide3,
    pub turn_sum: Wide3,
    /// What does not change during the step; `gap` is that between the centres at the start, or the frames of what does not move.
    pub offset: [Wide3; 2],
    pub gap: Wide3,
    pub turn: [Wide4; 2],
    /// The twists of hinges at the start, counted over many turns.
    pub memory: [f64; LANES],
}

impl JointBase {
    const EMPTY: Self = Self {
        joint: [NONE; LANES],
        owed: [Wide3::ZERO; 2],
        sum: Wide3::ZERO,
        turn_sum: Wide3::ZERO,
        offset: [Wide3::ZERO; 2],
        gap: Wide3::ZERO,
        turn: [Wide4::ZERO; 2],
        memory: [0.0; LANES],
    };
}

impl<const N: usize, const X: usize, const P: usize, const Q: usize> JointGroup<N, X, P, Q> {
    const EMPTY: Self = Self {
        body: [[NO_ROW; LANES]; 2],
        write: [[NO_ROW; LANES]; 2],
        limit: NONE,
        effort: Effort::NONE,
        inv_mass: [Wide::ZERO; 2],
        inv_inertia: [Wide6::ZERO; 2],
        arm: [Wide3::ZERO; 2],
        axes: [Wide3::ZERO; X],
        impulse: [Wide::ZERO; N],
        inverse: [Wide::ZERO; P],
        firm: Wide::ZERO,
        bias: [Wide::ZERO; N],
        soft: [Wide::ZERO; Q],
    };

    /// Puts a joint into a lane.
    fn set(&mut self, base: &mut JointBase, lane: usize, entry: &Entry<'_>) {
        base.joint[lane] = entry.slot;
        for (s, side) in entry.sides.iter().enumerate() {
            (self.body[s][lane], self.write[s][lane]) = (side.body, side.write);
            self.inv_mass[s].0[lane] = side.inv_mass;
            base.offset[s].set(lane, side.offset);
            if N > 3 {
                base.turn[s].set(lane, side.turn);
            }
        }
        base.gap.set(lane, entry.gap);
        if let Some(start) = &entry.start {
            for (wide, impulse) in self.impulse.iter_mut().zip(start.impulses) {
                wide.0[lane] = *impulse;
            }
            base.memory[lane] = start.memory;
        }
        if N == 5 {
            base.memory[lane] = unwound(entry.twist, base.memory[lane]);
        }
        base.sum.set(lane, Vec3::ZERO);
        base.turn_sum.set(lane, Vec3::ZERO);
    }
}

/// A joint that is put into a lane.
pub(crate) struct Entry<'a> {
    pub slot: u32,
    pub sides: [Side; 2],
    /// From centre A to centre B at the start of the step, or the frame of what does not move.
    pub gap: Vec3,
    /// The twist of a hinge.
    pub twist: Real,
    /// `None` where the lane knows from the step before.
    pub start: Option<Start<'a>>,
}

/// Where the solve of a joint starts.
pub(crate) struct Start<'a> {
    pub impulses: &'a [Real],
    /// The twist of the last step, counted over many turns.
    pub memory: f64,
}

/// The limits of [`LANES`] hinges: two rows with the Jacobians ±[0, -t, 0, t].
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct JointLimit {
    /// t
    pub axis: Wide3,
    /// How far it is to the low and to the high end.
    pub room: [Wide; 2],
    pub impulse: [Wide; 2],
    /// c: what a unit impulse along t gives the rows that hold.
    pub coupling: [Wide; 5],
    /// (K + Γ)⁻¹ c and K⁻¹ c.
    pub held: [[Wide; 5]; 2],
    /// What a unit impulse gives the twist itself while the rest holds: k - cᵀ (K + Γ)⁻¹ c and k - cᵀ K⁻¹ c.
    pub response: [Wide; 2],
    pub compliance: Wide,
    pub range: [Wide; 2],
}

impl JointLimit {
    const EMPTY: Self = Self {
        axis: Wide3::ZERO,
        room: [Wide::ZERO; 2],
        impulse: [Wide::ZERO; 2],
        coupling: [Wide::ZERO; 5],
        held: [[Wide::ZERO; 5]; 2],
        response: [Wide::ZERO; 2],
        compliance: Wide::ZERO,
        range: [Wide([-Real::INFINITY; LANES]), Wide([Real::INFINITY; LANES])],
    };
}

/// All groups of one form.
#[derive(Clone, Debug)]
pub(crate) struct Groups<const N: usize, const X: usize, const P: usize, const Q: usize> {
    pub groups: Vec<JointGroup<N, X, P, Q>>,
    pub bases: Vec<JointBase>,
    /// Lanes of the last group that are taken.
    lanes: usize,
    /// Groups `ranges[c]..ranges[c + 1]` have colour c.
    ranges: Vec<u32>,
}

impl<const N: usize, const X: usize, const P: usize, const Q: usize> Default for Groups<N, X, P, Q> {
    fn default() -> Self {
        Self { groups: Vec::new(), bases: Vec::new(), lanes: LANES, ranges: Vec::new() }
    }
}

impl<const N: usize, const X: usize, const P: usize, const Q: usize> Groups<N, X, P, Q> {
    fn clear(&mut self) {
        self.groups.clear();
        self.bases.clear();
        self.ranges.clear();
        self.lanes = LANES;
    }

    fn begin_colour(&mut self) {
        // The rest of the last group stays empty.
        self.lanes = LANES;
        self.ranges.push(self.groups.len() as u32);
    }

    /// The next lane, counted through all groups.
    fn deal(&mut self) -> u32 {
        if self.lanes == LANES {
            self.groups.push(JointGroup::EMPTY);
            self.bases.push(JointBase::EMPTY);
            self.lanes = 0;
        }
        self.lanes += 1;
        ((self.groups.len() - 1) * LANES + self.lanes - 1) as u32
    }

    /// Puts a joint into a lane that has been dealt.
    fn set(&mut self, at: u32, entry: &Entry<'_>) {
        let (group, lane) = (at as usize / LANES, at as usize % LANES);
        self.groups[group].set(&mut self.bases[group], lane, entry);
    }

    /// A step begins, with nothing new but where the bodies are. `twist` is that of the joint in a slot.
    fn begin(&mut self, poses: &[CentrePose], twist: impl Fn(u32) -> Real) {
        for (group, base) in self.groups.iter().zip(&mut self.bases) {
            (base.sum, base.turn_sum) = (Wide3::ZERO, Wide3::ZERO);
            for lane in 0..LANES {
                let [a, b] = group.body.map(|body| poses.get(body[lane] as usize));
                let (Some(a), Some(b)) = (a, b) else { continue };
                base.gap.set(lane, (b.centre - a.centre).to_real());
                if N == 5 {
                    base.memory[lane] = unwound(twist(base.joint[lane]), base.memory[lane]);
                }
            }
        }
    }

    /// The groups of a colour, or all.
    fn range(&self, colour: Option<usize>) -> core::ops::Range<usize> {
        let Some(colour) = colour else { return 0..self.groups.len() };
        self.ranges.get(colour..colour + 2).map_or(0..0, |r| r[0] as usize..r[1] as usize)
    }
}

pub(crate) type Balls = Groups<3, 0, 6, 0>;
pub(crate) type Hinges = Groups<5, 2, 15, 20>;
pub(crate) type Welds = Groups<6, 0, 21, 27>;

/// All joints of a step that the kernels solve.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointGroups {
    pub balls: Balls,
    pub hinges: Hinges,
    pub welds: Welds,
    pub limits: Vec<JointLimit>,
}

/// Groups of one form and one colour, and the bodies. Several threads may work on different ranges of the groups at once.
#[derive(Clone)]
pub(crate) struct JointPass<'a, const N: usize, const X: usize, const P: usize, const Q: usize> {
    pub groups: Shared<'a, JointGroup<N, X, P, Q>>,
    pub bases: Shared<'a, JointBase>,
    pub limits: Shared<'a, JointLimit>,
    pub motions: Shared<'a, Motion>,
    /// The groups of this thread.
    pub range: core::ops::Range<usize>,
}

/// What is done to the groups of a colour.
pub(crate) trait Task: Sync {
    fn run<const N: usize, const X: usize, const P: usize, const Q: usize>(&self, pass: JointPass<'_, N, X, P, Q>);
}

impl JointGroups {
    pub fn clear(&mut self) {
        self.balls.clear();
        self.hinges.clear();
        self.welds.clear();
        self.limits.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.balls.groups.is_empty() && self.hinges.groups.is_empty() && self.welds.groups.is_empty()
    }

    /// A step begins with the joints of the last, which nobody has touched, between bodies that have but moved. What is tied to bodies that
    /// do not move is to be put into its lanes again.
    pub fn begin(&mut self, poses: &[CentrePose], twist: impl Fn(u32) -> Real + Copy) {
        self.balls.begin(poses, twist);
        self.hinges.begin(poses, twist);
        self.welds.begin(poses, twist);
    }

    /// The joints that follow have the next colour. To be called once more at the end.
    pub fn begin_colour(&mut self) {
        self.balls.begin_colour();
        self.hinges.begin_colour();
        self.welds.begin_colour();
    }

    /// A lane for a joint of this form; one of the overflow gets a group of its own.
    pub fn deal(&mut self, form: Form, alone: bool) -> u32 {
        let at = match form {
            Form::Ball => self.balls.deal(),
            Form::Fixed => self.welds.deal(),
            Form::Hinge(low, high) => {
                let at = self.hinges.deal();
                let group = &mut self.hinges.groups[at as usize / LANES];
                if group.limit == NONE && (low > -Real::MAX || high < Real::MAX) {
                    group.limit = self.limits.len() as u32;
                    self.limits.push(JointLimit::EMPTY);
                }
                at
            }
        };
        if alone {
            (self.balls.lanes, self.hinges.lanes, self.welds.lanes) = (LANES, LANES, LANES);
        }
        at
    }

    /// Puts a joint into the lane that it was dealt.
    pub fn set(&mut self, form: Form, at: u32, entry: &Entry<'_>) {
        match form {
            Form::Ball => self.balls.set(at, entry),
            Form::Fixed => self.welds.set(at, entry),
            Form::Hinge(low, high) => {
                self.hinges.set(at, entry);
                let (group, lane) = (&self.hinges.groups[at as usize / LANES], at as usize % LANES);
                if let Some(limit) = self.limits.get_mut(group.limit as usize) {
                    (limit.range[0].0[lane], limit.range[1].0[lane]) = (low, high);
                    if let Some(start) = &entry.start {
                        for (wide, impulse) in limit.impulse.iter_mut().zip(&start.impulses[5..]) {
                            wide.0[lane] = *impulse;
                        }
                    }
                }
            }
        }
    }

    /// Does something to the groups of a colour, or to all, shared among the team; in the `overflow`, where joints share bodies, one
    /// after the other.
    pub fn each(
        &mut self,
        colour: Option<usize>,
        overflow: bool,
        motions: &mut [Motion],
        team: &Team,
        task: &impl Task,
    ) {
        let Self { balls, hinges, welds, limits, .. } = self;
        let ranges = [balls.range(colour), hinges.range(colour), welds.range(colour)];
        if ranges.iter().all(|r| r.is_empty()) {
            return;
        }
        let (limits, motions) = (Shared::new(limits), Shared::new(motions));
        let balls = JointPass {
            groups: Shared::new(&mut balls.groups),
            bases: Shared::new(&mut balls.bases),
            limits,
            motions,
            range: ranges[0].clone(),
        };
        let hinges = JointPass {
            groups: Shared::new(&mut hinges.groups),
            bases: Shared::new(&mut hinges.bases),
            limits,
            motions,
            range: ranges[1].clone(),
        };
        let welds = JointPass {
            groups: Shared::new(&mut welds.groups),
            bases: Shared::new(&mut welds.bases),
            limits,
            motions,
            range: ranges[2].clone(),
        };
        if overflow {
            task.run(balls);
            task.run(hinges);
            task.run(welds);
            return;
        }
        let blocks = ranges.map(|r| r.len().div_ceil(SHARE));
        team.for_blocks(blocks.iter().sum(), |_, mut block| {
            if block < blocks[0] {
                return task.run(balls.block(block));
            }
            block -= blocks[0];
            if block < blocks[1] {
                return task.run(hinges.block(block));
            }
            task.run(welds.block(block - blocks[1]));
        });
    }
}

impl<const N: usize, const X: usize, const P: usize, const Q: usize> JointPass<'_, N, X, P, Q> {
    /// One share of the groups.
    fn block(&self, block: usize) -> Self {
        let start = self.range.start + block * SHARE;
        Self { range: start..self.range.end.min(start + SHARE), ..self.clone() }
    }

    /// A group of this thread, and its limits.
    #[allow(clippy::mut_from_ref)]
    pub fn whole(&self, i: usize) -> (&mut JointGroup<N, X, P, Q>, Option<&mut JointLimit>) {
        debug_assert!(self.range.contains(&i));
        // SAFETY: ranges of groups do not overlap, and no two groups have their limits in common.
        unsafe {
            let group = self.groups.get(i);
            let limited = N == 5 && (group.limit as usize) < self.limits.len();
            let limit = limited.then(|| self.limits.get(group.limit as usize));
            (group, limit)
        }
    }

    /// The rest of a group of this thread.
    #[allow(clippy::mut_from_ref)]
    pub fn base(&self, i: usize) -> &mut JointBase {
        debug_assert!(self.range.contains(&i));
        // SAFETY: ranges of groups do not overlap, and every group has a base of its own.
        unsafe { self.bases.get(i) }
    }

    /// Columns of the motions of bodies.
    #[inline(always)]
    pub fn gather<L: Lane, const C: usize>(&self, first: usize, indices: &[u32]) -> [L; C] {
        // SAFETY: no two joints of a colour share a body that is written, so what is read here nobody writes meanwhile.
        unsafe { L::gather::<16, C>(self.motions.as_mut_ptr(), self.motions.len(), first, indices) }
    }

    /// Writes the first columns of the motions of bodies.
    #[inline(always)]
    pub fn scatter<L: Lane, const C: usize>(&self, columns: [L; C], indices: &[u32]) {
        // SAFETY: as above: only movable bodies are written, each by one joint of the colour.
        unsafe { L::scatter::<16, C>(columns, self.motions.as_mut_ptr(), self.motions.len(), 0, indices) }
    }
}
