//! The world: it owns all data and the method in force.

mod articulations;
mod assemblies;
mod audit;
mod batch;
mod bodies;
mod colliders;
mod contacts;
mod debug;
mod describe;
mod effects;
mod joints;
mod materials;
mod measure;
mod query;
mod response;
mod time;

use crate::articulation::store::Articulations;
use crate::body::collider::Collider;
use crate::body::desc::BodyDesc;
use crate::body::store::Bodies;
use crate::body::{Material, PairTable};
use crate::clock::Clock;
use crate::constraint::contact::Contacts;
use crate::constraint::joint::Registry;
use crate::constraint::joint::store::Joints;
use crate::crew::Crew;
use crate::detect::broad::BroadPhase;
use crate::detect::contacts::Detector;
use crate::detect::hook::{ContactHook, Hook};
use crate::detect::look::Placed;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::force;
use crate::force::store::Effects;
use crate::id::{BodyId, ColliderTag, MaterialId, MaterialTag, Slots};
use crate::interact::islands::Islands;
use crate::interact::sleep::Sleeper;
use crate::marks::Marks;
use crate::math::{Isa, Real, Vec3};
use crate::method::Method;
use crate::names::Names;
use crate::profile::Profile;
use crate::solve::contact_constraint::ContactConstraints;
use crate::solve::graph::Graph;
use crate::solve::joint_work::JointWork;
use crate::solve::motion::{Free, Kicks, Mass, Motion};
use crate::solve::rebound::Rebounds;
use crate::solve::simultaneous;
use crate::solve::tree_work::TreeWork;
use crate::step::adrift::Adrift;
use crate::step::bounce_cap::BounceCap;
use crate::step::finish::Before;
use crate::step::impacts::Hit;
use std::collections::BTreeSet;
use std::sync::Arc;

pub use assemblies::Assembled;
pub use contacts::{ContactRef, TouchPoint};
pub use debug::{DebugGeometry, DebugLayers, DebugLine, DebugPoint};
pub use measure::Measures;

/// Everything the next step reads. Cloning it is branching; nothing else of a world needs to be saved.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub gravity: Vec3,
    pub clock: Clock,
    pub method: Method,
    pub hook: Hook,
    /// Simulated seconds.
    pub time: f64,
    /// Simulated seconds asked for and not yet simulated.
    pub remainder: f64,
    pub steps: u64,
    pub bodies: Bodies,
    pub colliders: Slots<Collider, ColliderTag>,
    pub materials: Slots<Material, MaterialTag>,
    /// Materials that belong to one collider each and go with it, by slot; follows from the colliders.
    pub own_materials: Marks,
    pub pairs: PairTable,
    /// Pairs of body slots, smaller first, that never touch.
    pub exclusions: BTreeSet<(u32, u32)>,
    pub broad: BroadPhase,
    /// Where the colliders that are in the broad phase are, by slot; follows from the bodies.
    pub placed: Vec<Placed>,
    pub contacts: Contacts,
    pub joints: Joints,
    /// Constraints of the user's that a snapshot may hold.
    pub registry: Registry,
    pub effects: Effects,
    pub articulations: Articulations,
    /// Effects of the user's that a snapshot may hold.
    pub forces: force::Registry,
    pub graph: Graph,
    pub islands: Islands,
    /// The instruction set that kernels run in; changes no bit.
    pub isa: Isa,
    pub events: Vec<Event>,
    /// Caused by edits since the last step.
    pub pending: Vec<Event>,
}

/// A world of bodies, and the method that simulates it.
///
/// ```
/// use tumble::{BodyDesc, World, shape::Shape};
///
/// let mut world = World::new();
/// let ball = world.add_body(
///     BodyDesc::dynamic().position([0.0, 10.0, 0.0]).collider(Shape::sphere(0.5).unwrap()),
/// ).unwrap();
/// for _ in 0..60 {
///     world.step(1.0 / 60.0).unwrap();
/// }
/// let fallen = 10.0 - world.body(ball).unwrap().position().y;
/// assert!((fallen - 0.5 * 9.81).abs() < 1e-3);
/// ```
///
/// ```
/// use tumble::{BodyDesc, Clock, Material, World, math::Vec3, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// world.set_gravity([0.0, -1.62, 0.0])?; // on the moon
/// assert_eq!(world.gravity().y, -1.62);
/// world.set_keep_start(false); // no `restart`, half the memory
/// assert_eq!(world.clock(), &Clock::default());
/// assert!(world.contact_hook().is_none() && world.isa().width() >= 1);
///
/// world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
/// let ball = world.add_body(BodyDesc::dynamic().position([0.0, 3.0, 0.0]).collider(Shape::sphere(0.5)?))?;
/// assert_eq!((world.body_count(), world.awake_count(), world.collider_count()), (2, 1, 2));
/// assert_eq!(world.body_ids().last(), Some(ball));
/// assert_eq!(world.collider_ids().count(), 2);
/// world.step(1.0 / 60.0)?;
/// assert_eq!((world.steps(), world.events().len()), (1, 0));
///
/// world.reset(); // empty again; the moon stays
/// assert_eq!((world.body_count(), world.time(), world.gravity().y), (0, 0.0, -1.62));
/// assert!(world.body(ball).is_err());
/// # Ok(())
/// # }
/// ```
///
/// # Torn worlds
///
/// The engine does not panic in a step, but code of the user's may that it calls: a contact hook, a constraint, a force effect. The step
/// then returns [`Error::Torn`] with what the panic said, and the world is torn: some of its bodies have moved and others have not. From
/// then on every call that can fail fails with the same error, be it a step, an edit, a query or a snapshot, and changes nothing, until
/// [`World::restart`], [`World::restore`] or [`World::reset`] has put a whole state in its place. Calls that cannot fail go on: counts, ids,
/// events, [`World::hash`] and debug geometry tell of the half-moved state, for whoever looks for the fault; settings that are no part
/// of the state (threads, instruction set, registered code, the contact hook) are taken, and hold for the state that comes. A copy of
/// a torn world is torn.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) state: State,
    /// The state that `restart` goes back to; copies of the world share it.
    start: Option<Arc<State>>,
    keep_start: bool,
    /// No step has been made since the state that `restart` is to go back to.
    at_start: bool,
    pub(crate) profile: Profile,
    pub(crate) scratch: Scratch,
    /// What a step said that panicked and left the state half moved.
    pub(crate) torn: Option<String>,
    /// Who does the work; changes no bit.
    pub(crate) crew: Crew,
}

/// Memory that a step uses and the next one uses again. Holds nothing that matters between steps.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub detector: Detector,
    pub sleeper: Sleeper,
    pub constraints: ContactConstraints,
    pub joints: JointWork,
    pub adrift: Adrift,
    pub bounce_cap: BounceCap,
    pub rebounds: Rebounds,
    pub trees: TreeWork,
    pub motions: Vec<Motion>,
    pub kicks: Kicks,
    /// Empty where it stands in place of the masses.
    pub free: Vec<Free>,
    pub masses: Vec<Mass>,
    /// Contact points and joints of awake bodies.
    pub supports: Vec<u32>,
    /// Awake bodies that constraints act on.
    pub solved: Vec<u32>,
    /// Awake bodies that no constraint acts on.
    pub flying: Vec<u32>,
    /// Awake bodies before the step.
    pub before: Vec<Before>,
    pub simultaneous: simultaneous::Work,
    pub hits: Vec<Hit>,
    /// The bodies of the set of a force effect.
    pub members: Vec<u32>,
    /// Awake bodies whose velocity or load is not finite as the step begins.
    pub unsound: Vec<u32>,
    /// Bodies whose state stopped being finite in this step.
    pub broken: Vec<u32>,
}

/// A copy takes memory in its first step: to copy what means nothing would take as long as all that does.
impl Clone for Scratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// The built-in body: fixed, without colliders, at the origin. Whatever is to be fastened to empty space is fastened
    /// to it (003-27).
    pub const BODY: BodyId = BodyId::new(0, 0);

    /// The built-in material, used where none is named: [`Material::default`]. It can be edited, not removed.
    pub const MATERIAL: MaterialId = MaterialId::new(0, 0);

    /// An empty world with gravity (0, -9.81, 0) and the default method.
    pub fn new() -> Self {
        Self {
            state: State::new(Vec3::new(0.0, -9.81, 0.0), Clock::default(), Method::default()),
            start: None,
            keep_start: true,
            at_start: true,
            profile: Profile::default(),
            scratch: Scratch::default(),
            torn: None,
            crew: Crew::default(),
        }
    }

    /// An empty world simulated by this method.
    pub fn with_method(method: Method) -> Result<Self> {
        let mut world = Self::new();
        world.set_method(method)?;
        Ok(world)
    }

    /// Acceleration of gravity.
    pub fn gravity(&self) -> Vec3 {
        self.state.gravity
    }

    /// Changes gravity and wakes everything that it acts on.
    pub fn set_gravity(&mut self, gravity: impl Into<Vec3>) -> Result<()> {
        self.whole()?;
        let gravity = gravity.into();
        if !gravity.is_finite() {
            return Err(Error::value("world", "gravity", "finite", format_args!("{:?}", gravity.to_array())));
        }
        if gravity != self.state.gravity {
            self.state.gravity = gravity;
            self.state.wake_all();
        }
        Ok(())
    }

    /// The method in force.
    pub fn method(&self) -> &Method {
        &self.state.method
    }

    /// Swaps the method. Positions and velocities stay as they are, to the bit; what is asleep wakes.
    ///
    /// ```
    /// use tumble::{Integrate, Method, World};
    /// let mut world = World::new();
    /// world.set_method(Method::ballistic(Integrate::SemiImplicitEuler)).unwrap();
    /// assert_eq!(world.method().name, "ballistic");
    /// ```
    pub fn set_method(&mut self, method: Method) -> Result<()> {
        self.whole()?;
        method.validate()?;
        if method != self.state.method {
            let old = core::mem::replace(&mut self.state.method, method);
            self.state.method_changed(&old);
        }
        Ok(())
    }

    /// How elapsed time is cut into steps.
    pub fn clock(&self) -> &Clock {
        &self.state.clock
    }

    /// Changes how elapsed time is cut into steps.
    pub fn set_clock(&mut self, clock: Clock) -> Result<()> {
        self.whole()?;
        clock.validate()?;
        self.state.clock = clock;
        Ok(())
    }

    /// Simulated seconds since the beginning.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Steps since the beginning.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    /// What happened since the step before; see [`event`](crate::event) for the rules.
    pub fn events(&self) -> &[Event] {
        &self.state.events
    }

    /// Where the time of the last step went.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The instruction set that the wide kernels run in.
    pub fn isa(&self) -> Isa {
        self.state.isa
    }

    /// Runs the wide kernels in another instruction set than the widest of this machine, for tests and measurements.
    /// It changes the time that a step takes and not a bit of its outcome; no hash or snapshot covers it. The search for
    /// contacts of hulls takes the widest one all the same.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, math::{Isa, Vec3}, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
    /// world.add_body(BodyDesc::dynamic().position([0.0, 0.5, 0.0]).collider(Shape::cuboid(0.5, 0.5, 0.5)?))?;
    /// let mut slow = world.clone();
    /// slow.set_isa(Isa::SCALAR);
    /// for _ in 0..10 {
    ///     world.step(1.0 / 60.0)?;
    ///     slow.step(1.0 / 60.0)?;
    /// }
    /// assert_eq!(slow.hash(), world.hash());
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_isa(&mut self, isa: Isa) {
        self.state.isa = isa;
    }

    /// Whether the world keeps its state before the first step, or the first one after [`World::restore`], so that
    /// [`World::restart`] can go back to it. On by default; off, it saves the memory of a second copy.
    pub fn set_keep_start(&mut self, keep: bool) {
        self.keep_start = keep;
        if !keep {
            self.start = None;
        }
    }

    /// Back to the state before the first step, or before the first one after [`World::restore`]: same bodies, same ids, same
    /// time. Bodies added since are gone, and bodies removed since are back; so are gravity, method, hook and all other settings of then.
    ///
    /// ```
    /// use tumble::{BodyDesc, World};
    /// let mut world = World::new();
    /// let id = world.add_body(BodyDesc::dynamic()).unwrap();
    /// for _ in 0..10 {
    ///     world.step(1.0 / 60.0).unwrap();
    /// }
    /// world.restart().unwrap();
    /// assert_eq!((world.time(), world.body(id).unwrap().position().y), (0.0, 0.0));
    /// ```
    pub fn restart(&mut self) -> Result<()> {
        if self.at_start {
            return Ok(());
        }
        match &self.start {
            Some(start) => {
                // The instruction set is no part of what happens, and stays.
                self.state = State { isa: self.state.isa, ..State::clone(start) };
                self.start = None;
                self.at_start = true;
                self.mend();
                Ok(())
            }
            None => Err(Error::refused("world", "its start was not kept; see World::set_keep_start")),
        }
    }

    /// Empties the world and sets its time to 0. Gravity, clock, method and contact hook stay; the built-in material is as it was made; ids from
    /// before are stale for ever.
    pub fn reset(&mut self) {
        let mut bodies = core::mem::replace(&mut self.state.bodies, Bodies::new());
        let mut colliders = core::mem::take(&mut self.state.colliders);
        let mut materials = core::mem::take(&mut self.state.materials);
        // The built-in body and material keep their ids.
        bodies.clear();
        colliders.clear();
        materials.clear();
        let mut joints = core::mem::take(&mut self.state.joints.all);
        joints.clear();
        let mut effects = core::mem::take(&mut self.state.effects);
        effects.all.clear();
        let mut trees = core::mem::take(&mut self.state.articulations);
        trees.clear();
        let method = core::mem::take(&mut self.state.method);
        let mut state = State::bare(self.state.gravity, self.state.clock, method, bodies, colliders, materials);
        state.add_built_ins();
        state.joints = Joints::new(joints, Names::default());
        state.hook = core::mem::take(&mut self.state.hook);
        state.registry = core::mem::take(&mut self.state.registry);
        state.effects = Effects::new(effects.all, effects.stamp);
        state.forces = core::mem::take(&mut self.state.forces);
        state.articulations = trees;
        self.put(state);
    }

    /// Goes on with another state, to which `restart` goes back from now on.
    pub(crate) fn put(&mut self, state: State) {
        self.state = State { isa: self.state.isa, ..state };
        self.begin_anew();
    }

    /// The state is another one, to which `restart` goes back from now on.
    pub(crate) fn begin_anew(&mut self) {
        self.start = None;
        self.at_start = true;
        self.profile = Profile::default();
        self.mend();
    }

    /// The state is whole again; what a step that panicked left in its scratch memory is forgotten.
    pub(crate) fn mend(&mut self) {
        if self.torn.take().is_some() {
            self.scratch = Scratch::default();
        }
    }

    /// An error for a world that a step has torn.
    pub(crate) fn whole(&self) -> Result<()> {
        match &self.torn {
            None => Ok(()),
            Some(panic) => Err(Error::Torn { panic: panic.clone() }),
        }
    }

    /// Whether a step panicked and left the world half moved; see [Torn worlds](#torn-worlds).
    ///
    /// ```
    /// use tumble::World;
    /// assert!(!World::new().is_torn());
    /// ```
    pub fn is_torn(&self) -> bool {
        self.torn.is_some()
    }

    /// Shows the contacts of colliders that are [`hooked`](crate::ColliderDesc::hooked) to this hook, or with `None` to
    /// nobody, and wakes everything.
    pub fn set_contact_hook(&mut self, hook: Option<Arc<dyn ContactHook>>) {
        self.state.hook = Hook(hook);
        // A torn state is not gone on with; the hook is for the one that takes its place.
        if !self.is_torn() {
            self.state.wake_all();
        }
    }

    /// The contact hook.
    pub fn contact_hook(&self) -> Option<&Arc<dyn ContactHook>> {
        self.state.hook.0.as_ref()
    }

    /// Runs steps, saves and restores on this many threads, the caller's and others that belong to the world and its copies; 1, the default, is the caller's thread alone. The
    /// number changes no bit of what comes out. Of copies that step at the same time one has the others' help, and the rest run on their callers' threads.
    ///
    /// ```
    /// use tumble::World;
    /// let mut world = World::new();
    /// world.set_threads(2).unwrap();
    /// assert_eq!(world.threads(), 2);
    /// assert!(world.set_threads(0).is_err());
    /// ```
    pub fn set_threads(&mut self, threads: usize) -> Result<()> {
        if !(1..=1024).contains(&threads) {
            return Err(Error::value("world", "threads", "between 1 and 1024", threads));
        }
        let crew = Crew::of(threads);
        self.crew = crew.map_err(|e| Error::refused("world", format!("no {threads} threads: {e}")))?;
        Ok(())
    }

    /// Runs steps and restores on the threads of this pool, which several worlds may share, or with `None` on the caller's thread. The caller waits;
    /// a pool that is busy with other work delays the step.
    ///
    /// ```
    /// use tumble::World;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let pool = std::sync::Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build()?);
    /// let mut worlds = vec![World::new(); 3];
    /// for world in &mut worlds {
    ///     world.set_thread_pool(Some(pool.clone()));
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_thread_pool(&mut self, pool: Option<Arc<rayon::ThreadPool>>) {
        self.crew = Crew::of_pool(pool);
    }

    /// How many threads steps run on.
    pub fn threads(&self) -> usize {
        self.crew.size()
    }

    /// Brings the trees in which queries and steps search into order now: after many bodies were added at once, for a first query or a
    /// first step that takes no longer than those after it. Steps do it by themselves; nothing moves otherwise for it.
    ///
    /// ```
    /// use tumble::{BodyDesc, ColliderDesc, World, shape::Shape};
    /// let mut world = World::new();
    /// let tile = Shape::cuboid(0.5, 0.1, 0.5)?;
    /// for i in 0..1000 {
    ///     let at = [f64::from(i % 40), 0.0, f64::from(i / 40)];
    ///     world.add_body(BodyDesc::fixed().position(at).collider(ColliderDesc::new(tile.clone())))?;
    /// }
    /// world.order_trees();
    /// # Ok::<(), tumble::Error>(())
    /// ```
    pub fn order_trees(&mut self) {
        self.state.broad.order_trees();
    }

    /// Number of bodies, the built-in one not counted.
    pub fn body_count(&self) -> usize {
        self.state.bodies.len() - 1
    }

    /// Number of bodies that are awake.
    pub fn awake_count(&self) -> usize {
        self.state.bodies.awake()
    }

    /// Number of colliders.
    pub fn collider_count(&self) -> usize {
        self.state.colliders.len()
    }

    /// The ids of all bodies, the built-in one not among them, in the order of their slots.
    pub fn body_ids(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.state.bodies.cold.iter().map(|(id, _)| id).filter(|&id| id != Self::BODY)
    }

    /// Remembers the state before the first step.
    fn before_first_step(&mut self) {
        if core::mem::take(&mut self.at_start) && self.keep_start {
            self.start = Some(Arc::new(self.state.clone()));
        }
    }
}

impl State {
    fn new(gravity: Vec3, clock: Clock, method: Method) -> Self {
        let mut state = Self::bare(gravity, clock, method, Bodies::new(), Slots::new(), Slots::new());
        state.add_built_ins();
        state
    }

    fn bare(
        gravity: Vec3,
        clock: Clock,
        method: Method,
        bodies: Bodies,
        colliders: Slots<Collider, ColliderTag>,
        materials: Slots<Material, MaterialTag>,
    ) -> Self {
        Self {
            gravity,
            clock,
            method,
            hook: Hook::default(),
            time: 0.0,
            remainder: 0.0,
            steps: 0,
            bodies,
            colliders,
            materials,
            own_materials: Marks::default(),
            pairs: PairTable::default(),
            exclusions: BTreeSet::new(),
            broad: BroadPhase::new(),
            placed: Vec::new(),
            contacts: Contacts::new(),
            joints: Joints::default(),
            registry: Registry::default(),
            effects: Effects::default(),
            articulations: Articulations::default(),
            forces: force::Registry::default(),
            graph: Graph::new(),
            islands: Islands::new(),
            isa: Isa::detect(),
            events: Vec::new(),
            pending: Vec::new(),
        }
    }

    fn add_built_ins(&mut self) {
        self.materials.insert_first(Material::default());
        self.insert_built_in_body(BodyDesc::fixed().name("world"));
    }

    /// Brings what was made for the old method in line with the new one.
    fn method_changed(&mut self, old: &Method) {
        self.wake_all();
        let new = &self.method;
        // Boxes are as wide as the tolerances say, and a method that knows no contacts would leave them as they are.
        let width = |t: &crate::method::Tolerances| [t.length, t.detection, t.box_margin];
        let boxes = width(&new.tolerances) != width(&old.tolerances) || new.step.solves() != old.step.solves();
        let materials = new.materials != old.materials;
        if new.narrow != old.narrow {
            // What the routines of one remember is not for those of another.
            self.contacts.forget_caches();
        }
        if !new.step.solves() {
            self.joints.rest();
            self.articulations.scale_impulses(0.0);
        } else if old.step.solves() {
            // Impulses are kept per solve: of a sub-step or of a step.
            let ratio = old.step.solves_per_step() as Real / new.step.solves_per_step() as Real;
            self.joints.scale_impulses(ratio);
            self.articulations.scale_impulses(f64::from(ratio));
            if !boxes {
                self.contacts.convert_impulses(ratio, old.friction, new.friction);
                // Manifolds may hold another number of points from now on.
                self.contacts.forget_poses();
            }
        }
        for slot in 0..self.bodies.cold.capacity() as u32 {
            if boxes {
                self.rebuild_proxies(slot);
            } else if materials {
                self.forget_materials(slot);
            }
        }
    }

    /// Strength of gravity, for the tolerances.
    pub fn gravity_strength(&self) -> Real {
        self.gravity.length()
    }
}
