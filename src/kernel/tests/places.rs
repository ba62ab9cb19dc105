//! Whether a translated text binds what its list of places says, and nothing else.

use super::{KernelKey, Language, Place, Role, Translation, Variable, binding_list};

/// Checks a translation of a key's text.
pub fn check(language: Language, translation: &Translation, key: &KernelKey) -> Result<(), String> {
    let numbers = binding_list(key)
        .into_iter()
        .map(|b| Variable::Binding(b.number));
    let mut wanted: Vec<Variable> = numbers.collect();
    let extras = [
        (Variable::Immediates, key.immediate),
        (Variable::Workgroups, language == Language::Hlsl),
        (Variable::BufferSizes, language == Language::Msl),
    ];
    wanted.extend(
        extras
            .into_iter()
            .filter_map(|(variable, there)| there.then_some(variable)),
    );
    let listed: Vec<Variable> = translation
        .places
        .iter()
        .map(|(variable, _)| *variable)
        .collect();
    if listed != wanted {
        return Err(format!("{listed:?} are listed instead of {wanted:?}"));
    }
    for (n, (_, place)) in translation.places.iter().enumerate() {
        if translation.places[..n]
            .iter()
            .any(|(_, other)| other == place)
        {
            return Err(format!("two variables at {place}"));
        }
    }
    if language == Language::Spirv {
        return decorations(translation);
    }
    let text = std::str::from_utf8(&translation.code).map_err(|e| e.to_string())?;
    for (variable, place) in &translation.places {
        let found = text.matches(&place.to_string()).count();
        if found != 1 {
            return Err(format!("{variable:?} is {found} times at {place}\n{text}"));
        }
        let kind = binding_list(key)
            .into_iter()
            .find(|b| *variable == Variable::Binding(b.number))
            .map(|b| b.role);
        let fits = match (place, kind) {
            (Place::Register { class, .. }, Some(Role::Input { .. })) => *class == 't',
            (Place::Register { class, .. }, Some(Role::Output { .. })) => *class == 'u',
            (Place::Register { class, .. }, _) => *class == 'b',
            (Place::StorageBlock { writes, .. }, Some(role)) => {
                *writes == matches!(role, Role::Output { .. })
            }
            (Place::UniformBlock(_), kind) => {
                matches!(kind, None | Some(Role::Table | Role::Scalars))
            }
            _ => true,
        };
        if !fits {
            return Err(format!("{kind:?} is at {place}"));
        }
    }
    // What has to be bound, whether it has a place or not.
    let bound: &[&str] = match language {
        Language::Wgsl => &["@group(", "var<immediate>"],
        Language::Hlsl => &[
            "\ncbuffer ",
            "\nConstantBuffer<",
            "\nByteAddressBuffer ",
            "\nRWByteAddressBuffer ",
        ],
        Language::Msl => &["[[buffer(", "[[user("],
        Language::Glsl => &["uniform ", "buffer "],
        Language::Spirv => &[],
    };
    let count: usize = bound.iter().map(|mark| text.matches(mark).count()).sum();
    if count != translation.places.len() || text.contains("fake") {
        return Err(format!(
            "{count} things are bound and {} have places\n{text}",
            translation.places.len()
        ));
    }
    if language == Language::Hlsl {
        counts(text)?;
    }
    let function = if language == Language::Wgsl {
        "fn"
    } else {
        "void"
    };
    match text.contains(&format!("{function} {}(", translation.entry_point)) {
        true => Ok(()),
        false => Err(format!(
            "there is no entry point {}\n{text}",
            translation.entry_point
        )),
    }
}

/// HLSL has no value for the numbers of workgroups, so that naga gives the argument another one:
/// whatever reads it must read the constants instead.
fn counts(text: &str) -> Result<(), String> {
    let argument = text
        .lines()
        .find_map(|line| line.strip_prefix("void main("))
        .unwrap_or_default();
    let names: Vec<&str> = argument
        .split(", ")
        .filter(|a| a.contains("SV_GroupID"))
        .filter_map(|a| a.strip_prefix("uint3 ")?.split(' ').next())
        .collect();
    let [id, groups] = names.as_slice() else {
        return Err(format!("{names:?} are arguments with SV_GroupID\n{text}"));
    };
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let reads = |name: &&str| words.clone().filter(|w| w == name).count();
    if !text.contains(
        "(_NagaConstants.first_vertex, _NagaConstants.first_instance, _NagaConstants.other)",
    ) {
        return Err(format!("the constants are not read\n{text}"));
    }
    match (reads(groups), reads(id)) {
        (1, 2..) => Ok(()),
        found => Err(format!(
            "{groups} and {id} are written {found:?} times\n{text}"
        )),
    }
}

/// The bindings that a SPIR-V module's decorations give are those of the list.
fn decorations(translation: &Translation) -> Result<(), String> {
    const HEADER: usize = 5;
    let words: Vec<u32> = translation
        .code
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    let (mut sets, mut bindings, mut pushes) = (Vec::new(), Vec::new(), 0);
    let mut rest = &words[HEADER..];
    while let [first, ..] = rest {
        let (operation, len) = (first & 0xffff, (first >> 16) as usize);
        match (operation, &rest[1..len]) {
            (71, [_, 34, set]) => sets.push(*set),
            (71, [_, 33, binding]) => bindings.push(*binding),
            // A variable of the storage class for push constants.
            (59, [_, _, 9, ..]) => pushes += 1,
            _ => {}
        }
        rest = &rest[len..];
    }
    bindings.sort_unstable();
    let place = |(_, place): &(Variable, Place)| {
        if let Place::Descriptor(n) = place {
            Some(*n)
        } else {
            None
        }
    };
    let wanted: Vec<u32> = translation.places.iter().filter_map(place).collect();
    let wanted_pushes = translation
        .places
        .iter()
        .filter(|(_, p)| *p == Place::PushConstants)
        .count();
    if bindings != wanted
        || sets.len() != wanted.len()
        || sets.iter().any(|s| *s != 0)
        || pushes != wanted_pushes
    {
        return Err(format!(
            "bindings {bindings:?} of sets {sets:?}, {pushes} of push constants; listed {wanted:?}"
        ));
    }
    Ok(())
}
