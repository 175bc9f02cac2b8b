/** One event of a `text/event-stream`. */
export interface StreamEvent {
  readonly id: string | null;
  readonly type: string;
  readonly data: string;
}

/**
 * Parses a `text/event-stream` chunk by chunk, according to the HTML standard: one field per line, an empty line ends
 * an event, lines that start with a colon are comments. Incomplete data wait for the next chunk.
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
