"""Makes trees.bin: random trees of joints with their dynamics as MuJoCo computes them.

    python -m venv venv
    venv/bin/pip install mujoco==3.3.7 numpy==2.4.6
    venv/bin/python make.py

The file is a row of little-endian doubles. For each of 200 trees:

    links, degrees of freedom
    gravity (3)
    for each link: parent (-1: the world), joint (0 hinge, 1 slide, 2 ball, 3 free, 4 fixed, 5 universal, 6 cylindrical, 7 planar),
        place of its frame in the parent's (3), its rotation x, y, z, w (4), axis (3), second axis (3) and anchor (3) of the joint in the
        link's frame, mass, centre (3), principal moments (3), rotation of the principal axes (4), force (3) and torque (3) at the
        centre of mass, armature of each degree of freedom
    coordinates, velocities, forces along the degrees of freedom, accelerations that follow (with the forces on links)
    accelerations asked for, and the forces along the degrees of freedom that give them (without forces on links)
    the lower triangle of the mass matrix, row by row

MuJoCo has no joint for the last four: a fixed link has none there, and the others have several at one anchor. A universal joint is a hinge
about the axis and one about the second axis, at any angle to it; a cylindrical one a hinge and a slide along one axis; a planar one slides
along the second axis and along axis x second axis, then a hinge about the axis.

Quaternions are x, y, z, w. The angular velocity of a free joint is in the axes of the world here, where MuJoCo has it in those of
the body: with R the rotation of the body and T = diag(1, R^T), v_mujoco = T v, so that forces are T^T f, masses T^T M T, and
accelerations T^T a (the derivative of T drops out, being R^T (w x w)).
"""

import mujoco
import numpy as np

assert mujoco.__version__ == "3.3.7", mujoco.__version__
HINGE, SLIDE, BALL, FREE, FIXED, UNIVERSAL, CYLINDRICAL, PLANAR = range(8)


def text(values):
    return " ".join(f"{v:.17g}" for v in np.atleast_1d(values))


def unit(rng, n):
    v = rng.normal(size=n)
    return v / np.linalg.norm(v)


def parts(kind, axis, second):
    """The joints of MuJoCo that make up one of a kind, with their axes."""
    return {
        HINGE: [("hinge", axis)],
        SLIDE: [("slide", axis)],
        BALL: [("ball", axis)],
        FIXED: [],
        UNIVERSAL: [("hinge", axis), ("hinge", second)],
        CYLINDRICAL: [("hinge", axis), ("slide", axis)],
        PLANAR: [("slide", second), ("slide", np.cross(axis, second)), ("hinge", axis)],
    }[kind]


def body(rng, kind):
    """A body with its joint, and the numbers of the joint; positions and sizes of the order of half a metre."""
    a, b, c = rng.uniform(0.1, 0.4, 3)  # half sides of a box, so that the moments are those of something
    mass = rng.uniform(0.5, 3.0)
    moments = mass / 3.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    axis, second, anchor = unit(rng, 3), unit(rng, 3), np.zeros(3)
    armature = rng.uniform(0.0, 0.05) if kind not in (FREE, FIXED) else 0.0
    if kind == FREE:
        joint, place = "<freejoint/>", ""
    else:
        if kind == PLANAR:
            second = np.cross(axis, second) / np.linalg.norm(np.cross(axis, second))
        anchor = rng.uniform(-0.3, 0.3, 3)
        joint = "".join(
            f'<joint type="{name}" axis="{text(along)}" pos="{text(anchor)}" armature="{armature:.17g}"/>'
            for name, along in parts(kind, axis, second)
        )
        place = f'pos="{text(rng.uniform(-0.5, 0.5, 3))}" quat="{text(unit(rng, 4))}"'
    inertia = (
        f'<inertial pos="{text(rng.uniform(-0.2, 0.2, 3))}" quat="{text(unit(rng, 4))}" '
        f'mass="{mass:.17g}" diaginertia="{text(moments)}"/>'
    )
    return f"<body {place}>{joint}{inertia}", "</body>", (kind, axis, second, anchor, armature)


def tree(rng, joints, floating):
    kinds = [HINGE, HINGE, SLIDE, BALL, FIXED, UNIVERSAL, CYLINDRICAL, PLANAR]
    kinds = [FREE if floating and i == 0 else int(rng.choice(kinds)) for i in range(joints)]
    if all(kind == FIXED for kind in kinds):
        kinds[-1] = HINGE
    # Mostly chains, some branches; the order of MuJoCo is that of a walk down the tree.
    parents = [-1] + [int(rng.integers(i)) if rng.random() < 0.3 else i - 1 for i in range(1, joints)]
    children = {i: [] for i in range(-1, joints)}
    for i, p in enumerate(parents):
        children[p].append(i)

    described = []

    def write(i):
        head, tail, joint = body(rng, kinds[i])
        described.append(joint)
        return head + "".join(write(c) for c in children[i]) + tail

    bodies = "".join(write(c) for c in children[-1])
    gravity = rng.uniform(-10, 10, 3)
    xml = f"""<mujoco><compiler angle="radian"/><option gravity="{text(gravity)}">
        <flag contact="disable" constraint="disable"/></option><worldbody>{bodies}</worldbody></mujoco>"""
    return mujoco.MjModel.from_xml_string(xml), described


def xyzw(q):
    return [q[1], q[2], q[3], q[0]]


def record(rng, model, described):
    data = mujoco.MjData(model)
    data.qpos[:] = rng.uniform(-1, 1, model.nq)
    mujoco.mj_normalizeQuat(model, data.qpos)
    data.qvel[:] = rng.uniform(-2, 2, model.nv)
    data.qfrc_applied[:] = rng.uniform(-5, 5, model.nv)
    data.xfrc_applied[1:] = rng.uniform(-5, 5, (model.nbody - 1, 6))
    mujoco.mj_forward(model, data)
    applied, loads, accelerations = data.qfrc_applied.copy(), data.xfrc_applied.copy(), data.qacc.copy()
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, mass, data.qM)

    wanted = rng.uniform(-10, 10, model.nv)
    data.qfrc_applied[:] = 0
    data.xfrc_applied[:] = 0
    data.qacc[:] = wanted
    mujoco.mj_inverse(model, data)
    forces = data.qfrc_inverse.copy()

    change = np.eye(model.nv)
    if described[0][0] == FREE:
        change[3:6, 3:6] = data.xmat[1].reshape(3, 3).T
    back = change.T
    out = [model.nbody - 1, model.nv, *model.opt.gravity]
    positions = []
    for i in range(1, model.nbody):
        kind, axis, second, anchor, armature = described[i - 1]
        free = kind == FREE
        out += [model.body_parentid[i] - 1, kind]
        out += [0, 0, 0] if free else list(model.body_pos[i])
        out += [0, 0, 0, 1] if free else xyzw(model.body_quat[i])
        out += [*axis, *second, *anchor]
        out += [model.body_mass[i], *model.body_ipos[i], *model.body_inertia[i], *xyzw(model.body_iquat[i])]
        out += [*loads[i], armature]
        first, count = model.body_jntadr[i], model.body_jntnum[i]
        q = data.qpos[model.jnt_qposadr[first] :] if count else []
        positions += list(q[:3]) + xyzw(q[3:7]) if free else xyzw(q[:4]) if kind == BALL else list(q[:count])
    out += [*positions, *(back @ data.qvel), *(back @ applied), *(back @ accelerations)]
    out += [*(back @ wanted), *(back @ forces)]
    mass = back @ mass @ change
    out += [mass[r, c] for r in range(model.nv) for c in range(r + 1)]
    return out


def main():
    rng = np.random.default_rng(6)
    numbers = []
    for case in range(200):
        # 3 to 40 joints, more of the small ones: the matrices of the large ones fill the file.
        joints = 3 + round(37 * (case / 199) ** 3)
        numbers += record(rng, *tree(rng, joints, case % 2 == 1))
    np.array(numbers, dtype="<f8").tofile("trees.bin")
    print(f"{len(numbers) * 8} bytes")


if __name__ == "__main__":
    main()
