// Bullet: its default solver and settings, sleep off, one thread (Debian builds it without others).
#include "flat.hpp"

#include <btBulletDynamicsCommon.h>

#include <memory>

namespace {
btVector3 v(flat::Vec a) { return {btScalar(a.x), btScalar(a.y), btScalar(a.z)}; }
btQuaternion q(flat::Quat a) { return {btScalar(a.x), btScalar(a.y), btScalar(a.z), btScalar(a.w)}; }
btTransform t(flat::Pose a) { return btTransform(q(a.q), v(a.p)); }
flat::Vec u(const btVector3& a) { return {a.x(), a.y(), a.z()}; }

class Bullet : public flat::Engine {
public:
    std::string name() const override { return "bullet"; }
    std::string version() const override { return ENGINE_VERSION; }
    std::string settings() const override { return "sequential impulse, 10 iterations, split impulse, one step of 1/60 s"; }

    void build(const flat::World& list, int threads) override {
        if (threads > 1) throw flat::Unsupported("threads in this build");
        configuration = std::make_unique<btDefaultCollisionConfiguration>();
        dispatcher = std::make_unique<btCollisionDispatcher>(configuration.get());
        broad = std::make_unique<btDbvtBroadphase>();
        solver = std::make_unique<btSequentialImpulseConstraintSolver>();
        world = std::make_unique<btDiscreteDynamicsWorld>(dispatcher.get(), broad.get(), solver.get(), configuration.get());
        world->setGravity(v(list.gravity));
        for (const flat::Shape& shape : list.shapes) shapes.push_back(make(shape));
        for (const flat::Body& body : list.bodies) {
            // Its frame is that of the principal axes: local is that frame in the frame of the list.
            btTransform local = btTransform::getIdentity();
            btVector3 moments(0, 0, 0);
            if (body.kind == flat::Body::Dynamic) {
                const double* i = body.inertia;
                btMatrix3x3 inertia(i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]), axes;
                inertia.diagonalize(axes, btScalar(1e-6), 30);
                local = btTransform(axes, v(body.centre));
                moments = {inertia[0][0], inertia[1][1], inertia[2][2]};
            }
            btTransform back = local.inverse();
            btCollisionShape* shape = nullptr;
            bool plain = body.colliders.size() == 1 && (back * t(body.colliders[0].pose)) == btTransform::getIdentity();
            if (plain) shape = shapes[body.colliders[0].shape];
            else {
                auto* compound = new btCompoundShape;
                for (const flat::Collider& collider : body.colliders)
                    compound->addChildShape(back * t(collider.pose), shapes[collider.shape]);
                shape = compound;
            }
            btRigidBody::btRigidBodyConstructionInfo info(btScalar(body.kind == flat::Body::Dynamic ? body.mass : 0), nullptr, shape, moments);
            info.m_startWorldTransform = t(body.pose) * local;
            if (!body.colliders.empty()) {
                // Bullet multiplies the coefficients of friction of a pair.
                info.m_friction = btScalar(std::sqrt(body.colliders[0].friction));
                info.m_restitution = btScalar(body.colliders[0].restitution);
            }
            auto* made = new btRigidBody(info);
            made->setActivationState(DISABLE_DEACTIVATION);
            if (body.kind == flat::Body::Kinematic) made->setCollisionFlags(made->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
            made->setLinearVelocity(v(body.linear));
            made->setAngularVelocity(v(body.angular));
            if (body.kind == flat::Body::Kinematic) kinematic.push_back({made, body});
            world->addRigidBody(made);
            bodies.push_back(made);
            locals.push_back(local);
        }
        for (const flat::Joint& joint : list.joints) {
            auto frame = [&](int body, const flat::Pose& pose) { return body < 0 ? t(pose) : locals[body].inverse() * t(pose); };
            btRigidBody& fixed = btTypedConstraint::getFixedBody();
            btRigidBody& a = joint.a < 0 ? fixed : *bodies[joint.a];
            btRigidBody& b = joint.b < 0 ? fixed : *bodies[joint.b];
            btTransform fa = frame(joint.a, joint.frame_a), fb = frame(joint.b, joint.frame_b);
            btTypedConstraint* made;
            if (joint.kind == flat::Joint::Ball) made = new btPoint2PointConstraint(a, b, fa.getOrigin(), fb.getOrigin());
            else if (joint.kind == flat::Joint::Hinge) {
                // The axis of its hinges is z.
                btTransform turn(btQuaternion(btVector3(0, 1, 0), SIMD_HALF_PI));
                auto* hinge = new btHingeConstraint(a, b, fa * turn, fb * turn);
                // It measures the turn of A as seen from B.
                if (joint.limited()) hinge->setLimit(btScalar(-joint.high), btScalar(-joint.low));
                made = hinge;
            } else made = new btFixedConstraint(a, b, fa, fb);
            world->addConstraint(made, true);
        }
    }
    void step(double dt) override {
        // Kinematic bodies are moved by their transforms.
        for (auto& [body, start] : kinematic) {
            btTransform now;
            btTransformUtil::integrateTransform(body->getWorldTransform(), v(start.linear), v(start.angular), btScalar(dt), now);
            body->setWorldTransform(now);
        }
        world->stepSimulation(btScalar(dt), 0);
    }
    flat::State state(size_t i) override {
        btTransform place = bodies[i]->getWorldTransform() * locals[i].inverse();
        btQuaternion r = place.getRotation();
        return {{u(place.getOrigin()), {r.x(), r.y(), r.z(), r.w()}}, u(bodies[i]->getLinearVelocity()), u(bodies[i]->getAngularVelocity())};
    }
    double cast(const flat::Ray& ray) override {
        btVector3 from = v(ray.from), to = v(ray.from + ray.way);
        btCollisionWorld::ClosestRayResultCallback hit(from, to);
        world->rayTest(from, to, hit);
        return hit.hasHit() ? double(hit.m_closestHitFraction * (to - from).length()) : -1;
    }

private:
    static btCollisionShape* make(const flat::Shape& shape) {
        switch (shape.kind) {
        case flat::Shape::Plane: return new btStaticPlaneShape(v(shape.normal), btScalar(shape.offset));
        case flat::Shape::Ball: return new btSphereShape(btScalar(shape.radius));
        case flat::Shape::Box: return new btBoxShape(v(shape.half));
        case flat::Shape::Capsule: return new btCapsuleShape(btScalar(shape.radius), btScalar(2 * shape.length));
        case flat::Shape::Hull: {
            auto* hull = new btConvexHullShape;
            for (flat::Vec p : shape.points) hull->addPoint(v(p), false);
            hull->recalcLocalAabb();
            hull->initializePolyhedralFeatures();
            return hull;
        }
        case flat::Shape::Mesh: {
            auto* mesh = new btTriangleMesh;
            for (size_t i = 0; i + 2 < shape.triangles.size(); i += 3)
                mesh->addTriangle(v(shape.points[shape.triangles[i]]), v(shape.points[shape.triangles[i + 1]]), v(shape.points[shape.triangles[i + 2]]));
            return new btBvhTriangleMeshShape(mesh, true);
        }
        }
        throw std::runtime_error("a shape of no kind");
    }

    std::unique_ptr<btDefaultCollisionConfiguration> configuration;
    std::unique_ptr<btCollisionDispatcher> dispatcher;
    std::unique_ptr<btDbvtBroadphase> broad;
    std::unique_ptr<btSequentialImpulseConstraintSolver> solver;
    std::unique_ptr<btDiscreteDynamicsWorld> world;
    std::vector<btCollisionShape*> shapes;
    std::vector<btRigidBody*> bodies;
    std::vector<btTransform> locals;
    std::vector<std::pair<btRigidBody*, flat::Body>> kinematic;
};
} // namespace

int main(int argc, char** argv) {
    auto* engine = new Bullet; // lives as long as the process
    return flat::drive(argc, argv, *engine);
}
