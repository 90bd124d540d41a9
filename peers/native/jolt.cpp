// Jolt: its default settings, sleep off.
#include "flat.hpp"

#include <Jolt/Jolt.h>

#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemSingleThreaded.h>
#include <Jolt/Core/JobSystemThreadPool.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/CastResult.h>
#include <Jolt/Physics/Collision/RayCast.h>
#include <Jolt/Physics/Collision/GroupFilterTable.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/CapsuleShape.h>
#include <Jolt/Physics/Collision/Shape/ConvexHullShape.h>
#include <Jolt/Physics/Collision/Shape/MeshShape.h>
#include <Jolt/Physics/Collision/Shape/OffsetCenterOfMassShape.h>
#include <Jolt/Physics/Collision/Shape/RotatedTranslatedShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/Collision/Shape/StaticCompoundShape.h>
#include <Jolt/Physics/Constraints/FixedConstraint.h>
#include <Jolt/Physics/Constraints/HingeConstraint.h>
#include <Jolt/Physics/Constraints/PointConstraint.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/Physics/StateRecorderImpl.h>
#include <Jolt/RegisterTypes.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace {
const JPH::ObjectLayer STILL = 0, MOVING = 1;

struct BroadLayers final : JPH::BroadPhaseLayerInterface {
    JPH::uint GetNumBroadPhaseLayers() const override { return 2; }
    JPH::BroadPhaseLayer GetBroadPhaseLayer(JPH::ObjectLayer layer) const override { return JPH::BroadPhaseLayer(JPH::uint8(layer)); }
#if defined(JPH_EXTERNAL_PROFILE) || defined(JPH_PROFILE_ENABLED)
    const char* GetBroadPhaseLayerName(JPH::BroadPhaseLayer) const override { return "layer"; }
#endif
};
struct BroadFilter final : JPH::ObjectVsBroadPhaseLayerFilter {
    bool ShouldCollide(JPH::ObjectLayer a, JPH::BroadPhaseLayer b) const override { return a == MOVING || b == JPH::BroadPhaseLayer(1); }
};
struct PairFilter final : JPH::ObjectLayerPairFilter {
    bool ShouldCollide(JPH::ObjectLayer a, JPH::ObjectLayer b) const override { return a == MOVING || b == MOVING; }
};

JPH::Vec3 v(flat::Vec a) { return {float(a.x), float(a.y), float(a.z)}; }
JPH::Quat q(flat::Quat a) { return JPH::Quat(float(a.x), float(a.y), float(a.z), float(a.w)).Normalized(); }
flat::Vec u(JPH::Vec3 a) { return {a.GetX(), a.GetY(), a.GetZ()}; }

// Bodies that a joint connects do not collide: the pairs, by index.
class Joined final : public JPH::GroupFilter {
public:
    bool CanCollide(const JPH::CollisionGroup& a, const JPH::CollisionGroup& b) const override {
        // By value: the ids are, and minmax answers with references.
        std::pair<JPH::uint32, JPH::uint32> pair = std::minmax(a.GetGroupID(), b.GetGroupID());
        return !pairs.count(pair);
    }
    std::set<std::pair<JPH::uint32, JPH::uint32>> pairs;
};

class Jolt : public flat::Engine {
public:
    std::string name() const override { return "jolt"; }
    std::string version() const override {
        return std::to_string(JPH_VERSION_MAJOR) + "." + std::to_string(JPH_VERSION_MINOR) + "." + std::to_string(JPH_VERSION_PATCH);
    }
    std::string settings() const override {
        JPH::PhysicsSettings s;
        return std::to_string(s.mNumVelocitySteps) + " velocity steps, " + std::to_string(s.mNumPositionSteps) + " position steps, 1 collision step";
    }

    void build(const flat::World& world, int threads) override {
        JPH::RegisterDefaultAllocator();
        JPH::Factory::sInstance = new JPH::Factory;
        JPH::RegisterTypes();
        temporary = std::make_unique<JPH::TempAllocatorImpl>(256 << 20);
        if (threads == 1) jobs = std::make_unique<JPH::JobSystemSingleThreaded>(JPH::cMaxPhysicsJobs);
        else jobs = std::make_unique<JPH::JobSystemThreadPool>(JPH::cMaxPhysicsJobs, JPH::cMaxPhysicsBarriers, threads - 1);
        JPH::uint count = JPH::uint(world.bodies.size()) + 1;
        JPH::uint pairs = std::min(JPH::uint(65536) * 4, 65536 + 16 * count);
        system.Init(count, 0, pairs, pairs, broad, broad_filter, pair_filter);
        system.SetGravity(v(world.gravity));
        std::vector<JPH::ShapeRefC> shapes;
        for (const flat::Shape& shape : world.shapes) shapes.push_back(make(shape));
        JPH::Ref<Joined> joined = new Joined;
        std::set<int> jointed;
        for (const flat::Joint& joint : world.joints) {
            if (joint.a < 0 || joint.b < 0) continue;
            joined->pairs.insert(std::minmax(JPH::uint32(joint.a), JPH::uint32(joint.b)));
            jointed.insert(joint.a);
            jointed.insert(joint.b);
        }
        JPH::BodyInterface& bodies = system.GetBodyInterface();
        for (size_t i = 0; i < world.bodies.size(); ++i) {
            const flat::Body& body = world.bodies[i];
            JPH::ShapeRefC shape = assemble(world, shapes, body);
            bool moving = body.kind != flat::Body::Fixed;
            JPH::EMotionType motion = body.kind == flat::Body::Fixed ? JPH::EMotionType::Static
                : body.kind == flat::Body::Kinematic ? JPH::EMotionType::Kinematic : JPH::EMotionType::Dynamic;
            JPH::BodyCreationSettings settings(shape, v(body.pose.p), q(body.pose.q), motion, moving ? MOVING : STILL);
            settings.mAllowSleeping = false;
            settings.mLinearDamping = 0;
            settings.mAngularDamping = 0;
            if (!body.colliders.empty()) {
                settings.mFriction = float(body.colliders[0].friction);
                settings.mRestitution = float(body.colliders[0].restitution);
            }
            if (moving) {
                settings.mLinearVelocity = v(body.linear);
                settings.mAngularVelocity = v(body.angular);
            }
            if (body.kind == flat::Body::Dynamic) {
                settings.mOverrideMassProperties = JPH::EOverrideMassProperties::MassAndInertiaProvided;
                settings.mMassPropertiesOverride.mMass = float(body.mass);
                const double* m = body.inertia;
                settings.mMassPropertiesOverride.mInertia = JPH::Mat44(
                    JPH::Vec4(float(m[0]), float(m[3]), float(m[4]), 0), JPH::Vec4(float(m[3]), float(m[1]), float(m[5]), 0),
                    JPH::Vec4(float(m[4]), float(m[5]), float(m[2]), 0), JPH::Vec4(0, 0, 0, 1));
            }
            if (jointed.count(int(i))) settings.mCollisionGroup = JPH::CollisionGroup(joined, JPH::uint32(i), 0);
            JPH::Body* made = bodies.CreateBody(settings);
            if (!made) throw std::runtime_error("a body was refused");
            ids.push_back(made->GetID());
            made_bodies.push_back(made);
        }
        // Static bodies are many and added at once, as its manual advises.
        std::vector<JPH::BodyID> all(ids);
        JPH::BodyInterface::AddState state = bodies.AddBodiesPrepare(all.data(), int(all.size()));
        bodies.AddBodiesFinalize(all.data(), int(all.size()), state, JPH::EActivation::Activate);
        for (const flat::Joint& joint : world.joints) {
            JPH::Body& a = joint.a < 0 ? JPH::Body::sFixedToWorld : *made_bodies[joint.a];
            JPH::Body& b = joint.b < 0 ? JPH::Body::sFixedToWorld : *made_bodies[joint.b];
            // Points and axes relative to the centres of mass.
            auto point = [&](int body, const flat::Pose& frame) {
                return v(frame.p) - (body < 0 ? JPH::Vec3::sZero() : made_bodies[body]->GetShape()->GetCenterOfMass());
            };
            auto axis = [&](const flat::Pose& frame, flat::Vec x) { return v(flat::rotate(frame.q, x)); };
            JPH::Ref<JPH::Constraint> made;
            if (joint.kind == flat::Joint::Ball) {
                JPH::PointConstraintSettings s;
                s.mSpace = JPH::EConstraintSpace::LocalToBodyCOM;
                s.mPoint1 = point(joint.a, joint.frame_a);
                s.mPoint2 = point(joint.b, joint.frame_b);
                made = s.Create(a, b);
            } else if (joint.kind == flat::Joint::Hinge) {
                JPH::HingeConstraintSettings s;
                s.mSpace = JPH::EConstraintSpace::LocalToBodyCOM;
                s.mPoint1 = point(joint.a, joint.frame_a);
                s.mPoint2 = point(joint.b, joint.frame_b);
                s.mHingeAxis1 = axis(joint.frame_a, {1, 0, 0});
                s.mHingeAxis2 = axis(joint.frame_b, {1, 0, 0});
                s.mNormalAxis1 = axis(joint.frame_a, {0, 1, 0});
                s.mNormalAxis2 = axis(joint.frame_b, {0, 1, 0});
                if (joint.limited()) {
                    // Its limits hold 0.
                    s.mLimitsMin = std::max(-JPH::JPH_PI, std::min(0.0f, float(joint.low)));
                    s.mLimitsMax = std::min(JPH::JPH_PI, std::max(0.0f, float(joint.high)));
                }
                made = s.Create(a, b);
            } else {
                JPH::FixedConstraintSettings s;
                s.mSpace = JPH::EConstraintSpace::LocalToBodyCOM;
                s.mPoint1 = point(joint.a, joint.frame_a);
                s.mPoint2 = point(joint.b, joint.frame_b);
                s.mAxisX1 = axis(joint.frame_a, {1, 0, 0});
                s.mAxisX2 = axis(joint.frame_b, {1, 0, 0});
                s.mAxisY1 = axis(joint.frame_a, {0, 1, 0});
                s.mAxisY2 = axis(joint.frame_b, {0, 1, 0});
                made = s.Create(a, b);
            }
            system.AddConstraint(made);
        }
        system.OptimizeBroadPhase();
    }
    void step(double dt) override {
        JPH::EPhysicsUpdateError error = system.Update(float(dt), 1, temporary.get(), jobs.get());
        if (error != JPH::EPhysicsUpdateError::None) throw std::runtime_error("its buffers for contacts are full");
    }
    flat::State state(size_t i) override {
        JPH::BodyInterface& bodies = system.GetBodyInterface();
        JPH::Quat r = bodies.GetRotation(ids[i]);
        JPH::Vec3 linear, angular;
        bodies.GetLinearAndAngularVelocity(ids[i], linear, angular);
        return {{u(JPH::Vec3(bodies.GetPosition(ids[i]))), {r.GetX(), r.GetY(), r.GetZ(), r.GetW()}}, u(linear), u(angular)};
    }
    double cast(const flat::Ray& ray) override {
        JPH::RayCastResult hit;
        if (!system.GetNarrowPhaseQuery().CastRay(JPH::RRayCast(JPH::RVec3(v(ray.from)), v(ray.way)), hit)) return -1;
        return hit.mFraction * v(ray.way).Length();
    }
    void save_and_restore() override {
        JPH::StateRecorderImpl recorder;
        system.SaveState(recorder);
        recorder.Rewind();
        if (!system.RestoreState(recorder)) throw std::runtime_error("the state was refused");
    }

private:
    static JPH::ShapeRefC check(const JPH::ShapeSettings& settings) {
        JPH::ShapeSettings::ShapeResult result = settings.Create();
        if (result.HasError()) throw std::runtime_error(result.GetError().c_str());
        return result.Get();
    }
    static JPH::ShapeRefC make(const flat::Shape& shape) {
        switch (shape.kind) {
        case flat::Shape::Ball: return new JPH::SphereShape(float(shape.radius));
        case flat::Shape::Box: {
            double least = std::min({shape.half.x, shape.half.y, shape.half.z});
            return check(JPH::BoxShapeSettings(v(shape.half), std::min(JPH::cDefaultConvexRadius, float(0.5 * least))));
        }
        case flat::Shape::Capsule: return new JPH::CapsuleShape(float(shape.length), float(shape.radius));
        case flat::Shape::Plane: {
            flat::Slab box = flat::slab(shape);
            return check(JPH::RotatedTranslatedShapeSettings(v(box.pose.p), q(box.pose.q), new JPH::BoxShape(v(box.half))));
        }
        case flat::Shape::Hull: {
            JPH::Array<JPH::Vec3> points;
            for (flat::Vec p : shape.points) points.push_back(v(p));
            return check(JPH::ConvexHullShapeSettings(points));
        }
        case flat::Shape::Mesh: {
            JPH::VertexList vertices;
            for (flat::Vec p : shape.points) vertices.push_back(JPH::Float3(float(p.x), float(p.y), float(p.z)));
            JPH::IndexedTriangleList triangles;
            for (size_t i = 0; i + 2 < shape.triangles.size(); i += 3)
                triangles.push_back(JPH::IndexedTriangle(shape.triangles[i], shape.triangles[i + 1], shape.triangles[i + 2], 0));
            return check(JPH::MeshShapeSettings(vertices, triangles));
        }
        }
        throw std::runtime_error("a shape of no kind");
    }
    static JPH::ShapeRefC assemble(const flat::World&, const std::vector<JPH::ShapeRefC>& shapes, const flat::Body& body) {
        auto plain = [](const flat::Pose& pose) { return pose.p.x == 0 && pose.p.y == 0 && pose.p.z == 0 && pose.q.w == 1; };
        if (body.colliders.size() == 1) {
            const flat::Collider& only = body.colliders[0];
            if (plain(only.pose)) return shapes[only.shape];
            return check(JPH::RotatedTranslatedShapeSettings(v(only.pose.p), q(only.pose.q), shapes[only.shape]));
        }
        JPH::StaticCompoundShapeSettings compound;
        for (const flat::Collider& collider : body.colliders)
            compound.AddShape(v(collider.pose.p), q(collider.pose.q), shapes[collider.shape]);
        return check(compound);
    }

    BroadLayers broad;
    BroadFilter broad_filter;
    PairFilter pair_filter;
    std::unique_ptr<JPH::TempAllocator> temporary;
    std::unique_ptr<JPH::JobSystem> jobs;
    JPH::PhysicsSystem system;
    std::vector<JPH::BodyID> ids;
    std::vector<JPH::Body*> made_bodies;
};
} // namespace

int main(int argc, char** argv) {
    JPH::RegisterDefaultAllocator();
    // Lives as long as the process: its allocator must be there before it.
    auto* engine = new Jolt;
    return flat::drive(argc, argv, *engine);
}
