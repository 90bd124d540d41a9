//! How far a run is: a bar on a terminal, a line now and then elsewhere. All of it goes to the standard error, so that
//! the output holds nothing but the summary.

use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Between two looks at the bar.
const BAR_PERIOD: Duration = Duration::from_millis(50);
/// Between two lines.
const LINE_PERIOD: Duration = Duration::from_secs(5);

/// Shows how far a run is.
pub struct Progress {
    scene: String,
    steps: u64,
    dt: f64,
    look: Look,
    start: Instant,
    shown: Instant,
}

enum Look {
    Bar(ProgressBar),
    Lines,
    Nothing,
}

impl Progress {
    pub fn new(scene: &str, steps: u64, dt: f64, quiet: bool) -> Self {
        let look = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Look::Nothing,
            (false, true) => Look::Bar(bar(scene, steps)),
            (false, false) => Look::Lines,
        };
        let now = Instant::now();
        let progress = Self { scene: scene.to_owned(), steps, dt, look, start: now, shown: now };
        if let Look::Lines = progress.look {
            output::tell(&format!("{scene}: simulating {:.2} s", steps as f64 * dt));
        }
        progress
    }

    /// So many steps are done.
    pub fn update(&mut self, done: u64) {
        let period = match self.look {
            Look::Bar(_) => BAR_PERIOD,
            Look::Lines => LINE_PERIOD,
            Look::Nothing => return,
        };
        let now = Instant::now();
        if now.duration_since(self.shown) < period {
            return;
        }
        self.shown = now;
        let simulated = done as f64 * self.dt;
        let speed = simulated / now.duration_since(self.start).as_secs_f64();
        match &self.look {
            Look::Bar(bar) => {
                bar.set_position(done);
                bar.set_message(format!("{simulated:.2} s, {speed:.1} x real time"));
            }
            Look::Lines => {
                let percent = 100 * done / self.steps.max(1);
                output::tell(&format!("{}: {percent} %, {simulated:.2} s, {speed:.1} x real time", self.scene));
            }
            Look::Nothing => {}
        }
    }

    /// Takes the bar away.
    pub fn end(self) {
        if let Look::Bar(bar) = self.look {
            bar.finish_and_clear();
        }
    }
}

fn bar(scene: &str, steps: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
    // The template is fixed; were it wrong, the plain bar would do.
    if let Ok(style) = ProgressStyle::with_template("{prefix} {wide_bar} {percent:>3} %  {msg}  {eta} left") {
        bar.set_style(style);
    }
    bar.set_prefix(scene.to_owned());
    bar
}
