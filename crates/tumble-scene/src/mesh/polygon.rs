//! Faces of many corners as triangles.
//!
//! A convex face is a fan round its first corner. Of any other a fan would also cover what lies between its arms, so corners are cut off it
//! one after the other (Meisters 1975), each with a triangle that no other part of the outline enters: an ear.

/// Corners of a face that is not convex. The time that it takes goes with the square of them.
const MOST: usize = 1 << 12;
/// How often all corners are looked at where no ear is known. Once is enough for a simple outline, not for one that crosses or touches itself.
const LOOKS: u32 = 8;
/// The sine of a bend inwards that is only a rounding of `f32`.
const STRAIGHT: f64 = 1e-6;

/// Adds the triangles of a face, which look to where it does. The corners are those of a loop, the vertices all that there are.
pub fn add_triangles(vertices: &[[f64; 3]], corners: &[u32], out: &mut Vec<[u32; 3]>) -> Result<(), String> {
    let places: Option<Vec<[f64; 3]>> = corners.iter().map(|c| vertices.get(*c as usize).copied()).collect();
    // What names a corner that is not there is refused with the triangle that does.
    let outline = places.filter(|places| places.len() > 3).and_then(|places| flat(&places));
    let coordinates = corners.iter().filter_map(|c| vertices.get(*c as usize)).flatten();
    let rounding = f64::from(f32::EPSILON) * coordinates.fold(0.0, |most: f64, v| most.max(v.abs()));
    match outline.filter(|outline| !is_convex(outline, rounding)) {
        None => fan(corners, out),
        Some(_) if corners.len() > MOST => {
            let count = corners.len();
            return Err(format!("a face has {count} corners and is not convex; of such ones {MOST} are the most"));
        }
        Some(outline) => Ears::of(&outline).cut(corners, out),
    }
    Ok(())
}

fn fan(corners: &[u32], out: &mut Vec<[u32; 3]>) {
    out.extend(corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]]));
}

type Place = [f64; 2];

/// The outline as seen along the axis that it faces most, counter-clockwise; `None` where it faces nowhere.
fn flat(places: &[[f64; 3]]) -> Option<Vec<Place>> {
    let origin = *places.first()?;
    let places: Vec<[f64; 3]> = places.iter().map(|p| std::array::from_fn(|k| p[k] - origin[k])).collect();
    let next = places.iter().cycle().skip(1);
    // Twice the area as seen along each axis (Newell).
    let area = places.iter().zip(next).fold([0.0; 3], |area, (a, b)| {
        std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            area[k] + (a[i] - b[i]) * (a[j] + b[j])
        })
    });
    let axis = (1..3).fold(0, |best, k| if area[k].abs() > area[best].abs() { k } else { best });
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    match area[axis] {
        to if to > 0.0 => Some(places.iter().map(|p| [p[i], p[j]]).collect()),
        to if to < 0.0 => Some(places.iter().map(|p| [p[j], p[i]]).collect()),
        _ => None,
    }
}

/// Positive where the way from `a` by `b` to `c` bends to the left: the product of its two lengths and the sine of the bend.
fn bend(a: Place, b: Place, c: Place) -> f64 {
    (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
}

/// It bends inwards nowhere by more than corners do that are this far off by rounding.
fn is_convex(outline: &[Place], rounding: f64) -> bool {
    let squared = |a: Place, b: Place| (b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]);
    let count = outline.len();
    (0..count).all(|i| {
        let (a, b, c) = (outline[i], outline[(i + 1) % count], outline[(i + 2) % count]);
        // What is no number is refused as a vertex.
        let [ab, bc] = [squared(a, b).sqrt(), squared(b, c).sqrt()];
        !(bend(a, b, c) < -(STRAIGHT * ab * bc + rounding * (ab + bc)))
    })
}

/// What is left of an outline while its ears are cut off.
struct Ears<'a> {
    outline: &'a [Place],
    before: Vec<usize>,
    after: Vec<usize>,
    /// Corners that do not bend to the left: one of them is in every triangle that is no ear.
    blunt: Vec<usize>,
    is_ear: Vec<bool>,
}

impl<'a> Ears<'a> {
    fn of(outline: &'a [Place]) -> Self {
        let count = outline.len();
        let before = (0..count).map(|i| (i + count - 1) % count).collect();
        let after = (0..count).map(|i| (i + 1) % count).collect();
        let mut ears = Self { outline, before, after, blunt: Vec::new(), is_ear: vec![false; count] };
        ears.blunt = (0..count).filter(|i| !ears.is_sharp(*i)).collect();
        ears
    }

    /// A corner with its neighbours.
    fn triangle(&self, corner: usize) -> [Place; 3] {
        [self.before[corner], corner, self.after[corner]].map(|i| self.outline[i])
    }

    fn is_sharp(&self, corner: usize) -> bool {
        let [a, b, c] = self.triangle(corner);
        bend(a, b, c) > 0.0
    }

    fn look(&mut self, corner: usize) {
        let [a, b, c] = self.triangle(corner);
        let enters = |other: &usize| {
            let p = self.outline[*other];
            // An outline that touches itself is at the same place twice.
            ![a, b, c].contains(&p) && [(a, b), (b, c), (c, a)].iter().all(|(from, to)| bend(*from, *to, p) >= 0.0)
        };
        self.is_ear[corner] = bend(a, b, c) > 0.0 && !self.blunt.iter().any(enters);
    }

    fn cut(mut self, corners: &[u32], out: &mut Vec<[u32; 3]>) {
        let (mut at, mut left, mut looks) = (0, corners.len(), 0);
        while left > 3 {
            let Some(ear) = self.walk(at, left).find(|corner| self.is_ear[*corner]) else {
                looks += 1;
                if looks > LOOKS {
                    break;
                }
                let all: Vec<usize> = self.walk(at, left).collect();
                all.into_iter().for_each(|corner| self.look(corner));
                continue;
            };
            let (before, after) = (self.before[ear], self.after[ear]);
            out.push([before, ear, after].map(|i| corners[i]));
            (self.after[before], self.before[after]) = (after, before);
            left -= 1;
            self.blunt.retain(|corner| ![before, after].contains(corner));
            let neighbours = [before, after].into_iter().filter(|corner| !self.is_sharp(*corner));
            let blunt: Vec<usize> = neighbours.collect();
            self.blunt.extend(blunt);
            self.look(before);
            self.look(after);
            at = after;
        }
        // What has no ear crosses itself, and has no inside that could be covered.
        let rest: Vec<u32> = self.walk(at, left).map(|i| corners[i]).collect();
        fan(&rest, out);
    }

    /// The corners that are left, from this one on.
    fn walk(&self, from: usize, left: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(from), |corner| Some(self.after[*corner])).take(left)
    }
}
