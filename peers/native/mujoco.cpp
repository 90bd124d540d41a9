// MuJoCo: its default options, one thread. Bodies whose joints form trees are given as trees, as its models are; nets with loops
// as free bodies with equality constraints.
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
        // It starts again from the beginning when its state stops being finite; that is no result.
        for (int warning : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC})
            if (d->warning[warning].number > 0) throw std::runtime_error("its state blew up and was reset");
    }
    flat::State state(size_t i) override {
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
#if mjVERSION_HEADER >= 3004000 || (mjVERSION_HEADER >= 340 && mjVERSION_HEADER < 1000)
        mjtNum far = mj_ray(m, d, from, way, nullptr, 1, -1, geom, nullptr);
#else
        mjtNum far = mj_ray(m, d, from, way, nullptr, 1, -1, geom);
#endif
        return far >= 0 && far <= length ? far : -1;
    }
    void save_and_restore() override {
        saved.resize(mj_stateSize(m, mjSTATE_INTEGRATION));
        mj_getState(m, d, saved.data(), mjSTATE_INTEGRATION);
        mj_setState(m, d, saved.data(), mjSTATE_INTEGRATION);
    }

private:
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
        std::vector<bool> done(list.bodies.size(), false);
        std::function<void(int, int, flat::Pose)> write = [&](int index, int by, flat::Pose parent) {
            const flat::Body& body = list.bodies[index];
            done[index] = true;
            flat::Quat back = flat::conjugate(parent.q);
            flat::Pose local{flat::rotate(back, body.pose.p - parent.p), back * body.pose.q};
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
                if (by < 0) out << "<freejoint/>";
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
                out << "<geom friction=\"" << collider.friction << " 0.005 0.0001\" type=\"";
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
            if (!done[i]) write(int(i), -1, {});
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
