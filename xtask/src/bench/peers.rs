//! Building the drivers of other engines, under `peers`. One that cannot be built is missing with the reason, and the rest go on.

use super::run::Engine;
use crate::{shell, tools};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An engine that can be built.
struct Peer {
    name: &'static str,
    /// Builds what is needed for one thread, and for more.
    build: fn(&Peer, bool) -> Result<Engine, String>,
}

/// In the order of the table.
const PEERS: [Peer; 10] = [
    Peer { name: "rapier", build: |peer, many| rapier(peer, "", "", many) },
    Peer { name: "rapier-best", build: |peer, many| rapier(peer, "simd8", "-C target-cpu=native", many) },
    Peer { name: "box3d", build: |peer, _| native(peer, &source("box3d-sys", "vendor/box3d")?) },
    Peer { name: "physx-pgs", build: |peer, _| physx(peer, "") },
    Peer { name: "physx-tgs", build: |peer, _| physx(peer, "tgs") },
    Peer { name: "jolt", build: |peer, _| native(peer, &source("joltc-sys", "JoltC/JoltPhysics")?) },
    Peer { name: "bullet", build: |peer, _| packaged(peer, "libbullet-dev", "bullet") },
    Peer { name: "ode", build: |peer, _| packaged(peer, "libode-dev", "ode") },
    Peer { name: "mujoco", build: |peer, _| native(peer, &wheel("mujoco", "3.12.0")?) },
    Peer { name: "avian", build: avian },
];

/// The names of all peers.
pub fn names() -> Vec<&'static str> {
    PEERS.iter().map(|peer| peer.name).collect()
}

/// Builds the peers of these names, or all.
pub fn build(
    names: &[String],
    threads: &[usize],
    engines: &mut Vec<Engine>,
    missing: &mut Vec<(String, String)>,
) -> Result<(), String> {
    if let Some(unknown) = names.iter().find(|name| !PEERS.iter().any(|peer| peer.name == **name)) {
        return Err(format!("no driver for `{unknown}`; there are {}", self::names().join(", ")));
    }
    let many = threads.iter().any(|&count| count > 1);
    for peer in PEERS.iter().filter(|peer| names.is_empty() || names.iter().any(|name| name == peer.name)) {
        println!("\n==> {}", peer.name);
        match (peer.build)(peer, many) {
            Ok(engine) => engines.push(engine),
            Err(reason) => {
                println!("    {} is missing: {reason}", peer.name);
                missing.push((peer.name.to_owned(), reason));
            }
        }
    }
    Ok(())
}

/// Where peers are built: out of the way of Tumble's own builds.
fn folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "peers/target".into(), |dir| Path::new(&dir).join("peers"))
}

/// `nice`, where there is one: a machine that builds for an hour should stay usable.
fn gently(program: &str) -> Command {
    if shell::succeeds(Command::new("nice").arg("true")) {
        let mut command = Command::new("nice");
        command.args(["-n", "10", program]);
        command
    } else {
        Command::new(program)
    }
}

/// A driver in Rust: where it was put after it was built. What is built in one folder shares what it depends on.
fn crated(peer: &Peer, package: &str, place: &str, features: &str, flags: &str) -> Result<PathBuf, String> {
    let target = std::path::absolute(folder()).map_err(|error| error.to_string())?.join(place);
    let mut command = gently("cargo");
    command.args(["build", "--release", "--package", package, "--features", features.trim()]);
    command.current_dir("peers").env("CARGO_TARGET_DIR", &target).env("RUSTFLAGS", flags);
    shell::run(&mut command)?;
    let built = target.join("release").join(package);
    let words: Vec<&str> = ["driver", peer.name].into_iter().chain(features.split_whitespace()).collect();
    let kept = target.join(words.join("-"));
    fs::copy(&built, &kept).map_err(|error| format!("{}: {error}", built.display()))?;
    Ok(kept)
}

/// Rapier is compiled anew for each choice of features and flags.
fn rapier(peer: &Peer, feature: &str, flags: &str, many: bool) -> Result<Engine, String> {
    let build = |more: &str| crated(peer, "tumble-peer-rapier", peer.name, &format!("{feature} {more}"), flags);
    let engine = Engine::new(peer.name, vec![build("")?]);
    if many { Ok(engine.with_threads(vec![build("parallel")?])) } else { Ok(engine) }
}

/// Avian has threads only where it is compiled with them.
fn avian(peer: &Peer, many: bool) -> Result<Engine, String> {
    let build = |features: &str| crated(peer, "tumble-peer-avian", peer.name, features, "");
    let engine = Engine::new(peer.name, vec![build("")?]);
    if many { Ok(engine.with_threads(vec![build("parallel")?])) } else { Ok(engine) }
}

/// PhysX is compiled once for both of its solvers. Its crate calls `clang++`.
fn physx(peer: &Peer, feature: &str) -> Result<Engine, String> {
    tools::clang()?;
    Ok(Engine::new(peer.name, vec![crated(peer, "tumble-peer-physx", "physx", feature, "")?]))
}

/// Where the source of an engine lies in the crate that carries it.
fn source(package: &str, within: &str) -> Result<PathBuf, String> {
    let mut command = shell::cargo();
    command.args(["metadata", "--format-version", "1", "--manifest-path", "peers/Cargo.toml"]);
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr)
            .lines()
            .last()
            .unwrap_or("cargo metadata failed")
            .to_owned());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let manifest = packages.filter(|p| p["name"] == package).find_map(|p| p["manifest_path"].as_str());
    let manifest = manifest.ok_or_else(|| format!("the crate {package} is not among the sources"))?;
    let path = Path::new(manifest).with_file_name("").join(within);
    if path.exists() { Ok(path) } else { Err(format!("the crate {package} has no folder {within}")) }
}

/// An engine that the system packages.
fn packaged(peer: &Peer, package: &str, module: &str) -> Result<Engine, String> {
    tools::library(package, module)?;
    native(peer, Path::new("."))
}

/// A wheel of the Python registry, unpacked, for the library that is in it.
fn wheel(package: &str, version: &str) -> Result<PathBuf, String> {
    let place = std::path::absolute(folder()).map_err(|error| error.to_string())?.join(format!("{package}-{version}"));
    if !place.join(package).exists() {
        let mut command = Command::new("python3");
        command.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]).arg(&place);
        shell::run(command.arg(format!("{package}=={version}")))?;
    }
    Ok(place)
}

/// A driver in C++, by `peers/native/CMakeLists.txt`.
fn native(peer: &Peer, source: &Path) -> Result<Engine, String> {
    tools::cmake()?;
    let place = folder().join(format!("native-{}", peer.name));
    let mut configure = gently("cmake");
    configure.args(["-S", "peers/native", "-B"]).arg(&place).args(["-DCMAKE_BUILD_TYPE=Release"]);
    configure.arg(format!("-DENGINE={}", peer.name)).arg(format!("-DSOURCE={}", source.display()));
    if shell::run(&mut configure).is_err() {
        // What CMake keeps there names the folder of the source and of its tools; where one has moved, it refuses.
        let _ = std::fs::remove_dir_all(&place);
        shell::run(&mut configure)?;
    }
    let mut build = gently("cmake");
    shell::run(build.arg("--build").arg(&place).args(["--target", "driver", "--parallel", "1"]))?;
    Ok(Engine::new(peer.name, vec![place.join("driver")]))
}
