// WGSL with the lines marked that map an index to offsets.

// What such lines name: the table of strides, divisions of an index, places of an axis.
const MAPS = /\btable\.(axes|strides|extents)|\bdivide\(|\b(at|base|row|column)\d+\b/;

export function showWgsl(element, kernels) {
  element.replaceChildren();
  for (const { name, code } of kernels) {
    if (kernels.length > 1) element.append(`// ${name}\n`);
    for (const line of code.split("\n")) {
      if (MAPS.test(line)) {
        const mark = document.createElement("mark");
        mark.textContent = line;
        element.append(mark, "\n");
      } else {
        element.append(`${line}\n`);
      }
    }
  }
}
