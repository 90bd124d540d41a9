//! PLY as text and binary, by the crate `ply-rs-bw`.

use super::Soup;
use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{Property, PropertyAccess, PropertyAccessResult};

/// A vertex or a face: what else there is, is passed over.
#[derive(Debug, Default)]
struct Element {
    at: [f64; 3],
    corners: Vec<u32>,
    /// A corner of the face is no number of a vertex.
    wrong: bool,
}

impl PropertyAccess for Element {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let axis = match name {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            "vertex_indices" | "vertex_index" => {
                match property.to_u32_list() {
                    Some(corners) => self.corners = corners,
                    None => self.wrong = true,
                }
                return PropertyAccessResult::Set;
            }
            _ => return PropertyAccessResult::Ignored,
        };
        let value = match property {
            Property::Double(value) => Some(value),
            other => other.to_f32_lossy().map(f64::from),
        };
        match value {
            Some(value) => self.at[axis] = value,
            None => return PropertyAccessResult::UnsupportedType,
        }
        PropertyAccessResult::Set
    }
}

pub fn read(bytes: &[u8]) -> Result<Soup, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("it is no PLY file: {error}");
    let parser = Parser::<Element>::new();
    let header = parser.read_ply_header(&mut std::io::Cursor::new(bytes)).map_err(|error| wrong(&error))?;
    for (name, element) in &header.elements {
        // Whatever is there takes at least a byte.
        if element.properties.is_empty() || element.count > bytes.len() {
            return Err(format!("its head speaks of {} of {name:?}, which cannot be", element.count));
        }
    }
    let ply = parser.read_ply(&mut std::io::Cursor::new(bytes)).map_err(|error| wrong(&error))?;
    let mut soup = Soup::default();
    soup.vertices.extend(ply.payload.get("vertex").into_iter().flatten().map(|v| v.at));
    for (i, face) in ply.payload.get("face").into_iter().flatten().enumerate() {
        if face.wrong {
            return Err(format!("face {i} has a corner that is no number of a vertex"));
        }
        soup.face(&face.corners);
    }
    Ok(soup)
}
