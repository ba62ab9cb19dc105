//! Joins arrays and numbers indices: nodes that follow from shapes alone.

use super::graph::{Graph, SeenNode};
use super::kind::{CHOSEN, GraphKind};
use super::{Expr, Scalar};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::op::Op;
use crate::shape::Shape;
use crate::view::{AxisMap, Map, axis_among};

/// The most numbers that a kernel holds as constants.
const NUMBERS: usize = 64;

/// How arrays are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Join {
    /// Along an existing axis.
    Along(isize),
    /// All elements in row-major order, one array after another.
    Flat,
    /// Along a new axis.
    Stack(isize),
    /// Along axis 0; an array of one axis is a row.
    Rows,
    /// Along axis 1, or for arrays of one axis along that axis.
    Beside,
    /// Along axis 2.
    Deep,
    /// Along axis 1; an array of one axis is a column.
    Columns,
    /// The rows of a list, along a new axis 0.
    List,
}

impl Join {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Along(_) | Self::Flat => "concatenate",
            Self::Stack(_) => "stack",
            Self::Rows => "vstack",
            Self::Beside => "hstack",
            Self::Deep => "dstack",
            Self::Columns => "column_stack",
            Self::List => "array",
        }
    }

    pub(crate) fn of_nothing(self) -> Error {
        Error::argument(self.name(), "a join needs at least one array")
    }
}

impl<L> Expr<L> {
    /// Joins arrays along an existing axis, in their common type (NumPy's `concat`). A negative
    /// axis counts from the last.
    ///
    /// ```
    /// use zerostride::{DType, Expr, HostTensor, reference};
    ///
    /// let x = [HostTensor::new(DType::U8, [2, 2], vec![1, 2, 3, 4])?];
    /// let x_and_sums = Expr::concat([Expr::slot(0), Expr::slot(0) + 10], -1);
    /// assert_eq!(reference::run(&x_and_sums, &x)?.to_string(), "[[ 1  2 11 12]\n [ 3  4 13 14]]");
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the expression is planned or run: [`Error::Axis`] for an axis out of range;
    /// [`Error::Argument`] for no arrays, or shapes that differ along another axis.
    pub fn concat(arrays: impl IntoIterator<Item: Into<Self>>, axis: isize) -> Self {
        Self::joined(Join::Along(axis), Self::operands(arrays))
    }

    /// Joins arrays of one shape along a new axis, in their common type (NumPy's `stack`). A
    /// negative axis counts from the last of the result.
    ///
    /// # Errors
    /// When the expression is planned or run: [`Error::Axis`] for an axis out of range;
    /// [`Error::Argument`] for no arrays, or shapes that differ.
    pub fn stack(arrays: impl IntoIterator<Item: Into<Self>>, axis: isize) -> Self {
        Self::joined(Join::Stack(axis), Self::operands(arrays))
    }

    /// Selects elements of the first operand where this condition is true and of the second elsewhere, in
    /// their common type: NumPy's `where`. Operands may be numbers. The same as [`where_`](Self::where_).
    ///
    /// ```
    /// use zerostride::{DType, Expr, HostTensor, reference};
    ///
    /// let x = [HostTensor::new(DType::I8, [3], vec![1, 254, 3])?];
    /// let positive = Expr::slot(0).greater(0);
    /// let found = reference::run(&positive.select(Expr::slot(0), 0.5), &x)?;
    /// assert_eq!(format!("{found:#}"), "array([1. , 0.5, 3. ], dtype=float32)");
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    pub fn select(&self, then: impl Into<Self>, otherwise: impl Into<Self>) -> Self {
        Self::promoting(Op::WHERE, [self.clone(), then.into(), otherwise.into()])
    }
}

/// An array's extents on the axes of the result, each with the axis of the array it is; new axes
/// have an extent of 1.
type Lifted = Vec<(usize, Option<usize>)>;

/// An array on the axes of the result, and the axis along which it is joined.
fn lifted(join: Join, shape: &Shape) -> Result<(Lifted, usize)> {
    let extents = shape.extents().iter().copied();
    let own: Lifted = extents.zip((0..).map(Some)).collect();
    let rank = own.len();
    let new = |at: usize| {
        let mut lifted = own.clone();
        lifted.insert(at, (1, None));
        lifted
    };
    Ok(match (join, rank) {
        (Join::Along(axis), _) => {
            let axis = axis_among(join.name(), axis, rank, rank)?;
            (own, axis)
        }
        (Join::Flat, _) => (own, 0),
        (Join::Stack(axis), _) => {
            let axis = axis_among(join.name(), axis, rank + 1, rank + 1)?;
            (new(axis), axis)
        }
        (Join::List, _) => (new(0), 0),
        (Join::Rows, 0) => (vec![(1, None), (1, None)], 0),
        (Join::Rows, 1) => (new(0), 0),
        (Join::Rows, _) => (own, 0),
        (Join::Beside, 0) => (new(0), 0),
        (Join::Beside, 1) => (own, 0),
        (Join::Beside, _) => (own, 1),
        (Join::Columns, 0) => (vec![(1, None), (1, None)], 1),
        (Join::Columns, 1) => (new(1), 1),
        (Join::Columns, _) => (own, 1),
        (Join::Deep, 0) => (vec![(1, None); 3], 2),
        (Join::Deep, 1) => (vec![(1, None), own[0], (1, None)], 2),
        (Join::Deep, 2) => (new(2), 2),
        (Join::Deep, _) => (own, 2),
    })
}

/// The shape of the joined array, and for each array the map from its indices to those.
///
/// # Errors
/// [`Error::Axis`]; [`Error::Argument`] for shapes that differ elsewhere.
pub(super) fn joined(join: Join, shapes: &[Shape]) -> Result<(Shape, Vec<Map>)> {
    let mut arrays = Vec::with_capacity(shapes.len());
    for shape in shapes {
        arrays.push(lifted(join, shape)?);
    }
    let Some((first, axis)) = arrays.first().cloned() else {
        return Err(join.of_nothing());
    };
    let mut extents: Vec<usize> = first.iter().map(|(extent, _)| *extent).collect();
    let mut maps = Vec::with_capacity(shapes.len());
    let mut start = 0usize;
    for ((lifted, _), shape) in arrays.iter().zip(shapes) {
        let fits = |k: usize| k == axis || lifted[k].0 == extents[k];
        if lifted.len() != extents.len() || !(0..extents.len()).all(fits) {
            let rest = match join {
                Join::Stack(_) | Join::List => "they must be equal".to_owned(),
                _ => format!("they may differ along axis {axis} alone"),
            };
            let reason = format!("shapes {} and {shape} do not fit: {rest}", shapes[0]);
            return Err(Error::argument(join.name(), reason));
        }
        let along = |(k, (_, from)): (usize, &(usize, Option<usize>))| AxisMap {
            from: *from,
            step: from.map_or(0, |_| 1),
            start: if k == axis { start } else { 0 },
        };
        let axes = lifted.iter().enumerate().map(along).collect();
        maps.push(Map::new(shape.clone(), axes));
        start += lifted[axis].0;
    }
    extents[axis] = start;
    Ok((extents.into(), maps))
}

impl Graph {
    /// The node of arrays of one type joined to one.
    ///
    /// # Errors
    /// Those of [`joined`]; [`Error::Argument`] for a list of too many numbers.
    pub(super) fn join(&mut self, join: Join, args: &[usize]) -> Result<usize> {
        let Some(&first) = args.first() else {
            return Err(join.of_nothing());
        };
        let dtype = self.nodes[first].dtype;
        let mut args = args.to_vec();
        if join == Join::Flat {
            for arg in &mut args {
                *arg = self.reshape(*arg, &[-1])?;
            }
        }
        let shapes: Vec<Shape> = args.iter().map(|&n| self.nodes[n].shape.clone()).collect();
        let (shape, maps) = joined(join, &shapes)?;
        let is_number = |&n: &usize| matches!(self.nodes[n].kind, GraphKind::Scalar(_));
        if args.iter().all(is_number) {
            return self.numbers(join, &args, dtype, shape);
        }
        let mut placed = Vec::new();
        let mut operands = Vec::new();
        for (arg, map) in args.into_iter().zip(maps) {
            if !map.shape.is_empty() {
                operands.push(self.whole_of(arg));
                placed.push(map.normalised());
            }
        }
        if operands.is_empty() {
            return Ok(self.everywhere(Scalar::of_bits(dtype, 0), shape));
        }
        Ok(self.place(dtype, shape, operands.into_iter().zip(placed).collect()))
    }

    /// The node of neighbours along an axis, each with its place in the shape: of two at a time, so
    /// that passes which cannot bind all compute some of them, but for more than a kernel chooses
    /// among.
    fn place(&mut self, dtype: DType, shape: Shape, mut pieces: Vec<(SeenNode, Map)>) -> usize {
        if (3..=CHOSEN).contains(&pieces.len()) {
            let second = pieces.split_off(pieces.len() / 2);
            let mut together = |half| self.placed_together(dtype, &shape, half);
            pieces = vec![together(pieces), together(second)];
        }
        let (operands, places) = pieces.into_iter().unzip();
        self.push(GraphKind::Placed(places), dtype, shape, operands)
    }

    /// Neighbours as one piece of a shape.
    fn placed_together(
        &mut self,
        dtype: DType,
        shape: &Shape,
        mut pieces: Vec<(SeenNode, Map)>,
    ) -> (SeenNode, Map) {
        if pieces.len() == 1 {
            return pieces.remove(0);
        }
        let ends = |axis: usize, place: &Map| {
            let along = &place.axes[axis];
            let count = along.from.map_or(1, |from| place.shape.extents()[from]);
            (along.start, along.start + count)
        };
        let mut together = Map::identity(shape);
        let mut extents = Vec::with_capacity(shape.rank());
        for axis in 0..shape.rank() {
            let all = || pieces.iter().map(|(_, place)| ends(axis, place));
            let first = all().map(|(first, _)| first).min().unwrap_or_default();
            let end = all().map(|(_, end)| end).max().unwrap_or_default();
            pieces
                .iter_mut()
                .for_each(|(_, place)| place.axes[axis].start -= first);
            together.axes[axis].start = first;
            extents.push(end - first);
        }
        together.shape = extents.into();
        let node = self.place(dtype, together.shape.clone(), pieces);
        (self.whole_of(node), together.normalised())
    }

    /// An array of numbers, chosen by their places.
    fn numbers(&mut self, join: Join, args: &[usize], dtype: DType, shape: Shape) -> Result<usize> {
        if args.len() > NUMBERS {
            let reason = format!(
                "a list of {} numbers is longer than {NUMBERS}; name it as an input",
                args.len()
            );
            return Err(Error::argument(join.name(), reason));
        }
        let Some((&last, rest)) = args.split_last() else {
            return Err(join.of_nothing());
        };
        let line = Shape::from(vec![args.len()]);
        let mut made = self.alias(last, Map::new(line.clone(), Vec::new()));
        if !rest.is_empty() {
            let at = self.push(GraphKind::Numbers, DType::U32, line, Vec::new());
            for (k, &number) in rest.iter().enumerate().rev() {
                let place = self.number(Scalar::from(k as u32));
                let here = self.apply(Op::EQUAL, DType::Bool, &[at, place]);
                made = self.apply(Op::WHERE, dtype, &[here, number, made]);
            }
        }
        self.reshape_to(made, shape.extents())
    }

    /// The indices along an axis of a node, as u32.
    ///
    /// # Errors
    /// [`Error::Axis`]; [`Error::Argument`] for an axis that is longer than u32 counts.
    pub(super) fn indices(&mut self, of: usize, axis: isize) -> Result<usize> {
        let shape = self.nodes[of].shape.clone();
        let axis = axis_among("arange", axis, shape.rank(), shape.rank())?;
        let extent = shape.extents()[axis];
        if u32::try_from(extent).is_err() {
            let reason = format!("{extent} indices are too many: at most 2^32 - 1 are supported");
            return Err(Error::argument("arange", reason));
        }
        if extent < 2 {
            return Ok(self.everywhere(Scalar::from(0u32), shape));
        }
        let line = Shape::from(vec![extent]);
        let line = self.push(GraphKind::Numbers, DType::U32, line, Vec::new());
        let map = Map::new(shape, vec![AxisMap::same(axis)]);
        Ok(self.alias(line, map))
    }
}
