//! What a workload is measured against: copies of as many bytes, by the adapter and by a kernel.

use zerostride::{Context, DType, Expr, Layout, Plan, Result, ScheduleName, Tensor, wgpu};

use super::device::{fill, scoped};

/// Bytes of the largest copy; more are copied in several.
const PIECE: u64 = 1 << 30;
/// Copies are of multiples of so many bytes: what is no multiple of 16 is copied at half or a quarter of the rate.
const WHOLE: u64 = 256;

/// Two buffers and a number of bytes to copy between them.
pub struct Copier {
    from: wgpu::Buffer,
    to: wgpu::Buffer,
    bytes: u64,
    /// The pieces' places and sizes, of each input set.
    pieces: Vec<Vec<[u64; 2]>>,
    /// A kernel for each of them: one vector of four elements an invocation.
    kernels: Vec<Vec<CopyKernel>>,
}

struct CopyKernel {
    plan: Plan,
    from: Tensor,
    to: Tensor,
}

/// What of two buffers is copied: pieces of so many bytes in all, from as many places as there are input sets where they
/// fit into one piece's room.
fn pieces(bytes: u64, sets: usize) -> Vec<Vec<[u64; 2]>> {
    let places = match bytes <= PIECE {
        true => (PIECE / bytes).clamp(1, sets as u64),
        false => 1,
    };
    let of_set = |start: u64| {
        let count = bytes.div_ceil(PIECE);
        (0..count)
            .map(|k| [start, (bytes - k * PIECE).min(PIECE)])
            .collect()
    };
    (0..places).map(|place| of_set(place * bytes)).collect()
}

impl Copier {
    /// Copies of so many bytes, or a few more.
    pub fn new(context: &Context, bytes: u64, sets: usize) -> Result<Self> {
        let bytes = bytes.next_multiple_of(WHOLE).max(WHOLE);
        let pieces = pieces(bytes, sets);
        let size = (bytes * pieces.len() as u64).min(PIECE);
        let usage = wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST
            | wgpu::BufferUsages::STORAGE;
        let buffer = || {
            context.device().create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let (from, to) = scoped(context, "create_buffer", || (buffer(), buffer()))?;
        // Written once, so that no memory is left that is first touched, or cleared, in a timed
        // run.
        fill(context, &from, 1)?;
        fill(context, &to, 2)?;
        let kernel =
            |&[start, size]: &[u64; 2]| CopyKernel::new(context, [&from, &to], start, size);
        let kernels = pieces
            .iter()
            .map(|set| set.iter().map(kernel).collect())
            .collect::<Result<_>>()?;
        Ok(Self {
            from,
            to,
            bytes,
            pieces,
            kernels,
        })
    }

    /// Bytes that are read, and as many are written.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Records the adapter's copy.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, set: usize) {
        for &[start, size] in &self.pieces[set % self.pieces.len()] {
            encoder.copy_buffer_to_buffer(&self.from, start, &self.to, start, size);
        }
    }

    /// Records the kernel's.
    pub fn dispatch(
        &self,
        context: &Context,
        pass: &mut wgpu::ComputePass<'_>,
        set: usize,
    ) -> Result<()> {
        self.kernels[set % self.kernels.len()]
            .iter()
            .try_for_each(|k| context.encode_in_pass(pass, &k.plan, &[&k.from], &[&k.to]))
    }
}

impl CopyKernel {
    fn new(context: &Context, buffers: [&wgpu::Buffer; 2], start: u64, size: u64) -> Result<Self> {
        let [start, len] = [start, size].map(|bytes| (bytes / 4) as usize);
        let layout = Layout::new([len], vec![1], start)?;
        let [from, to] = buffers.map(|buffer| context.wrap(buffer, DType::F32, layout.clone()));
        let (from, to) = (from?, to?);
        let options = context.options().with_schedule(Some(ScheduleName::One));
        let plan = Plan::many(&[Expr::slot(0)], &[from.slot()], &[to.slot()], &options)?;
        Ok(Self { plan, from, to })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_copies_have_a_place_for_each_input_set() {
        let all = pieces(1 << 20, 3);
        assert_eq!(all, [0, 1, 2].map(|k| vec![[k << 20, 1 << 20]]));
        assert_eq!(pieces(PIECE / 2, 8).len(), 2);
    }

    #[test]
    fn large_copies_are_made_in_pieces() {
        let all = pieces(2 * PIECE + WHOLE, 8);
        assert_eq!(all, [vec![[0, PIECE], [0, PIECE], [0, WHOLE]]]);
    }
}
