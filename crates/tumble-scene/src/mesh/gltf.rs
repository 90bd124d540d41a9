//! glTF 2.0 as JSON and binary, by the crate `gltf`; the bytes of its buffers are read here, with every place checked.

use super::{Flaw, LARGEST, Soup};
use gltf::accessor::{DataType, Dimensions};
use gltf::buffer::Source;
use gltf::mesh::Mode;
use gltf::{Accessor, Gltf, Node, Semantic};
use std::path::Path;

/// Nodes within nodes; a file may name a node as its own child.
const DEEPEST: usize = 64;
/// Nodes that are looked at; a file may name one node many times.
const MOST_NODES: usize = 100_000;
/// Corners and triangles of meshes that are placed more than once.
const MOST_PLACED: usize = 1 << 21;

type Matrix = [[f64; 4]; 4];

pub fn read(bytes: &[u8], folder: &Path) -> Result<Soup, Flaw> {
    if bytes.starts_with(b"glTF") {
        is_laid_out(bytes)?;
    }
    accessors_are_there(&Gltf::from_slice_without_validation(bytes).map_err(|error| no_file(bytes, &error))?)?;
    let file = Gltf::from_slice(bytes).map_err(|error| no_file(bytes, &error))?;
    let mut buffers = Vec::new();
    for buffer in file.buffers() {
        let number = buffer.index();
        let data = match buffer.source() {
            Source::Bin => file.blob.clone().ok_or_else(|| format!("buffer {number}: the binary part is missing"))?,
            Source::Uri(uri) => match uri.split_once(";base64,") {
                Some((head, data)) if head.starts_with("data:") => {
                    base64(data).ok_or_else(|| format!("buffer {number} is no base64"))?
                }
                _ => {
                    let path = folder.join(unescaped(uri));
                    crate::file::read_file(&path, LARGEST)
                        .map_err(|error| format!("buffer {number}, {}: {error}", path.display()))?
                }
            },
        };
        buffers.push(data);
    }
    // What is placed once has its bytes in the buffers.
    let bytes = buffers.iter().map(Vec::len).sum::<usize>();
    let mut soup = Soup::default();
    let mut seen = 0;
    let most = MOST_PLACED.max(bytes);
    let mut place = Place { buffers: &buffers, soup: &mut soup, seen: &mut seen, most };
    let identity = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    match file.default_scene().or_else(|| file.scenes().next()) {
        Some(scene) => scene.nodes().try_for_each(|node| place.node(&node, &identity, 0))?,
        // Without a scene the meshes stand as they are.
        None => file.meshes().try_for_each(|mesh| place.mesh(&mesh, &identity))?,
    }
    Ok(soup)
}

/// Why it cannot be read: in a text by line and column.
fn no_file(bytes: &[u8], error: &gltf::Error) -> Flaw {
    let mut flaw = Flaw::from(format!("it is no glTF file: {error}"));
    if let gltf::Error::Deserialize(error) = error {
        match bytes.starts_with(b"glTF") {
            // Its JSON begins after two heads.
            true => flaw.message = format!("its JSON, from byte 20 on: {error}"),
            false => {
                let [line, column] = [error.line(), error.column()].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
                // A text that ends too soon may end before the first column of a line.
                (flaw.line, flaw.column) = (line.max(1), column.max(1));
            }
        }
    }
    flaw
}

/// The heads of a binary file and of its two parts, which the crate takes for granted or refuses without a place.
fn is_laid_out(bytes: &[u8]) -> Result<(), String> {
    let word = |at: usize| bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b) as usize);
    let wrong = |at: usize, what: String| Err(format!("byte {at}: it is no glTF file: {what}"));
    let length = bytes.len();
    let (Some(version), Some(stated)) = (word(4), word(8)) else {
        return wrong(length, "it ends within its head".to_owned());
    };
    if version != 2 {
        return wrong(4, format!("it has version {version}, and 2 is read"));
    }
    if stated < 12 || stated > length {
        return wrong(8, format!("it states {stated} bytes, and has {length}"));
    }
    let mut at = 12;
    for (part, name) in [("JSON", b"JSON"), ("binary", b"BIN\0")] {
        if at == length && part != "JSON" {
            break;
        }
        let (Some(size), Some(kind)) = (word(at), bytes.get(at + 4..at + 8)) else {
            return wrong(length, format!("it ends within the head of its {part} part"));
        };
        if kind != name {
            return wrong(at + 4, format!("its {part} part is not marked as one"));
        }
        if size > length - at - 8 {
            return wrong(at, format!("its {part} part states {size} bytes, and has {}", length - at - 8));
        }
        at += 8 + size;
    }
    Ok(())
}

/// The name of a file in which `%20` stands for a blank, and so on.
fn unescaped(uri: &str) -> String {
    let (mut out, mut rest) = (Vec::new(), uri.as_bytes());
    while let [first, more @ ..] = rest {
        let digits = more.get(..2).and_then(|d| std::str::from_utf8(d).ok()).filter(|_| *first == b'%');
        match digits.and_then(|d| u8::from_str_radix(d, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = &more[2..];
            }
            None => {
                out.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The crate's own check of a file takes for granted what this one makes sure of: that the accessors of attributes exist.
fn accessors_are_there(file: &Gltf) -> Result<(), String> {
    let root = file.as_json();
    let count = root.accessors.len();
    for (number, mesh) in root.meshes.iter().enumerate() {
        let mut named = mesh.primitives.iter().flat_map(|p| p.attributes.values()).map(|index| index.value());
        if let Some(wrong) = named.find(|accessor| *accessor >= count) {
            return Err(format!("mesh {number} names accessor {wrong} of {count}"));
        }
    }
    Ok(())
}

struct Place<'a> {
    buffers: &'a [Vec<u8>],
    soup: &'a mut Soup,
    seen: &'a mut usize,
    /// Corners and triangles.
    most: usize,
}

impl<'a> Place<'a> {
    fn node(&mut self, node: &Node<'_>, outer: &Matrix, depth: usize) -> Result<(), String> {
        *self.seen += 1;
        if depth > DEEPEST {
            return Err(format!("node {} is nested too deep, or in itself", node.index()));
        }
        if *self.seen > MOST_NODES {
            return Err(format!("node {}: more than {MOST_NODES} nodes are placed", node.index()));
        }
        let own = node.transform().matrix().map(|column| column.map(f64::from));
        // Columns first: (outer own)_ij = Σ outer_kj own_ik.
        let matrix: Matrix =
            std::array::from_fn(|i| std::array::from_fn(|j| (0..4).map(|k| outer[k][j] * own[i][k]).sum()));
        if let Some(mesh) = node.mesh() {
            self.mesh(&mesh, &matrix)?;
        }
        node.children().try_for_each(|child| self.node(&child, &matrix, depth + 1))
    }

    fn mesh(&mut self, mesh: &gltf::Mesh<'_>, matrix: &Matrix) -> Result<(), String> {
        let [x, y, z, at] = matrix;
        let determinant = x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0])
            + x[2] * (y[0] * z[1] - y[1] * z[0]);
        for primitive in mesh.primitives() {
            // Points and lines have no surface.
            let triangles: fn(&[u32]) -> Vec<[u32; 3]> = match primitive.mode() {
                Mode::Triangles => |corners| corners.as_chunks::<3>().0.to_vec(),
                Mode::TriangleStrip => strip,
                Mode::TriangleFan => fan,
                _ => continue,
            };
            let Some(positions) = primitive.get(&Semantic::Positions) else { continue };
            let first = self.soup.vertices.len() as u32;
            let bytes = Self::bytes(self.buffers, &positions, DataType::F32, Dimensions::Vec3, 12)?;
            let count = bytes.len() as u32;
            if self.soup.vertices.len() + bytes.len() > self.most || self.soup.triangles.len() > self.most {
                return Err(format!(
                    "mesh {}: it is placed so often that {} corners are too few",
                    mesh.index(),
                    self.most
                ));
            }
            for p in bytes {
                let float = |k: usize| f32::from_le_bytes([p[4 * k], p[4 * k + 1], p[4 * k + 2], p[4 * k + 3]]);
                let p: [f64; 3] = [float(0), float(1), float(2)].map(f64::from);
                self.soup.vertices.push(std::array::from_fn(|k| x[k] * p[0] + y[k] * p[1] + z[k] * p[2] + at[k]));
            }
            let indices: Vec<u32> = match primitive.indices() {
                None => (0..count).collect(),
                Some(accessor) => {
                    let (kind, size) = match accessor.data_type() {
                        DataType::U8 => (DataType::U8, 1),
                        DataType::U16 => (DataType::U16, 2),
                        _ => (DataType::U32, 4),
                    };
                    let number = |b: &[u8]| b.iter().rev().fold(0, |n, byte| n << 8 | u32::from(*byte));
                    Self::bytes(self.buffers, &accessor, kind, Dimensions::Scalar, size)?
                        .into_iter()
                        .map(number)
                        .collect()
                }
            };
            if let Some(wrong) = indices.iter().find(|i| **i >= count) {
                return Err(format!("mesh {}: a triangle names vertex {wrong} of {count}", mesh.index()));
            }
            for corners in triangles(&indices) {
                let [a, b, c] = corners.map(|i| first + i);
                // A mirror turns triangles inside out.
                self.soup.triangles.push(if determinant < 0.0 { [a, c, b] } else { [a, b, c] });
            }
        }
        Ok(())
    }

    /// The bytes of every entry of an accessor.
    fn bytes(
        buffers: &'a [Vec<u8>],
        accessor: &Accessor<'_>,
        kind: DataType,
        dimensions: Dimensions,
        size: usize,
    ) -> Result<Vec<&'a [u8]>, String> {
        let name = accessor.index();
        if accessor.data_type() != kind || accessor.dimensions() != dimensions {
            return Err(format!("accessor {name} is of another type than positions or indices have"));
        }
        let (Some(view), None) = (accessor.view(), accessor.sparse()) else {
            return Err(format!("accessor {name} is sparse, which is not supported"));
        };
        let missing = || format!("accessor {name} lies outside of its buffer");
        let buffer = buffers.get(view.buffer().index()).ok_or_else(missing)?;
        let end = view.offset().checked_add(view.length()).ok_or_else(missing)?;
        let view_bytes = buffer.get(view.offset()..end).ok_or_else(missing)?;
        let stride = view.stride().unwrap_or(size);
        if stride == 0 || accessor.count() > view_bytes.len() {
            return Err(missing());
        }
        let entry = |i: usize| {
            let start = i.checked_mul(stride)?.checked_add(accessor.offset())?;
            view_bytes.get(start..start.checked_add(size)?)
        };
        (0..accessor.count()).map(|i| entry(i).ok_or_else(missing)).collect()
    }
}

/// Every corner with the two before it. Every other triangle would look the other way.
fn strip(corners: &[u32]) -> Vec<[u32; 3]> {
    let turned = |(i, w): (usize, &[u32])| if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[0], w[2], w[1]] };
    corners.windows(3).enumerate().map(turned).collect()
}

/// Every corner with the one before it and the first.
fn fan(corners: &[u32]) -> Vec<[u32; 3]> {
    corners.windows(2).skip(1).map(|w| [w[0], w[1], corners[0]]).collect()
}

/// The bytes that a text of base64 stands for.
fn base64(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    let (mut out, mut bits, mut count) = (Vec::with_capacity(text.len() / 4 * 3), 0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        bits = bits << 6 | u32::from(digit(byte)?);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(out)
}
