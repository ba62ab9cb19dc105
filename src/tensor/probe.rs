//! What an adapter does that no limit or feature says.

use crate::device::Context;
use crate::error::Result;
use crate::expr::Expr;

impl Context {
    /// Whether f32 arithmetic takes subnormal numbers for 0, as shading languages allow: found out by one small kernel, the
    /// first time it is asked. Moves, selections, `neg`, `abs`, casts between floats and everything of f16 and f64 keep them
    /// on every adapter.
    ///
    /// # Errors
    /// Those of [`eval`](Self::eval) and of a read.
    pub async fn flushes_subnormals(&self) -> Result<bool> {
        if let Some(&known) = self.0.flushes.get() {
            return Ok(known);
        }
        let small = [f32::from_bits(1), f32::from_bits(0x007f_ffff), f32::MIN_POSITIVE, 1.0];
        let x = self.tensor(&small, [4])?;
        // The factors are data, so that no compiler multiplies them, and a result may be subnormal too.
        let y = self.tensor(&[1.0f32, 1.0, 0.5, 1.0], [4])?;
        let product = self.eval(&Expr::leaf(x).mul(&Expr::leaf(y)))?.read::<f32>().await?;
        let flushes = product[..3] != [small[0], small[1], f32::MIN_POSITIVE / 2.0];
        Ok(*self.0.flushes.get_or_init(|| flushes))
    }

    /// [`flushes_subnormals`](Self::flushes_subnormals), waiting for it.
    ///
    /// # Errors
    /// As [`flushes_subnormals`](Self::flushes_subnormals).
    pub fn flushes_subnormals_blocking(&self) -> Result<bool> {
        pollster::block_on(self.flushes_subnormals())
    }
}
