/** One event of a `text/event-stream`. */
export interface StreamEvent {
  readonly id: string | null;
  readonly type: string;
  readonly data: string;
}

/**
 * Reads a `text/event-stream` piece by piece, as the HTML standard parses it: fields of a line each, an empty line ends an
 * event, lines that begin with a colon are comments. What is incomplete waits for the next piece.
 */
export function eventReader(): (piece: string) => readonly StreamEvent[] {
  let rest = "";
  let fields: Record<string, string> = {};
  return (piece) => {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    const events: StreamEvent[] = [];
    for (const line of lines) {
      if (line === "") {
        if (fields["data"] !== undefined)
          events.push({ id: fields["id"] ?? null, type: fields["event"] ?? "message", data: fields["data"] });
        fields = {};
        continue;
      }
      const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (name === "") continue;
      fields[name] = name === "data" && fields[name] !== undefined ? `${fields[name]}\n${value}` : value;
    }
    return events;
  };
}
