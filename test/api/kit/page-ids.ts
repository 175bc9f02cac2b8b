import { randomUUID } from "node:crypto";
import type { OpenApiDocument } from "../../../src/http/openapi/document.ts";

export type Kind = "chat" | "message" | "channel" | "file" | "template" | "answer" | "note" | "proposal";
export type Ids = Readonly<Record<Kind, string>>;

export interface IdRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/app/api/`. */
  readonly path: string;
  readonly body: object;
}

/** A place of a request of the pages that takes an id. */
export interface IdPlace {
  /** Operation and place, as `getChat path chats`. */
  readonly name: string;
  readonly page: "chats" | "channels";
  readonly kind: Kind;
  /** A request whose other ids are the session's own. */
  request(own: Ids, tried: string): IdRequest;
}

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Described {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** What a name in a path, a query or a body identifies; a new one has to be added here before its route passes. */
const NAMED: Readonly<Record<string, Kind>> = {
  chats: "chat",
  messages: "message",
  channels: "channel",
  "canned-answers": "answer",
  notes: "note",
  proposals: "proposal",
  around: "message",
  chat_id: "chat",
  quoted_message_id: "message",
  channel_id: "channel",
  file_id: "file",
  file_of_message_id: "message",
  "template.id": "template",
};
/** Not of ours: the page's own, or the messenger's. */
const FOREIGN_TO_US = new Set(["id", "messenger_chat_id", "to.messenger_chat_id", "answer.id"]);

/** Every place where the pages' own routes take an id, by their description. */
export function idPlaces({ paths }: OpenApiDocument): readonly IdPlace[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    !path.startsWith("/app/api/") || path.startsWith("/app/api/console/")
      ? []
      : Object.entries(operations).flatMap(([method, operation]) =>
          placesOf(path.slice("/app/api/".length), method, operation as unknown as Described),
        ),
  );
}

function placesOf(path: string, method: string, described: Described): IdPlace[] {
  const [collection = ""] = path.split("/");
  const page = collection === "channels" ? "channels" : "chats";
  const { operationId, parameters = [], requestBody } = described;
  const make = (where: string, name: string): IdPlace => {
    const kind = NAMED[name];
    if (kind === undefined) throw new Error(`${operationId}: what does "${name}" identify?`);
    return {
      name: `${operationId} ${where} ${name}`,
      page,
      kind,
      request: (own, tried) => {
        const inPath = path.includes("{id}") ? (NAMED[collection] ?? kind) : kind;
        const id = where === "path" ? tried : own[inPath];
        const query = new URLSearchParams({
          ...QUERIES[operationId],
          ...(where === "query" ? { [name]: tried } : {}),
        });
        return {
          method: method.toUpperCase() as IdRequest["method"],
          path: `${path.replace("{id}", id)}?${query}`,
          body: bodyOf(operationId, own, where === "body" ? { name, tried } : null),
        };
      },
    };
  };
  const schema = Object.values(requestBody?.content ?? {})[0]?.schema;
  return [
    ...(path.includes("{id}") ? [make("path", collection)] : []),
    ...parameters
      .filter(({ in: place, name }) => place === "query" && isId(name))
      .map(({ name }) => make("query", name)),
    ...idsOf(schema).map((name) => make("body", name)),
  ];
}

const isId = (name: string) => name === "around" || /(^|_)id$/.test(name);

/** Names of ids in a body, with the name of what they lie in where that says what they identify. */
function idsOf(schema: Schema | undefined, within = ""): string[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, part]) => {
    const whole = within === "" ? name : `${within}.${name}`;
    if (part.properties !== undefined) return idsOf(part, whole);
    if (!isId(name) || FOREIGN_TO_US.has(whole)) return [];
    return [NAMED[whole] === undefined ? name : whole];
  });
}

interface Tried {
  readonly name: string;
  readonly tried: string;
}

/** A body that its route takes, with the tried id in its place. */
function bodyOf(operationId: string, own: Ids, tried: Tried | null): object {
  if (operationId !== "sendChatMessage")
    return { ...(BODIES[operationId] ?? {}), ...(tried === null ? {} : { [tried.name]: tried.tried }) };
  const base = { id: randomUUID(), chat_id: own.chat };
  const value = tried?.tried ?? "";
  const variants: Readonly<Record<string, object>> = {
    chat_id: { ...base, chat_id: value, text: "Hi" },
    quoted_message_id: { ...base, text: "Hi", quoted_message_id: value },
    channel_id: { id: base.id, to: { channel_id: value, phone: "79100000501" }, text: "Hi" },
    file_id: { ...base, file_id: value },
    file_of_message_id: { ...base, file_of_message_id: value },
    "template.id": { ...base, template: { id: value } },
  };
  const body = variants[tried?.name ?? "chat_id"];
  if (body === undefined) throw new Error(`No body of ${operationId} has ${tried?.name}`);
  return body;
}

const QUERIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  searchChat: { q: "word" },
  listGallery: { kind: "pictures" },
  removeCannedAnswer: { version: "1" },
};
const BODIES: Readonly<Record<string, object>> = {
  markUnanswered: { unanswered: false },
  pinChat: { pinned: true },
  assignChat: { before: null, assignee: null },
  changeCard: { name: "Ann" },
  snoozeChat: { until: null },
  tellPresence: { state: "viewing", asks: false },
  addNote: { id: randomUUID(), text: "Written" },
  editNote: { text: "Changed" },
  showMark: { mark: "typing" },
  submitPasskey: {
    answer: { rawId: "AA", response: { clientDataJSON: "AA", authenticatorData: "AA", signature: "AA" } },
  },
  editChatMessage: { text: "Changed" },
  changeCannedAnswer: { version: 1, name: "changed", text: "Changed" },
  resendMessage: { id: randomUUID() },
  reactToChatMessage: { emoji: "👍" },
  pairChannel: { phone: "79100000501" },
  sendCodeToPhone: { phone: "79100000501" },
  submitSecret: { secret: "12345" },
  renameChannel: { name: "Changed" },
  reconnectChannel: { credentials: {} },
};
