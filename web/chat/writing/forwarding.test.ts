import { expect, test } from "vitest";
import { type Abilities, placed, type WireMessage } from "../model.ts";
import { forwardedOf, planOf } from "./forwarding.ts";

const file = {
  url: "https://files.example/a",
  name: "a.png",
  mime_type: "image/png",
  size: 10,
  kind: "image" as const,
  is_external: false,
  state: "stored" as const,
};
const message = (more: Partial<WireMessage>, pending: Parameters<typeof placed>[2] = null) =>
  placed(
    {
      id: "m1",
      at: "2026-05-01T10:00:00.000Z",
      direction: "in",
      type: "text",
      text: "Hi",
      file: null,
      author: null,
      sender: null,
      deleted_at: null,
      quoted: null,
      status: "inbound",
      ...more,
    } as WireMessage,
    "telegram",
    pending,
  );
const forwardedFile = { ...file, messageId: "m1" };

test.each<[string, ReturnType<typeof message>, ReturnType<typeof forwardedOf>]>([
  ["a text", message({}), { text: "Hi", file: null }],
  ["a picture", message({ type: "image", text: null, file }), { text: "", file: forwardedFile }],
  ["a picture with a text", message({ type: "image", file }), { text: "Hi", file: forwardedFile }],
  ["a file that is not stored", message({ type: "image", file: { ...file, state: "waiting" } }), null],
  ["a file elsewhere", message({ type: "image", file: { ...file, is_external: true } }), null],
  ["a deleted message", message({ deleted_at: "2026-05-01T10:00:00.000Z" }), null],
  ["a contact card", message({ type: "vcard", text: "BEGIN:VCARD" }), null],
  ["a call", message({ type: "missing_call", text: null }), null],
  ["a message on its way", message({}, { state: "sending", progress: 0, problem: null }), null],
])("%s", (_, given, expected) => expect(forwardedOf(given)).toEqual(expected));

const abilities = (more: object = {}): Abilities =>
  ({
    can_send: true,
    window: null,
    text: { max_length: 10, max_length_with_buttons: 10 },
    media: { image: { max_bytes: 100, max_caption_length: 5 } },
    ...more,
  }) as Abilities;

test.each<[string, string, boolean, Abilities, string]>([
  ["a text", "Hi", false, abilities(), "one"],
  ["a text that is too long there", "Hi, Ann, hi", false, abilities(), "refused long"],
  ["a file", "", true, abilities(), "one"],
  ["a file with a text", "Hi", true, abilities(), "one"],
  ["a longer text, which the messenger takes alone", "Hi, Ann", true, abilities(), "two"],
  ["a messenger without pictures", "", true, abilities({ media: {} }), "refused kind"],
  [
    "a smaller limit",
    "",
    true,
    abilities({ media: { image: { max_bytes: 9, max_caption_length: null } } }),
    "refused large",
  ],
  ["a channel that does not work", "Hi", false, abilities({ can_send: false }), "refused closed"],
  ["a closed window", "Hi", false, abilities({ window: { is_open: false } }), "refused closed"],
])("%s", (_, text, hasFile, there, expected) => {
  const plan = planOf({ text, file: hasFile ? forwardedFile : null }, there);
  expect(plan.kind === "refused" ? `refused ${plan.reason}` : plan.kind).toBe(expected);
});
