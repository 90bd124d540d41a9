// ODE: its iterative solver (QuickStep) with default settings, sleep off, one thread.
#include "flat.hpp"

#include <ode/ode.h>

#include <algorithm>
#include <set>

namespace {
const int CONTACTS = 8;

void place(dGeomID geom, flat::Pose pose, bool offset) {
    dQuaternion q = {pose.q.w, pose.q.x, pose.q.y, pose.q.z};
    if (offset) {
        dGeomSetOffsetPosition(geom, pose.p.x, pose.p.y, pose.p.z);
        dGeomSetOffsetQuaternion(geom, q);
    } else {
        dGeomSetPosition(geom, pose.p.x, pose.p.y, pose.p.z);
        dGeomSetQuaternion(geom, q);
    }
}

class Ode : public flat::Engine {
public:
    std::string name() const override { return "ode"; }
    std::string version() const override { return ENGINE_VERSION; }
    std::string settings() const override { return "QuickStep, 20 iterations, ERP 0.2, hash space"; }

    void build(const flat::World& list, int threads) override {
        if (threads > 1) throw flat::Unsupported("threads in this driver");
        dInitODE2(0);
        world = dWorldCreate();
        space = dHashSpaceCreate(nullptr);
        contacts = dJointGroupCreate(0);
        dWorldSetGravity(world, list.gravity.x, list.gravity.y, list.gravity.z);
        dWorldSetAutoDisableFlag(world, 0);
        for (const flat::Body& body : list.bodies) {
            bool moves = body.kind != flat::Body::Fixed;
            dBodyID made = nullptr;
            flat::Vec centre = body.kind == flat::Body::Dynamic ? body.centre : flat::Vec{};
            if (moves) {
                made = dBodyCreate(world);
                flat::Vec at = body.pose.p + flat::rotate(body.pose.q, centre);
                dQuaternion q = {body.pose.q.w, body.pose.q.x, body.pose.q.y, body.pose.q.z};
                dBodySetPosition(made, at.x, at.y, at.z);
                dBodySetQuaternion(made, q);
                dBodySetLinearVel(made, body.linear.x, body.linear.y, body.linear.z);
                dBodySetAngularVel(made, body.angular.x, body.angular.y, body.angular.z);
            }
            if (body.kind == flat::Body::Kinematic) dBodySetKinematic(made);
            if (body.kind == flat::Body::Dynamic) {
                const double* i = body.inertia;
                dMass mass;
                dMassSetParameters(&mass, body.mass, 0, 0, 0, i[0], i[1], i[2], i[3], i[4], i[5]);
                dBodySetMass(made, &mass);
            }
            for (const flat::Collider& collider : body.colliders) {
                friction = collider.friction;
                restitution = collider.restitution;
                const flat::Shape& shape = list.shapes[collider.shape];
                flat::Pose pose = collider.pose;
                const double r = std::sqrt(0.5);
                dGeomID geom;
                switch (shape.kind) {
                case flat::Shape::Plane: {
                    // Planes are given in the world.
                    flat::Pose whole = body.pose * pose;
                    flat::Vec n = flat::rotate(whole.q, shape.normal);
                    dCreatePlane(space, n.x, n.y, n.z, shape.offset + n.x * whole.p.x + n.y * whole.p.y + n.z * whole.p.z);
                    continue;
                }
                case flat::Shape::Ball: geom = dCreateSphere(space, shape.radius); break;
                case flat::Shape::Box: geom = dCreateBox(space, 2 * shape.half.x, 2 * shape.half.y, 2 * shape.half.z); break;
                case flat::Shape::Capsule:
                    geom = dCreateCapsule(space, shape.radius, 2 * shape.length);
                    pose = pose * flat::Pose{{}, {-r, 0, 0, r}}; // along z there, along y here
                    break;
                case flat::Shape::Hull: throw flat::Unsupported("contacts between hulls that hold");
                default: {
                    auto* points = new std::vector<float>;
                    for (flat::Vec p : shape.points) points->insert(points->end(), {float(p.x), float(p.y), float(p.z)});
                    auto* indices = new std::vector<dTriIndex>(shape.triangles.begin(), shape.triangles.end());
                    dTriMeshDataID data = dGeomTriMeshDataCreate();
                    dGeomTriMeshDataBuildSingle(data, points->data(), 3 * sizeof(float), int(points->size() / 3), indices->data(),
                                                int(indices->size()), 3 * sizeof(dTriIndex));
                    geom = dCreateTriMesh(space, data, nullptr, nullptr, nullptr);
                }
                }
                if (moves) {
                    dGeomSetBody(geom, made);
                    place(geom, {pose.p - centre, pose.q}, true);
                } else place(geom, body.pose * pose, false);
            }
            bodies.push_back(made);
            starts.push_back(body);
        }
        for (const flat::Joint& joint : list.joints) {
            dBodyID a = joint.a < 0 ? nullptr : bodies[joint.a], b = joint.b < 0 ? nullptr : bodies[joint.b];
            flat::Pose whole = joint.a < 0 ? joint.frame_a : list.bodies[joint.a].pose * joint.frame_a;
            flat::Vec axis = flat::rotate(whole.q, {1, 0, 0});
            if (joint.kind == flat::Joint::Ball) {
                dJointID made = dJointCreateBall(world, nullptr);
                dJointAttach(made, a, b);
                dJointSetBallAnchor(made, whole.p.x, whole.p.y, whole.p.z);
            } else if (joint.kind == flat::Joint::Hinge) {
                dJointID made = dJointCreateHinge(world, nullptr);
                dJointAttach(made, a, b);
                dJointSetHingeAnchor(made, whole.p.x, whole.p.y, whole.p.z);
                dJointSetHingeAxis(made, axis.x, axis.y, axis.z);
                // It measures the turn of A as seen from B.
                if (joint.limited()) {
                    dJointSetHingeParam(made, dParamLoStop, -joint.high);
                    dJointSetHingeParam(made, dParamHiStop, -joint.low);
                }
            } else {
                dJointID made = dJointCreateFixed(world, nullptr);
                dJointAttach(made, a, b);
                dJointSetFixed(made);
            }
            if (a && b) joined.insert(std::minmax(a, b));
        }
    }
    void step(double dt) override {
        dSpaceCollide(space, this, &Ode::near);
        dWorldQuickStep(world, dt);
        dJointGroupEmpty(contacts);
    }
    flat::State state(size_t i) override {
        if (!bodies[i]) return {starts[i].pose, {}, {}};
        const dReal *p = dBodyGetPosition(bodies[i]), *r = dBodyGetQuaternion(bodies[i]);
        const dReal *l = dBodyGetLinearVel(bodies[i]), *w = dBodyGetAngularVel(bodies[i]);
        flat::Quat turn{r[1], r[2], r[3], r[0]};
        flat::Vec centre = starts[i].kind == flat::Body::Dynamic ? starts[i].centre : flat::Vec{};
        flat::Vec at = flat::Vec{p[0], p[1], p[2]} - flat::rotate(turn, centre);
        return {{at, turn}, {l[0], l[1], l[2]}, {w[0], w[1], w[2]}};
    }

private:
    static void near(void* self, dGeomID one, dGeomID two) {
        auto* ode = static_cast<Ode*>(self);
        dBodyID a = dGeomGetBody(one), b = dGeomGetBody(two);
        if ((!a && !b) || a == b || (a && b && ode->joined.count(std::minmax(a, b)))) return;
        dContact contact[CONTACTS];
        int count = dCollide(one, two, CONTACTS, &contact[0].geom, sizeof(dContact));
        for (int i = 0; i < count; ++i) {
            contact[i].surface.mode = ode->restitution > 0 ? dContactBounce | dContactApprox1 : dContactApprox1;
            contact[i].surface.mu = ode->friction;
            contact[i].surface.bounce = ode->restitution;
            contact[i].surface.bounce_vel = 1;
            dJointAttach(dJointCreateContact(ode->world, ode->contacts, &contact[i]), a, b);
        }
    }

    dWorldID world{};
    dSpaceID space{};
    dJointGroupID contacts{};
    double friction = 0.5, restitution = 0; // the same everywhere
    std::vector<dBodyID> bodies;
    std::vector<flat::Body> starts;
    std::set<std::pair<dBodyID, dBodyID>> joined;
};
} // namespace

int main(int argc, char** argv) {
    auto* engine = new Ode; // lives as long as the process
    return flat::drive(argc, argv, *engine);
}
