//! Kernel texts through a driver: each compiles, and all values stay in registers.

use std::path::PathBuf;

use crate::driver::Driver;
use crate::measure::spilled;
use crate::spirv;
use crate::vendors;
use zerostride_bench::parallel;

/// Compiles these WGSL files.
///
/// # Errors
/// The texts that fail or spill, one a line.
pub fn check(vendor: &str, files: &[PathBuf]) -> Result<(), String> {
    let vendor = vendors::named(vendor)?;
    let driver = Driver::new(vendor.gpu)?;
    let one = |path: &PathBuf| -> Result<(), String> {
        let wgsl = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
        let written = spirv::write(&wgsl, &[], &driver)?;
        let told = driver.compile(&written.module, false)?;
        match spilled(vendor, &told)? {
            0.0 => Ok(()),
            _ => Err(format!(
                "values do not stay in registers: {:?}",
                told.statistics
            )),
        }
    };
    let failures: Vec<String> = parallel::map(files, one)
        .into_iter()
        .zip(files)
        .filter_map(|(result, path)| result.err().map(|e| format!("{}: {e}", path.display())))
        .collect();
    match failures.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{} of {} texts:\n{}",
            failures.len(),
            files.len(),
            failures.join("\n")
        )),
    }
}
