//! The command as a user or a script meets it: what it prints, where, and with which code it ends.
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

fn tumble(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tumble")).args(words).stdin(Stdio::null()).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// What is printed on success must be JSON as a whole.
fn json(words: &[&str]) -> Value {
    let output = tumble(words);
    assert_eq!(code(&output), 0, "{words:?}: {}", err(&output));
    serde_json::from_str(&out(&output)).unwrap()
}

fn scene_names() -> Vec<String> {
    let list = json(&["scenes", "--json"]);
    list.as_array().unwrap().iter().map(|scene| scene["name"].as_str().unwrap().to_owned()).collect()
}

/// Told nothing, the command shows something and says how to go on.
#[test]
fn alone_it_runs_the_first_scene() {
    let output = tumble(&[]);
    assert_eq!(code(&output), 0);
    let (text, names) = (out(&output), scene_names());
    assert!(text.starts_with(&format!("{}, by soft-step", names[0])), "{text}");
    let checks = json(&["scenes", &names[0], "--json"])["checks"].as_array().unwrap().len();
    assert!(text.contains(&format!("{checks} of {checks} checks passed")), "{text}");
    assert!(names[1..].iter().all(|name| text.contains(name)), "{text}");
    assert!(text.contains("tumble run SCENE") && text.contains("tumble --help"), "{text}");
}

/// Every scene that is listed runs, and says in figures how it went. That it passes in the end is a test of the library, which would
/// simulate the same once more here.
#[test]
fn every_scene_runs() {
    for name in scene_names() {
        runs(&name, &["--seconds", "0.1"], false);
    }
}

/// To its end every scene passes, at its full size.
#[test]
#[ignore = "long: every scene to its end, two thousand dominoes among them"]
fn every_scene_passes() {
    let names = Mutex::new(scene_names().into_iter());
    let next = || names.lock().unwrap().next();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(name) = next() {
                    runs(&name, &[], true);
                }
            });
        }
    });
}

/// Runs a scene, whose checks agree with what is said of them all, and with the exit code.
fn runs(name: &str, options: &[&str], to_its_end: bool) {
    let output = tumble(&[&["run", name, "--json"], options].concat());
    let run: Value = serde_json::from_str(&out(&output)).unwrap();
    let checks = run["checks"].as_array().unwrap();
    let passed = checks.iter().all(|check| check["outcome"] == "passed");
    assert!(!checks.is_empty() && (passed || !to_its_end), "{name}: {checks:?}");
    assert_eq!(code(&output), i32::from(!passed), "{name}: {}", err(&output));
    assert_eq!((&run["scene"], &run["passed"], &run["stopped"]), (&name.into(), &passed.into(), &false.into()));
    for check in checks {
        let measured = check["figure"].is_f64() && check["bound"].is_object();
        assert!(measured || check["outcome"] == "undecided", "{name}: {check}");
    }
    let stages = run["stages"].as_array().unwrap();
    assert!(stages.iter().any(|stage| stage["stage"] == "solve" && stage["mean_ms"].as_f64().unwrap() > 0.0));
    assert!(run["step"]["p99_ms"].as_f64().unwrap() > 0.0 && run["real_seconds"].as_f64().unwrap() > 0.0);
    assert!(run["energy"]["gain"].as_f64().unwrap() >= 0.0);
}

/// Where nothing can be touched, the summary says how well momentum was kept; a floor takes it away, and nothing is said.
#[test]
fn momentum_is_booked_where_it_is_kept() {
    let flight = json(&["run", "projectiles", "--json"]);
    for kept in ["energy", "momentum", "angular_momentum"] {
        let share = flight[kept]["share"].as_f64().unwrap();
        assert!(share > 0.0 && share < 1e-4, "{kept}: {}", flight[kept]);
    }
    let stack = json(&["run", "box-stack", "--seconds", "10", "--json"]);
    assert!(stack["momentum"].is_null() && stack["angular_momentum"].is_null() && stack["energy"]["share"].is_f64());
}

/// The options arrive where they should.
#[test]
fn options_change_the_run() {
    let run = json(&["run", "free-fall", "--seconds", "0.5", "--dt", "1/100", "--set", "bodies=3", "--json"]);
    assert_eq!(run["steps"], 50);
    assert_eq!(run["bodies"], 3);
    assert_eq!(run["parameters"]["bodies"], 3.0);
    assert!((run["simulated_seconds"].as_f64().unwrap() - 0.5).abs() < 1e-6);
    let run = json(&["run", "free-fall", "--method", "ballistic", "--json", "--set", "height=5", "--set", "height=6"]);
    assert_eq!((&run["method"], &run["parameters"]["height"]), (&"ballistic".into(), &6.0.into()));
}

/// Progress and errors go to the standard error, the summary alone to the output; `--quiet` silences the one.
#[test]
fn progress_stays_out_of_the_output() {
    let plain = tumble(&["run", "free-fall"]);
    assert!(err(&plain).starts_with("free-fall: simulating 2.27 s\n"), "{}", err(&plain));
    assert!(out(&plain).starts_with("free-fall, by soft-step"));
    assert_eq!(err(&tumble(&["run", "free-fall", "--quiet"])), "");
}

/// A check that fails, and one that cannot be decided, are no success.
#[test]
fn failed_checks_are_told_by_the_exit_code() {
    let short = tumble(&["run", "projectiles", "--seconds", "0.1"]);
    assert_eq!(code(&short), 1);
    assert!(out(&short).contains("undecided range") && out(&short).contains("2 of 4 checks passed"), "{}", out(&short));

    // So coarse a step turns the nut by two radians at once; it cannot see the flips.
    let coarse = tumble(&["run", "dzhanibekov-nut", "--dt", "2", "--json"]);
    assert_eq!(code(&coarse), 1);
    let run: Value = serde_json::from_str(&out(&coarse)).unwrap();
    assert_eq!(run["passed"], false);
    assert!(run["checks"].as_array().unwrap().iter().any(|check| check["outcome"] == "failed"), "{run}");
}

/// Wrong input is answered in a sentence that names it and what would be right, with exit code 2 and no output.
#[test]
fn wrong_input_is_refused() {
    let cases: &[(&[&str], &str)] = &[
        (&["run", "fre-fall"], "no scene \"fre-fall\"; the nearest name is \"free-fall\"; `tumble scenes`"),
        (&["scenes", "projectile"], "the nearest name is \"projectiles\""),
        (&["run", "free-fall", "--method", "softstep"], "the nearest name is \"soft-step\"; `tumble methods`"),
        (&["run", "free-fall", "--set", "hight=3"], "no parameter \"hight\"; the nearest name is \"height\""),
        (&["run", "free-fall", "--set", "height=-3"], "height must be between 0.1 and 10000 m, got -3"),
        (&["run", "free-fall", "--set", "height=NaN"], "got NaN; see `tumble scenes free-fall`"),
        (&["run", "free-fall", "--set", "bodies=2.5"], "bodies must be a whole number between 1 and 10000"),
        (&["run", "free-fall", "--set", "height"], "write it as KEY=VALUE"),
        (&["run", "free-fall", "--set", "height=tall"], "\"tall\" is not a number"),
        (&["run", "free-fall", "--dt", "NaN"], "must be positive and finite"),
        (&["run", "free-fall", "--dt", "0"], "must be positive and finite"),
        (&["run", "free-fall", "--dt", "1/0"], "must be positive and finite"),
        (&["run", "free-fall", "--dt", "1e-60"], "time step must be positive and finite, got 1e-60"),
        (&["run", "free-fall", "--dt", "1e60"], "time step must be positive and finite, got 1e60"),
        (&["run", "free-fall", "--seconds", "0"], "must be positive and finite"),
        (&["run", "free-fall", "--seconds", "-3"], "must be positive and finite"),
        (&["run", "free-fall", "--seconds=-inf"], "must be positive and finite"),
        (&["run", "free-fall", "--seconds", "1e300"], "1e300 s in steps of"),
        (&["run", "free-fall", "--threads", "0"], "must be a whole number from 1 to 1024"),
        (&["run", "free-fall", "--threads", "-2"], "must be a whole number from 1 to 1024"),
        (&["run", "free-fall", "--threads", "two"], "must be a whole number from 1 to 1024"),
        (&["run", "free-fall", "--set", "=3"], "no parameter \"\"; there are"),
        (&["run", "free-fall", "--set", "height=1", "--set", "bodis=2"], "the nearest name is \"bodies\""),
        (&["run"], "<SCENE|FILE>"),
        (&["run", "free-fall", "--frobnicate"], "--frobnicate"),
        (&["frobnicate"], "unrecognized subcommand"),
        (&["completions", "dos"], "invalid value 'dos'"),
    ];
    for (words, answer) in cases {
        let output = tumble(words);
        assert_eq!(code(&output), 2, "{words:?}");
        assert_eq!(out(&output), "", "{words:?}");
        let said = err(&output);
        assert!(said.starts_with("error: ") && said.contains(answer), "{words:?}: {said}");
    }
}

/// The list of scenes holds what a program needs to run them with other parameters.
#[test]
fn scenes_are_listed() {
    let list = json(&["scenes", "--json"]);
    for scene in list.as_array().unwrap() {
        for field in ["name", "seed", "description"] {
            assert!(!scene[field].as_str().unwrap().is_empty(), "{scene}");
        }
        for p in scene["parameters"].as_array().unwrap() {
            let (min, default, max) = (p["min"].as_f64(), p["default"].as_f64(), p["max"].as_f64());
            assert!(min <= default && default <= max && min.is_some() && p["name"].is_string(), "{p}");
        }
        assert!(
            scene["checks"].as_array().unwrap().iter().all(|c| c["name"].is_string() && c["statement"].is_string())
        );
        assert_eq!(scene["camera"]["eye"].as_array().unwrap().len(), 3);
        let name = scene["name"].as_str().unwrap();
        assert_eq!(json(&["scenes", name, "--json"]), *scene);
        let text = out(&tumble(&["scenes", name]));
        assert!(scene["parameters"].as_array().unwrap().iter().all(|p| text.contains(p["name"].as_str().unwrap())));
        assert!(out(&tumble(&["scenes"])).contains(name));
    }
}

/// The methods are listed as the data they are, and each is one that `run` takes.
#[test]
fn methods_are_listed() {
    let list = json(&["methods", "--json"]);
    let text = out(&tumble(&["methods"]));
    for method in list.as_array().unwrap() {
        let name = method["name"].as_str().unwrap();
        assert!(text.lines().any(|line| line.split(' ').next() == Some(name)), "{text}");
        assert!(method["step"].is_object(), "{method}");
        assert_eq!(json(&["run", "free-fall", "--method", name, "--json", "--seconds", "0.1"])["method"], name);
    }
    assert!(text.contains("soft-step (the default)") && !text.contains("000000"), "{text}");
    assert!(text.contains("can         contacts") && text.contains("cannot      contacts"), "{text}");
}

/// All commands, as the help lists them.
fn commands() -> Vec<String> {
    let help = out(&tumble(&["--help"]));
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
}

/// The examples in the help of a command, or of all.
fn examples(command: Option<&str>) -> Vec<String> {
    let help = tumble(&command.into_iter().chain(["--help"]).collect::<Vec<_>>());
    assert_eq!(code(&help), 0);
    let text = out(&help);
    assert!(text.contains("Examples:\n"), "{command:?} has no examples: {text}");
    let block = text.split("Examples:\n").nth(1).unwrap();
    let lines = block.lines().take_while(|line| line.starts_with("  "));
    // What is said about an example stands apart from it by several blanks.
    lines.map(|line| line.trim_start().split("  ").next().unwrap().to_owned()).collect()
}

/// Help goes to the output; completion scripts know the scenes.
#[test]
fn help_and_completions_are_printed() {
    assert_eq!(
        commands(),
        ["run", "scenes", "methods", "replay", "info", "validate", "convert", "mesh", "completions"]
    );
    assert_eq!(out(&tumble(&["--version"])), concat!("tumble ", env!("CARGO_PKG_VERSION"), "\n"));
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = out(&tumble(&["completions", shell]));
        assert!(script.contains("tumble") && script.len() > 500, "{shell}");
        if ["bash", "zsh"].contains(&shell) {
            assert!(script.contains("dzhanibekov-nut") && script.contains("soft-step"), "{shell}");
        }
    }
}

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

/// Every command has examples, and they work as they stand, in the order in which the help has them.
#[cfg(unix)]
#[test]
fn examples_work() {
    let folder = Folder::new("examples");
    let door = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scenes/door-conveyor-stack.toml");
    std::fs::copy(door, folder.file("door.toml")).unwrap();
    std::fs::create_dir(folder.file("scenes")).unwrap();
    std::fs::copy(door, folder.file("scenes/door.toml")).unwrap();
    std::fs::create_dir_all(folder.file(".config/fish/completions")).unwrap();
    std::fs::write(folder.file("bunny.obj"), TETRAHEDRON).unwrap();
    let facet = |c: [&str; 3]| {
        format!(
            "facet normal 0 0 0\nouter loop\nvertex {}\nvertex {}\nvertex {}\nendloop\nendfacet\n",
            c[0], c[1], c[2]
        )
    };
    let corners = [
        ["0 0 0", "0 9 0", "9 0 0"],
        ["0 0 0", "9 0 0", "0 0 9"],
        ["9 0 0", "0 9 0", "0 0 9"],
        ["0 0 0", "0 0 9", "0 9 0"],
    ];
    std::fs::write(folder.file("gear.stl"), format!("solid gear\n{}endsolid gear\n", corners.map(facet).concat()))
        .unwrap();
    std::fs::write(folder.file("chair.glb"), triangle_glb()).unwrap();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_tumble"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let commands = commands();
    let mut count = 0;
    for command in std::iter::once(None).chain(commands.iter().map(|c| Some(c.as_str()))) {
        let lines = examples(command);
        assert!(lines.iter().any(|line| line.contains(command.unwrap_or("tumble"))), "{command:?}: {lines:?}");
        for line in lines {
            let mut shell = Command::new("bash");
            shell.args(["-c", &line]).current_dir(&folder.0).env("PATH", &path).env("HOME", &folder.0);
            let output = shell.stdin(Stdio::null()).output().unwrap();
            assert_eq!(code(&output), 0, "{line}\n{}{}", out(&output), err(&output));
            count += 1;
        }
    }
    assert!(count >= 30, "{count}");
}

/// A triangle as binary glTF.
#[cfg(unix)]
fn triangle_glb() -> Vec<u8> {
    let data: Vec<u8> = [0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let json = serde_json::json!({
        "asset": { "version": "2.0" },
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] }],
        "bufferViews": [{ "buffer": 0, "byteLength": data.len() }],
        "buffers": [{ "byteLength": data.len() }],
    });
    let mut json = json.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let part = |name: &[u8], bytes: &[u8]| [&(bytes.len() as u32).to_le_bytes(), name, bytes].concat();
    let parts = [part(b"JSON", &json), part(b"BIN\0", &data)].concat();
    [b"glTF\x02\0\0\0".as_slice(), &(12 + parts.len() as u32).to_le_bytes(), &parts].concat()
}

/// The summary in words says what the one in JSON says: bodies, contacts, islands, what steps cost by stage, what was kept, the
/// hash, and the checks with their figures.
#[test]
fn the_summary_says_what_json_says() {
    let words = ["run", "box-stack", "--seconds", "0.96", "--set", "boxes=3", "--quiet"];
    let output = tumble(&words);
    let text = out(&output);
    let run: Value = serde_json::from_str(&out(&tumble(&[&words[..], &["--json"]].concat()))).unwrap();
    let row = |name: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(name));
        line.unwrap_or_else(|| panic!("no {name:?}: {text}")).trim_start()[name.len()..].trim_start().to_owned()
    };
    assert_eq!(text.lines().next().unwrap(), "box-stack, by soft-step, in steps of 0.016 s");
    assert_eq!(row("hash"), run["hash"].as_str().unwrap());
    assert_eq!(row("steps"), "60");
    assert!(row("bodies").starts_with("4 with 4 colliders") && row("parameters").contains("boxes=3"), "{text}");
    assert!(row("simulated").starts_with("0.960 s, ") && row("simulated").ends_with(" x real time"), "{text}");
    for name in ["contacts", "islands"] {
        assert!(row(name).contains(" per step, ") && row(name).ends_with(" at the most"), "{text}");
    }
    assert!(row("energy").starts_with("changed by ") && row("deepest overlap").ends_with(" m"), "{text}");
    assert_eq!(row("joint gap"), "0 m");
    let table: Vec<Vec<&str>> = text
        .lines()
        .skip_while(|line| !line.contains("ms per step"))
        .skip(1)
        .take_while(|line| !line.is_empty())
        .map(|line| line.split_whitespace().collect())
        .collect();
    let stages: Vec<&str> = run["stages"].as_array().unwrap().iter().map(|s| s["stage"].as_str().unwrap()).collect();
    assert_eq!(table.iter().map(|row| row[0]).collect::<Vec<_>>(), [&stages[..], &["all"]].concat());
    assert!(table.iter().all(|row| row.len() == 3 && row[1..].iter().all(|n| n.parse::<f64>().is_ok())), "{text}");
    let checks = run["checks"].as_array().unwrap();
    for check in checks {
        let (outcome, name) = (check["outcome"].as_str().unwrap(), check["name"].as_str().unwrap());
        assert!(text.contains(&format!("  {outcome:<10}{name}: ")), "{text}");
    }
    let passed = checks.iter().filter(|c| c["outcome"] == "passed").count();
    assert!(text.ends_with(&format!("  {passed} of {} checks passed\n", checks.len())), "{text}");
}

/// Joints that give way are measured: the widest gap of a run is in both summaries.
#[test]
fn joint_gaps_are_told() {
    let words = ["run", "wrecking-ball", "--seconds", "1.5", "--quiet"];
    let run: Value = serde_json::from_str(&out(&tumble(&[&words[..], &["--json"]].concat()))).unwrap();
    let gap = run["joint_gap"].as_f64().unwrap();
    let text = out(&tumble(&words));
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix("joint gap")).unwrap();
    let told: f64 = line.trim().strip_suffix(" m").unwrap().parse().unwrap();
    // Three digits are shown.
    assert!(gap > 1e-6 && (told / gap - 1.0).abs() < 0.01, "{line:?} for {gap}");
}

/// Kills a process after half a minute, or when the test has failed, unless the answer is told first that it has ended: whoever waits for
/// what it prints then fails instead of hanging, and nothing is left that runs for hours.
#[cfg(unix)]
fn watch(child: &std::process::Child) -> std::sync::mpsc::Sender<()> {
    let (ended, told) = std::sync::mpsc::channel();
    let id = child.id().to_string();
    std::thread::spawn(move || {
        if told.recv_timeout(std::time::Duration::from_secs(30)).is_err() {
            let _ = Command::new("kill").args(["-KILL", &id]).status();
        }
    });
    ended
}

/// Where nobody watches a terminal, progress is a plain line now and then.
#[cfg(unix)]
#[test]
fn progress_is_plain_lines_elsewhere() {
    use std::io::{BufRead, BufReader};
    let mut child = Command::new(env!("CARGO_BIN_EXE_tumble"))
        .args(["run", "free-fall", "--seconds", "1e7"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let ended = watch(&child);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut line = || lines.next().unwrap_or_else(|| panic!("no progress within half a minute")).unwrap();
    assert_eq!(line(), "free-fall: simulating 10000000.00 s");
    let line = line();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    ended.send(()).unwrap();
    let plain = line.bytes().all(|b| (b' '..=b'~').contains(&b));
    assert!(plain && line.starts_with("free-fall: 0 %, ") && line.ends_with(" x real time"), "{line:?}");
}

/// On a terminal progress is a bar, which goes on; Ctrl-C ends the run, takes the bar away and leaves the summary. The terminal is the one
/// that `script` of util-linux makes.
#[cfg(unix)]
#[test]
fn progress_is_a_bar_on_a_terminal() {
    use std::io::{Read, Write};
    let version = Command::new("script").arg("--version").output().map(|output| out(&output)).unwrap_or_default();
    if !version.contains("util-linux") {
        // By the handle, which the harness does not capture.
        let said = "\nskipped: progress on a terminal not checked: `script` of util-linux is missing\n";
        return std::io::stdout().write_all(said.as_bytes()).unwrap();
    }
    let line = format!("stty cols 100 && '{}' run free-fall --seconds 1e7", env!("CARGO_BIN_EXE_tumble"));
    let mut child = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .env("TERM", "xterm")
        .env("SHELL", "/bin/sh")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let ended = watch(&child);
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (mut seen, mut buffer, mut stopped) = (String::new(), [0; 4096], false);
    let times = |seen: &str| -> Vec<f64> {
        let before = seen.split(" s, ").filter_map(|part| part.rsplit(' ').next()?.parse().ok());
        before.collect()
    };
    loop {
        // The end of a terminal is an error to its reader.
        let count = screen.read(&mut buffer).unwrap_or(0);
        if count == 0 {
            break;
        }
        seen += &String::from_utf8_lossy(&buffer[..count]);
        if !stopped && times(&seen).len() >= 3 {
            stopped = true;
            keys.write_all(b"\x03").unwrap();
        }
    }
    let status = child.wait().unwrap();
    ended.send(()).unwrap();
    assert_eq!(status.code(), Some(130), "{seen:?}");
    let (bars, summary) = seen.split_once("free-fall, by soft-step").unwrap_or_else(|| panic!("{seen:?}"));
    assert!(!bars.contains("simulating") && bars.contains("free-fall ") && bars.contains("  0 %  "), "{bars:?}");
    assert!(bars.contains(" x real time  ") && bars.contains(" left"), "{bars:?}");
    assert!(times(bars).windows(2).all(|t| t[0] <= t[1]) && times(bars)[0] < times(bars)[2], "{bars:?}");
    // Back to the start of the line, which is erased: the summary stands there alone.
    assert!(bars.trim_end_matches("^C").ends_with("\r\x1b[2K"), "{bars:?}");
    assert!(!summary.contains(" left") && summary.contains("checks passed"), "{summary:?}");
}

/// A reader that goes away early is no error.
#[test]
fn closed_output_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tumble"))
        .args(["run", "free-fall", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 0, "{}", err(&output));
}

/// Ctrl-C ends a run that would take hours with the summary so far, and with whole files: the recording replays, the last line of the table is
/// as long as all.
#[cfg(unix)]
#[test]
fn interrupt_ends_with_a_summary_and_whole_files() {
    use std::io::{BufRead, BufReader, Read};
    let folder = Folder::new("interrupt");
    let (recording, csv) = (folder.file("fall.rec"), folder.file("fall.csv"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_tumble"))
        .args(["run", "free-fall", "--seconds", "1e7", "--json", "--record", &recording, "--csv", &csv])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let ended = watch(&child);
    // The first line says that the run has begun, and that the signal will be heard.
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(line, "free-fall: simulating 10000000.00 s\n");
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    ended.send(()).unwrap();
    let run: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(run["stopped"], true);
    let steps = run["steps"].as_u64().unwrap();
    assert!(steps < 600_000_000);
    let info = json(&["info", &recording, "--json"]);
    assert_eq!((&info["whole"], &info["steps"]), (&true.into(), &steps.into()));
    let replay = json(&["replay", &recording, "--json", "--quiet"]);
    assert_eq!((&replay["same"], &replay["hash"]), (&true.into(), &run["hash"]));
    let table = std::fs::read_to_string(&csv).unwrap();
    assert!(table.ends_with('\n'));
    assert!(table.lines().all(|line| line.split(',').count() == 17));
    let last = table.lines().last().unwrap().split(',').next().unwrap();
    assert_eq!(last.parse::<u64>().unwrap(), steps);
}

/// What goes wrong with the recording is said, and the table is whole all the same; its end used to be lost.
#[cfg(target_os = "linux")]
#[test]
fn a_table_is_whole_though_the_recording_fails() {
    let folder = Folder::new("full");
    let (scene, csv) = (folder.file("a.toml"), folder.file("a.csv"));
    // A recording of some steps waits in memory and fails at its end, one of many while it runs.
    for seconds in [0.1, 20.0] {
        std::fs::write(&scene, "dt = 0.01\n[[body]]\nsphere = 1\n").unwrap();
        let output = tumble(&[
            "run",
            &scene,
            "--seconds",
            &seconds.to_string(),
            "--json",
            "--record",
            "/dev/full",
            "--csv",
            &csv,
        ]);
        assert_eq!(code(&output), 1);
        assert!(err(&output).contains("cannot write /dev/full: "), "{}", err(&output));
        let run: Value = serde_json::from_str(&out(&output)).unwrap();
        let table = std::fs::read_to_string(&csv).unwrap();
        // The names of the columns, and a line before the first step and after each.
        assert_eq!(table.lines().count() as u64, 2 + run["steps"].as_u64().unwrap(), "{seconds}");
    }
}

/// A recording of another world is told by the first step that parts, and by the exit code.
#[test]
fn replay_names_the_step_where_worlds_part() {
    let folder = Folder::new("parts");
    let recording = folder.file("stack.rec");
    assert_eq!(code(&tumble(&["run", "box-stack", "--record", &recording])), 0);
    // The hash after step 17 is another, and the frame has the sum that goes with it.
    let mut bytes = std::fs::read(&recording).unwrap();
    let hash = tumble_scene::recording::Recording::read(bytes.clone()).unwrap().hash_after(17).unwrap().to_le_bytes();
    let at = bytes.windows(8).position(|w| w == hash).unwrap();
    bytes[at] ^= 1;
    seal(&mut bytes, at - 21, at + 8);
    std::fs::write(&recording, &bytes).unwrap();
    let told = tumble(&["replay", &recording, "--quiet"]);
    assert_eq!(code(&told), 1, "{}", err(&told));
    let told = tumble(&["replay", &recording, "--quiet", "--json"]);
    assert_eq!(code(&told), 1);
    let value: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!((&value["same"], &value["diverged_at"]), (&false.into(), &17.into()));
    // A snapshot that no world has written is refused with the file and the byte where it begins. It stands in the second frame.
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let frame = 12 + word(13) + 9;
    let (snapshot, end) = (frame + 13, frame + 5 + word(frame + 1));
    bytes[snapshot] ^= 0xff;
    seal(&mut bytes, frame, end);
    std::fs::write(&recording, bytes).unwrap();
    let told = tumble(&["replay", &recording, "--quiet"]);
    assert_eq!(code(&told), 1, "{}", err(&told));
    let expected = format!("error: {recording}: the snapshot at byte {snapshot}: ");
    assert!(err(&told).starts_with(&expected) && err(&told).lines().count() == 1, "{}", err(&told));
}

/// Gives the frame between these bytes of a recording the sum that goes with it.
fn seal(bytes: &mut [u8], from: usize, to: usize) {
    let sum =
        bytes[from..to].iter().fold(0x811c_9dc5_u32, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    bytes[to..to + 4].copy_from_slice(&sum.to_le_bytes());
}

/// A square frame with a square hole, as OBJ: two rings of corners in front and two behind.
fn window_frame() -> String {
    let mut text = String::new();
    for z in [1, 0] {
        for (low, high) in [(0, 3), (1, 2)] {
            for (x, y) in [(low, low), (high, low), (high, high), (low, high)] {
                text += &format!("v {x} {y} {z}\n");
            }
        }
    }
    for k in 0..4 {
        let n = (k + 1) % 4;
        let [front, front_hole, back, back_hole] = [1, 5, 9, 13];
        text += &format!("f {} {} {} {}\n", front + k, front + n, front_hole + n, front_hole + k);
        text += &format!("f {} {} {} {}\n", back + n, back + k, back_hole + k, back_hole + n);
        text += &format!("f {} {} {} {}\n", front + n, front + k, back + k, back + n);
        text += &format!("f {} {} {} {}\n", front_hole + k, front_hole + n, back_hole + n, back_hole + k);
    }
    text
}

/// Files that speak of more than there is, or than anyone means, are refused in a moment and without the memory that they speak of.
#[cfg(unix)]
#[test]
fn absurd_sizes_are_refused_in_a_moment() {
    let folder = Folder::new("absurd");
    let ply = |body: &str| format!("ply\nformat ascii 1.0\n{body}");
    let floats = "property float x\nproperty float y\nproperty float z\n";
    let list = "element face 1\nproperty list uint int vertex_indices\nend_header\n";
    let files: Vec<(&str, &str, Vec<u8>)> = vec![
        ("many.toml", "more than 100000 things", b"[[body]]\nsphere = 1\nrepeat = { i = 2000000 }\n".into()),
        ("grid.toml", "more than 100000 things", b"[[group]]\nrepeat = { i = 1e6, j = 1e6 }\n".into()),
        (
            "none.toml",
            "more than 100000 things",
            b"[[body]]\nwhen = 0\nsphere = 1\nrepeat = { i = 1e6, j = 1e6 }\n".into(),
        ),
        ("count.toml", "at most 2000000 of them", b"[[body]]\nsphere = 1\nrepeat = { i = 1e18 }\n".into()),
        (
            "links.toml",
            "more than 100000 things",
            b"[[articulation]]\n[[articulation.link]]\njoint = 'free'\nsphere = 1\nrepeat = { i = 1e6 }\n".into(),
        ),
        ("deep.toml", "deep.toml:1:", format!("let = {{ a = {}", "[".repeat(100_000)).into()),
        ("brackets.toml", "brackets.toml:1:", format!("gravity = [0, '{}1', 0]", "(".repeat(4000)).into()),
        ("stated.stl", "byte 80: it states 4294967295 triangles", [vec![b' '; 80], vec![255; 4]].concat()),
        (
            "stated.ply",
            "which cannot be",
            ply(&format!("element vertex 4000000000\n{floats}end_header\n0 0 0\n")).into(),
        ),
        (
            "list.ply",
            "list.ply:11:1: ",
            ply(&format!("element vertex 1\n{floats}{list}0 0 0\n4000000000 0 0 0\n")).into(),
        ),
        ("stated.glb", "byte 8: ", [b"glTF\x02\0\0\0".as_slice(), &[255; 4], &[255; 8]].concat()),
        ("frame.rec", "frame 0, at byte 12", [b"TUMBLREC\x02\0\0\0\0".as_slice(), &[255; 4], b"{}"].concat()),
    ];
    for (name, answer, bytes) in files {
        let path = folder.file(name);
        std::fs::write(&path, bytes).unwrap();
        let command = match name.rsplit('.').next().unwrap() {
            "toml" => "validate",
            "rec" => "replay",
            _ => "mesh",
        };
        let begin = std::time::Instant::now();
        // A gigabyte of addresses, of which the program itself takes some.
        let limited = format!("ulimit -v 1000000; exec \"$0\" {command} \"$1\"");
        let output = Command::new("sh").args(["-c", &limited, env!("CARGO_BIN_EXE_tumble"), &path]).output().unwrap();
        let (said, took) = (out(&output) + &err(&output), begin.elapsed());
        println!("{name}: {took:?}");
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains(answer) && said.len() < 2000, "{name}: {said}");
        assert!(took.as_secs() < 2, "{name}: {took:?}");
    }
    // Who means it says so.
    let path = folder.file("meant.toml");
    std::fs::write(&path, "most = 3\n[[body]]\nsphere = 1\nrepeat = { i = 4 }\n").unwrap();
    assert!(
        out(&tumble(&["validate", &path])).contains("more than 3 things; if that is meant, give the file `most = ")
    );
    std::fs::write(&path, "most = 4\n[[body]]\nsphere = 1\nrepeat = { i = 4 }\n").unwrap();
    assert_eq!(code(&tumble(&["validate", &path])), 0);
}

/// A place for the files of one test.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tumble-command-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A scene of the library becomes a file, the file runs to the same hash, and its recording replays.
#[test]
fn scenes_become_files_and_recordings() {
    let folder = Folder::new("files");
    let (scene, recording, csv) = (folder.file("stack.toml"), folder.file("stack.rec"), folder.file("stack.csv"));
    let converted = tumble(&["convert", "box-stack", &scene, "--set", "boxes=3"]);
    let left_out = "warning: left out, as only code says it: the check \"sag\"\n";
    assert_eq!((code(&converted), err(&converted).as_str()), (0, left_out));
    let library = json(&["run", "box-stack", "--set", "boxes=3", "--seconds", "0.96", "--json"]);
    let words = ["run", &scene, "--seconds", "0.96", "--record", &recording, "--csv", &csv, "--threads", "2", "--json"];
    let file = json(&words);
    assert_eq!((&file["hash"], &file["scene"]), (&library["hash"], &library["scene"]));
    assert_eq!(file["hash"].as_str().unwrap().len(), 16);
    assert!(file["deepest_overlap"].as_f64().unwrap() > 0.0 && file["joint_gap"] == 0.0);

    let replay = json(&["replay", &recording, "--json", "--quiet"]);
    assert_eq!((&replay["same"], &replay["steps"], &replay["whole"]), (&true.into(), &60.into(), &true.into()));
    assert_eq!(replay["hash"], file["hash"]);
    assert_eq!(json(&["info", &recording, "--json"])["kind"], "recording");
    assert_eq!(json(&["info", &scene, "--json"])["bodies"], 4);
    // Three boxes after every step and before the first, and the names of the columns.
    assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().count(), 1 + 3 * 61);

    let later = folder.file("later.toml");
    assert_eq!(code(&tumble(&["convert", &recording, &later, "--step", "30"])), 0);
    assert_eq!(code(&tumble(&["validate", &later])), 0);

    let flat = folder.file("stack.flat");
    let converted = tumble(&["convert", &scene, &flat]);
    assert_eq!((code(&converted), err(&converted).as_str()), (0, ""));
    assert!(std::fs::read_to_string(&flat).unwrap().starts_with("tumble-flat 1"));
    // A flat list says what it leaves out, and of whom; also to programs.
    let lost = "a flat list has no word for the surface velocity of body \"belt\"";
    let words = ["convert", "conveyor", &flat, "--json"];
    assert_eq!(err(&tumble(&words)), format!("warning: {lost}\n"));
    let report = json(&words);
    assert_eq!((&report["kind"], &report["warnings"][0]), (&"flat-list".into(), &lost.into()));
    assert_eq!((&report["file"], report["bodies"].as_u64() > Some(1)), (&flat.as_str().into(), true));
    let driven = tumble(&["convert", "trapdoors", &flat]);
    assert!(err(&driven).contains("warning: a flat list has no word for what drives the scene"), "{}", err(&driven));
    let refused = tumble(&["convert", "explosion", &flat]);
    assert_eq!(code(&refused), 1);
    assert!(err(&refused).starts_with("error: a flat list cannot hold the "), "{}", err(&refused));
    let report = json(&["convert", "box-stack", &scene, "--set", "boxes=3", "--json"]);
    assert_eq!((&report["kind"], &report["bodies"]), (&"scene-file".into(), &4.into()));
    assert_eq!(report["hash"], json(&["info", &scene, "--json"])["hash"]);

    // Cut in the middle, it is what it is up to there.
    let bytes = std::fs::read(&recording).unwrap();
    std::fs::write(&recording, &bytes[..bytes.len() - 100]).unwrap();
    let cut = tumble(&["replay", &recording, "--quiet"]);
    assert_eq!(code(&cut), 0);
    assert!(out(&cut).contains("cut short"), "{}", out(&cut));
}

/// A file with a mistake is answered with line, column and what was meant, by every command that reads it.
#[test]
fn mistakes_in_files_are_named() {
    let folder = Folder::new("mistakes");
    let path = folder.file("wrong.toml");
    std::fs::write(&path, "[[body]]\nmas = 1\n").unwrap();
    let expected = format!("{path}:2:1: there is no \"mas\" in a body; the nearest name is \"mass\"");
    let run = tumble(&["run", &path]);
    assert_eq!((code(&run), err(&run).trim_end()), (2, format!("error: {expected}").as_str()));
    let validate = tumble(&["validate", &path]);
    assert_eq!((code(&validate), out(&validate).trim_end()), (2, expected.as_str()));
    let found: Value = serde_json::from_str(&out(&tumble(&["validate", &path, "--json"]))).unwrap();
    assert_eq!((&found[0]["line"], &found[0]["column"], &found[0]["valid"]), (&2.into(), &1.into(), &false.into()));
    let convert = tumble(&["convert", "box-stack", &folder.file("stack.tom")]);
    assert_eq!(code(&convert), 2);
    assert!(err(&convert).contains("did you mean .toml?"), "{}", err(&convert));
    assert_eq!(json(&["validate", "--schema"])["title"], "Tumble scene");
}

/// A file that cannot be read or is not valid has one exit code, whatever is to be done with it; and it is never a panic.
#[test]
fn unreadable_files_have_one_exit_code() {
    let folder = Folder::new("unreadable");
    let (empty, garbage, cut) = (folder.file("empty.rec"), folder.file("garbage.obj"), folder.file("cut.toml"));
    std::fs::write(&empty, "").unwrap();
    std::fs::write(&garbage, [0xff, 0, 1, 2, 0xfe].repeat(100)).unwrap();
    std::fs::write(&cut, "[[body]]\nbox = [1, 1").unwrap();
    let (missing, here) = (folder.file("missing.toml"), folder.file("."));
    let out_file = folder.file("out.toml");
    for path in [&missing, &here, &empty, &garbage, &cut] {
        let commands: [&[&str]; 7] = [
            &["run", path],
            &["info", path],
            &["validate", path],
            &["replay", path],
            &["mesh", path],
            &["convert", path, &out_file],
            &["scenes", path],
        ];
        for words in commands {
            let output = tumble(words);
            assert_eq!(code(&output), 2, "{words:?}: {}{}", out(&output), err(&output));
            let said = out(&output) + &err(&output);
            assert!(said.lines().count() == 1 && !said.contains("panicked"), "{words:?}: {said}");
        }
    }
    assert!(!std::path::Path::new(&out_file).exists());
    // Where something cannot be written, the work breaks off.
    for words in [
        &["run", "free-fall", "--record", "/nonexistent/a.rec"][..],
        &["run", "free-fall", "--csv", "/nonexistent/a.csv"],
        &["convert", "box-stack", "/nonexistent/a.toml"],
        &["convert", "box-stack", "/nonexistent/a.flat"],
    ] {
        let output = tumble(words);
        assert_eq!(code(&output), 1, "{words:?}");
        assert!(err(&output).contains("cannot write /nonexistent/a."), "{words:?}: {}", err(&output));
    }
}

/// Nothing is read and written at once, and what was taken for something else is told from it.
#[test]
fn files_are_kept_apart() {
    let folder = Folder::new("apart");
    let (scene, recording) = (folder.file("one.toml"), folder.file("one.rec"));
    let text = "[[body]]\nsphere = 1\n";
    std::fs::write(&scene, text).unwrap();
    assert_eq!(code(&tumble(&["run", &scene, "--seconds", "0.1", "--record", &recording])), 0);
    let twice = folder.file("./one.toml");
    let cases: [(&[&str], &str); 9] = [
        (&["run", &scene, "--record", &twice], "would be read or written twice"),
        (&["run", &scene, "--csv", &scene], "would be read or written twice"),
        (&["run", &scene, "--csv", &recording, "--record", &recording], "would be read or written twice"),
        (&["convert", &scene, &scene], "would be read or written twice"),
        (&["run", &recording], "this is a recording, and a scene is needed"),
        (&["convert", &recording, &folder.file("late.toml"), "--step", "7"], "has the world after steps 0 to 6, not 7"),
        (&["convert", &recording, &folder.file("late.toml"), "--step", "-1"], "invalid value '-1'"),
        (&["run", &folder.file("one.toml"), "--set", "a=1"], "has no parameter \"a\"; it has none at all\n"),
        (&["mesh", &scene, "--scale", "-1"], "must be positive and finite"),
    ];
    for (words, answer) in cases {
        let output = tumble(words);
        assert_eq!(code(&output), 2, "{words:?}: {}", out(&output));
        assert!(err(&output).contains(answer), "{words:?}: {}", err(&output));
    }
    assert_eq!(std::fs::read_to_string(&scene).unwrap(), text);
    let output =
        Command::new(env!("CARGO_BIN_EXE_tumble")).current_dir(&folder.0).args(["run", "one"]).output().unwrap();
    assert!(err(&output).contains("did you mean the file one.toml?"), "{}", err(&output));
}

/// What is allowed and hardly meant is said, and what a file cannot say of a scene is named.
#[test]
fn what_is_hardly_meant_is_warned_of() {
    let coarse = tumble(&["run", "free-fall", "--dt", "100", "--quiet"]);
    assert!(err(&coarse).starts_with("warning: steps of 100 s are coarser"), "{}", err(&coarse));
    let folder = Folder::new("warnings");
    let path = folder.file("one.toml");
    std::fs::write(&path, "[[body]]\nname = 'ghost'\n").unwrap();
    let validate = tumble(&["validate", &path]);
    assert_eq!(code(&validate), 0);
    let said = out(&validate);
    assert!(said.contains("valid, with 1 body and 0 joints\nwarning: ") && said.contains("\"ghost\""), "{said}");

    let platform = folder.file("platform.toml");
    let converted = tumble(&["convert", "stewart-platform", &platform]);
    assert_eq!(code(&converted), 0);
    let left =
        "warning: left out, as only code says it: the checks \"place\", \"turn\"; what drives it while it runs\n";
    assert_eq!(err(&converted), left);
    let wall = folder.file("pyramid.toml");
    assert_eq!(err(&tumble(&["convert", "pyramid", &wall, "--set", "base=3"])), "");
    let run = json(&["run", &wall, "--json"]);
    assert_eq!(run["checks"].as_array().unwrap().len(), 4);
}

/// A mesh is described in words and in JSON, and an open one is told from a closed one.
#[test]
fn meshes_are_described() {
    let folder = Folder::new("meshes");
    let path = folder.file("tetrahedron.obj");
    let closed = TETRAHEDRON;
    std::fs::write(&path, closed).unwrap();
    let mesh = json(&["mesh", &path, "--density", "6000", "--scale", "2", "--json"]);
    assert_eq!((&mesh["closed"], &mesh["triangles"], &mesh["parts"]["count"]), (&true.into(), &4.into(), &1.into()));
    // A sixth of a cube of 2 m.
    assert!((mesh["mass"]["mass"].as_f64().unwrap() - 8000.0).abs() < 1e-6);
    assert!(out(&tumble(&["mesh", &path])).contains("closed            yes"));
    std::fs::write(&path, &closed[..closed.len() - 8]).unwrap();
    let open = out(&tumble(&["mesh", &path]));
    assert!(open.contains("closed            no: ") && open.contains("convex parts      none"), "{open}");
    // A frame of four bars is cut into bars; in one part it has what it encloses too, which is said.
    let frame = folder.file("frame.obj");
    std::fs::write(&frame, window_frame()).unwrap();
    let bars = tumble(&["mesh", &frame]);
    assert!(err(&bars).is_empty() && out(&bars).contains(" % too much volume"), "{}{}", out(&bars), err(&bars));
    let one = tumble(&["mesh", &frame, "--parts", "1", "--json"]);
    let report: Value = serde_json::from_str(&out(&one)).unwrap();
    // 3 x 3 x 1 of solid with a hole of 1 x 1 x 1.
    let error = report["parts"]["volume_error"].as_f64().unwrap();
    assert!((error - 1.0 / 8.0).abs() < 1e-5 && report["parts"]["within_tolerance"] == false, "{report}");
    let warning = "warning: 1 convex parts have 12.5 % too much volume, and 5 % is the tolerance";
    assert!(err(&one).starts_with(warning), "{}", err(&one));
    let scene = folder.file("frame.toml");
    std::fs::write(&scene, "[[body]]\nmesh = { file = 'frame.obj', as = 'parts', most_parts = 1 }\n").unwrap();
    let validate = out(&tumble(&["validate", &scene]));
    assert!(validate.contains("frame.obj: 1 convex parts have 12.5 % too much volume"), "{validate}");
    let wrong = tumble(&["mesh", &folder.file("thing.txt")]);
    assert_eq!(code(&wrong), 2);
    assert!(err(&wrong).contains(".obj, .stl, .ply"), "{}", err(&wrong));
}
