//! Scenes from files.

mod articulations;
mod bodies;
mod checks;
mod cues;
mod effects;
mod joints;
mod materials;
mod method;
mod repeat;
mod settings;
mod shapes;

pub use articulations::freedoms;

use super::forms::SCENE;
use super::inspect::{MOST_FAULTS, inspect};
use super::record::{Record, Scope};
use super::text::{Fault, FileError, Item, LARGEST, Node, Read, Source};
use super::units::{Units, Up};
use crate::error::{Error, Result};
use crate::moment::Moment;
use crate::{Parameter, Scene, Stage, Values};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read as _};
use std::path::Path;
use std::sync::Arc;
use tumble::math::{Quat, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyId, MaterialId, World};

/// The version of the format that is read and written.
pub const FORMAT: u64 = 1;

/// More things than this are taken for a slip unless the file says otherwise; so many are made in about a second.
pub(super) const USUAL_THINGS: u64 = 100_000;
/// More than this cannot be asked for.
pub(super) const MOST_THINGS: u64 = 2_000_000;

/// A file, read and not yet evaluated.
#[derive(Debug)]
pub struct Document {
    pub source: Source,
    pub root: Node,
}

/// A scene from the text of a file, which is called `name` in messages. Files that it names are looked for in `folder`.
///
/// ```
/// let text = "
/// [[body]]
/// kind = 'fixed'
/// half_space = 'y'
///
/// [[body]]
/// name = 'box-{i}'
/// repeat = { i = 5 }
/// at = [0, '0.5 + i', 0]
/// box = [1, 1, 1]
/// ";
/// let scene = tumble_scene::file::parse(text, "stack.toml", ".")?;
/// let mut run = scene.setup().start()?;
/// run.step()?;
/// assert_eq!(run.world().body_count(), 6);
/// # Ok::<(), tumble_scene::Error>(())
/// ```
pub fn parse(text: impl Into<String>, name: &str, folder: impl AsRef<Path>) -> Result<Scene> {
    let source = Source::new(text.into(), name, folder);
    let read = || {
        let root = source.parse().map_err(|fault| vec![fault])?;
        if matches!(&root.item, Item::Table(entries) if entries.is_empty()) {
            return Err(vec![Fault::new(0, "there is nothing in this file; a scene has at least a [[body]]")]);
        }
        let mut faults = Vec::new();
        inspect(&root, &SCENE, &mut faults);
        if !faults.is_empty() {
            return Err(faults);
        }
        let head = describe(&source, &root).map_err(|fault| vec![fault])?;
        Ok((root, head))
    };
    match read() {
        Ok((root, head)) => Ok(head.into_scene(Document { source, root })),
        Err(faults) => Err(Error::File(source.locate_all(faults))),
    }
}

/// A scene from a file.
///
/// ```no_run
/// let scene = tumble_scene::file::load("door.toml")?;
/// let mut run = scene.setup().set("boxes", 7.0)?.start()?;
/// run.finish()?;
/// # Ok::<(), tumble_scene::Error>(())
/// ```
pub fn load(path: impl AsRef<Path>) -> Result<Scene> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let wrong = |message: String| Error::File(FileError::whole(name.clone(), message));
    let bytes = read_file(path, LARGEST as u64).map_err(wrong)?;
    if crate::recording::Recording::begins(&bytes) {
        return Err(wrong("this is a recording, and a scene is needed; `tumble convert` makes one of it".to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        wrong(format!("the file is not text: byte {at} is not UTF-8"))
    })?;
    parse(text, &name, path.parent().unwrap_or(Path::new(".")))
}

/// The bytes of a file, at most so many, or in words why there are none.
pub(crate) fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    if path.is_dir() {
        return Err("this is a folder, and a file is needed".to_owned());
    }
    let mut bytes = Vec::new();
    // Some files have no end, as /dev/zero.
    let read = std::fs::File::open(path).and_then(|f| f.take(most.saturating_add(1)).read_to_end(&mut bytes));
    match read {
        Ok(_) if bytes.len() as u64 > most => Err(format!("the file has more than {} MB", most >> 20)),
        Ok(_) => Ok(bytes),
        Err(error) => {
            let meant = if error.kind() == ErrorKind::NotFound { beside(path) } else { String::new() };
            Err(format!("the file cannot be read: {error}{meant}"))
        }
    }
}

/// A file in the same folder that may have been meant.
fn beside(path: &Path) -> String {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (Ok(entries), Some(name)) = (std::fs::read_dir(folder), path.file_name()) else { return String::new() };
    let name = name.to_string_lossy();
    let mut names: Vec<String> =
        entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).filter(|n| *n != name).collect();
    // The order of a folder is that of its file system.
    names.sort_unstable();
    let near = crate::names::nearest(&name, names.iter().map(String::as_str));
    near.map_or(String::new(), |near| format!("; the nearest name is {near:?}"))
}

/// What is known of a scene before it is built.
struct Head {
    scene: HeadScene,
    checks: Vec<(String, String, String)>,
}

struct HeadScene {
    name: String,
    description: String,
    seed: String,
    parameters: Vec<Parameter>,
    camera: crate::Camera,
}

fn describe(source: &Source, root: &Node) -> Read<Head> {
    let mut scope = Scope::plain();
    let record = Record::open(root, &SCENE, &scope)?;
    if let Some(node) = record.get("format") {
        let format = scope.whole(node)?;
        if format != FORMAT {
            return Err(Fault::new(node.at, format!("this is format {format}; this program reads format {FORMAT}")));
        }
    }
    let (units, up) = settings::units(&record)?;
    (scope.units, scope.up) = (units, up);
    let record = Record::open(root, &SCENE, &scope)?;
    let stem = Path::new(&source.name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let scene = HeadScene {
        name: record.text("name")?.or(stem).unwrap_or_default(),
        description: record.text("description")?.unwrap_or_default(),
        seed: record.text("seed")?.unwrap_or_default(),
        parameters: settings::parameters(&record)?,
        camera: settings::camera(&record)?,
    };
    Ok(Head { scene, checks: checks::claims(&record)? })
}

impl Head {
    fn into_scene(self, document: Document) -> Scene {
        let HeadScene { name, description, seed, parameters, camera } = self.scene;
        let document = Arc::new(document);
        let kept = document.clone();
        let build = move |stage: &mut Stage, values: &Values| {
            assemble(&document, stage, values).map_err(|faults| Error::File(document.source.locate_all(faults)))
        };
        let mut scene = Scene::new(name, build).description(description).seed(seed).camera(camera).written_as(kept);
        for parameter in parameters {
            scene = scene.parameter(parameter);
        }
        for (name, statement, unit) in self.checks {
            scene = scene.check(name, statement, unit);
        }
        scene
    }
}

/// Where a group is. The outermost is the world itself.
#[derive(Clone, Copy, Debug)]
struct Placing {
    translation: Vec3<f64>,
    rotation: Quat<f64>,
    /// It is the world, and changes no bit.
    identity: bool,
}

impl Placing {
    const WORLD: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, identity: true };

    fn inner(&self, translation: Vec3<f64>, rotation: Quat) -> Self {
        let rotation: Quat<f64> = rotation.to_f64();
        Self {
            translation: self.point(translation),
            rotation: (self.rotation * rotation).normalized(),
            identity: false,
        }
    }

    fn point(&self, point: Vec3<f64>) -> Vec3<f64> {
        if self.identity { point } else { self.translation + self.rotation.rotate(point) }
    }

    fn direction(&self, direction: Vec3<f64>) -> Vec3<f64> {
        if self.identity { direction } else { self.rotation.rotate(direction) }
    }

    /// How far a plane of the group is from the origin of the world along its normal, which is one of the world and of any length.
    fn level(&self, normal: Vec3<f64>, level: f64) -> f64 {
        match normal.try_normalize() {
            Some(normal) if !self.identity => level + normal.dot(self.translation),
            _ => level,
        }
    }

    fn turn(&self, rotation: Quat) -> Quat {
        if self.identity {
            return rotation;
        }
        let q = (self.rotation * rotation.to_f64()).normalized();
        let real = <Real as tumble::math::Float>::from_f64;
        Quat::new(real(q.x), real(q.y), real(q.z), real(q.w))
    }
}

/// What a name stands for.
struct Named {
    /// `None` where several have it.
    id: Option<BodyId>,
    /// Where the first of them stands in the file.
    at: usize,
}

/// A scene while it is built.
struct Assembly<'a> {
    world: &'a mut World,
    scope: Scope,
    placing: Placing,
    /// Bodies in the order of the file, the world's own first, as `#0`.
    bodies: Vec<BodyId>,
    named: BTreeMap<String, Named>,
    /// Bodies may share a name, and are referred to by number then.
    same_names: bool,
    /// What is allowed, and hardly meant, by its place in the file: a table that is repeated is warned of once.
    warnings: BTreeMap<usize, Fault>,
    /// What is wrong with tables that were left out for it.
    faults: Vec<Fault>,
    /// Bodies are among them, so that others may miss these.
    bodies_missing: bool,
    materials: BTreeMap<String, MaterialId>,
    definitions: &'a [super::text::Entry],
    shapes: BTreeMap<String, Shape>,
    /// Shapes whose definition is under way, to find circles.
    open_shapes: Vec<String>,
    shape_definitions: &'a [super::text::Entry],
    things: u64,
    /// More of them are taken for a slip.
    most: u64,
    waiting: Vec<repeat::Waiting<'a>>,
    /// Pairs that never touch, and where that is said.
    exclusions: Vec<(BodyId, BodyId, usize)>,
    /// Where files that are named are looked for.
    folder: &'a Path,
}

impl Assembly<'_> {
    /// What the engine says about the table that begins here.
    fn engine<T>(&mut self, at: usize, act: impl FnOnce(&mut World) -> tumble::Result<T>) -> Read<T> {
        act(self.world).map_err(|error| Fault::new(at, error.to_string()))
    }

    /// Notes what is wrong with a table, which is left out then. What misses a body that was left out is only a consequence.
    fn note(&mut self, done: Read<()>) -> Read<()> {
        match done {
            Err(fault) if self.things > self.most || self.faults.len() >= MOST_FAULTS => Err(fault),
            Err(fault) if self.bodies_missing && fault.message.starts_with("there is no body") => Ok(()),
            Err(fault) => {
                self.faults.push(fault);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// What is here is allowed, and hardly meant.
    fn warn(&mut self, at: usize, message: impl Into<String>) {
        self.warnings.entry(at).or_insert_with(|| Fault::new(at, message));
    }

    /// Counts what is made, so that a slip in a number is answered before the memory is full.
    fn count(&mut self, at: usize) -> Read<()> {
        self.things += 1;
        let most = self.most;
        if self.things <= most {
            return Ok(());
        }
        let advice = match most {
            MOST_THINGS => String::new(),
            _ => format!("; if that is meant, give the file `most = {MOST_THINGS}` at its head, or less"),
        };
        Err(Fault::new(at, format!("the scene has, or counts to, more than {most} things{advice}")))
    }
}

/// Fills the stage. Tables that are wrong by themselves are all named.
fn assemble(document: &Document, stage: &mut Stage, values: &Values) -> Result<(), Vec<Fault>> {
    let mut faults = Vec::new();
    let done = assemble_noting(document, stage, values, &mut faults);
    faults.extend(done.err());
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

fn assemble_noting(document: &Document, stage: &mut Stage, values: &Values, faults: &mut Vec<Fault>) -> Read<()> {
    let plain = Scope::plain();
    let head = Record::open(&document.root, &SCENE, &plain)?;
    let scope = scope_of(&head, values)?;

    let record = Record::open(&document.root, &SCENE, &scope)?;
    settings::apply(&record, stage)?;
    let world = &mut stage.world;
    let mut assembly = Assembly {
        world,
        scope: scope.clone(),
        placing: Placing::WORLD,
        bodies: vec![World::BODY],
        named: BTreeMap::new(),
        same_names: record.flag("same_names")?.unwrap_or(false),
        warnings: BTreeMap::new(),
        faults: Vec::new(),
        bodies_missing: false,
        materials: BTreeMap::new(),
        definitions: settings::entries(&record, "material"),
        shapes: BTreeMap::new(),
        open_shapes: Vec::new(),
        shape_definitions: settings::entries(&record, "shape"),
        things: 0,
        most: most_things(&record)?,
        waiting: Vec::new(),
        exclusions: Vec::new(),
        folder: &document.source.folder,
    };
    assembly.add_materials(&record)?;
    assembly.make_all(&document.root)?;
    if !assembly.faults.is_empty() {
        faults.append(&mut assembly.faults);
        return Ok(());
    }
    let (cues, warnings) = (assembly.cues(&record)?, assembly.warnings);
    for (at, cue) in cues {
        stage.at(at, cue);
    }
    for warning in warnings.into_values() {
        stage.warn(document.source.locate(warning).to_string());
    }
    checks::add(&record, stage)
}

/// How many things the file may make.
fn most_things(record: &Record<'_>) -> Read<u64> {
    match (record.whole("most")?, record.get("most")) {
        (Some(most), Some(node)) if most > MOST_THINGS => {
            Err(Fault::new(node.at, format!("`most` can be {MOST_THINGS} at most, got {most}")))
        }
        (most, _) => Ok(most.unwrap_or(USUAL_THINGS)),
    }
}

/// The units, the upward axis, and the values of `let` and `check` as they are written, the times of checks counted from now.
pub fn as_written(document: &Document, values: &Values, now: Moment) -> Option<(Units, Up, String)> {
    let plain = Scope::plain();
    let head = Record::open(&document.root, &SCENE, &plain).ok()?;
    let (units, up) = settings::units(&head).ok()?;
    let mut lines = String::new();
    if let Some(node) = head.get("let") {
        lines += &format!("let = {}\n", super::write::said(node));
    }
    if let Some(node) = head.get("check") {
        let scope = scope_of(&head, values).ok()?;
        let (node, over) = checks::from_now(node, &scope, now).ok()?;
        lines.extend(over.iter().map(|name| super::write::over(name)));
        lines += &format!("check = {}\n", super::write::said(&node));
    }
    Some((units, up, lines))
}

/// What names mean outside of all repeats: parameters, and the values of `let`.
fn scope_of(head: &Record<'_>, values: &Values) -> Read<Scope> {
    let (units, up) = settings::units(head)?;
    let mut scope = Scope::new(units, up);
    scope.define(values.iter().map(|(parameter, value)| (parameter.name.to_string(), value)));
    settings::definitions(head, &mut scope)?;
    Ok(scope)
}
