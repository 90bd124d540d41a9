//! Transcendental functions have the same bits on every machine (design section 5).
//!
//! The values were computed on x86-64 and each is within 0.7 units in the last place of the true one; a platform, compiler or
//! version of `libm` that differs in any bit fails here, before it spoils a golden hash.

use tumble::math::Float;

/// Function, arguments (exact in both precisions), and the bits of its value in single and in double precision.
type Golden = (&'static str, &'static [f64], u32, u64);

fn value<T: Float>(name: &str, arguments: &[f64]) -> T {
    let x = T::from_f64(arguments[0]);
    let y = || T::from_f64(arguments[1]);
    match name {
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "asin" => x.asin(),
        "acos" => x.acos(),
        "atan2" => x.atan2(y()),
        "exp" => x.exp(),
        "ln" => x.ln(),
        "powf" => x.powf(y()),
        _ => panic!("{name} is no function of the table"),
    }
}

#[test]
fn bits_are_the_same_everywhere() {
    for &(name, arguments, single, double) in GOLDEN {
        assert_eq!(value::<f32>(name, arguments).to_bits(), single, "{name}{arguments:?} in single precision");
        assert_eq!(value::<f64>(name, arguments).to_bits(), double, "{name}{arguments:?} in double precision");
    }
}

/// Arc functions take what rounding has pushed out of their range; whole numbers are exact.
#[test]
fn limits_of_functions() {
    assert_eq!(Float::asin(1.5_f64), Float::asin(1.0_f64));
    assert_eq!(Float::acos(-1.000_000_1_f32), Float::acos(-1.0_f32));
    for x in [-2.5, -2.0, -0.5, -0.0, 0.5, 1e20_f64] {
        assert_eq!(Float::floor(x), x.floor());
        assert_eq!(Float::ceil(x), x.ceil());
        assert_eq!(Float::floor(x as f32), (x as f32).floor());
    }
    assert_eq!(Float::clamp(f64::NAN, -1.0, 1.0), -1.0, "NaN goes to the lower limit, as in lanes");
}

#[rustfmt::skip]
const GOLDEN: &[Golden] = &[
    ("sin", &[0.0], 0x00000000, 0x0000000000000000),
    ("sin", &[-0.0], 0x80000000, 0x8000000000000000),
    ("sin", &[0.00048828125], 0x39ffffff, 0x3f3fffffeaaaaaaf),
    ("sin", &[0.5], 0x3ef57744, 0x3fdeaee8744b05f0),
    ("sin", &[-1.0], 0xbf576aa4, 0xbfeaed548f090cee),
    ("sin", &[0.7853981852531433], 0x3f3504f3, 0x3fe6a09e6ecb41fe),
    ("sin", &[1.5707963705062866], 0x3f800000, 0x3feffffffffffff7),
    ("sin", &[3.1415927410125732], 0xb3bbbd2e, 0xbe7777a5cf72cec6),
    ("sin", &[-6.2831854820251465], 0xb43bbd2e, 0xbe8777a5cf72cead),
    ("sin", &[10.25], 0xbf3c1532, 0xbfe782a648605b2a),
    ("sin", &[100.0], 0xbf01a12e, 0xbfe03425b78c4db8),
    ("sin", &[-1000.5], 0xbf7eca46, 0xbfefd948c50a7a0d),
    ("sin", &[1048576.0], 0x3ea93666, 0x3fd526ccb2fc8656),
    ("sin", &[10000000000.0], 0xbef99a64, 0xbfdf334c7896a4e3),
    ("sin", &[3.777893186295716e22], 0x3f6f8c84, 0x3fedf19082a42819),
    ("cos", &[0.0], 0x3f800000, 0x3ff0000000000000),
    ("cos", &[-0.0], 0x3f800000, 0x3ff0000000000000),
    ("cos", &[0.00048828125], 0x3f7ffffe, 0x3fefffffc0000015),
    ("cos", &[0.5], 0x3f60a940, 0x3fec1528065b7d50),
    ("cos", &[-1.0], 0x3f0a5140, 0x3fe14a280fb5068c),
    ("cos", &[0.7853981852531433], 0x3f3504f3, 0x3fe6a09e5e333598),
    ("cos", &[1.5707963705062866], 0xb33bbd2e, 0xbe6777a5cf72cecc),
    ("cos", &[3.1415927410125732], 0xbf800000, 0xbfefffffffffffde),
    ("cos", &[-6.2831854820251465], 0x3f800000, 0x3fefffffffffff76),
    ("cos", &[10.25], 0xbf2dab38, 0xbfe5b5670532f73b),
    ("cos", &[100.0], 0x3f5cc0ee, 0x3feb981dbf665fdf),
    ("cos", &[-1000.5], 0x3dc6dffc, 0x3fb8dbff75eb664f),
    ("cos", &[1048576.0], 0x3f719d6d, 0x3fee33ada92fe2ae),
    ("cos", &[10000000000.0], 0x3f5f84c5, 0x3febf098901c931a),
    ("cos", &[3.777893186295716e22], 0xbeb4949c, 0xbfd692937156604c),
    ("tan", &[0.0], 0x00000000, 0x0000000000000000),
    ("tan", &[-0.0], 0x80000000, 0x8000000000000000),
    ("tan", &[0.00048828125], 0x3a000001, 0x3f40000015555577),
    ("tan", &[0.5], 0x3f0bda7b, 0x3fe17b4f5bf3474a),
    ("tan", &[-1.0], 0xbfc75923, 0xbff8eb245cbee3a6),
    ("tan", &[0.7853981852531433], 0x3f800000, 0x3ff000000bbbd2ec),
    ("tan", &[1.5707963705062866], 0xcbae8a4a, 0xc175d14946dc9897),
    ("tan", &[3.1415927410125732], 0x33bbbd2f, 0x3e7777a5cf72cedf),
    ("tan", &[-6.2831854820251465], 0xb43bbd2f, 0xbe8777a5cf72cf12),
    ("tan", &[10.25], 0x3f8a9fa4, 0x3ff153f48c125ae1),
    ("tan", &[100.0], 0xbf1653a7, 0xbfe2ca74d62b5d38),
    ("tan", &[-1000.5], 0xc123fcf9, 0xc0247f9f1c1f4871),
    ("tan", &[1048576.0], 0x3eb34973, 0x3fd6692e5779206f),
    ("tan", &[10000000000.0], 0xbf0ef000, 0xbfe1de000f443f50),
    ("tan", &[3.777893186295716e22], 0xc029cc5c, 0xc005398b81e311c5),
    ("asin", &[-1.0], 0xbfc90fdb, 0xbff921fb54442d18),
    ("asin", &[-0.875], 0xbf886033, 0xbff10c066d3e6932),
    ("asin", &[-0.5], 0xbf060a92, 0xbfe0c152382d7366),
    ("asin", &[-0.001953125], 0xbb000005, 0xbf600000aaaabdde),
    ("asin", &[0.25], 0x3e815f4e, 0x3fd02be9ce0b87cd),
    ("asin", &[0.5], 0x3f060a92, 0x3fe0c152382d7366),
    ("asin", &[0.9990234375], 0x3fc36795, 0x3ff86cf29b6a2526),
    ("asin", &[1.0], 0x3fc90fdb, 0x3ff921fb54442d18),
    ("acos", &[-1.0], 0x40490fda, 0x400921fb54442d18),
    ("acos", &[-0.875], 0x4028b807, 0x40051700e0c14b25),
    ("acos", &[-0.5], 0x40060a92, 0x4000c152382d7366),
    ("acos", &[-0.001953125], 0x3fc94fdb, 0x3ff929fb54998277),
    ("acos", &[0.25], 0x3fa8b807, 0x3ff51700e0c14b25),
    ("acos", &[0.5], 0x3f860a92, 0x3ff0c152382d7366),
    ("acos", &[0.9990234375], 0x3d3508b9, 0x3fa6a1171b40fe3f),
    ("acos", &[1.0], 0x00000000, 0x0000000000000000),
    ("atan2", &[0.0, -1.0], 0x40490fdb, 0x400921fb54442d18),
    ("atan2", &[-0.0, -1.0], 0xc0490fdb, 0xc00921fb54442d18),
    ("atan2", &[1.0, 0.0], 0x3fc90fdb, 0x3ff921fb54442d18),
    ("atan2", &[-1.0, 1.0], 0xbf490fdb, 0xbfe921fb54442d18),
    ("atan2", &[0.5, 2.0], 0x3e7adbb0, 0x3fcf5b75f92c80dd),
    ("atan2", &[-3.0, -0.125], 0xbfce6466, 0xbff9cc8cbcf9c4c6),
    ("atan2", &[1.000000013351432e-10, 1.0], 0x2edbe6ff, 0x3ddb7cdfe0000000),
    ("atan2", &[7.0, 10000000000.0], 0x30406a1f, 0x3e080d43de9cc603),
    ("exp", &[-80.0], 0x05bfecba, 0x38b7fd974d372e44),
    ("exp", &[-10.5], 0x37e6fe13, 0x3efcdfc263f6a0ba),
    ("exp", &[-1.0], 0x3ebc5ab2, 0x3fd78b56362cef38),
    ("exp", &[-0.0009765625], 0x3f7fc008, 0x3feff800ffeaac00),
    ("exp", &[0.0], 0x3f800000, 0x3ff0000000000000),
    ("exp", &[0.5], 0x3fd3094c, 0x3ffa61298e1e069c),
    ("exp", &[1.0], 0x402df854, 0x4005bf0a8b14576a),
    ("exp", &[2.75], 0x417a4838, 0x402f49070bdbe8fd),
    ("exp", &[20.0], 0x4de75844, 0x41bceb088b68e804),
    ("exp", &[88.0], 0x7ef882b7, 0x47df1056dc7bf22d),
    ("ln", &[1.0000000031710769e-30], 0xc28a27b5, 0xc05144f69ff6981b),
    ("ln", &[0.0009765625], 0xc0ddce9e, 0xc01bb9d3beb8c86b),
    ("ln", &[0.5], 0xbf317218, 0xbfe62e42fefa39ef),
    ("ln", &[0.9990234375], 0xba801003, 0xbf50020055655889),
    ("ln", &[1.5], 0x3ecf991f, 0x3fd9f323ecbf984c),
    ("ln", &[2.0], 0x3f317218, 0x3fe62e42fefa39ef),
    ("ln", &[10.0], 0x40135d8e, 0x40026bb1bbb55516),
    ("ln", &[1000.5], 0x40dd106d, 0x401ba20da39bd28c),
    ("ln", &[1.0000000150474662e30], 0x428a27b5, 0x405144f6a00a27fb),
    ("powf", &[2.0, 0.5], 0x3fb504f3, 0x3ff6a09e667f3bcd),
    ("powf", &[10.0, -3.0], 0x3a83126f, 0x3f50624dd2f1a9fc),
    ("powf", &[0.125, 1.5], 0x3d3504f3, 0x3fa6a09e667f3bcc),
    ("powf", &[1.5, 40.0], 0x4b28b8b4, 0x416517168a4523fd),
    ("powf", &[0.9990234375, 1000.0], 0x3ec0ba9f, 0x3fd81753d785be45),
    ("powf", &[7.0, 0.3333333432674408], 0x3ff4daee, 0x3ffe9b5dc4453fcf),
    ("powf", &[3.0, 0.0], 0x3f800000, 0x3ff0000000000000),
];
