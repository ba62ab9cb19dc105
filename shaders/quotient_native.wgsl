// Quotients on adapters that round them once: each takes the place of the function of its name in ops.wgsl.

fn rounded_div(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return a / b;
}
