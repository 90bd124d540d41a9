//! Wavefront OBJ, by the crate `tobj`.

use super::Soup;

pub fn read(mut bytes: &[u8]) -> Result<Soup, String> {
    let options =
        tobj::LoadOptions { triangulate: true, ignore_points: true, ignore_lines: true, ..Default::default() };
    // Materials are of no matter here.
    let no_materials = |_: &std::path::Path| Ok(Default::default());
    let (models, _) = tobj::load_obj_buf(&mut bytes, &options, no_materials)
        .map_err(|error| format!("it is no OBJ file: {error}"))?;
    let mut soup = Soup::default();
    for tobj::Model { mesh, .. } in models {
        let first = soup.vertices.len() as u32;
        soup.vertices.extend(mesh.positions.as_chunks::<3>().0.iter().map(|p| p.map(f64::from)));
        let count = mesh.positions.len() as u32 / 3;
        for corners in mesh.indices.as_chunks::<3>().0 {
            if let Some(wrong) = corners.iter().find(|i| **i >= count) {
                return Err(format!("a face names vertex {wrong} of {count}"));
            }
            soup.triangles.push(corners.map(|i| first + i));
        }
    }
    Ok(soup)
}
