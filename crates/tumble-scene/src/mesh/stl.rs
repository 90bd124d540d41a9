//! STL as text and binary, by the crate `stl_io`.

use super::Soup;

pub fn read(bytes: &[u8]) -> Result<Soup, String> {
    let mesh =
        stl_io::read_stl(&mut std::io::Cursor::new(bytes)).map_err(|error| format!("it is no STL file: {error}"))?;
    let mut soup = Soup { vertices: mesh.vertices.iter().map(|v| v.0.map(f64::from)).collect(), triangles: Vec::new() };
    for face in &mesh.faces {
        let corners = face.vertices.map(u32::try_from);
        let [Ok(a), Ok(b), Ok(c)] = corners else { return Err("it has more than 2^32 vertices".to_owned()) };
        soup.triangles.push([a, b, c]);
    }
    Ok(soup)
}
