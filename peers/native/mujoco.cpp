// MuJoCo: its default options, one thread. Articulations are its own trees, motors the springs and dampers of their joints, whose
// damping it takes implicitly. Bodies whose joints form trees are given as trees too; nets with loops as free bodies with
// equality constraints.
#include "flat.hpp"

#include <mujoco/mujoco.h>

#include <cstring>
#include <functional>
#include <numeric>

namespace {
class MuJoCo : public flat::Engine {
public:
    std::string name() const override { return "mujoco"; }
    std::string version() const override { return mj_versionString(); }
    std::string settings() const override { return "Newton solver, pyramidal cone, Euler, timestep 1/60 s"; }

    void build(const flat::World& list, int threads) override {
        if (threads > 1) throw flat::Unsupported("threads in this driver");
        for (const flat::Shape& shape : list.shapes)
            if (shape.kind == flat::Shape::Mesh) throw flat::Unsupported("concave meshes");
        bodies = list.bodies;
        for (const flat::Tree& tree : list.trees) check(tree);
        std::string model = describe(list);
        mjVFS files;
        mj_defaultVFS(&files);
        mj_addBufferVFS(&files, "list.xml", model.data(), int(model.size()));
        char error[1000] = "";
        m = mj_loadXML("list.xml", &files, error, sizeof error);
        mj_deleteVFS(&files);
        if (!m) throw std::runtime_error(error);
        d = mj_makeData(m);
        if (!d) throw std::runtime_error("no memory for its data");
        for (size_t i = 0; i < bodies.size(); ++i) ids.push_back(mj_name2id(m, mjOBJ_BODY, ("b" + std::to_string(i)).c_str()));
        for (size_t i = 0; i < bodies.size(); ++i) {
            const flat::Body& body = bodies[i];
            if (body.kind != flat::Body::Dynamic || m->body_dofnum[ids[i]] != 6) continue;
            // Free joints: the linear velocity of the origin in the world, the angular one in the frame of the body.
            mjtNum* v = d->qvel + m->body_dofadr[ids[i]];
            flat::Vec linear = body.linear - flat::cross(body.angular, flat::rotate(body.pose.q, body.centre));
            flat::Vec angular = flat::rotate(flat::conjugate(body.pose.q), body.angular);
            const double all[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
            std::copy(all, all + 6, v);
        }
        for (const flat::Tree& tree : list.trees)
            for (const flat::Link& link : tree.links) start(link);
        mj_forward(m, d);
    }
    void step(double dt) override {
        for (size_t i = 0; i < bodies.size(); ++i) {
            if (bodies[i].kind != flat::Body::Kinematic) continue;
            int mocap = m->body_mocapid[ids[i]];
            flat::Pose& at = bodies[i].pose;
            at.p = at.p + bodies[i].linear * dt;
            flat::Vec half = bodies[i].angular * (0.5 * dt);
            double angle = std::sqrt(half.x * half.x + half.y * half.y + half.z * half.z);
            double s = angle > 0 ? std::sin(angle) / angle : 1;
            at.q = flat::Quat{half.x * s, half.y * s, half.z * s, std::cos(angle)} * at.q;
            const double p[3] = {at.p.x, at.p.y, at.p.z}, q[4] = {at.q.w, at.q.x, at.q.y, at.q.z};
            std::copy(p, p + 3, d->mocap_pos + 3 * mocap);
            std::copy(q, q + 4, d->mocap_quat + 4 * mocap);
        }
        mj_step(m, d);
        placed = false;
        // It starts again from the beginning when its state stops being finite; that is no result.
        for (int warning : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC})
            if (d->warning[warning].number > 0) throw std::runtime_error("its state blew up and was reset");
    }
    flat::State state(size_t i) override {
        place();
        const mjtNum *p = d->xpos + 3 * ids[i], *q = d->xquat + 4 * ids[i];
        mjtNum v[6];
        mj_objectVelocity(m, d, mjOBJ_BODY, ids[i], v, 0);
        return {{{p[0], p[1], p[2]}, {q[1], q[2], q[3], q[0]}}, {v[3], v[4], v[5]}, {v[0], v[1], v[2]}};
    }
    double cast(const flat::Ray& ray) override {
        double length = std::sqrt(ray.way.x * ray.way.x + ray.way.y * ray.way.y + ray.way.z * ray.way.z);
        const mjtNum from[3] = {ray.from.x, ray.from.y, ray.from.z};
        const mjtNum way[3] = {ray.way.x / length, ray.way.y / length, ray.way.z / length};
        int geom[1] = {-1};
        place();
#if mjVERSION_HEADER >= 3004000 || (mjVERSION_HEADER >= 340 && mjVERSION_HEADER < 1000)
        mjtNum far = mj_ray(m, d, from, way, nullptr, 1, -1, geom, nullptr);
#else
        mjtNum far = mj_ray(m, d, from, way, nullptr, 1, -1, geom);
#endif
        return far >= 0 && far <= length ? far : -1;
    }
    bool has_trees() const override { return true; }
    long contacts() override { return d->ncon; }
    void save_and_restore() override {
        saved.resize(mj_stateSize(m, mjSTATE_INTEGRATION));
        mj_getState(m, d, saved.data(), mjSTATE_INTEGRATION);
        mj_setState(m, d, saved.data(), mjSTATE_INTEGRATION);
    }

private:
    // A step ends with the integration: where that brought the bodies is found when somebody asks.
    void place() {
        if (!placed) mj_forward(m, d);
        placed = true;
    }
    bool placed = true;
    // What of a tree its joints can be: springs and motors without a greatest force, which are springs and dampers too.
    static void check(const flat::Tree& tree) {
        if (tree.couplings > 0) throw flat::Unsupported("couplings in this driver");
        for (const flat::Link& link : tree.links) {
            if (link.joint == "helical" || link.joint == "planar") throw flat::Unsupported(link.joint + " joints in this driver");
            if (link.massless) throw flat::Unsupported("links without mass");
            if (link.swing) throw flat::Unsupported("limits of swing and twist in this driver");
            if (link.joint == "free" && link.parent >= 0) throw flat::Unsupported("free joints between links");
            for (const flat::Dof& dof : link.dofs) {
                bool held = std::isinf(dof.motor_damping), moved = dof.motor_damping > 0 && dof.motor_speed != 0;
                bool driven = dof.motor_stiffness > 0 || dof.motor_damping > 0;
                if (held || moved || (driven && std::isfinite(dof.motor_force)) || dof.force != 0)
                    throw flat::Unsupported("such motors in this driver");
                if (dof.stiffness > 0 && dof.motor_stiffness > 0) throw flat::Unsupported("a spring beside a motor in this driver");
                const flat::Dof& first = link.dofs[0];
                // A ball has one of each for all its axes.
                bool alike = dof.stiffness == first.stiffness && dof.damping == first.damping && dof.friction == first.friction &&
                             dof.armature == first.armature && dof.motor_stiffness == first.motor_stiffness &&
                             dof.motor_damping == first.motor_damping;
                if (link.joint == "spherical" && (dof.limited() || !alike))
                    throw flat::Unsupported("balls with limits, or whose axes differ");
            }
        }
    }
    // A quaternion of a joint's frame, as its balls have it: in the frame of the link, w first.
    static void ball(const flat::Link& link, const std::vector<double>& q, mjtNum* out) {
        flat::Quat own = link.on_link.q * flat::Quat{q[0], q[1], q[2], q[3]} * flat::conjugate(link.on_link.q);
        const double all[4] = {own.w, own.x, own.y, own.z};
        std::copy(all, all + 4, out);
    }
    // Coordinates, velocities and where springs rest. Links that are free stand and move as their bodies do.
    void start(const flat::Link& link) {
        if (link.joint == "free" || link.joint == "fixed") return;
        int body = ids[link.body], first = m->body_jntadr[body], q = m->jnt_qposadr[first], v = m->jnt_dofadr[first];
        const std::vector<double>& rest = link.dofs[0].motor_stiffness > 0 ? link.target : link.rest;
        if (link.joint == "spherical") {
            ball(link, link.position, d->qpos + q);
            ball(link, rest, m->qpos_spring + q);
            flat::Vec spin = flat::rotate(link.on_link.q, {link.velocity[0], link.velocity[1], link.velocity[2]});
            const double all[3] = {spin.x, spin.y, spin.z};
            std::copy(all, all + 3, d->qvel + v);
            return;
        }
        for (size_t i = 0; i < link.dofs.size(); ++i) {
            d->qpos[q + i] = link.position[i];
            d->qvel[v + i] = link.velocity[i];
            m->qpos_spring[q + i] = link.dofs[i].motor_stiffness > 0 ? link.target[i] : link.rest[i];
        }
    }
    static void put_joints(std::ostream& out, const flat::Link& link) {
        if (link.joint == "free") { out << "<freejoint/>"; return; }
        if (link.joint == "fixed") return;
        bool round = link.joint == "spherical";
        for (size_t i = 0; i < (round ? 1 : link.dofs.size()); ++i) {
            const flat::Dof& dof = link.dofs[i];
            bool slides = link.joint == "prismatic" || (link.joint == "cylindrical" && i == 1);
            out << "<joint type=\"" << (round ? "ball" : slides ? "slide" : "hinge") << "\" pos=\"";
            put(out, link.on_link.p);
            if (!round) {
                out << "\" axis=\"";
                put(out, flat::rotate(link.on_link.q, link.axes[link.joint == "universal" ? i : 0]));
            }
            out << "\" stiffness=\"" << dof.stiffness + dof.motor_stiffness << "\" damping=\"" << dof.damping + dof.motor_damping
                << "\" frictionloss=\"" << dof.friction << "\" armature=\"" << dof.armature << "\"";
            if (dof.limited()) {
                double low = std::isfinite(dof.low) ? dof.low : -1e10, high = std::isfinite(dof.high) ? dof.high : 1e10;
                out << " limited=\"true\" range=\"" << low << ' ' << high << "\"";
            }
            out << "/>";
        }
    }

    static void put(std::ostream& out, flat::Vec v) { out << v.x << ' ' << v.y << ' ' << v.z; }
    static void put(std::ostream& out, const flat::Pose& pose) {
        out << " pos=\"";
        put(out, pose.p);
        out << "\" quat=\"" << pose.q.w << ' ' << pose.q.x << ' ' << pose.q.y << ' ' << pose.q.z << "\"";
    }

    static std::string describe(const flat::World& list) {
        std::ostringstream out;
        out.precision(17);
        out << "<mujoco><compiler angle=\"radian\" balanceinertia=\"true\"/><size memory=\"4G\"/><option timestep=\"0.016666666666666666\" gravity=\"";
        put(out, list.gravity);
        out << "\"/><asset>";
        for (size_t i = 0; i < list.shapes.size(); ++i) {
            if (list.shapes[i].kind != flat::Shape::Hull) continue;
            out << "<mesh name=\"s" << i << "\" vertex=\"";
            for (flat::Vec p : list.shapes[i].points) { put(out, p); out << ' '; }
            out << "\"/>";
        }
        out << "</asset><worldbody>";

        // Joints form trees where none closes a loop.
        std::vector<int> root(list.bodies.size() + 1);
        std::iota(root.begin(), root.end(), 0);
        std::function<int(int)> find = [&](int i) { return root[i] == i ? i : root[i] = find(root[i]); };
        bool trees = true;
        for (const flat::Joint& joint : list.joints) {
            int a = find(joint.a + 1), b = find(joint.b + 1);
            trees = trees && a != b;
            root[a] = b;
        }
        std::vector<std::vector<int>> of_body(list.bodies.size());
        std::vector<int> held(list.bodies.size(), -1); // the joint with the world
        for (size_t i = 0; i < list.joints.size() && trees; ++i) {
            const flat::Joint& joint = list.joints[i];
            if (joint.a >= 0 && joint.b >= 0) {
                of_body[joint.a].push_back(int(i));
                of_body[joint.b].push_back(int(i));
            } else held[joint.a < 0 ? joint.b : joint.a] = int(i);
        }
        // Links, and the tree of each, which begins with 1.
        std::vector<const flat::Link*> links(list.bodies.size(), nullptr);
        std::vector<int> tree_of(list.bodies.size(), 0);
        std::vector<std::vector<int>> children(list.bodies.size());
        for (size_t t = 0; t < list.trees.size(); ++t) {
            const flat::Tree& tree = list.trees[t];
            if (t >= 30 && !tree.self_collision) throw flat::Unsupported("so many trees in this driver");
            for (const flat::Link& link : tree.links) {
                links[link.body] = &link;
                tree_of[link.body] = tree.self_collision ? 0 : int(t) + 1;
                if (link.parent >= 0) children[tree.links[link.parent].body].push_back(link.body);
            }
        }
        for (const flat::Joint& joint : list.joints)
            if ((joint.a >= 0 && links[joint.a]) || (joint.b >= 0 && links[joint.b]))
                throw flat::Unsupported("joints on links in this driver");
        std::vector<bool> done(list.bodies.size(), false);
        std::function<void(int, int, flat::Pose)> write = [&](int index, int by, flat::Pose parent) {
            const flat::Body& body = list.bodies[index];
            const flat::Link* link = links[index];
            done[index] = true;
            flat::Quat back = flat::conjugate(parent.q);
            flat::Pose local{flat::rotate(back, body.pose.p - parent.p), back * body.pose.q};
            // Links are described where their coordinates are 0.
            if (link && link->joint != "free") {
                flat::Quat turn = flat::conjugate(link->on_link.q);
                local = link->on_parent * flat::Pose{flat::rotate(turn, link->on_link.p) * -1.0, turn};
            }
            out << "<body name=\"b" << index << "\"";
            put(out, local);
            if (body.kind == flat::Body::Kinematic) out << " mocap=\"true\"";
            out << ">";
            if (body.kind == flat::Body::Dynamic) {
                out << "<inertial pos=\"";
                put(out, body.centre);
                out << "\" mass=\"" << body.mass << "\" fullinertia=\"";
                for (double moment : body.inertia) out << moment << ' ';
                out << "\"/>";
                if (link) put_joints(out, *link);
                else if (by < 0) out << "<freejoint/>";
                else {
                    const flat::Joint& joint = list.joints[by];
                    bool is_b = joint.b == index;
                    const flat::Pose& frame = is_b ? joint.frame_b : joint.frame_a;
                    if (joint.kind != flat::Joint::Fixed) {
                        out << "<joint type=\"" << (joint.kind == flat::Joint::Ball ? "ball" : "hinge") << "\" pos=\"";
                        put(out, frame.p);
                        out << "\"";
                        if (joint.kind == flat::Joint::Hinge) {
                            out << " axis=\"";
                            put(out, flat::rotate(frame.q, {is_b ? 1.0 : -1.0, 0, 0}));
                            out << "\"";
                            if (joint.limited()) out << " limited=\"true\" range=\"" << joint.low << ' ' << joint.high << "\"";
                        }
                        out << "/>";
                    }
                }
            }
            for (const flat::Collider& collider : body.colliders) {
                const flat::Shape& shape = list.shapes[collider.shape];
                flat::Pose pose = collider.pose;
                const double r = std::sqrt(0.5);
                out << "<geom friction=\"" << collider.friction << " 0.005 0.0001\"";
                // Links of a tree meet everything but each other: they are of a kind of their own, and meet all others.
                if (int tree = tree_of[index])
                    out << " contype=\"" << (1 << tree) << "\" conaffinity=\"" << (0x7fffffff & ~(1 << tree)) << "\"";
                out << " type=\"";
                switch (shape.kind) {
                case flat::Shape::Ball: out << "sphere\" size=\"" << shape.radius << "\""; break;
                case flat::Shape::Box: out << "box\" size=\""; put(out, shape.half); out << "\""; break;
                case flat::Shape::Capsule:
                    out << "capsule\" size=\"" << shape.radius << ' ' << shape.length << "\"";
                    pose = pose * flat::Pose{{}, {-r, 0, 0, r}}; // along z there, along y here
                    break;
                case flat::Shape::Plane:
                    out << "plane\" size=\"0 0 1\"";
                    pose = pose * flat::Pose{shape.normal * shape.offset, flat::slab(shape).pose.q * flat::Quat{-r, 0, 0, r}};
                    break;
                default: out << "mesh\" mesh=\"s" << collider.shape << "\""; break;
                }
                put(out, pose);
                out << "/>";
            }
            for (int child : children[index]) write(child, -1, body.pose);
            for (int next : of_body[index]) {
                const flat::Joint& joint = list.joints[next];
                int other = joint.a == index ? joint.b : joint.a;
                if (!done[other]) write(other, next, body.pose);
            }
            out << "</body>";
        };
        for (size_t i = 0; i < list.bodies.size(); ++i)
            if (!done[i] && held[i] >= 0) write(int(i), held[i], {});
        for (size_t i = 0; i < list.bodies.size(); ++i)
            if (!done[i] && !(links[i] && links[i]->parent >= 0)) write(int(i), -1, {});
        out << "</worldbody>";
        if (!trees) {
            auto body = [](int i) { return i < 0 ? std::string("world") : "b" + std::to_string(i); };
            out << "<equality>";
            for (const flat::Joint& joint : list.joints) {
                if (joint.kind != flat::Joint::Ball) throw flat::Unsupported("hinges in loops in this driver");
                out << "<connect body1=\"" << body(joint.a) << "\" body2=\"" << body(joint.b) << "\" anchor=\"";
                put(out, joint.frame_a.p);
                out << "\"/>";
            }
            out << "</equality><contact>";
            for (const flat::Joint& joint : list.joints)
                if (joint.a >= 0 && joint.b >= 0)
                    out << "<exclude body1=\"" << body(joint.a) << "\" body2=\"" << body(joint.b) << "\"/>";
            out << "</contact>";
        }
        out << "</mujoco>";
        return out.str();
    }

    mjModel* m = nullptr;
    mjData* d = nullptr;
    std::vector<flat::Body> bodies;
    std::vector<int> ids;
    std::vector<mjtNum> saved;
};
} // namespace

int main(int argc, char** argv) {
    auto* engine = new MuJoCo; // lives as long as the process
    return flat::drive(argc, argv, *engine);
}
