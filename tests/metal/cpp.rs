//! Kernels in the Metal Shading Language as C++.

use std::fmt::Write;

/// A kernel's MSL in a namespace of C++, with what calls its entry point.
pub fn of_msl(msl: &str, number: usize) -> String {
    let lines = msl.lines().filter(|line| !line.starts_with("#include"));
    let text: String = lines.map(|line| line_of(line) + "\n").collect();
    let mut made = format!("namespace k{number} {{\n{text}");
    let (_, entry) = text.split_once("kernel void ").expect("an entry point");
    let (name, rest) = entry.split_once('(').unwrap();
    let (parameters, _) = rest.split_once("\n)").unwrap();
    let mut poison = String::new();
    let mut given = Vec::new();
    for (i, parameter) in parameters
        .lines()
        .filter(|line| !line.trim().is_empty())
        .enumerate()
    {
        let parameter = parameter.trim_start_matches(',').trim();
        let (ty, attribute) = match parameter.split_once(" [[") {
            Some((declared, attribute)) => (
                declared.rsplit_once(' ').unwrap().0,
                attribute.trim_end_matches("]]"),
            ),
            None => (parameter.rsplit_once(' ').unwrap().0, ""),
        };
        let words = ty.trim_end_matches('&').split(' ');
        let of: Vec<&str> = words
            .filter(|w| !["device", "constant", "threadgroup", "const"].contains(w))
            .collect();
        let of = of.join(" ");
        given.push(match attribute {
            "threadgroup_position_in_grid" => "call.group".to_owned(),
            "threadgroups_per_grid" => "call.groups".to_owned(),
            "thread_position_in_threadgroup" => "call.local".to_owned(),
            "thread_index_in_threadgroup" => "call.index".to_owned(),
            "thread_position_in_grid" => "call.group * call.size + call.local".to_owned(),
            "" => {
                let _ = writeln!(made, "alignas(16) char memory{i}[sizeof({of})];");
                let _ = write!(poison, " std::memset(memory{i}, 0xff, sizeof memory{i});");
                format!("*reinterpret_cast<{of}*>(memory{i})")
            }
            buffer => {
                let place = buffer
                    .strip_prefix("buffer(")
                    .and_then(|b| b.strip_suffix(')'));
                let place = place.unwrap_or_else(|| panic!("{parameter}"));
                format!("*reinterpret_cast<{of}*>(call.buffers[{place}])")
            }
        });
    }
    let given = given.join(", ");
    let _ = writeln!(
        made,
        "void call(const Call& call) {{ {name}({given}); }}\nvoid poison() {{{poison} }}\n}}"
    );
    made
}

/// What the table of kernels has of one.
pub fn entry(msl: &str, number: usize) -> String {
    let has_barriers = msl.contains("threadgroup_barrier(");
    format!("{{k{number}::call, k{number}::poison, {has_barriers}}},\n")
}

/// Declares what the table names.
pub fn declared(number: usize) -> String {
    format!("namespace k{number} {{ void call(const Call&); void poison(); }}\n")
}

/// A line with what C++ lacks: an array that goes on beyond its end, and the parts of a vector.
fn line_of(line: &str) -> String {
    if let Some(rest) = line.strip_prefix("typedef ")
        && let Some(array) = rest.strip_suffix("[1];")
    {
        let (of, name) = array.rsplit_once(' ').unwrap();
        return format!(
            "struct {name} {{ {of} first; {of}& operator[](unsigned i) {{ return (&first)[i]; }} \
             const {of}& operator[](unsigned i) const {{ return (&first)[i]; }} }};"
        );
    }
    let mut parts = line.split('.');
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let (name, rest) = part.split_at(end.unwrap_or(part.len()));
        let places: Option<Vec<String>> = name
            .chars()
            .map(|c| "xyzw".find(c).map(|i| i.to_string()))
            .collect();
        match places.filter(|places| places.len() > 1) {
            Some(places) => {
                let _ = write!(made, ".swizzle<{}>(){rest}", places.join(", "));
            }
            None => {
                let _ = write!(made, ".{part}");
            }
        }
    }
    made
}
