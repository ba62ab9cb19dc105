#![no_main]

use zerostride_fuzz::targets::npy::run;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| run(bytes));
