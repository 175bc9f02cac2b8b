import { objectIn, objectsIn, textIn } from "../../kit/json.ts";
import { unknownFields } from "../../kit/unknown-fields.ts";
import { isUnknownControl } from "../inbound.ts";
import { contentOf, KNOWN_TYPES, toBodies } from "./body.ts";
import { type MaxMessage, withForwarded } from "./update.ts";

/** Per message; a hostile one may have thousands. */
const MAX_UNKNOWN = 3;

/** Beside what is read: how often a message was seen, who reacted, where it stands in its chat. */
const MESSAGE: ReadonlySet<string> = new Set([
  ...["id", "cid", "time", "updateTime", "sender", "type", "text", "status", "elements", "attaches", "link"],
  ...["reactionInfo", "stats", "viewInfo", "options", "prevMessageId", "chatId", "unread", "mark", "deleted"],
]);
/** Those of groups and channels are written by people. */
const MESSAGE_TYPES: ReadonlySet<string> = new Set(["USER", "GROUP", "CHANNEL", "SYSTEM", "SERVICE", "TEXT"]);
const STATUSES: ReadonlySet<string> = new Set(["EDITED", "REMOVED", "SENT", "READ"]);
const LINKS: ReadonlySet<string> = new Set(["REPLY", "FORWARD"]);
/** Attachments that carry nothing for people. */
const SILENT_TYPES: ReadonlySet<string | undefined> = new Set(["CONTROL", "CALL"]);

/** The kinds of what a message has and the connector does not know. Pure. */
export function unknownIn(message: MaxMessage, raw: unknown): readonly string[] {
  const kinds = [
    ...unknownFields(raw, MESSAGE).map((name) => `message.${name}`),
    ...unlessKnown("type", message.type, MESSAGE_TYPES),
    ...unlessKnown("status", message.status, STATUSES),
    ...withForwarded(message).flatMap(({ link }) => unlessKnown("link", link?.type, LINKS)),
    ...attachKinds(raw),
    ...(message.attaches ?? []).filter(isUnknownControl).map(({ event = "" }) => `control.${event}`),
  ];
  if (isEmpty(message)) kinds.push("message.empty");
  return [...new Set(kinds)].slice(0, MAX_UNKNOWN);
}

function unlessKnown(of: string, value: string | undefined, known: ReadonlySet<string>): string[] {
  return value === undefined || known.has(value) ? [] : [`${of}.${value}`];
}

function attachKinds(raw: unknown): string[] {
  const kinds: string[] = [];
  for (let message = raw; message !== undefined; message = objectIn(objectIn(message, "link"), "message"))
    for (const attach of objectsIn(message, "attaches")) {
      const type = textIn(attach, "_type") ?? "";
      if (!KNOWN_TYPES.has(type)) kinds.push(`attach.${type}`);
    }
  return kinds;
}

function isEmpty(message: MaxMessage): boolean {
  if (message.status === "REMOVED") return false;
  if (message.attaches?.some(({ _type }) => SILENT_TYPES.has(_type)) === true) return false;
  return toBodies(contentOf(message), { chatId: "", messageId: "" }).length === 0;
}
