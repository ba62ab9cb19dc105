#![no_main]

use zerostride_fuzz::targets::text::run;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| run(bytes));
