//! `tumble validate`: whether files are scenes.

use crate::arguments::ValidateOptions;
use crate::failure::Failure;
use crate::output;
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;
use tumble_scene::{Error, file};

#[derive(Serialize)]
struct Finding {
    file: String,
    valid: bool,
    bodies: Option<u64>,
    joints: Option<u64>,
    line: Option<u32>,
    column: Option<u32>,
    message: Option<String>,
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
                (Some(message), ..) => format!("{message}\n"),
                (None, bodies, joints) => {
                    let (bodies, joints) = (bodies.unwrap_or(0), joints.unwrap_or(0));
                    format!("{}: valid, with {bodies} bodies and {joints} joints\n", finding.file)
                }
            };
        }
        output::print(&text)?;
    }
    Ok(if findings.iter().all(|f| f.valid) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
        },
        Err(error) => {
            let place = match &error {
                Error::File(error) if error.line > 0 => Some((error.line, error.column)),
                _ => None,
            };
            let message = Some(match &error {
                Error::File(_) => error.to_string(),
                _ => format!("{name}: {error}"),
            });
            let (line, column) = (place.map(|p| p.0), place.map(|p| p.1));
            Finding { file: name, valid: false, bodies: None, joints: None, line, column, message }
        }
    }
}
