// Box3D: its defaults, four sub-steps as in its samples, sleep off.
#include "flat.hpp"
#include "box3d/box3d.h"
#include "box3d/collision.h"

using namespace flat;

namespace {
const int SUB_STEPS = 4;

b3Vec3 v(Vec a) { return {float(a.x), float(a.y), float(a.z)}; }
b3Quat q(Quat a) { return {{float(a.x), float(a.y), float(a.z)}, float(a.w)}; }
b3Transform t(Pose a) { return {v(a.p), q(a.q)}; }
Vec u(b3Vec3 a) { return {a.x, a.y, a.z}; }

class Box3D : public Engine {
public:
    std::string name() const override { return "box3d"; }
    std::string version() const override {
        b3Version version = b3GetVersion();
        return std::to_string(version.major) + "." + std::to_string(version.minor) + "." + std::to_string(version.revision);
    }
    std::string settings() const override { return "4 sub-steps, contact 30 Hz, damping ratio 10, continuous on"; }

    void build(const flat::World& world, int threads) override {
        b3WorldDef def = b3DefaultWorldDef();
        def.gravity = v(world.gravity);
        def.enableSleep = false;
        def.workerCount = threads;
        id = b3CreateWorld(&def);
        std::vector<b3HullData*> hulls(world.shapes.size(), nullptr);
        std::vector<b3MeshData*> meshes(world.shapes.size(), nullptr);
        for (size_t i = 0; i < world.shapes.size(); ++i) {
            const Shape& shape = world.shapes[i];
            std::vector<b3Vec3> points;
            for (Vec p : shape.points) points.push_back(v(p));
            if (shape.kind == Shape::Hull) hulls[i] = b3CreateHull(points.data(), int(points.size()), int(points.size()));
            if (shape.kind == Shape::Mesh) {
                std::vector<int32_t> indices(shape.triangles.begin(), shape.triangles.end());
                std::vector<uint8_t> materials(indices.size() / 3, 0);
                b3MeshDef mesh = {};
                mesh.vertices = points.data();
                mesh.indices = indices.data();
                mesh.materialIndices = materials.data();
                mesh.vertexCount = int(points.size());
                mesh.triangleCount = int(indices.size() / 3);
                mesh.identifyEdges = true;
                meshes[i] = b3CreateMesh(&mesh, nullptr, 0);
            }
        }
        for (const Body& body : world.bodies) {
            b3BodyDef desc = b3DefaultBodyDef();
            desc.type = body.kind == Body::Fixed ? b3_staticBody : body.kind == Body::Kinematic ? b3_kinematicBody : b3_dynamicBody;
            desc.position = v(body.pose.p);
            desc.rotation = q(body.pose.q);
            desc.enableSleep = false;
            desc.angularVelocity = v(body.angular);
            // Descriptions give the velocity of the origin.
            desc.linearVelocity = v(body.linear - cross(body.angular, rotate(body.pose.q, body.centre)));
            b3BodyId made = b3CreateBody(id, &desc);
            for (const Collider& collider : body.colliders) {
                b3ShapeDef def = b3DefaultShapeDef();
                def.baseMaterial.friction = float(collider.friction);
                def.baseMaterial.restitution = float(collider.restitution);
                def.updateBodyMass = false;
                const Shape& shape = world.shapes[collider.shape];
                switch (shape.kind) {
                case Shape::Ball: {
                    b3Sphere sphere = {v(collider.pose.p), float(shape.radius)};
                    b3CreateSphereShape(made, &def, &sphere);
                    break;
                }
                case Shape::Capsule: {
                    Vec up = rotate(collider.pose.q, {0, shape.length, 0});
                    b3Capsule capsule = {v(collider.pose.p + up), v(collider.pose.p - up), float(shape.radius)};
                    b3CreateCapsuleShape(made, &def, &capsule);
                    break;
                }
                case Shape::Plane:
                case Shape::Box: {
                    Slab box = shape.kind == Shape::Plane ? slab(shape) : Slab{{}, shape.half};
                    Pose pose = collider.pose * box.pose;
                    b3BoxHull hull = b3MakeTransformedBoxHull(float(box.half.x), float(box.half.y), float(box.half.z), t(pose));
                    b3CreateHullShape(made, &def, &hull.base);
                    break;
                }
                case Shape::Hull:
                    b3CreateTransformedHullShape(made, &def, hulls[collider.shape], t(collider.pose), {1, 1, 1});
                    break;
                case Shape::Mesh:
                    def.materials = &def.baseMaterial;
                    def.materialCount = 1;
                    b3CreateMeshShape(made, &def, meshes[collider.shape], {1, 1, 1});
                    break;
                }
            }
            if (body.kind == Body::Dynamic) {
                const double* i = body.inertia;
                b3MassData mass = {};
                mass.mass = float(body.mass);
                mass.center = v(body.centre);
                mass.inertia = {{float(i[0]), float(i[3]), float(i[4])}, {float(i[3]), float(i[1]), float(i[5])},
                                {float(i[4]), float(i[5]), float(i[2])}};
                b3Body_SetMassData(made, mass);
                b3Body_SetLinearVelocity(made, v(body.linear));
            }
            bodies.push_back(made);
        }
        b3BodyDef desc = b3DefaultBodyDef();
        b3BodyId ground = b3CreateBody(id, &desc);
        const double r = std::sqrt(0.5);
        const Quat x_to_z{0, r, 0, r}; // turns z, the axis of its hinges, to x
        for (const Joint& joint : world.joints) {
            auto base = [&](b3JointDef& base, Quat turn) {
                base.bodyIdA = joint.a < 0 ? ground : bodies[joint.a];
                base.bodyIdB = joint.b < 0 ? ground : bodies[joint.b];
                base.localFrameA = t({joint.frame_a.p, joint.frame_a.q * turn});
                base.localFrameB = t({joint.frame_b.p, joint.frame_b.q * turn});
                base.collideConnected = false;
            };
            if (joint.kind == Joint::Ball) {
                b3SphericalJointDef def = b3DefaultSphericalJointDef();
                base(def.base, {});
                b3CreateSphericalJoint(id, &def);
            } else if (joint.kind == Joint::Hinge) {
                b3RevoluteJointDef def = b3DefaultRevoluteJointDef();
                base(def.base, x_to_z);
                def.enableLimit = joint.limited();
                if (joint.limited()) { def.lowerAngle = float(joint.low); def.upperAngle = float(joint.high); }
                b3CreateRevoluteJoint(id, &def);
            } else {
                b3WeldJointDef def = b3DefaultWeldJointDef();
                base(def.base, {});
                b3CreateWeldJoint(id, &def);
            }
        }
    }
    void step(double dt) override { b3World_Step(id, float(dt), SUB_STEPS); }
    State state(size_t i) override {
        b3Pos p = b3Body_GetPosition(bodies[i]);
        b3Quat r = b3Body_GetRotation(bodies[i]);
        return {{{p.x, p.y, p.z}, {r.v.x, r.v.y, r.v.z, r.s}}, u(b3Body_GetLinearVelocity(bodies[i])), u(b3Body_GetAngularVelocity(bodies[i]))};
    }
    double cast(const Ray& ray) override {
        b3RayResult hit = b3World_CastRayClosest(id, v(ray.from), v(ray.way), b3DefaultQueryFilter());
        if (!hit.hit) return -1;
        return hit.fraction * std::sqrt(ray.way.x * ray.way.x + ray.way.y * ray.way.y + ray.way.z * ray.way.z);
    }

private:
    b3WorldId id{};
    std::vector<b3BodyId> bodies;
};
} // namespace

int main(int argc, char** argv) {
    Box3D engine;
    return drive(argc, argv, engine);
}
