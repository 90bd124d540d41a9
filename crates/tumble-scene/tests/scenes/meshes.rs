//! Mesh files: every format says the same solid, what it becomes keeps its volume, and a damaged file is refused.

use super::mutated::Fate;
use tumble::math::Vec3;
use tumble::shape::Shape;
use tumble_scene::Error;
use tumble_scene::mesh::{Format, PartsOptions, TriangleMesh};

/// A box from `low` to `high` as triangles that look outwards.
fn add_box(low: [f64; 3], high: [f64; 3], mesh: &mut TriangleMesh) {
    let first = mesh.vertices.len() as u32;
    for i in 0..8 {
        let corner = [0, 1, 2].map(|k| if i >> k & 1 == 1 { high[k] } else { low[k] });
        mesh.vertices.push(Vec3::from(corner));
    }
    for quad in [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]] {
        let [a, b, c, d] = quad.map(|i: u32| first + i);
        mesh.triangles.extend([[a, b, c], [a, c, d]]);
    }
}

/// Cubes of a grid that share corners, with the faces between neighbours left out: a closed mesh of any blocky shape.
fn blocks(filled: &dyn Fn([i32; 3]) -> bool, count: i32) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    let mut number = std::collections::BTreeMap::new();
    let faces: [([i32; 3], [[i32; 3]; 4]); 6] = [
        ([-1, 0, 0], [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0]]),
        ([1, 0, 0], [[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1]]),
        ([0, -1, 0], [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]]),
        ([0, 1, 0], [[0, 1, 0], [0, 1, 1], [1, 1, 1], [1, 1, 0]]),
        ([0, 0, -1], [[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0]]),
        ([0, 0, 1], [[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]),
    ];
    for x in 0..count {
        for y in 0..count {
            for z in 0..count {
                for (to, quad) in faces.iter().filter(|_| filled([x, y, z])) {
                    if filled([x + to[0], y + to[1], z + to[2]]) {
                        continue;
                    }
                    let corners = quad.map(|c| {
                        let at = [x + c[0], y + c[1], z + c[2]];
                        *number.entry(at).or_insert_with(|| {
                            mesh.vertices.push(Vec3::from(at.map(f64::from)));
                            mesh.vertices.len() as u32 - 1
                        })
                    });
                    let [a, b, c, d] = corners;
                    mesh.triangles.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
    }
    mesh
}

fn obj(mesh: &TriangleMesh) -> Vec<u8> {
    let mut text = String::from("# a mesh\no thing\n");
    for v in &mesh.vertices {
        text += &format!("v {} {} {}\n", v.x, v.y, v.z);
    }
    for t in &mesh.triangles {
        text += &format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
    text.into_bytes()
}

fn corners(mesh: &TriangleMesh) -> impl Iterator<Item = [Vec3<f64>; 3]> + '_ {
    mesh.triangles.iter().map(|t| t.map(|i| mesh.vertices[i as usize]))
}

fn stl(mesh: &TriangleMesh) -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for triangle in corners(mesh) {
        bytes.extend([0; 12]);
        for v in triangle {
            bytes.extend(v.to_array().iter().flat_map(|x| (*x as f32).to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}

fn stl_text(mesh: &TriangleMesh) -> Vec<u8> {
    let mut text = String::from("solid thing\n");
    for triangle in corners(mesh) {
        text += "facet normal 0 0 0\nouter loop\n";
        for v in triangle {
            text += &format!("vertex {} {} {}\n", v.x, v.y, v.z);
        }
        text += "endloop\nendfacet\n";
    }
    (text + "endsolid thing\n").into_bytes()
}

fn ply(mesh: &TriangleMesh, binary: bool) -> Vec<u8> {
    let format = if binary { "binary_little_endian" } else { "ascii" };
    let (v, t) = (mesh.vertices.len(), mesh.triangles.len());
    let head = format!(
        "ply\nformat {format} 1.0\nelement vertex {v}\nproperty float x\nproperty float y\nproperty float z\n\
         element face {t}\nproperty list uchar int vertex_indices\nend_header\n"
    );
    let mut bytes = head.into_bytes();
    for v in &mesh.vertices {
        match binary {
            true => bytes.extend(v.to_array().iter().flat_map(|x| (*x as f32).to_le_bytes())),
            false => bytes.extend(format!("{} {} {}\n", v.x, v.y, v.z).bytes()),
        }
    }
    for t in &mesh.triangles {
        match binary {
            true => {
                bytes.push(3);
                bytes.extend(t.iter().flat_map(|i| i.to_le_bytes()));
            }
            false => bytes.extend(format!("3 {} {} {}\n", t[0], t[1], t[2]).bytes()),
        }
    }
    bytes
}

/// The JSON of glTF, with its bytes apart; a node moves the mesh by `shift`.
fn gltf(mesh: &TriangleMesh, shift: [f64; 3]) -> (serde_json::Value, Vec<u8>) {
    let mut data: Vec<u8> = Vec::new();
    for v in &mesh.vertices {
        data.extend(v.to_array().iter().flat_map(|x| (*x as f32).to_le_bytes()));
    }
    let positions = data.len();
    data.extend(mesh.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()));
    let [low, high] = mesh.bounds().map(Vec3::to_array);
    let json = serde_json::json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0, "translation": shift }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": mesh.vertices.len(), "type": "VEC3", "min": low, "max": high },
            { "bufferView": 1, "componentType": 5125, "count": 3 * mesh.triangles.len(), "type": "SCALAR" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": positions },
            { "buffer": 0, "byteOffset": positions, "byteLength": data.len() - positions },
        ],
        "buffers": [{ "byteLength": data.len() }],
    });
    (json, data)
}

/// glTF as text, whose buffer is called `BUFFER`.
fn gltf_text(mesh: &TriangleMesh) -> (String, Vec<u8>) {
    let (mut json, data) = gltf(mesh, [0.0; 3]);
    json["buffers"][0]["uri"] = "BUFFER".into();
    (serde_json::to_string_pretty(&json).unwrap(), data)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().chain([0; 2].iter()).take(3).fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        for i in 0..4 {
            text.push(if i <= chunk.len() { char::from(DIGITS[(bits >> (18 - 6 * i) & 63) as usize]) } else { '=' });
        }
    }
    text
}

/// A binary glTF whose node moves the mesh by `shift`.
fn glb(mesh: &TriangleMesh, shift: [f64; 3]) -> Vec<u8> {
    let (json, data) = gltf(mesh, shift);
    let mut json = json.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((12 + 8 + json.len() as u32 + 8 + data.len() as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(&json);
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(data);
    bytes
}

pub fn bench() -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    add_box([0.0, 0.0, 0.0], [2.0, 0.5, 1.0], &mut mesh);
    mesh
}

pub fn all_formats(mesh: &TriangleMesh) -> Vec<(Format, Vec<u8>)> {
    vec![
        (Format::Obj, obj(mesh)),
        (Format::Stl, stl(mesh)),
        (Format::Stl, stl_text(mesh)),
        (Format::Ply, ply(mesh, false)),
        (Format::Ply, ply(mesh, true)),
        (Format::Gltf, glb(mesh, [0.0; 3])),
        (Format::Gltf, {
            let (json, data) = gltf_text(mesh);
            json.replace("BUFFER", &format!("data:;base64,{}", base64(&data))).into_bytes()
        }),
    ]
}

/// Every format gives the same closed solid with the mass of a box of that size.
#[test]
fn every_format_is_read() {
    for (format, bytes) in all_formats(&bench()) {
        let mesh = TriangleMesh::read(&bytes, format, ".").unwrap();
        assert_eq!((mesh.vertices.len(), mesh.triangles.len(), mesh.degenerate), (8, 12, 0), "{format:?}");
        let mass = mesh.mass_properties(1000.0).unwrap();
        assert!((mass.mass - 1000.0).abs() < 1e-9 && (mass.centre - Vec3::new(1.0, 0.25, 0.5)).length() < 1e-12);
        assert!(matches!(mesh.hull().unwrap(), Shape::Hull(hull) if (hull.volume() - 1.0).abs() < 1e-9));
        assert!(matches!(mesh.surface().unwrap(), Shape::Mesh(surface) if surface.is_solid()));
    }
    let moved = TriangleMesh::read(&glb(&bench(), [5.0, 0.0, 0.0]), Format::Gltf, ".").unwrap();
    assert_eq!(moved.bounds()[0].x, 5.0);
}

/// A text with several solids has all of them; only the first was read.
#[test]
fn all_solids_of_a_text_are_read() {
    let text = |mesh: &TriangleMesh| String::from_utf8(stl_text(mesh)).unwrap();
    let (first, second) = (text(&bench()), text(&bench().map(|v| v + Vec3::new(5.0, 0.0, 0.0))));
    for file in [
        format!("{first}{second}"),
        format!("{first}\n\n  {second}\n\n"),
        format!("{first}solid empty\nendsolid\n{second}"),
        format!("{first}{second}\u{1a}"),
        format!("{first}{second}\0\0\0"),
    ] {
        let mesh = TriangleMesh::read(file.as_bytes(), Format::Stl, ".").unwrap();
        assert_eq!((mesh.vertices.len(), mesh.triangles.len(), mesh.bounds()[1].x), (16, 24, 7.0), "{file}");
    }
    // A mistake is in its line, whichever solid it is in; so is what is no solid.
    let said = |file: &str| TriangleMesh::read(file.as_bytes(), Format::Stl, ".").unwrap_err().to_string();
    let wrong = format!("{first}{}", second.replacen("vertex 7 0 0", "vertex 7 0", 1));
    let line = 1 + wrong.lines().position(|line| line == "vertex 7 0").unwrap();
    assert!(said(&wrong).starts_with(&format!("mesh:{line}:1: ")), "{}", said(&wrong));
    let line = 1 + first.lines().count();
    let facets = second.replacen("solid thing\n", "", 1);
    assert!(
        said(&format!("{first}{facets}")).starts_with(&format!("mesh:{line}:1: ")),
        "{}",
        said(&format!("{first}{facets}"))
    );
}

/// Text and binary STL are told apart by what they are: a text need not name its solid, and the head of a binary file may say anything.
#[test]
fn text_and_binary_stl_are_told_apart() {
    let expected = TriangleMesh::read(&stl(&bench()), Format::Stl, ".").unwrap();
    let text = String::from_utf8(stl_text(&bench())).unwrap();
    for head in ["solid\n", "solid\r\n", "solid\tthing\n", "solid \n"] {
        let text = text.replacen("solid thing\n", head, 1);
        assert_eq!(TriangleMesh::read(text.as_bytes(), Format::Stl, ".").unwrap(), expected, "{head:?}");
    }
    for head in ["solid ", "solid thing\nfacet normal 0 0 0\n", "solid"] {
        let mut bytes = stl(&bench());
        bytes[..head.len()].copy_from_slice(head.as_bytes());
        assert_eq!(TriangleMesh::read(&bytes, Format::Stl, ".").unwrap(), expected, "{head:?}");
    }
    let word = TriangleMesh::read(b"solidarity", Format::Stl, ".").unwrap_err().to_string();
    assert!(word.contains("it ends within its head"), "{word}");
}

/// Strips and fans of glTF are triangles that look the same way, also in a mirror; they were passed over.
#[test]
fn strips_and_fans_are_read() {
    let mut mesh = TriangleMesh { triangles: vec![[0; 3]; 2], ..TriangleMesh::default() };
    mesh.vertices.extend([[0.0; 3], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::from));
    let read = |primitives: &[(u32, &[u32])], scale: [f64; 3]| {
        let (json, mut data) = gltf_text(&mesh);
        let mut file: serde_json::Value = serde_json::from_str(&json).unwrap();
        data.truncate(48);
        file["nodes"][0]["scale"] = scale.to_vec().into();
        let list = |value: &serde_json::Value| value.as_array().unwrap()[..1].to_vec();
        let (mut views, mut accessors, mut drawn) = (list(&file["bufferViews"]), list(&file["accessors"]), Vec::new());
        for (mode, indices) in primitives {
            let (view, count) = (views.len(), indices.len());
            views.push(serde_json::json!({ "buffer": 0, "byteOffset": data.len(), "byteLength": 4 * count }));
            accessors.push(
                serde_json::json!({ "bufferView": view, "componentType": 5125, "count": count, "type": "SCALAR" }),
            );
            drawn.push(serde_json::json!({ "attributes": { "POSITION": 0 }, "indices": view, "mode": mode }));
            data.extend(indices.iter().flat_map(|i| i.to_le_bytes()));
        }
        (file["bufferViews"], file["accessors"]) = (views.into(), accessors.into());
        file["meshes"][0]["primitives"] = drawn.into();
        file["buffers"][0] =
            serde_json::json!({ "byteLength": data.len(), "uri": format!("data:;base64,{}", base64(&data)) });
        TriangleMesh::read(file.to_string().as_bytes(), Format::Gltf, ".").unwrap()
    };
    let (triangles, strip, fan) = (4, 5, 6);
    // A tetrahedron in one strip; and its sides as a fan, with the base by itself and a line that is no triangle.
    let whole: &[(u32, &[u32])] = &[(strip, &[0, 1, 2, 3, 0, 1])];
    let parts: &[(u32, &[u32])] = &[(fan, &[0, 1, 2, 3, 1]), (triangles, &[1, 3, 2]), (3, &[0, 1, 2])];
    for primitives in [whole, parts] {
        for scale in [[1.0; 3], [-1.0, 1.0, 1.0]] {
            let mesh = read(primitives, scale);
            assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4), "{primitives:?}");
            let mass = mesh.mass_properties(6.0).unwrap().mass;
            assert!((mass - 1.0).abs() < 1e-12, "{primitives:?} {scale:?}: {mass}");
        }
    }
}

/// An L with flat caps of six corners, its first corner anywhere: OBJ with a line of points along its edge, and PLY.
fn extruded_l(first: usize) -> [(Format, String); 2] {
    let outline = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]];
    let outline: Vec<[i32; 2]> = (0..6).map(|i| outline[(i + first) % 6]).collect();
    let corners: Vec<[i32; 3]> = [0, 1].iter().flat_map(|z| outline.iter().map(move |[x, y]| [*x, *y, *z])).collect();
    let mut faces = vec![vec![5, 4, 3, 2, 1, 0], vec![6, 7, 8, 9, 10, 11]];
    faces.extend((0..6).map(|i| vec![i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6]));
    let words = |list: &[usize], more: usize| list.iter().map(|i| format!(" {}", i + more)).collect::<String>();
    let mut obj: String = corners.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    obj += "l 1 2 3 4\n";
    obj.extend(faces.iter().map(|face| format!("f{}\n", words(face, 1))));
    let mut ply = "ply\nformat ascii 1.0\nelement vertex 12\nproperty float x\nproperty float y\nproperty float z\n\
        element face 8\nproperty list uchar int vertex_indices\nend_header\n"
        .to_owned();
    ply.extend(corners.iter().map(|[x, y, z]| format!("{x} {y} {z}\n")));
    ply.extend(faces.iter().map(|face| format!("{}{}\n", face.len(), words(face, 0))));
    [(Format::Ply, ply), (Format::Obj, obj)]
}

/// Faces that are not convex cover what they enclose and nothing else: as a fan, the cap of an L closes the notch too. Lines of an OBJ file are no
/// faces.
#[test]
fn faces_that_are_not_convex_have_no_lid() {
    for first in 0..6 {
        for (format, text) in extruded_l(first) {
            let mesh = TriangleMesh::read(text.as_bytes(), format, ".").unwrap();
            mesh.is_closed().unwrap();
            // Two caps of four triangles, six sides of two.
            assert_eq!((mesh.vertices.len(), mesh.triangles.len(), mesh.degenerate), (12, 20, 0), "{format:?} {first}");
            assert!((mesh.mass_properties(1.0).unwrap().mass - 3.0).abs() < 1e-12, "{format:?} {first}");
            let area: f64 = corners(&mesh).map(|[a, b, c]| (b - a).cross(c - a).length() / 2.0).sum();
            assert!((area - 14.0).abs() < 1e-12, "{format:?} {first}: {area}");
        }
    }
    // What is convex is the fan that it was, and a face that crosses itself is still one of as many triangles.
    let flat = |face: &str| {
        let text = format!("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 1 9 0\nf {face}\n");
        TriangleMesh::read(text.as_bytes(), Format::Obj, ".").unwrap().triangles
    };
    assert_eq!(flat("1 2 3 4 5"), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    assert_eq!(flat("1 3 5 4 6").len(), 3);
}

/// A corner on an edge stays one: without it the faces beside it would not meet. An arrow that is bent at every other corner is covered too.
#[test]
fn corners_on_edges_are_kept() {
    let text = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 1 0\nf 1 2 3 4 5 6 7 8\n";
    let mesh = TriangleMesh::read(text.as_bytes(), Format::Obj, ".").unwrap();
    let areas: Vec<f64> = corners(&mesh).map(|[a, b, c]| (b - a).cross(c - a).z / 2.0).collect();
    assert!(
        areas.len() == 6 && areas.iter().all(|area| *area > 0.1) && (areas.iter().sum::<f64>() - 3.0).abs() < 1e-12,
        "{areas:?}"
    );
    // A star of 40 corners, tilted.
    let points = (0..40).map(|i| {
        let (angle, r) = (f64::from(i) * std::f64::consts::TAU / 40.0, if i % 2 == 0 { 1.0 } else { 0.3 });
        let (x, y) = (r * angle.cos(), r * angle.sin());
        format!("v {x} {y} {}\n", 0.5 * x - y)
    });
    let face: String = (1..=40).map(|i| format!(" {i}")).collect();
    let mesh =
        TriangleMesh::read(format!("{}f{face}\n", points.collect::<String>()).as_bytes(), Format::Obj, ".").unwrap();
    let areas: Vec<f64> = corners(&mesh).map(|[a, b, c]| (b - a).cross(c - a).z / 2.0).collect();
    let expected = 20.0 * 0.3 * (std::f64::consts::TAU / 40.0).sin();
    assert!(areas.len() == 38 && areas.iter().all(|area| *area > 0.0), "{areas:?}");
    assert!((areas.iter().sum::<f64>() - expected).abs() < 1e-5, "{areas:?}");
}

/// A comb and a spiral of many corners are covered, and a face of so many that it would take its time is refused.
#[test]
fn faces_of_many_corners() {
    let read = |outline: &[[f64; 2]]| {
        let points: String = outline.iter().map(|[x, y]| format!("v {x} {y} 0\n")).collect();
        let face: String = (1..=outline.len()).map(|i| format!(" {i}")).collect();
        TriangleMesh::read(format!("{points}f{face}\n").as_bytes(), Format::Obj, ".")
    };
    let comb = |teeth: u32| -> Vec<[f64; 2]> {
        let tips = (0..=2 * teeth).rev().map(|i| [f64::from(i), if i % 2 == 0 { 1.0 } else { 9.0 }]);
        [[0.0, 0.0], [2.0 * f64::from(teeth), 0.0]].into_iter().chain(tips).collect()
    };
    let spiral: Vec<[f64; 2]> = (0..200)
        .map(|i| if i < 100 { (i, 1.0) } else { (199 - i, 1.02) })
        .map(|(i, wider)| {
            let (angle, r) = (0.2 * f64::from(i), wider * (1.0 + 0.1 * f64::from(i)));
            [r * angle.cos(), r * angle.sin()]
        })
        .collect();
    for outline in [comb(200), spiral] {
        let expected: f64 =
            outline.iter().zip(outline.iter().cycle().skip(1)).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>()
                / 2.0;
        let mesh = read(&outline).unwrap();
        let areas: Vec<f64> =
            corners(&mesh).map(|[a, b, c]| (b - a).cross(c - a).z / 2.0 * expected.signum()).collect();
        let (sum, least) = (areas.iter().sum::<f64>(), areas.iter().copied().fold(f64::INFINITY, f64::min));
        assert!(
            areas.len() == outline.len() - 2 && least > 0.0 && (sum - expected.abs()).abs() < 1e-3 * sum,
            "{least} {sum} {expected}"
        );
    }
    let many = read(&comb(3000)).unwrap_err().to_string();
    assert!(many.ends_with("a face has 6003 corners and is not convex; of such ones 4096 are the most"), "{many}");
}

/// A mesh with a triangle missing is found out, and has a hull but no inside.
#[test]
fn open_meshes_are_found_out() {
    let mut mesh = bench();
    mesh.triangles.pop();
    assert!(mesh.is_closed().is_err() && mesh.mass_properties(1.0).is_err());
    assert!(mesh.parts(&PartsOptions::default()).is_err() && mesh.hull().is_ok());
}

/// A U, a ring and a flight of stairs fall into their boxes: no volume is lost, little is too much, and the parts are the same every time.
#[test]
fn convex_parts_keep_the_volume() {
    let shapes: [(&str, &dyn Fn([i32; 3]) -> bool, usize); 3] = [
        ("U", &|[x, y, z]| (0..3).contains(&x) && (0..3).contains(&y) && z == 0 && !(x == 1 && y > 0), 3),
        ("ring", &|[x, y, z]| (0..3).contains(&x) && (0..3).contains(&y) && z == 0 && !(x == 1 && y == 1), 4),
        ("stairs", &|[x, y, z]| (0..4).contains(&x) && (0..=x).contains(&y) && (0..2).contains(&z), 4),
    ];
    for (name, filled, most) in shapes {
        let mesh = blocks(filled, 4);
        mesh.is_closed().unwrap();
        let options = PartsOptions { tolerance: 0.02, ..PartsOptions::default() };
        let parts = mesh.parts(&options).unwrap();
        println!("{name}: {} parts, error {:.2e}", parts.hulls.len(), parts.volume_error);
        // The surface is cut exactly; what is lost is what rounds off and slivers.
        assert!(parts.volume_error > -1e-4 && parts.volume_error <= 0.02, "{name}: {}", parts.volume_error);
        assert!((2..=2 * most).contains(&parts.hulls.len()), "{name}: {}", parts.hulls.len());
        assert_eq!(mesh.parts(&options).unwrap().hulls, parts.hulls);
        assert!(matches!(parts.shape().unwrap(), Shape::Compound(_)));
        let one = mesh.parts(&PartsOptions { most: 1, ..options }).unwrap();
        assert_eq!(one.hulls.len(), 1);
        assert!(one.volume_error > parts.volume_error);
    }
    // What is convex already is one part.
    assert_eq!(bench().parts(&PartsOptions::default()).unwrap().hulls.len(), 1);
}

/// A scene file takes a mesh in one line, and says where the name of a missing one stands.
#[test]
fn a_body_from_a_mesh_file() {
    let folder = std::env::temp_dir().join(format!("tumble-meshes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("bench.obj"), obj(&bench())).unwrap();
    let text = "body = [
        { name = 'b{i}', repeat = { i = 3 }, at = [0, '2 * i', 0], mesh = { file = 'bench.obj', scale = 0.5 } },
        { name = 'parts', at = [9, 0, 0], mesh = { file = 'bench.obj', as = 'parts' } },
        { name = 'ground', kind = 'fixed', at = [0, -9, 0], mesh = { file = 'bench.obj', as = 'surface', sides = 'two' } },
    ]";
    let scene = tumble_scene::file::parse(text, "m.toml", &folder).unwrap();
    let run = scene.setup().start().unwrap();
    let world = run.world();
    assert_eq!(world.body_count(), 5);
    let mass = |name: &str| world.body(world.find_body(name).unwrap()).unwrap().mass();
    assert!((mass("b2") - 125.0).abs() < 1e-3 && (mass("parts") - 1000.0).abs() < 1e-2);
    let missing = tumble_scene::file::parse("[[body]]\nmesh = { file = 'no.obj' }", "m.toml", &folder).unwrap();
    let error = missing.setup().start().err().unwrap().to_string();
    assert!(error.starts_with("m.toml:2:17: ") && error.contains("no.obj: the file cannot be read"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

pub const WORDS: &[&[u8]] = &[
    b"nan",
    b"inf",
    b"-1",
    b"999999999",
    b"1e30",
    b"\xff\xff\xff\xff",
    b"\0\0\0\0",
    b"f 1 2 99\n",
    b"v a b c\n",
    b"{}",
    b"[]",
    b"\"",
    b"4294967295",
    b"element x 4000000000\n",
    b"property list uchar int q\n",
    b"\n",
];

/// Reads a damaged mesh, and asks what was read everything.
pub fn attempt(bytes: &[u8], format: Format, parts: bool) -> Fate {
    match TriangleMesh::read(bytes, format, ".") {
        Ok(mesh) => {
            let _ = (mesh.hull(), mesh.surface(), mesh.mass_properties(1.0));
            if parts {
                let _ = mesh.parts(&PartsOptions { most: 4, resolution: 8, ..PartsOptions::default() });
            }
            Fate::Taken
        }
        Err(Error::File(error)) => {
            // In a text the line, else what of the file it is; what is missing as a whole has no place.
            let place =
                ["byte ", "vertex ", "face ", "triangle ", "accessor ", "mesh ", "node ", "buffer ", "invalid glTF: "];
            let whole = ["no triangles", "empty"];
            let named = place.iter().chain(&whole).any(|word| error.message.contains(word));
            assert!(error.line > 0 && error.column > 0 || named, "{format:?}: {error}");
            assert!(!error.message.contains('\n'), "{error}");
            Fate::Refused
        }
        Err(other) => panic!("{other}"),
    }
}

/// The place of a mistake is the one that was made.
#[test]
fn mistakes_in_meshes_are_placed() {
    let mesh = bench();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let said = |bytes: &[u8], format: Format| TriangleMesh::read(bytes, format, ".").unwrap_err().to_string();
    // Two lines of head, eight of vertices, twelve of faces.
    let file = text(obj(&mesh));
    let wrong = file.replacen("v 2 0 0", "v 2 zero 0", 1);
    assert!(
        said(wrong.as_bytes(), Format::Obj).starts_with("mesh:4:1: it is no OBJ file: "),
        "{}",
        said(wrong.as_bytes(), Format::Obj)
    );
    let beyond = file.replacen("f 2 4 8", "f 2 4 99", 1);
    let line = 1 + beyond.lines().position(|line| line == "f 2 4 99").unwrap();
    assert!(
        said(beyond.as_bytes(), Format::Obj).starts_with(&format!("mesh:{line}:1: ")),
        "{}",
        said(beyond.as_bytes(), Format::Obj)
    );
    let file = text(stl_text(&mesh));
    let wrong = file.replacen("vertex 2 0 0", "vertex 2 0", 1);
    let line = 1 + wrong.lines().position(|line| line == "vertex 2 0").unwrap();
    assert!(
        said(wrong.as_bytes(), Format::Stl).starts_with(&format!("mesh:{line}:1: ")),
        "{}",
        said(wrong.as_bytes(), Format::Stl)
    );
    let bytes = stl(&mesh);
    assert!(
        said(&bytes[..bytes.len() - 1], Format::Stl).ends_with("byte 80: it states 12 triangles, and has bytes for 11")
    );
    let file = text(ply(&mesh, false));
    let wrong = file.replacen("2 0 0\n", "2 0 zero\n", 1);
    let line = 1 + wrong.lines().position(|line| line == "2 0 zero").unwrap();
    assert!(
        said(wrong.as_bytes(), Format::Ply).starts_with(&format!("mesh:{line}:1: ")),
        "{}",
        said(wrong.as_bytes(), Format::Ply)
    );
    let bytes = ply(&mesh, true);
    let cut = said(&bytes[..bytes.len() - 1], Format::Ply);
    assert!(cut.starts_with("mesh: byte ") && cut.contains("face"), "{cut}");
    let (json, _) = gltf_text(&mesh);
    let wrong = json.replacen("\"nodes\"", "nodes", 1);
    let at = wrong.find("nodes").unwrap();
    let column = at - wrong[..at].rfind('\n').unwrap();
    let line = 1 + wrong[..at].matches('\n').count();
    let words = said(wrong.as_bytes(), Format::Gltf);
    assert!(words.starts_with(&format!("mesh:{line}:{column}: ")), "{words}");
}

/// glTF as text: its bytes stand in it, or in a file beside it, whose name may have blanks.
#[test]
fn text_with_buffers_in_it_and_beside_it() {
    let (json, data) = gltf_text(&bench());
    let inside = json.replace("BUFFER", &format!("data:application/octet-stream;base64,{}", base64(&data)));
    let beside = json.replace("BUFFER", "the%20bench.bin");
    let folder = std::env::temp_dir().join(format!("tumble-gltf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("bench.gltf");
    std::fs::write(&path, &beside).unwrap();
    let missing = TriangleMesh::load(&path).unwrap_err().to_string();
    assert!(missing.contains("buffer 0") && missing.contains("the bench.bin: the file cannot be read"), "{missing}");
    std::fs::write(folder.join("the bench.bin"), &data).unwrap();
    let expected = TriangleMesh::read(&glb(&bench(), [0.0; 3]), Format::Gltf, ".").unwrap();
    assert_eq!(TriangleMesh::load(&path).unwrap(), expected);
    assert_eq!(TriangleMesh::read(inside.as_bytes(), Format::Gltf, ".").unwrap(), expected);
    std::fs::remove_dir_all(&folder).unwrap();
    let broken = inside.replacen("base64,", "base64,!", 1);
    let error = TriangleMesh::read(broken.as_bytes(), Format::Gltf, ".").unwrap_err().to_string();
    assert_eq!(error, "mesh: buffer 0 is no base64");
    let short = json.replace("BUFFER", &format!("data:;base64,{}", base64(&data[..data.len() - 4])));
    let error = TriangleMesh::read(short.as_bytes(), Format::Gltf, ".").unwrap_err().to_string();
    assert!(error.contains("accessor 1 lies outside of its buffer"), "{error}");
}

/// A mesh that is named a million times is refused rather than placed a million times.
#[test]
fn meshes_are_not_multiplied_without_end() {
    let said = |mesh: &TriangleMesh, generations: usize| {
        let (json, data) = gltf_text(mesh);
        let mut file: serde_json::Value = serde_json::from_str(&json).unwrap();
        file["buffers"][0]["uri"] = format!("data:;base64,{}", base64(&data)).into();
        // Every node has ten children.
        let children = |i: usize| serde_json::json!({ "children": vec![i + 1; 10] });
        let mut nodes: Vec<_> = (0..generations).map(children).collect();
        nodes.push(serde_json::json!({ "mesh": 0 }));
        file["nodes"] = nodes.into();
        TriangleMesh::read(file.to_string().as_bytes(), Format::Gltf, ".").unwrap_err().to_string()
    };
    assert_eq!(said(&bench(), 9), "mesh: node 9: more than 100000 nodes are placed");
    let mut many = TriangleMesh::default();
    for i in 0..400 {
        add_box([f64::from(i), 0.0, 0.0], [f64::from(i) + 0.5, 1.0, 1.0], &mut many);
    }
    assert_eq!(said(&many, 3), "mesh: mesh 0: it is placed so often that 2097152 corners are too few");
}

/// A glTF file whose mesh names an accessor that is not there, or that has none at all, is refused. The crate that reads them used to run
/// beyond the end of its list.
#[test]
fn accessors_that_are_missing() {
    for accessors in ["", ",\"accessors\":[]"] {
        let text = format!(
            "{{\"asset\":{{\"version\":\"2.0\"}},\"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":3}}}}]}}]{accessors}}}"
        );
        let error = TriangleMesh::read(text.as_bytes(), Format::Gltf, ".").unwrap_err().to_string();
        assert!(error.ends_with("mesh 0 names accessor 3 of 0"), "{error}");
    }
    // Nor is a length believed that is shorter than what states it.
    let short = TriangleMesh::read(b"glTF\x02\0\0\0\x03\0\0\0", Format::Gltf, ".").unwrap_err().to_string();
    assert!(short.contains("byte 8: it is no glTF file: it states 3 bytes, and has 12"), "{short}");
    assert!(TriangleMesh::read(b"", Format::Stl, ".").unwrap_err().to_string().ends_with("it is empty"));
}
