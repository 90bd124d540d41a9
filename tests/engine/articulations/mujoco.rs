//! Joint accelerations, inverse dynamics and mass matrices against MuJoCo's, for 200 random trees. How the numbers were made:
//! `tests/data/articulation/make.py`.

use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, LinkJoint};
use tumble::math::{Quat, Sym3, Vec3, WorldPose};
use tumble::shape::MassProperties;
use tumble::{BodyDesc, World};

/// The numbers of the file, one after the other.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn next(&mut self) -> f64 {
        let (head, rest) = self.0.split_first_chunk::<8>().unwrap();
        self.0 = rest;
        f64::from_le_bytes(*head)
    }

    fn vector(&mut self) -> Vec3<f64> {
        Vec3::new(self.next(), self.next(), self.next())
    }

    fn rotation(&mut self) -> Quat<f64> {
        Quat::new(self.next(), self.next(), self.next(), self.next())
    }

    fn list(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.next()).collect()
    }
}

/// The largest difference as a share of the largest number.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    let size = a.iter().chain(b).fold(1e-300, |m: f64, x| m.max(x.abs()));
    a.iter().zip(b).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs())) / size
}

#[test]
fn dynamics_agree_with_mujoco() {
    let bytes: &[u8] = include_bytes!("../../data/articulation/trees.bin");
    let mut file = Numbers(bytes);
    let (mut trees, mut met, mut worst) = (0, [0; 8], [0.0_f64; 3]);
    while !file.0.is_empty() {
        let (links, dofs) = (file.next() as usize, file.next() as usize);
        let mut world = World::new();
        world.set_gravity(file.vector().to_real()).unwrap();
        let mut desc = ArticulationDesc::new();
        let mut loads = Vec::new();
        for _ in 0..links {
            let (parent, kind) = (file.next(), file.next() as u32);
            let (place, turn) = (file.vector(), file.rotation());
            let (axis, second, anchor) = (file.vector(), file.vector(), file.vector());
            let (mass, centre, moments, axes) = (file.next(), file.vector(), file.vector(), file.rotation());
            let (force, torque, armature) = (file.vector(), file.vector(), file.next());
            let first = axis.to_real();
            let joint = match kind {
                0 => LinkJoint::Revolute { axis: first },
                1 => LinkJoint::Prismatic { axis: first },
                2 => LinkJoint::Spherical,
                3 => LinkJoint::Free,
                4 => LinkJoint::Fixed,
                5 => LinkJoint::Universal { first, second: second.to_real() },
                6 => LinkJoint::Cylindrical { axis: first },
                7 => LinkJoint::Planar { normal: first },
                other => panic!("no joint has the number {other}"),
            };
            met[kind as usize] += 1;
            // The slides of a planar joint are along the tangents of its normal; those of the file are turned about it.
            let frame = if kind == 7 { Quat::between(axis.tangents().0, second) } else { Quat::IDENTITY };
            let inertia = Sym3::rotated_diagonal(&axes.to_mat3(), moments);
            let body = BodyDesc::dynamic().mass_properties(MassProperties { mass, centre, inertia });
            let mut link = LinkDesc::new(body, joint).frames(
                WorldPose::new(place + turn.rotate(anchor), (turn * frame).to_real()),
                WorldPose::new(anchor, frame.to_real()),
            );
            for k in 0..joint.dofs() {
                link = link.dof(k, Dof { armature, ..Dof::default() });
            }
            if parent >= 0.0 {
                link = link.parent(parent as usize);
            }
            desc.add(link);
            loads.push((force, torque));
        }
        let coordinates: usize = desc.links.iter().map(|l| l.joint.coordinates()).sum();
        let (q, qd, tau, qdd) = (file.list(coordinates), file.list(dofs), file.list(dofs), file.list(dofs));
        let (wanted, forces) = (file.list(dofs), file.list(dofs));
        let triangle = file.list(dofs * (dofs + 1) / 2);

        let id = world.add_articulation(desc).unwrap();
        let mut tree = world.articulation_mut(id).unwrap();
        tree.set_position(&q).unwrap();
        tree.set_velocity(&qd).unwrap();
        let view = tree.view();
        assert_eq!((view.dofs(), view.coordinates()), (dofs, coordinates));
        worst[1] = worst[1].max(difference(&view.inverse_dynamics(&wanted).unwrap(), &forces));
        let dense = view.mass_matrix();
        let lower: Vec<f64> = (0..dofs).flat_map(|r| dense[r * dofs..=r * dofs + r].to_vec()).collect();
        worst[2] = worst[2].max(difference(&lower, &triangle));

        for link in 0..links {
            for (k, dof) in tree.view().dofs_of(link).unwrap().enumerate() {
                tree.set_force(link, k, tau[dof]).unwrap();
            }
        }
        let bodies: Vec<_> = tree.view().links().collect();
        for (body, (force, torque)) in bodies.into_iter().zip(loads) {
            let mut body = world.body_mut(body).unwrap();
            body.set_force(force.to_real()).unwrap();
            body.set_torque(torque.to_real()).unwrap();
        }
        worst[0] = worst[0].max(difference(&world.articulation(id).unwrap().forward_dynamics(), &qdd));
        trees += 1;
    }
    assert_eq!(trees, 200);
    assert!(met.iter().all(|&n| n >= 80), "joints of each kind: {met:?}");
    println!("off by {:.1e}, {:.1e}, {:.1e} with joints {met:?}", worst[0], worst[1], worst[2]);
    // Double precision: rounding times the condition of the trees. Single precision rounds what the trees are made of.
    let allowed = if cfg!(tumble_f64) { [1e-9, 1e-9, 1e-9] } else { [0.05, 1e-4, 1e-4] };
    for (what, (worst, allowed)) in ["q̈", "τ", "M"].iter().zip(worst.into_iter().zip(allowed)) {
        assert!(worst < allowed, "{what} is off by {worst:e}");
    }
}
