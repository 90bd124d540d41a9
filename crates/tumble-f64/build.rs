//! Selects double precision for the source shared with `tumble`.

fn main() {
    // Every package with this script has such a file; one that is missing would count as changed in every build.
    println!("cargo::rerun-if-changed=Cargo.toml");
    println!("cargo::rustc-cfg=tumble_f64");
}
