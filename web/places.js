// Positions of elements: numbers in row-major order, and indices.

export const product = (extents) => extents.reduce((n, e) => n * e, 1);

// The indices of a position.
export function indices(place, shape) {
  const at = new Array(shape.length).fill(0);
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    at[axis] = place % shape[axis];
    place = Math.floor(place / shape[axis]);
  }
  return at;
}

// The position of indices in a layout.
export const offset = ({ strides, offset }, at) => strides.reduce((sum, stride, axis) => sum + stride * at[axis], offset);
