// WGSL, with marks on the lines that map an index to offsets.

// Names in such lines: the table of strides, divisions of an index, positions along an axis; and names that they define:
// numbers of rows and quads, coordinates, offsets.
const MAPS = /\btable\.(axes|strides|extents|rank)|\bdivide\(|\b(at|base|row|column)\d+\b/;
const DEFINES = /^\s*(let|var) (number|own|along|row|column|rest|high|low|q\w*|p\d+\w*|c\d*|next\w*) = /;

// Indents lines by the brackets that are open at their start: the module's sources have no indentation.
function indented(code) {
  let depth = 0;
  return code.split("\n").map((line) => {
    const text = line.trim();
    const closes = /^[)}\]]+/.exec(text)?.[0].length ?? 0;
    const here = Math.max(depth - closes, 0);
    for (const c of text.replace(/\/\/.*/, "")) depth += "({[".includes(c) ? 1 : ")}]".includes(c) ? -1 : 0;
    return "    ".repeat(here) + text;
  });
}

export function showWgsl(element, kernels) {
  element.replaceChildren();
  for (const { name, code } of kernels) {
    if (kernels.length > 1) element.append(`// ${name}\n`);
    for (const line of indented(code)) {
      if (MAPS.test(line) || DEFINES.test(line)) {
        const mark = document.createElement("mark");
        mark.textContent = line;
        element.append(mark, "\n");
      } else {
        element.append(`${line}\n`);
      }
    }
  }
}
