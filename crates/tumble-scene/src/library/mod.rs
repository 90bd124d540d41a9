//! The library of scenes: one file each.
//!
//! To add a scene, write `library/its_name.rs` with a function `scene() -> Scene`, and name it in the list below. The tests
//! then run it, and ask for a mutation that makes each of its checks fail (`tests/scenes`).
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod arch;
mod articulated;
mod ball_pit;
mod barrels;
mod billiards;
mod block_on_ramp;
mod bouncing_balls;
mod bowling;
mod box_stack;
mod brick_wall;
mod car_track;
mod card_house;
mod chain;
mod coins;
mod convex_pile;
mod conveyor;
mod domino_spiral;
mod dominoes;
mod dzhanibekov_nut;
mod explosion;
mod falling_boxes;
mod fixed_field;
mod flight;
mod free_fall;
mod gyroscope;
mod jenga;
mod joint_grid;
mod junkyard;
mod logo;
mod many_pyramids;
mod mixed_pile;
mod newtons_cradle;
mod pendulums;
mod pistons;
mod projectiles;
mod props;
mod pyramid;
mod ragdoll_stairs;
mod ragdolls;
mod rattleback;
mod room_spheres;
mod room_stacks;
mod rope;
mod seesaw;
mod six_contacts;
mod sleep_and_wake;
mod sliding_cubes;
mod stacked_blocks;
mod stuck_boxes;
mod table;
mod tippe_top;
mod trebuchet;
mod two_islands;
mod washer;
mod wrecking_ball;

use crate::error::{Error, Result};
use crate::names::instead;
use crate::scene::Scene;

pub(crate) use props::Random;

/// All scenes, the first one first.
///
/// ```
/// for scene in tumble_scene::library::scenes() {
///     println!("{}: {}", scene.name, scene.description);
/// }
/// ```
pub fn scenes() -> Vec<Scene> {
    let mut all = vec![
        box_stack::scene(),
        free_fall::scene(),
        projectiles::scene(),
        dzhanibekov_nut::scene(),
        pyramid::scene(),
        brick_wall::scene(),
        card_house::scene(),
        arch::scene(),
        jenga::scene(),
        two_islands::scene(),
        sliding_cubes::scene(),
        bouncing_balls::scene(),
        newtons_cradle::scene(),
        many_pyramids::scene(),
        falling_boxes::scene(),
        ball_pit::scene(),
        convex_pile::scene(),
        junkyard::scene(),
        washer::scene(),
        joint_grid::scene(),
        ragdolls::scene(),
        wrecking_ball::scene(),
        fixed_field::scene(),
        seesaw::scene(),
        logo::scene(),
        ragdoll_stairs::scene(),
        stuck_boxes::scene(),
        conveyor::scene(),
        explosion::scene(),
        rope::scene(),
        table::scene(),
        coins::scene(),
        dominoes::scene(),
        car_track::scene(),
        stacked_blocks::scene(),
        six_contacts::scene(),
        billiards::scene(),
        bowling::scene(),
        pendulums::scene(),
        pistons::scene(),
        chain::scene(),
        block_on_ramp::scene(),
        sleep_and_wake::scene(),
        mixed_pile::scene(),
        barrels::scene(),
        room_spheres::scene(),
        room_stacks::scene(),
        gyroscope::scene(),
        tippe_top::scene(),
        domino_spiral::scene(),
        trebuchet::scene(),
        rattleback::scene(),
    ];
    all.extend(articulated::scenes());
    all
}

/// The scene of this name, or an error with the nearest one.
///
/// ```
/// let scene = tumble_scene::library::find("dzhanibekov-nut").unwrap();
/// assert_eq!(scene.parameters[0].name, "spin");
/// ```
pub fn find(name: &str) -> Result<Scene> {
    let mut scenes = scenes();
    match scenes.iter().position(|scene| scene.name == name) {
        Some(index) => Ok(scenes.swap_remove(index)),
        None => Err(Error::UnknownScene {
            name: name.to_owned(),
            advice: instead(name, scenes.iter().map(|scene| scene.name.as_ref())),
        }),
    }
}
