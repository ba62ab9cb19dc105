// A result as an image.

// Colours from dark blue over green to yellow, in steps of lightness.
const COLOURS = [
  [38, 28, 84], [49, 62, 131], [42, 98, 142], [32, 133, 138], [48, 166, 118], [122, 196, 82], [201, 214, 60], [251, 232, 110],
];

export function colour(t) {
  const x = Math.min(Math.max(t, 0), 1) * (COLOURS.length - 1);
  const i = Math.min(Math.floor(x), COLOURS.length - 2);
  return COLOURS[i].map((a, k) => Math.round(a + (COLOURS[i + 1][k] - a) * (x - i)));
}

const HALF = new DataView(new ArrayBuffer(4));

// Returns the number of a 16-bit pattern of f16 or bf16.
function half(bits, dtype) {
  if (dtype === "bf16") {
    HALF.setUint32(0, bits << 16);
    return HALF.getFloat32(0);
  }
  const [sign, exponent, fraction] = [bits >> 15, (bits >> 10) & 31, bits & 1023];
  const size = exponent === 31 ? (fraction ? NaN : Infinity) : exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : fraction * 2 ** -24;
  return sign ? -size : size;
}

// Returns the elements of a read as numbers.
export function numbers(data, dtype) {
  const patterns = data instanceof Uint16Array && (dtype === "f16" || dtype === "bf16");
  return Float64Array.from(data, (x) => (patterns ? half(x, dtype) : Number(x)));
}

// Draws the last two axes, outer ones below each other, and returns a legend of the colours.
export function showImage(canvas, data, shape, dtype) {
  const values = numbers(data, dtype);
  const columns = shape.at(-1) ?? 1;
  const rows = values.length / Math.max(columns, 1);
  if (values.length === 0) {
    canvas.width = canvas.height = 1;
    return `${dtype}[${shape.join(", ")}], no elements`;
  }
  let [least, most] = [Infinity, -Infinity];
  for (const x of values) {
    if (!Number.isFinite(x)) continue;
    least = Math.min(least, x);
    most = Math.max(most, x);
  }
  const height = Math.min(rows, 1024);
  const width = Math.min(columns, 1024);
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  const pixels = context.createImageData(width, height);
  for (let r = 0; r < height; r++) {
    for (let c = 0; c < width; c++) {
      const x = values[r * columns + c];
      const rgb = Number.isNaN(x) ? [200, 60, 50] : colour(most > least ? (x - least) / (most - least) : 0.5);
      pixels.data.set([...rgb, 255], 4 * (r * width + c));
    }
  }
  context.putImageData(pixels, 0, 0);
  const shown = (x) => (Number.isFinite(x) ? Number(x.toPrecision(4)) : x);
  return `${dtype}[${shape.join(", ")}], from ${shown(least)} (dark) to ${shown(most)} (light)`;
}
