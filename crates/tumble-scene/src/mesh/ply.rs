//! PLY as text and binary, by the crate `ply-rs-bw`.

use super::{Flaw, Soup, line_of};
use ply_rs_bw::parser::{ParseError, Parser};
use ply_rs_bw::ply::{Encoding, Property, PropertyAccess, PropertyAccessResult};

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

pub fn read(bytes: &[u8]) -> Result<Soup, Flaw> {
    let parser = Parser::<Element>::new();
    let mut at = std::io::Cursor::new(bytes);
    let header = parser.read_ply_header(&mut at).map_err(|error| in_line(bytes, at.position(), &error))?;
    for (name, element) in &header.elements {
        // Whatever is there takes at least a byte.
        if element.properties.is_empty() || element.count > bytes.len() {
            let line = line_of(bytes, at.position() as usize);
            let message = format!("its head speaks of {} of {name:?}, which cannot be", element.count);
            return Err(Flaw::at_line(line, message));
        }
    }
    let mut at = std::io::Cursor::new(bytes);
    let ply = parser.read_ply(&mut at).map_err(|error| match header.encoding {
        Encoding::Ascii => in_line(bytes, at.position(), &error),
        _ => format!("byte {}: it is no PLY file: {}", at.position(), plain(&error)).into(),
    })?;
    let mut soup = Soup::default();
    soup.vertices.extend(ply.payload.get("vertex").into_iter().flatten().map(|v| v.at));
    for (i, face) in ply.payload.get("face").into_iter().flatten().enumerate() {
        if face.wrong {
            return Err(format!("face {i} has a corner that is no number of a vertex").into());
        }
        soup.face(&face.corners).map_err(|words| format!("face {i}: {words}"))?;
    }
    Ok(soup)
}

/// The line that the crate names, or the one that it came to.
fn in_line(bytes: &[u8], at: u64, error: &ParseError) -> Flaw {
    let line = error.line().unwrap_or_else(|| line_of(bytes, at as usize));
    Flaw::at_line(line, format!("it is no PLY file: {}", plain(error)))
}

/// Without the line, which has a place of its own, and which in a binary file is none.
fn plain(error: &ParseError) -> String {
    let text = error.to_string();
    match text.strip_prefix("Line ").and_then(|rest| rest.split_once(": ")) {
        Some((_, message)) => message.to_owned(),
        None => text,
    }
}
