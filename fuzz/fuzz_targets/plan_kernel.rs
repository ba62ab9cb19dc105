#![no_main]

use zerostride_fuzz::targets::plan_kernel::run;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| run(bytes));
