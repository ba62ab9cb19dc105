//! Listed steps, computed by the reference.

use super::*;

/// What the listed steps give, each computed by the reference.
pub(super) fn computed(steps: &[StepInfo], inputs: &[HostTensor]) -> HostTensor {
    let mut made: Vec<HostTensor> = Vec::new();
    for step in steps {
        let operand = |o: &StepOperand| {
            let mut host = match o.value {
                StepValue::Slot(slot) => inputs[slot].clone(),
                StepValue::Step(of) => made[of].clone(),
                StepValue::Number(x) => {
                    let bytes = x.bits.to_le_bytes()[..x.dtype.size()].to_vec();
                    HostTensor::new(x.dtype, [], bytes).unwrap()
                }
                StepValue::Position => {
                    let numbers = 0..o.layout.reach().map_or(0, |r| r.end() + 1) as u32;
                    let bytes = numbers.flat_map(u32::to_le_bytes).collect::<Vec<_>>();
                    HostTensor::new(DType::U32, [bytes.len() / 4], bytes).unwrap()
                }
            };
            host.layout = o.layout.clone();
            host
        };
        let operands: Vec<HostTensor> = step.operands.iter().map(operand).collect();
        let slots = (0..operands.len()).map(Expr::slot).collect::<Vec<_>>();
        let run = |expr: &Expr<usize>| reference::run(expr, &operands).unwrap();
        let result = match &step.work {
            StepWork::Fold { axes, .. } => folded(step, axes, &operands[0]),
            StepWork::Scan { .. } => scanned(step, &operands[0]),
            StepWork::Map(op) if *op == Op::CAST => run(&slots[0].cast(step.dtype)),
            StepWork::Map(op) if *op == Op::BIT_CAST => run(&slots[0].bit_cast(step.dtype)),
            StepWork::Map(op) => run(&Expr::step(*op, slots)),
            StepWork::Product => {
                let [a, b] = [0, 1].map(|k| slots[k].cast(step.dtype));
                run(&a.matmul(b))
            }
            StepWork::Take { axis } => run(&slots[0].take(&slots[1], axis.cast_signed())),
            StepWork::Search { right } => {
                run(&slots[0].searchsorted(&slots[1], *right).cast(step.dtype))
            }
            StepWork::Join { places } => joined(step, places, &operands),
        };
        let found = (result.dtype, result.layout.shape());
        assert_eq!(found, (step.dtype, &step.shape), "{step:?}");
        made.push(result);
    }
    made.pop().unwrap()
}

/// A listed fold, row by row.
fn folded(step: &StepInfo, axes: &[usize], operand: &HostTensor) -> HostTensor {
    let shape = operand.layout.shape();
    let rank = shape.rank() as isize;
    let from: Vec<isize> = axes.iter().map(|&a| a as isize).collect();
    let to: Vec<isize> = (rank - from.len() as isize..rank).collect();
    let mut rows = operand.clone();
    rows.layout = rows.layout.view(&View::MoveAxis { from, to }).unwrap();
    let count = axes.iter().map(|&a| shape.extents()[a]);
    let elements = rows.storage_bits().unwrap();
    let folded = elements.chunks(count.product()).flat_map(|row| {
        let made = step.fold(row.to_vec(), |&a, &b| step.compute(&[a, b]).unwrap());
        made.unwrap().to_le_bytes()[..step.dtype.size()].to_vec()
    });
    let bytes = folded.collect();
    HostTensor::new(step.dtype, crate::expr::without(shape, axes), bytes).unwrap()
}

/// Listed elements in their places.
fn joined(step: &StepInfo, places: &[Layout], operands: &[HostTensor]) -> HostTensor {
    let mut all = vec![0; step.shape.len().unwrap()];
    for (place, operand) in places.iter().zip(operands) {
        assert_eq!(place.shape(), operand.layout.shape(), "{step:?}");
        let elements = operand.storage_bits().unwrap().into_iter();
        place.offsets().zip(elements).for_each(|(n, x)| all[n] = x);
    }
    let size = step.dtype.size();
    let bytes = all.iter().flat_map(|x| x.to_le_bytes()[..size].to_vec());
    HostTensor::new(step.dtype, step.shape.clone(), bytes.collect()).unwrap()
}

/// A listed scan, row by row.
fn scanned(step: &StepInfo, operand: &HostTensor) -> HostTensor {
    let StepWork::Scan {
        axis,
        reverse,
        begin,
        ..
    } = step.work
    else {
        panic!("{step:?}")
    };
    let elements = operand.storage_bits().unwrap();
    let mut results = elements.clone();
    let within: usize = step.shape.extents()[axis + 1..].iter().product();
    let row = within * step.shape.extents()[axis];
    for first in (0..elements.len()).filter(|n| n % row < within) {
        let mut places: Vec<usize> = (first..first + row).step_by(within).collect();
        if reverse {
            places.reverse();
        }
        let own = places.iter().map(|&n| elements[n]).collect();
        let found = step.scan(own, begin, |&a, &b| step.compute(&[a, b]).unwrap());
        places
            .into_iter()
            .zip(found)
            .for_each(|(n, x)| results[n] = x);
    }
    let size = step.dtype.size();
    let bytes = results
        .iter()
        .flat_map(|x| x.to_le_bytes()[..size].to_vec());
    HostTensor::new(step.dtype, step.shape.clone(), bytes.collect()).unwrap()
}
