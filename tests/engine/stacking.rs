//! Stacks that stand: 002-D1 and the bars of the default method.

use crate::support::{awake, named, scene};
use tumble::math::{Point, Real, Vec3};
use tumble::method::Step;
use tumble::{BodyId, MassSource, Method, World};

/// A number in [-1, 1) from a seed.
fn noise(seed: u64) -> f64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1;
    x ^= x >> 31;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 29;
    (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

struct Stack {
    world: World,
    boxes: Vec<BodyId>,
    start: Vec<Point>,
    /// Boxes that stand on each other, or on the floor.
    interfaces: Vec<(usize, Option<usize>)>,
    size: f64,
}

/// What a stack looks like, in edges and degrees.
#[derive(Debug, Default)]
struct Figures {
    drift: f64,
    tilt: f64,
    sag: f64,
}

impl Stack {
    /// The `count` cubes of a scene of the library, of edge `size`, on its floor at height 0; nothing sleeps.
    fn new(name: &str, values: &[(&str, f64)], count: usize, size: f64) -> Self {
        let world = scene(name, values, awake(Method::soft_step()));
        let boxes = named(&world, "box-", count);
        let start: Vec<Point> = boxes.iter().map(|&id| world.body(id).unwrap().position()).collect();
        let mut interfaces = Vec::new();
        for (upper, a) in start.iter().enumerate() {
            let above = |b: &Point| (*a - *b) / size;
            let below = |b: &Point| (above(b).y - 1.0).abs() < 0.1 && above(b).x.abs() < 0.9;
            interfaces.extend((0..start.len()).filter(|&l| below(&start[l])).map(|l| (upper, Some(l))));
            if a.y < size {
                interfaces.push((upper, None));
            }
        }
        Self { world, boxes, start, interfaces, size }
    }

    /// Cubes on top of each other, 10 kg each.
    fn column(boxes: u32, size: f64) -> Self {
        Self::new("box-stack", &[("boxes", f64::from(boxes)), ("size", size)], boxes as usize, size)
    }

    /// Each cube a little aside, by up to `most` edges.
    fn perturbed(mut self, most: f64) -> Self {
        for (i, (&id, start)) in (0..).zip(self.boxes.iter().zip(&mut self.start)) {
            *start += Point::new(noise(2 * i + 1), 0.0, noise(2 * i + 2)) * (most * self.size);
            self.world.body_mut(id).unwrap().set_position(*start).unwrap();
        }
        self
    }

    /// The same elsewhere, floor and all.
    fn moved(mut self, by: Point) -> Self {
        for id in self.world.body_ids().collect::<Vec<_>>() {
            let at = self.world.body(id).unwrap().position() + by;
            self.world.body_mut(id).unwrap().set_position(at).unwrap();
        }
        self.start.iter_mut().for_each(|start| *start += by);
        self
    }

    fn measure(&self, worst: &mut Figures) {
        for (&id, start) in self.boxes.iter().zip(&self.start) {
            let body = self.world.body(id).unwrap();
            let d = (body.position() - *start) / self.size;
            let up = body.rotation().to_f64().rotate(Vec3::Y);
            worst.drift = worst.drift.max((d.x * d.x + d.z * d.z).sqrt());
            worst.tilt = worst.tilt.max((up.x * up.x + up.z * up.z).sqrt().asin().to_degrees());
        }
        for &(upper, lower) in &self.interfaces {
            let height = |i: usize| self.world.body(self.boxes[i]).unwrap().position().y;
            let (now, before) = match lower {
                Some(lower) => (height(upper) - height(lower), self.start[upper].y - self.start[lower].y),
                None => (height(upper), self.start[upper].y),
            };
            worst.sag = worst.sag.max((before - now) / self.size);
        }
    }

    fn run(&mut self, dt: f64, seconds: f64) -> Figures {
        let mut worst = Figures::default();
        for _ in 0..(seconds / dt).round() as u32 {
            self.world.step(dt as Real).unwrap();
            self.measure(&mut worst);
        }
        worst
    }
}

fn assert_stands(name: &str, worst: &Figures) {
    println!("{name}: drift {:.5} edges, tilt {:.4} degrees, sag {:.5} edges", worst.drift, worst.tilt, worst.sag);
    assert!(worst.drift < 0.01, "{name}: drift {}", worst.drift);
    assert!(worst.tilt < 1.0, "{name}: tilt {}", worst.tilt);
    assert!(worst.sag < 0.02, "{name}: sag {}", worst.sag);
}

/// 002-D1 at twice the height: 20 cubes of 10 kg and 1 m at 0.016 s for a minute, placed exactly and with an error of 1 mm.
#[test]
fn twenty_cubes_stand_for_a_minute() {
    for perturbation in [0.0, 1e-3] {
        let mut stack = Stack::column(20, 1.0).perturbed(perturbation);
        assert_stands(&format!("column, perturbed by {perturbation}"), &stack.run(0.016, 60.0));
    }
}

/// A pyramid of base 20 stands for a minute. When all colours took the first free one, its left supports were solved before its
/// right ones, and it leaned by 0.027 edges in the first second.
#[test]
fn pyramid_stands_without_leaning() {
    let mut stack = Stack::new("pyramid", &[("base", 20.0)], 210, 1.0);
    assert_stands("pyramid", &stack.run(0.016, 60.0));
}

/// Four light cubes under one of a hundred times their mass. They stand; between light bodies a contact is a spring of their own mass, 1 kg · 1 kg / 2 kg, and
/// of the method's frequency, a fifth of the sub-step rate: it gives by 100 kg · g / (½ kg · (2π · 50 Hz)²), 2 cm. While they settle it is nearly
/// twice as much.
#[test]
fn heavy_on_light_stands() {
    let mut stack = Stack::column(5, 1.0);
    for (i, &id) in stack.boxes.iter().enumerate() {
        let mass = MassSource::Total(if i == 4 { 100.0 } else { 1.0 });
        stack.world.body_mut(id).unwrap().set_mass(mass).unwrap();
    }
    let worst = stack.run(0.016, 60.0);
    let mut last = Figures::default();
    stack.measure(&mut last);
    let give = 9.81 * 101.0 / (0.5 * (2.0 * core::f64::consts::PI * 50.0).powi(2));
    println!("heavy on light: {worst:?}, in the end {last:?}, springs give by {give}");
    assert!(worst.drift < 0.01 && worst.tilt < 1.0, "{worst:?}");
    assert!((last.sag / give - 1.0).abs() < 0.1 && worst.sag < 2.0 * give, "{last:?}, {worst:?}");
}

/// The same stack at another scale, with gravity (and so the step) scaled, behaves alike in body sizes: it sags by the same share of an edge, to a hundredth of that.
#[test]
fn stack_stands_at_every_scale() {
    let figures = [1.0, 0.001, 100.0].map(|size| {
        let mut stack = Stack::column(20, size);
        let dt = 0.016 * f64::sqrt(size);
        let figures = stack.run(dt, 60.0 * f64::sqrt(size));
        assert_stands(&format!("column of {size} m cubes"), &figures);
        figures
    });
    for other in &figures[1..] {
        assert!((other.sag / figures[0].sag - 1.0).abs() < 0.01, "{} and {}", other.sag, figures[0].sag);
    }
}

/// The same with the step of the others, 0.016 s, and their gravity. What is large needs nothing; what is small needs more sub-steps, as
/// 1/√size, for a sub-step is as long to a body as it falls in it, in body sizes. With four of them columns of cubes of 0.7 m and less fall.
#[test]
fn stack_stands_at_every_scale_with_the_same_step() {
    for (size, substeps, seconds) in [(0.001, 127, 60.0), (0.1, 13, 60.0), (100.0, 4, 60.0)] {
        let mut stack = Stack::column(20, size);
        let mut method = stack.world.method().clone();
        if let Step::SoftStep(soft) = &mut method.step {
            soft.substeps = substeps;
        }
        stack.world.set_method(method).unwrap();
        assert_stands(&format!("column of {size} m cubes, {substeps} sub-steps"), &stack.run(0.016, seconds));
    }
}

/// Far from the origin the numbers of a position are coarse in f32; bodies are solved relative to each other.
#[test]
fn stack_stands_far_from_the_origin() {
    for far in [1e4, 1e5] {
        let mut stack = Stack::column(20, 1.0).moved(Point::new(far, 0.0, -far));
        assert_stands(&format!("column at {far} m"), &stack.run(0.016, 60.0));
    }
}
