//! `tumble validate`: whether files are scenes.

use crate::arguments::ValidateOptions;
use crate::failure::{self, Failure};
use crate::output::{self, count};
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;
use tumble_scene::Error;
use tumble_scene::file::{self, FileError};

#[derive(Serialize)]
struct Finding {
    file: String,
    valid: bool,
    bodies: Option<u64>,
    joints: Option<u64>,
    line: Option<u32>,
    column: Option<u32>,
    message: Option<String>,
    /// All mistakes that were found, of which the first is the one above.
    faults: Vec<Fault>,
    /// What is allowed, and hardly meant.
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Fault {
    line: Option<u32>,
    column: Option<u32>,
    message: String,
}

pub fn validate(options: &ValidateOptions) -> Result<ExitCode, Failure> {
    if options.schema {
        output::print_json(&file::schema())?;
        return Ok(ExitCode::SUCCESS);
    }
    let findings: Vec<Finding> = options.files.iter().map(|path| judge(path)).collect();
    if options.json {
        output::print_json(&findings)?;
    } else {
        let mut text = String::new();
        for finding in &findings {
            text += &match (&finding.message, finding.bodies, finding.joints) {
                (Some(_), ..) => finding.faults.iter().map(|fault| format!("{}\n", fault.message)).collect(),
                (None, bodies, joints) => {
                    let (bodies, joints) = (bodies.unwrap_or(0), joints.unwrap_or(0));
                    let (bodies, joints) = (count(bodies, "body", "bodies"), count(joints, "joint", "joints"));
                    format!("{}: valid, with {bodies} and {joints}\n", finding.file)
                }
            };
            text.extend(finding.warnings.iter().map(|warning| format!("warning: {warning}\n")));
        }
        output::print(&text)?;
    }
    Ok(if findings.iter().all(|f| f.valid) { ExitCode::SUCCESS } else { ExitCode::from(failure::WRONG_INPUT) })
}

fn fault(error: &FileError) -> Fault {
    let place = (error.line > 0).then_some((error.line, error.column));
    Fault { line: place.map(|p| p.0), column: place.map(|p| p.1), message: error.to_string() }
}

fn judge(path: &Path) -> Finding {
    let name = path.display().to_string();
    match file::load(path).and_then(|scene| scene.setup().start()) {
        Ok(run) => Finding {
            file: name,
            valid: true,
            bodies: Some(run.world().body_count() as u64),
            joints: Some(run.world().joint_count() as u64),
            line: None,
            column: None,
            message: None,
            faults: Vec::new(),
            warnings: run.warnings().to_vec(),
        },
        Err(error) => {
            let faults: Vec<Fault> = match &error {
                Error::File(first) => std::iter::once(first).chain(&first.others).map(fault).collect(),
                other => vec![Fault { line: None, column: None, message: format!("{name}: {other}") }],
            };
            let first = faults.first();
            Finding {
                file: name,
                valid: false,
                bodies: None,
                joints: None,
                line: first.and_then(|f| f.line),
                column: first.and_then(|f| f.column),
                message: first.map(|f| f.message.clone()),
                faults,
                warnings: Vec::new(),
            }
        }
    }
}
