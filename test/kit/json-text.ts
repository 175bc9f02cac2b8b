const WIDTH = 110;

/** JSON with everything that fits into a line on one, so that changes are easy to read. Ends with a line break. */
export function jsonText(value: unknown): string {
  return `${textOf(value, "", WIDTH)}\n`;
}

function textOf(value: unknown, indent: string, room: number): string {
  const line = JSON.stringify(value);
  if (typeof value !== "object" || value === null || (line.length <= room && !/[[{].*[[{].*[[{]/.test(line)))
    return line;
  const inner = `${indent}  `;
  const entries = Array.isArray(value)
    ? value.map((item) => textOf(item, inner, WIDTH - inner.length))
    : Object.entries(value).map(([key, item]) => {
        const name = `${JSON.stringify(key)}: `;
        return name + textOf(item, inner, WIDTH - inner.length - name.length);
      });
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n${entries.map((entry) => inner + entry).join(",\n")}\n${indent}${close}`;
}
