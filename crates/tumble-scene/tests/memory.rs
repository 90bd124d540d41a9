//! How much memory a file takes that asks for much.
#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use tumble_scene::file;

/// Counts what each thread has, and the most that it had.
struct Counting;

thread_local! {
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static MOST: Cell<i64> = const { Cell::new(0) };
}

// SAFETY: every call is handed on to the system's allocator as it came; the counters are plain numbers of the thread, which need no memory and no
// destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.set(LIVE.get() + layout.size() as i64);
        MOST.set(MOST.get().max(LIVE.get()));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get() - layout.size() as i64);
        // SAFETY: the caller keeps the contract of `dealloc`, and `p` came from the same allocator.
        unsafe { System.dealloc(p, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Bytes that this thread has at the most while a file becomes a world.
fn most_bytes(text: String) -> i64 {
    let before = LIVE.get();
    MOST.set(before);
    drop(file::parse(text, "f", ".").unwrap().setup().start().unwrap());
    MOST.get() - before
}

/// What waits for its bodies shares the names that it may say with all others: a file of some kilobytes with many names and many exclusions used to
/// take a copy of every name for each of them, tens of gigabytes at the most that a file may ask for.
#[test]
fn names_are_not_copied_for_all_that_waits() {
    let bodies = "[[body]]\nname = 'a{i}'\nrepeat = { i = 2 }\nmass = 1\n";
    let pairs = "[[group.exclude]]\nrepeat = { pair = 3000 }\nbodies = ['a0', 'a1']\n";
    let plain = most_bytes(format!("{bodies}[[group]]\n{pairs}"));
    let names: String = (0..500).map(|i| format!("a_name_of_some_length_{i} = {i}\n")).collect();
    let named = most_bytes(format!("[let]\n{names}{bodies}[[group]]\n{pairs}"));
    assert!(named < plain + 4_000_000, "{named} bytes with names, {plain} without");
    // Names that count around it are shared too.
    let counters: Vec<String> = (0..8).map(|i| format!("counter_{i} = 1")).collect();
    let mut around = String::new();
    for depth in 1..=12 {
        let group = vec!["group"; depth].join(".");
        around += &format!("[[{group}]]\nrepeat = {{ {} }}\n", counters.join(", "));
    }
    let counted = most_bytes(format!("{bodies}{around}{}", pairs.replace("group.", &"group.".repeat(12))));
    assert!(counted < plain + 4_000_000, "{counted} bytes with names that count, {plain} without");
}
