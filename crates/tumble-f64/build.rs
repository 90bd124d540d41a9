//! Selects double precision for the source shared with `tumble`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cfg=tumble_f64");
}
