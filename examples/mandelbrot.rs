//! The Mandelbrot set from two axes: `[1, W]` and `[H, 1]` broadcast to an image. Writes
//! `mandelbrot.png`.
//!
//! `cargo run --release --example mandelbrot [WIDTH [HEIGHT [FILE]]]`

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;

use zerostride::{Context, DType, Expr, Plan, Slot, Tensor};

/// Rounds of the iteration, each a plan that is encoded again and again.
const ROUNDS: usize = 40;
/// Iterations of a round: they are fused into one kernel.
const ITERATIONS: usize = 8;
/// |z| beyond which a point has escaped: large, so that the colours are smooth.
const ESCAPE: f64 = 64.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let width: usize = args.next().map_or(Ok(900), |a| a.parse())?;
    let height: usize = args.next().map_or(Ok(600), |a| a.parse())?;
    let file = args.next().unwrap_or_else(|| "mandelbrot.png".into());
    let context = Context::request_blocking()?;

    // The two axes; their broadcast is the plane.
    let axis = |n: usize, centre: f32, span: f32| -> Vec<f32> {
        (0..n)
            .map(|i| centre + span * ((i as f32 + 0.5) / n as f32 - 0.5))
            .collect()
    };
    let span = 3.0;
    let re = context.tensor(&axis(width, -0.65, span), [1, width])?;
    let im = context.tensor(
        &axis(height, 0.0, span * height as f32 / width as f32),
        [height, 1],
    )?;

    // State: z = x + iy and the number of iterations before |z| passed the bound.
    let zero = context.tensor(&vec![0.0f32; width * height], [height, width])?;
    let mut state = [zero.clone(), zero.clone(), zero];
    let plan = round(&context, &re, &im, &state)?;
    for _ in 0..ROUNDS {
        let [x, y, count] = &state;
        let next = context.run(&plan, &[&re, &im, x, y, count])?;
        state = next.try_into().map_err(|_| "a round has three outputs")?;
    }

    let rgb = colours(&context, &state)?;
    let mut encoder = png::Encoder::new(
        BufWriter::new(File::create(&file)?),
        width as u32,
        height as u32,
    );
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder
        .write_header()?
        .write_image_data(&rgb.read_blocking::<u8>()?)?;
    println!(
        "{file}: {width} x {height}, {} kernels on {}",
        context.pipelines_compiled(),
        context.adapter_info().name
    );
    Ok(())
}

/// `z = z * z + c`, while |z| is below the bound; three outputs over five inputs.
fn round(
    context: &Context,
    re: &Tensor,
    im: &Tensor,
    state: &[Tensor; 3],
) -> zerostride::Result<Plan> {
    let [c_re, c_im, mut x, mut y, mut count] = [0, 1, 2, 3, 4].map(Expr::slot);
    for _ in 0..ITERATIONS {
        let (xx, yy) = (&x * &x, &y * &y);
        let inside = (&xx + &yy).less(Expr::from(ESCAPE * ESCAPE));
        let next_x = &xx - &yy + &c_re;
        let next_y = &x * &y * 2.0 + &c_im;
        x = inside.where_(&next_x, &x);
        y = inside.where_(&next_y, &y);
        count = &count + inside.cast(DType::F32);
    }
    let slots: Vec<Slot> = [re, im]
        .into_iter()
        .chain(state)
        .map(Tensor::slot)
        .collect();
    Plan::many(&[x, y, count], &slots, &[], &context.options())
}

/// Smooth colours: the fractional number of iterations along a palette of three channels, `[H, W,
/// 1]` with `[3]`.
fn colours(context: &Context, [x, y, count]: &[Tensor; 3]) -> zerostride::Result<Tensor> {
    let channel = |values: [f32; 3]| context.tensor(&values, [3]).map(|t| t.expr());
    let (speed, phase) = (channel([1.0, 1.0, 1.0])?, channel([0.62, 0.50, 0.36])?);
    let [x, y, count] = [x, y, count].map(|t| t.unsqueeze(2).map(|t| t.expr()));
    let (x, y, count) = (x?, y?, count?);
    let log2 = |e: Expr<Tensor>| e.log() * std::f64::consts::LOG2_E;
    let magnitude = (&x * &x + &y * &y).maximum(Expr::from(ESCAPE));
    let smooth = &count - log2(log2(magnitude) * 0.5) + 2.6;
    // A triangle wave a channel, rounded by a cubic: bright where the three meet.
    let at = (smooth + 1.0).log() * 0.55 * speed + phase;
    let wave = (&at - at.floor()) * 2.0 - 1.0;
    let wave = &wave * &wave * (3.0 - wave.abs() * 2.0);
    let inside = count.greater_equal(Expr::from((ROUNDS * ITERATIONS) as f64));
    let shade = inside.where_(Expr::from(0.0), &wave);
    context.eval(&(shade * 255.0 + 0.5).cast(DType::U8))
}
