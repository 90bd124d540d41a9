//! `tumble mesh`: what is in a mesh file, and what it becomes.

use crate::arguments::MeshOptions;
use crate::failure::Failure;
use crate::output;
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;
use tumble::math::Vec3;
use tumble::shape::{MassProperties, Shape};
use tumble_scene::figure::Figure;
use tumble_scene::mesh::{PartsOptions, TriangleMesh};

#[derive(Serialize)]
struct Report {
    vertices: u64,
    triangles: u64,
    /// Triangles of the file without an area, which are left out.
    degenerate: u64,
    low: [f64; 3],
    high: [f64; 3],
    /// Whether it encloses a volume; else why not.
    closed: bool,
    open_because: Option<String>,
    /// Of what it encloses.
    volume: Option<f64>,
    mass: Option<MassProperties>,
    hull: Option<Hull>,
    /// Why there is none.
    no_hull: Option<String>,
    parts: Option<Parts>,
    no_parts: Option<String>,
}

/// What there is, or why there is nothing.
fn apart<T>(result: tumble::Result<T>) -> (Option<T>, Option<String>) {
    match result {
        Ok(value) => (Some(value), None),
        Err(error) => (None, Some(error.to_string())),
    }
}

#[derive(Serialize)]
struct Hull {
    vertices: u64,
    faces: u64,
    volume: f64,
    /// Volume that it has too much, as a share of the solid's.
    volume_error: Option<f64>,
}

#[derive(Serialize)]
struct Parts {
    count: u64,
    vertices: u64,
    volume_error: f64,
    within_tolerance: bool,
}

pub fn mesh(options: &MeshOptions) -> Result<ExitCode, Failure> {
    let mesh = TriangleMesh::load(&options.file).map_err(Failure::from_input)?.map(|v| v * options.scale);
    let closed = mesh.is_closed();
    let mass = mesh.mass_properties(options.density).ok();
    let volume = mass.map(|m| m.mass / options.density);
    let (hull, no_hull) = apart(mesh.hull());
    let hull = match hull {
        Some(Shape::Hull(hull)) => Some(Hull {
            vertices: hull.vertices().len() as u64,
            faces: hull.faces().len() as u64,
            volume: hull.volume(),
            volume_error: volume.map(|v| hull.volume() / v - 1.0),
        }),
        _ => None,
    };
    let choice = PartsOptions { most: options.parts, tolerance: options.tolerance, ..PartsOptions::default() };
    let (parts, no_parts) = apart(mesh.parts(&choice));
    let coarse = parts.as_ref().and_then(|parts| parts.coarse(&choice));
    output::warn(coarse.as_slice());
    let parts = parts.map(|parts| Parts {
        count: parts.hulls.len() as u64,
        vertices: parts.hulls.iter().map(|h| h.vertices().len() as u64).sum(),
        volume_error: parts.volume_error,
        within_tolerance: coarse.is_none(),
    });
    let [low, high] = mesh.bounds().map(Vec3::to_array);
    let report = Report {
        vertices: mesh.vertices.len() as u64,
        triangles: mesh.triangles.len() as u64,
        degenerate: mesh.degenerate,
        low,
        high,
        closed: closed.is_ok(),
        open_because: closed.err().map(|error| error.to_string()),
        volume,
        mass,
        hull,
        no_hull,
        parts,
        no_parts,
    };
    if options.json {
        output::print_json(&report)?
    } else {
        output::print(&words(&report, options.density))?
    }
    Ok(ExitCode::SUCCESS)
}

fn words(report: &Report, density: f64) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<18}{value}");
    };
    let list = |v: [f64; 3]| v.map(|x| Figure(x).to_string()).join(", ");
    row("triangles", format!("{} with {} vertices", report.triangles, report.vertices));
    if report.degenerate > 0 {
        row("without an area", format!("{} more triangles, left out", report.degenerate));
    }
    row("from, to", format!("({}) to ({}) m", list(report.low), list(report.high)));
    row("closed", report.open_because.clone().map_or("yes".to_owned(), |why| format!("no: {why}")));
    if let (Some(mass), Some(volume)) = (report.mass, report.volume) {
        row("volume", format!("{} m³", Figure(volume)));
        row("mass", format!("{} kg at {} kg/m³", Figure(mass.mass), Figure(density)));
        row("centre of mass", format!("({}) m", list(mass.centre.to_array())));
        let (moments, _) = mass.principal_axes();
        row("principal moments", format!("{} kg m²", list(moments.to_array())));
    }
    let share = |error: f64| format!("{} % too much volume", Figure(100.0 * error));
    match &report.hull {
        Some(hull) => {
            let error = hull.volume_error.map_or(String::new(), |e| format!(", {}", share(e)));
            row("hull", format!("{} vertices, {} faces{error}", hull.vertices, hull.faces));
        }
        None => row("hull", format!("none: {}", report.no_hull.as_deref().unwrap_or("the mesh is flat"))),
    }
    match &report.parts {
        Some(p) => {
            row("convex parts", format!("{}, with {} vertices, {}", p.count, p.vertices, share(p.volume_error)));
        }
        None => {
            let why = report.no_parts.as_deref().unwrap_or("only a closed mesh has an inside to cut up");
            row("convex parts", format!("none: {why}"));
        }
    }
    text
}
