import { type Json, json, text } from "./admin.ts";
import type { Log } from "./phone.ts";
import type { Frame } from "./shape.ts";

/** Fields with secret values; `message_token` is only a number of Viber's. */
const SECRET = /^(?!message_token$).*(token|secret|password|passwd|authorization|signature|api_?hash|proof)/i;
const HIDDEN = "…";
/** Secrets inside longer texts, such as addresses. */
const IN_TEXT =
  /(\bbot\d+:)[\w-]{16,}|((?:access_token|client_secret|signature|sig)=)[^&\s"]+|(\bBearer )\S+/g;
const LONGEST = 4_000;

/** An entry of an emulator's list as displayed on the page. */
export function frameOf({ name, from, isRoutine }: Log, entry: Json): Frame {
  const { seq, ...body } = entry;
  const at = body["at"];
  const result = resultOf(body);
  return {
    id: `${name} ${text(seq)}`,
    from,
    at: typeof at === "number" ? at : typeof at === "string" ? Date.parse(at) : null,
    title: titleOf(name, body),
    ...result,
    // What fails is no routine.
    routine: !result.failed && isRoutine?.(body) === true,
    body: redact(parsedText(body)),
  };
}

/** The request, or the event. */
function titleOf(log: string, body: Json): string {
  const [method, path] = [text(body["method"]), text(body["path"])];
  if (method !== "") return path === "" ? method : `${method} ${hideKeys(path)}`;
  const words = ["name", "event", "xmlns", "action", "what", "type", "class", "kind"]
    .map((field) => text(body[field]))
    .filter((word) => word !== "");
  return words.slice(0, 2).join(" ") || log;
}

function resultOf(body: Json): Pick<Frame, "result" | "failed"> {
  const status = body["status"];
  const code = text(body["error_code"]);
  const reason = text(body["error"]) || text(body["description"]);
  const said = code === "" && reason === "" ? text(status) : `${code} ${reason}`.trim();
  const ack = text(body["ack"]);
  const isRefused = body["delivered"] === false || (typeof status === "number" && status >= 400);
  return {
    result: said === "" ? ack : said,
    failed: code !== "" || reason !== "" || isRefused || /^(\d{3}|lost)$/.test(ack),
  };
}

/** The body of a callback, parsed. */
function parsedText(body: Json): Json {
  const bytes = body["text"];
  if (typeof bytes !== "string" || !bytes.startsWith("{") || body["callback_id"] === undefined) return body;
  try {
    const { text: _, ...rest } = body;
    return { ...rest, body: JSON.parse(bytes) as unknown };
  } catch {
    return body;
  }
}

/** The same value without secrets, and without the middle of very long texts. */
export function redact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value === "string") {
    const shown = hideKeys(value);
    return shown.length > LONGEST ? `${shown.slice(0, LONGEST)}${HIDDEN}` : shown;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(json(value)).map(([name, each]) => [
      name,
      SECRET.test(name) && isValue(each) ? HIDDEN : redact(each),
    ]),
  );
}

function isValue(value: unknown): boolean {
  return (typeof value === "string" && value !== "") || typeof value === "number";
}

function hideKeys(value: string): string {
  return value.replaceAll(
    IN_TEXT,
    (_, bot: string | undefined, query: string | undefined, bearer: string | undefined) =>
      `${bot ?? query ?? bearer}${HIDDEN}`,
  );
}
