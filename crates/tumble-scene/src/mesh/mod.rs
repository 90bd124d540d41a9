//! Meshes from files, and what they become: a hull, convex parts, or a surface that does not move.
//!
//! OBJ, STL, PLY and glTF (text and binary) are read by crates of their own; here their triangles are brought into one form: all that
//! a file has, placed as it places them, with corners at the same position joined.
//!
//! ```
//! use tumble_scene::mesh::{Format, TriangleMesh};
//! let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
//! let mesh = TriangleMesh::read(text.as_bytes(), Format::Obj, ".")?;
//! assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4));
//! assert!(mesh.is_closed().is_ok());
//! # Ok::<(), tumble_scene::Error>(())
//! ```

mod decompose;
mod gltf;
mod obj;
mod ply;
mod polygon;
mod stl;

pub use decompose::{Parts, PartsOptions};

use crate::error::{Error, Result};
use crate::file::FileError;
use std::collections::HashMap;
use std::path::Path;
use tumble::math::{Real, Vec3};
use tumble::shape::{MassProperties, MeshDesc, Shape, Sides, check_closed};

/// More than this is not read: a slip, or something else than a mesh.
const LARGEST: u64 = 2 << 30;

/// A format of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// STL, as text or binary.
    Stl,
    /// PLY, as text or binary.
    Ply,
    /// glTF 2.0, as JSON or binary.
    Gltf,
}

impl Format {
    /// The endings by which formats are known.
    pub const ENDINGS: [&'static str; 5] = ["obj", "stl", "ply", "gltf", "glb"];

    /// By the ending of a file.
    ///
    /// ```
    /// use tumble_scene::mesh::Format;
    /// assert_eq!(Format::of("bunny.GLB".as_ref()), Some(Format::Gltf));
    /// assert_eq!(Format::of("bunny".as_ref()), None);
    /// ```
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "obj" => Some(Self::Obj),
            "stl" => Some(Self::Stl),
            "ply" => Some(Self::Ply),
            "gltf" | "glb" => Some(Self::Gltf),
            _ => None,
        }
    }
}

/// Triangles, counter-clockwise seen from outside.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TriangleMesh {
    /// Corners, no two at the same position.
    pub vertices: Vec<Vec3<f64>>,
    /// Three corners each.
    pub triangles: Vec<[u32; 3]>,
    /// Triangles of the file that were left out because two of their corners are one.
    pub degenerate: u64,
}

/// What is wrong with a mesh file.
fn fault(flaw: impl Into<Flaw>) -> Error {
    let Flaw { line, column, message } = flaw.into();
    // Crates put what they quote on lines of its own.
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    Error::File(FileError { line, column, ..FileError::whole("mesh", message) })
}

/// What is wrong with the bytes of a file, and where in a text; both are 0 where the message itself names the place.
struct Flaw {
    line: u32,
    column: u32,
    message: String,
}

impl Flaw {
    fn at_line(line: usize, message: String) -> Self {
        Self { line: u32::try_from(line).unwrap_or(u32::MAX), column: 1, message }
    }
}

impl From<String> for Flaw {
    fn from(message: String) -> Self {
        Self { line: 0, column: 0, message }
    }
}

impl From<&str> for Flaw {
    fn from(message: &str) -> Self {
        message.to_owned().into()
    }
}

/// The line that ends at this byte or has it, counted from 1.
fn line_of(bytes: &[u8], at: usize) -> usize {
    let read = bytes.get(..at).unwrap_or(bytes);
    let whole = read.iter().filter(|b| **b == b'\n').count();
    if read.last() == Some(&b'\n') { whole } else { whole + 1 }
}

impl TriangleMesh {
    /// Reads a file, whose ending says its format.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let named = |error: Error| match error {
            Error::File(mut error) => {
                error.file = path.display().to_string();
                Error::File(error)
            }
            other => other,
        };
        if path.is_dir() {
            return Err(named(fault("this is a folder, and a file is needed")));
        }
        let Some(format) = Format::of(path) else {
            let endings = Format::ENDINGS.map(|e| format!(".{e}")).join(", ");
            return Err(named(fault(format!("meshes are read from files that end in {endings}"))));
        };
        let bytes = crate::file::read_file(path, LARGEST).map_err(|problem| named(fault(problem)))?;
        Self::read(&bytes, format, path.parent().unwrap_or(Path::new("."))).map_err(named)
    }

    /// Reads the bytes of a file. Further files that it names (buffers of glTF) are looked for in `folder`.
    pub fn read(bytes: &[u8], format: Format, folder: impl AsRef<Path>) -> Result<Self> {
        if bytes.is_empty() {
            return Err(fault("it is empty"));
        }
        let soup = match format {
            Format::Obj => obj::read(bytes),
            Format::Stl => stl::read(bytes),
            Format::Ply => ply::read(bytes),
            Format::Gltf => gltf::read(bytes, folder.as_ref()),
        };
        Self::joined(soup.map_err(fault)?)
    }

    /// Joins corners at the same position, and leaves out what has no area by that.
    fn joined(soup: Soup) -> Result<Self> {
        let mut mesh = Self::default();
        let mut numbers: HashMap<[u64; 3], u32> = HashMap::with_capacity(soup.vertices.len());
        let mut joined = Vec::with_capacity(soup.vertices.len());
        for (i, vertex) in soup.vertices.iter().enumerate() {
            if vertex.iter().any(|v| !v.is_finite()) {
                return Err(fault(format!("vertex {i} is not finite: {vertex:?}")));
            }
            // +0 and -0 are one place.
            let key = vertex.map(|v| (v + 0.0).to_bits());
            let next = mesh.vertices.len() as u32;
            let number = *numbers.entry(key).or_insert(next);
            if number == next {
                mesh.vertices.push(Vec3::from(*vertex));
            }
            joined.push(number);
        }
        for (i, triangle) in soup.triangles.iter().enumerate() {
            let mut corners = [0; 3];
            for (corner, index) in corners.iter_mut().zip(triangle) {
                *corner = *joined.get(*index as usize).ok_or_else(|| {
                    fault(format!("triangle {i} names vertex {index}, and there are {}", soup.vertices.len()))
                })?;
            }
            let [a, b, c] = corners;
            if a == b || b == c || c == a {
                mesh.degenerate += 1;
            } else {
                mesh.triangles.push(corners);
            }
        }
        if mesh.triangles.is_empty() {
            return Err(fault("it has no triangles"));
        }
        Ok(mesh)
    }

    /// The same, every coordinate changed.
    #[must_use]
    pub fn map(mut self, change: impl Fn(Vec3<f64>) -> Vec3<f64>) -> Self {
        for vertex in &mut self.vertices {
            *vertex = change(*vertex);
        }
        self
    }

    /// Whether it encloses a volume; if not, why.
    pub fn is_closed(&self) -> tumble::Result<()> {
        check_closed(&self.vertices, &self.triangles)
    }

    /// Mass, centre and inertia of what it encloses, at this density. An error where it is not closed.
    pub fn mass_properties(&self, density: f64) -> tumble::Result<MassProperties> {
        self.is_closed()?;
        MassProperties::of_polyhedron(&self.vertices, &self.triangles, density)
    }

    /// Smallest and largest coordinates.
    pub fn bounds(&self) -> [Vec3<f64>; 2] {
        let first = self.vertices.first().copied().unwrap_or(Vec3::ZERO);
        self.vertices.iter().fold([first, first], |[low, high], v| {
            [
                Vec3::new(low.x.min(v.x), low.y.min(v.y), low.z.min(v.z)),
                Vec3::new(high.x.max(v.x), high.y.max(v.y), high.z.max(v.z)),
            ]
        })
    }

    fn reals(&self) -> Vec<Vec3> {
        self.vertices.iter().map(|v| v.to_real()).collect()
    }

    /// Its convex hull.
    pub fn hull(&self) -> tumble::Result<Shape> {
        Shape::hull(&self.reals())
    }

    /// The triangles as they are: for bodies that do not move, or a solid where it is closed. Triangles whose corners fall on a
    /// line in the precision of the engine are left out.
    pub fn surface(&self) -> tumble::Result<Shape> {
        self.surface_of(Sides::One)
    }

    /// The same, met from these sides.
    pub fn surface_of(&self, sides: Sides) -> tumble::Result<Shape> {
        let vertices = self.reals();
        let has_area = |t: &&[u32; 3]| {
            let [a, b, c] = t.map(|i| vertices[i as usize]);
            let (p, q) = (b - a, c - a);
            let longest = p.length_squared().max(q.length_squared()).max((q - p).length_squared());
            p.cross(q).length() > Real::EPSILON * longest
        };
        let triangles = self.triangles.iter().filter(has_area).copied().collect();
        Shape::mesh(MeshDesc::new(vertices, triangles).sides(sides))
    }

    /// Convex parts that together are nearly the same solid. An error where it is not closed.
    pub fn parts(&self, options: &PartsOptions) -> tumble::Result<Parts> {
        decompose::decompose(self, options)
    }
}

/// Triangles as a file has them.
#[derive(Default)]
struct Soup {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl Soup {
    /// A face of three corners or more, whose vertices are there.
    fn face(&mut self, corners: &[u32]) -> Result<(), String> {
        polygon::add_triangles(&self.vertices, corners, &mut self.triangles)
    }
}
