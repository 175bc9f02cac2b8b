/**
 * The calls of an API by pattern, for example `/chats/{chatId}`, and by HTTP method. Literal parts take precedence
 * over named ones.
 */
export type CallTable<Handler> = Readonly<Record<string, Readonly<Record<string, Handler>>>>;

/** The call that was found, or what does not exist: the path, or the method at that path. */
export type FoundCall<Handler> =
  | { readonly pattern: string; readonly params: Readonly<Record<string, string>>; readonly handler: Handler }
  | "no path"
  | "no method";

/** Finds the call of a path. Trailing slashes are significant. */
export function findCall<Handler>(
  table: CallTable<Handler>,
  method: string,
  path: string,
): FoundCall<Handler> {
  const parts = path.split("/");
  let pathExists = false;
  for (const [pattern, methods] of Object.entries(table)) {
    const params = match(pattern.split("/"), parts);
    if (!params) continue;
    const handler = methods[method];
    if (handler) return { pattern, params, handler };
    pathExists = true;
  }
  return pathExists ? "no method" : "no path";
}

function match(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? "";
    if (expected.startsWith("{") && part !== "") params[expected.slice(1, -1)] = decode(part);
    else if (expected !== part) return undefined;
  }
  return params;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
