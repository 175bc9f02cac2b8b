import { expect, it } from "vitest";
import { findShapeErrors } from "./event-shape.ts";
import type { InboundMessage, TransportEvent } from "./events.ts";

const AT = new Date("2030-01-02T03:04:05Z");
const REF = { chatType: "telegram", chatId: "1", externalId: "2" } as const;
const MESSAGE: InboundMessage = {
  ...REF,
  direction: "in",
  sentAt: AT,
  contact: { name: "Ann" },
  body: { type: "text", text: "hello" },
};
const FILE = { token: "t", name: "a.png", mimeType: "image/png", size: 0 };

it.each<TransportEvent>([
  { kind: "message", message: MESSAGE },
  {
    kind: "message",
    message: {
      ...MESSAGE,
      sender: { id: "7", name: "" },
      body: { type: "media", media: "image", file: FILE, text: "" },
      pressed: { text: "Yes" },
      answers: [{ type: "form", payload: "{}" }],
      post: { id: "1", src: "", author: "", description: "", likes: 3 },
      advert: { id: "1" },
      isSystem: true,
      quoted: { externalId: "1", body: { type: "unsupported", what: "poll", text: "Tea?" } },
    },
  },
  { kind: "deleted", ref: REF, at: AT },
  { kind: "group", ref: REF, at: AT, picture: null },
  {
    kind: "members",
    ref: REF,
    at: AT,
    title: "",
    members: [{ change: "left", person: { id: "7", name: "Ann" } }],
  },
  { kind: "cooldown", cooldown: null },
])("%# is sound", (event) => expect(findShapeErrors(event)).toEqual([]));

const message = (more: object): unknown => ({ kind: "message", message: { ...MESSAGE, ...more } });
it.each<[unknown, readonly string[]]>([
  [{ kind: "new" }, ["kind new is unknown"]],
  [{ kind: "toString" }, ["kind toString is unknown"]],
  [{ kind: "message" }, ["message is not an object"]],
  [message({ sentAt: new Date(Number.NaN) }), ["message.sentAt is not a date"]],
  [message({ sentAt: new Date(Date.UTC(10_000, 0)) }), ["message.sentAt is not a date"]],
  [
    message({ externalId: "" }),
    ["message.externalId is not a text that is not empty and has at most 2000 characters"],
  ],
  [
    message({ chatId: 1, direction: "out" }),
    [
      "message.chatId is not a text that is not empty and has at most 2000 characters",
      "message.direction is not one of in, echo",
    ],
  ],
  [message({ sender: null }), ["message.sender is not an object"]],
  [
    message({ contact: { name: "Ann", avatar: { token: "" } } }),
    ["message.contact.avatar.token is not a text that is not empty and has at most 65536 characters"],
  ],
  [message({ body: null }), ["message.body.type is unknown"]],
  [message({ body: { type: "constructor" } }), ["message.body.type is unknown"]],
  [
    message({ body: { type: "geo", latitude: Number.NaN, longitude: "1", text: "" } }),
    ["message.body.latitude is not a finite number", "message.body.longitude is not a finite number"],
  ],
  [
    message({ body: { type: "media", media: "image", file: { ...FILE, size: -1 }, text: "" } }),
    ["message.body.file.size is not a whole number from 0"],
  ],
  [message({ body: { type: "unsupported", what: "poll", text: 1 } }), ["message.body.text is not a text"]],
  [message({ isSystem: false }), ["message.isSystem is not true"]],
  [message({ answers: [{ type: "form", payload: {} }] }), ["message.answers[0].payload is not a text"]],
  [message({ answers: {} }), ["message.answers is not a list"]],
  [
    { kind: "cooldown", cooldown: { until: AT, reason: "" } },
    ["cooldown.reason is not a text that is not empty"],
  ],
])("%# is not", (event, faults) => expect(findShapeErrors(event as TransportEvent)).toEqual(faults));
