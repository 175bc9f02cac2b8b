import { expect, it } from "vitest";
import { changed, sample, sampleNames } from "./testing.ts";
import { unknownIn } from "./unknown.ts";
import { readUpdate } from "./update.ts";

const kindsIn = (raw: unknown) => unknownIn(readUpdate(raw), raw);
const body = (more: object) => changed("text", { body: { mid: "mid.1", seq: 1, text: "hi", ...more } });

it.each<[string, unknown, string[]]>([
  ["an update", { update_type: "message_pinned" }, ["update.message_pinned"]],
  ["a type of attachment", sample("poll"), ["attachment.poll"]],
  ["an empty message", body({ text: null }), ["message.empty"]],
  ["a field of a message", changed("text", { expires_at: 1 }), ["message.expires_at"]],
  ["a field of a body", body({ effect: "confetti" }), ["body.effect"]],
  ["a field of a markup", body({ markup: [{ type: "strong", emoji: "x" }] }), ["markup.emoji"]],
  [
    "fields of an attachment",
    body({ attachments: [{ type: "image", view_once: true, payload: { url: "u", gif: "g" } }] }),
    ["image.view_once", "image.payload.gif"],
  ],
  [
    "a type of link, and what is in it",
    changed("text", {
      link: {
        type: "story",
        message: { link: { type: "forward", message: { attachments: [{ type: "gift" }] } } },
      },
    }),
    ["link.story", "attachment.gift"],
  ],
  ["at most three parts", body({ a: 1, b: 1, c: 1, d: 1 }), ["body.a", "body.b", "body.c"]],
  ["nothing of dialogs", { update_type: "dialog_muted", chat_id: 1 }, []],
])("reports %s", (_, raw, kinds) => expect(kindsIn(raw)).toEqual(kinds));

it.each(sampleNames().filter((name) => name !== "poll"))("knows all of the sample %s", (name) => {
  expect(kindsIn(sample(name))).toEqual([]);
});
