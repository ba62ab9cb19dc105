// Errors of the package.

// An error: `code` for programs, the `column` of the expression, counted from 1, and the operands' shapes.
export class ZerostrideError extends Error {
  constructor({ code, message, column, expression, operands }) {
    super(expression && column ? `${message}\n${pointed(expression, column)}` : message);
    this.name = "ZerostrideError";
    this.code = code;
    this.column = column;
    this.expression = expression;
    this.operands = operands;
  }
}

// Returns the line of an expression that has this column, and a caret below it.
export function pointed(text, column) {
  let before = column - 1;
  for (const line of text.split("\n")) {
    const length = [...line].length;
    if (before <= length) return `  ${line}\n  ${" ".repeat(before)}^`;
    before -= length + 1;
  }
  return `  ${text}`;
}

export const refused = (message) => new ZerostrideError({ code: "ARGUMENT", message });

// Returns a string, or throws an error that names the value.
export function textOf(what, text) {
  if (typeof text === "string") return text;
  throw refused(`${what} must be a string, not ${String(text)}`);
}

// Runs a call of the module, and turns the objects that it throws into errors.
export function guarded(call, expression, operands) {
  const failed = (thrown) => {
    if (thrown instanceof Error || !thrown?.code) throw thrown;
    throw new ZerostrideError({ ...thrown, expression, operands: operands && shapes(operands) });
  };
  try {
    const value = call();
    return value instanceof Promise ? value.catch(failed) : value;
  } catch (thrown) {
    return failed(thrown);
  }
}

function shapes(operands) {
  const shown = ([name, value]) => {
    if (typeof value !== "object" || value === null) return `${name} = ${value}`;
    const shape = value.shape ?? [value.length];
    return `${name}: ${value.dtype ?? value.constructor.name}[${[...shape].join(", ")}]`;
  };
  return Object.entries(operands).map(shown);
}
