// Reads flat lists (format: crates/tumble-scene/src/flat/mod.rs) and drives an engine through them; see ../README.md.
#pragma once
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace flat {

struct Vec { double x = 0, y = 0, z = 0; };
struct Quat { double x = 0, y = 0, z = 0, w = 1; };
struct Pose { Vec p; Quat q; };

inline Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec operator*(Vec a, double s) { return {a.x * s, a.y * s, a.z * s}; }
inline Vec cross(Vec a, Vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline Quat operator*(Quat a, Quat b) {
    return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
inline Quat conjugate(Quat q) { return {-q.x, -q.y, -q.z, q.w}; }
inline Vec rotate(Quat q, Vec v) {
    Vec u{q.x, q.y, q.z}, t = cross(u, v) * 2.0;
    return v + t * q.w + cross(u, t);
}
inline Pose operator*(Pose a, Pose b) { return {a.p + rotate(a.q, b.p), a.q * b.q}; }

struct Shape {
    enum Kind { Plane, Ball, Box, Capsule, Hull, Mesh } kind;
    Vec normal, half;       // of planes and boxes
    double offset = 0;      // of planes
    double length = 0;      // half length of capsules
    double radius = 0;      // of balls and capsules
    std::vector<Vec> points;
    std::vector<int> triangles; // three indices each
};
struct Collider { int shape; Pose pose; double friction, restitution; };
struct Body {
    enum Kind { Fixed, Kinematic, Dynamic } kind;
    Pose pose;
    Vec linear, angular; // of the centre of mass of dynamic bodies, of the origin of kinematic ones
    double mass = 0;
    Vec centre;
    double inertia[6] = {0, 0, 0, 0, 0, 0}; // xx yy zz xy xz yz about the centre of mass
    std::vector<Collider> colliders;
};
struct Joint {
    enum Kind { Ball, Hinge, Fixed } kind;
    int a, b; // -1 for the world
    Pose frame_a, frame_b;
    double low = -INFINITY, high = INFINITY;
    bool limited() const { return std::isfinite(low) && std::isfinite(high); }
};
struct Ray { Vec from, way; };
struct Dof {
    double low, high;                                      // limits
    double stiffness, damping, friction, armature, force;  // of the joint itself
    double motor_stiffness, motor_damping, motor_speed, motor_force;
    bool limited() const { return std::isfinite(low) || std::isfinite(high); }
};
struct Link {
    int body, parent; // parent: number of a link of the same tree, -1 for the world
    bool massless;
    std::string joint;
    std::vector<Vec> axes; // in the frame of the joint
    double lead = 0;
    Pose on_parent, on_link;
    std::vector<double> position, velocity, rest, target;
    std::vector<Dof> dofs;
    bool swing = false; // has limits of swing and twist
};
struct Tree {
    bool self_collision;
    std::vector<Link> links;
    int couplings;
};

struct World {
    Vec gravity;
    double length = 1;
    std::vector<Shape> shapes;
    std::vector<Body> bodies;
    std::vector<Joint> joints;
    std::vector<Tree> trees;
    std::vector<Ray> rays;
};

class Reader {
public:
    explicit Reader(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        if (!file) throw std::runtime_error("cannot open " + path);
        std::stringstream buffer;
        buffer << file.rdbuf();
        text = buffer.str();
        at = text.c_str();
    }
    std::string word() {
        while (*at && std::isspace(static_cast<unsigned char>(*at))) ++at;
        const char* start = at;
        while (*at && !std::isspace(static_cast<unsigned char>(*at))) ++at;
        if (start == at) throw std::runtime_error("the list ends too soon");
        return {start, at};
    }
    void expect(const char* wanted) {
        std::string found = word();
        if (found != wanted) throw std::runtime_error(std::string("expected ") + wanted + ", found " + found);
    }
    double number() {
        char* end;
        double value = std::strtod(at, &end);
        if (end == at) throw std::runtime_error("expected a number");
        at = end;
        return value;
    }
    int count() { return static_cast<int>(number()); }
    Vec vec() { double x = number(), y = number(), z = number(); return {x, y, z}; }
    Pose pose() {
        Pose pose;
        pose.p = vec();
        pose.q.x = number(); pose.q.y = number(); pose.q.z = number(); pose.q.w = number();
        return pose;
    }

private:
    std::string text;
    const char* at;
};

inline Tree read_tree(Reader& in) {
    in.expect("tree");
    Tree tree{};
    tree.self_collision = in.count() != 0;
    int links = in.count();
    tree.couplings = in.count();
    for (int i = 0; i < links; ++i) {
        Link link{};
        in.expect("link");
        link.body = in.count();
        link.parent = in.count();
        link.massless = in.count() != 0;
        link.joint = in.word();
        const std::string& kind = link.joint;
        int axes = kind == "fixed" || kind == "spherical" || kind == "free" ? 0 : kind == "universal" ? 2 : 1;
        for (int a = 0; a < axes; ++a) link.axes.push_back(in.vec());
        if (kind == "helical") link.lead = in.number();
        link.on_parent = in.pose();
        link.on_link = in.pose();
        int dofs = kind == "fixed" ? 0 : kind == "cylindrical" || kind == "universal" ? 2
                 : kind == "planar" || kind == "spherical" ? 3 : kind == "free" ? 6 : 1;
        int coordinates = kind == "spherical" ? 4 : kind == "free" ? 7 : dofs;
        auto list = [&](int n) { std::vector<double> all; while (n-- > 0) all.push_back(in.number()); return all; };
        link.position = list(coordinates);
        link.velocity = list(dofs);
        link.rest = list(coordinates);
        link.target = list(coordinates);
        for (int d = 0; d < dofs; ++d) {
            in.expect("dof");
            std::vector<double> n = list(11);
            link.dofs.push_back({n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10]});
        }
        in.expect("swing");
        link.swing = in.count() != 0;
        if (link.swing) list(6);
        tree.links.push_back(std::move(link));
    }
    for (int i = 0; i < tree.couplings; ++i) {
        in.expect("couple");
        for (int n = 0; n < 6; ++n) in.number();
    }
    return tree;
}

inline World read(const std::string& path) {
    Reader in(path);
    World world;
    in.expect("tumble-flat");
    int version = in.count();
    if (version < 1 || version > 2) throw std::runtime_error("a list of another version");
    in.expect("gravity"); world.gravity = in.vec();
    in.expect("length"); world.length = in.number();
    in.expect("shapes");
    for (int n = in.count(); n > 0; --n) {
        Shape shape{};
        std::string word = in.word();
        if (word == "plane") { shape.kind = Shape::Plane; shape.normal = in.vec(); shape.offset = in.number(); }
        else if (word == "ball") { shape.kind = Shape::Ball; shape.radius = in.number(); }
        else if (word == "box") { shape.kind = Shape::Box; shape.half = in.vec(); }
        else if (word == "capsule") { shape.kind = Shape::Capsule; shape.length = in.number(); shape.radius = in.number(); }
        else if (word == "hull" || word == "mesh") {
            shape.kind = word == "hull" ? Shape::Hull : Shape::Mesh;
            int points = in.count(), triangles = word == "mesh" ? in.count() : 0;
            for (int i = 0; i < points; ++i) shape.points.push_back(in.vec());
            for (int i = 0; i < 3 * triangles; ++i) shape.triangles.push_back(in.count());
        } else throw std::runtime_error("unknown shape " + word);
        world.shapes.push_back(std::move(shape));
    }
    in.expect("bodies");
    for (int n = in.count(); n > 0; --n) {
        Body body{};
        std::string word = in.word();
        body.kind = word == "fixed" ? Body::Fixed : word == "kinematic" ? Body::Kinematic : Body::Dynamic;
        body.pose = in.pose();
        if (body.kind != Body::Fixed) { body.linear = in.vec(); body.angular = in.vec(); }
        if (body.kind == Body::Dynamic) {
            body.mass = in.number();
            body.centre = in.vec();
            for (double& moment : body.inertia) moment = in.number();
        }
        for (int c = in.count(); c > 0; --c) {
            Collider collider{};
            collider.shape = in.count();
            collider.pose = in.pose();
            collider.friction = in.number();
            collider.restitution = in.number();
            body.colliders.push_back(collider);
        }
        world.bodies.push_back(std::move(body));
    }
    in.expect("joints");
    for (int n = in.count(); n > 0; --n) {
        Joint joint{};
        std::string word = in.word();
        joint.kind = word == "ball" ? Joint::Ball : word == "hinge" ? Joint::Hinge : Joint::Fixed;
        joint.a = in.count(); joint.b = in.count();
        joint.frame_a = in.pose(); joint.frame_b = in.pose();
        if (joint.kind == Joint::Hinge) { joint.low = in.number(); joint.high = in.number(); }
        world.joints.push_back(joint);
    }
    if (version == 2) {
        in.expect("trees");
        for (int n = in.count(); n > 0; --n) world.trees.push_back(read_tree(in));
    }
    in.expect("rays");
    for (int n = in.count(); n > 0; --n) {
        Vec from = in.vec(), way = in.vec();
        world.rays.push_back({from, way});
    }
    in.expect("end");
    return world;
}

// A thick box whose upper face is the plane, for engines without planes.
struct Slab { Pose pose; Vec half; };
inline Slab slab(const Shape& plane) {
    const double wide = 1000, thick = 10;
    Vec n = plane.normal;
    // The shortest turn from y to the normal.
    Quat q{n.z, 0, -n.x, 1 + n.y};
    double size = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (size > 1e-9) q = {q.x / size, q.y / size, q.z / size, q.w / size}; else q = {1, 0, 0, 0};
    return {{n * (plane.offset - thick), q}, {wide, thick, wide}};
}

struct State { Pose pose; Vec linear, angular; }; // velocity of the centre of mass

struct Unsupported : std::runtime_error { using std::runtime_error::runtime_error; };

class Engine {
public:
    virtual ~Engine() = default;
    virtual std::string name() const = 0;
    virtual std::string version() const = 0;
    virtual std::string settings() const = 0; // the engine's own defaults that matter
    virtual void build(const World& world, int threads) = 0;
    virtual void step(double dt) = 0;
    virtual State state(size_t body) = 0;
    // The distance of the first hit in metres, or a negative number.
    virtual double cast(const Ray&) { throw Unsupported("ray casts"); }
    virtual void save_and_restore() { throw Unsupported("snapshots"); }
    virtual bool has_trees() const { return false; }
    // Points of contact in the last step, or a negative number where it does not tell.
    virtual long contacts() { return -1; }
};

inline long resident() {
    std::ifstream statm("/proc/self/statm");
    // Pages of 4 KiB: all that is in memory, without what of it is files.
    long size = 0, pages = 0, files = 0;
    statm >> size >> pages >> files;
    return (pages - files) * 4096;
}

// Milliseconds that all threads of the process have run on a processor so far: what others do on the machine counts less there.
inline double processor_ms() {
    double sum = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(task.path() / "schedstat");
        double nanoseconds = 0;
        file >> nanoseconds;
        sum += nanoseconds;
    }
    return sum * 1e-6;
}

// The command line of every driver: LIST WORK REPEATS THREADS STATES. Exit code 3 says that the engine cannot do it.
inline int drive(int argc, char** argv, Engine& engine) {
    if (argc != 6) {
        std::cerr << "usage: " << argv[0] << " LIST WORK REPEATS THREADS STATES\n";
        return 2;
    }
    const double dt = 1.0 / 60.0;
    std::string work = argv[2];
    int repeats = std::atoi(argv[3]), threads = std::atoi(argv[4]);
    try {
        World world = read(argv[1]);
        if (!world.trees.empty() && !engine.has_trees()) throw Unsupported("articulations in this driver");
        long before = resident();
        engine.build(world, threads);
        std::cout << "{\"engine\":\"" << engine.name() << "\",\"version\":\"" << engine.version() << "\",\"threads\":" << threads
                  << ",\"settings\":\"" << engine.settings() << "\"}\n";
        auto timed = [](auto&& act) {
            auto start = std::chrono::steady_clock::now();
            act();
            std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
            std::printf("{\"ms\":%.6f}\n", took.count());
        };
        std::cout.flush();
        if (work != "steps")
            for (int i = 0; i < (work == "rays" ? 1 : 60); ++i) engine.step(dt);
        // What an engine finds only when it is asked for is found before the clock.
        if (work == "rays" && !world.bodies.empty()) engine.state(0);
        double processor = processor_ms();
        if (work == "steps") {
            double points = 0;
            for (int i = 0; i < repeats; ++i) {
                timed([&] { engine.step(dt); });
                points += double(engine.contacts());
            }
            if (points >= 0) std::printf("{\"contacts\":%.3f}\n", points / repeats);
        } else if (work == "rays") {
            long hits = 0;
            double distance = 0;
            for (int i = 0; i < repeats; ++i) {
                hits = 0;
                distance = 0;
                timed([&] {
                    for (const Ray& ray : world.rays) {
                        double far = engine.cast(ray);
                        if (far >= 0) { ++hits; distance += far; }
                    }
                });
            }
            std::printf("{\"hits\":%ld,\"distance\":%.9g}\n", hits, distance);
        } else if (work == "snapshot") {
            for (int i = 0; i < repeats; ++i) timed([&] { engine.save_and_restore(); });
        } else throw std::runtime_error("unknown work " + work);
        std::printf("{\"processor_ms\":%.3f,\"memory\":%ld}\n", processor_ms() - processor, resident() - before);
        std::ofstream out(argv[5]);
        out.precision(17);
        for (size_t i = 0; i < world.bodies.size(); ++i) {
            State s = engine.state(i);
            out << s.pose.p.x << ' ' << s.pose.p.y << ' ' << s.pose.p.z << ' ' << s.pose.q.x << ' ' << s.pose.q.y << ' '
                << s.pose.q.z << ' ' << s.pose.q.w << ' ' << s.linear.x << ' ' << s.linear.y << ' ' << s.linear.z << ' '
                << s.angular.x << ' ' << s.angular.y << ' ' << s.angular.z << '\n';
        }
        return 0;
    } catch (const Unsupported& gap) {
        std::cerr << engine.name() << " has no " << gap.what() << "\n";
        return 3;
    } catch (const std::exception& fault) {
        std::cerr << engine.name() << ": " << fault.what() << "\n";
        return 1;
    }
}

} // namespace flat
