//! Trajectories as CSV: where every body was after every step.

use std::fmt::Write as _;
use std::io::{Result, Write};
use tumble::math::Float;
use tumble::{BodyKind, World};

const HEAD: &str = "step,time,body,name,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz\n";

/// Writes a line for every body that can move, whenever it is told to look.
///
/// The columns are the number of steps, the simulated seconds, the number and the name of the body, the position of its frame, its
/// rotation as a quaternion, and the velocities, angular ones in rad/s. Only whole lines are written, whenever the process ends.
///
/// ```
/// use tumble_scene::trajectory::Trajectories;
/// let mut run = tumble_scene::library::find("free-fall")?.setup().start()?;
/// let mut csv = Trajectories::new(Vec::new()).unwrap();
/// csv.look(run.world()).unwrap();
/// run.step()?;
/// csv.look(run.world()).unwrap();
/// let text = String::from_utf8(csv.finish().unwrap()).unwrap();
/// assert!(text.starts_with("step,time,body,name,x,y,z,"));
/// assert_eq!(text.lines().count(), 1 + 2 * run.world().body_count());
/// # Ok::<(), tumble_scene::Error>(())
/// ```
#[derive(Debug)]
pub struct Trajectories<W: Write> {
    out: W,
    lines: String,
}

/// Text that is written at once.
const BLOCK: usize = 1 << 16;

impl<W: Write> Trajectories<W> {
    /// Begins with the names of the columns.
    pub fn new(out: W) -> Result<Self> {
        Ok(Self { out, lines: HEAD.to_owned() })
    }

    /// Adds the bodies as they are now.
    pub fn look(&mut self, world: &World) -> Result<()> {
        for id in world.body_ids() {
            let Ok(body) = world.body(id) else { continue };
            if body.kind() == BodyKind::Fixed {
                continue;
            }
            let (p, q) = (body.position(), body.rotation());
            let (v, w) = (body.linear_velocity(), body.angular_velocity());
            let _ = write!(self.lines, "{},{},{},", world.steps(), world.time(), id.index());
            self.lines.push_str(&quoted(body.name().unwrap_or_default()));
            for value in p.to_array() {
                let _ = write!(self.lines, ",{value}");
            }
            for value in [q.x, q.y, q.z, q.w].into_iter().chain(v.to_array()).chain(w.to_array()) {
                // The shortest digits of the engine's precision; `to_f64` would show its rounding.
                debug_assert!(value.to_f64().is_finite());
                let _ = write!(self.lines, ",{value}");
            }
            self.lines.push('\n');
        }
        if self.lines.len() >= BLOCK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        let done = self.out.write_all(self.lines.as_bytes());
        self.lines.clear();
        done
    }

    /// Writes what is left. Answers what was written to.
    pub fn finish(mut self) -> Result<W> {
        self.flush()?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// A name as CSV wants it.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}
