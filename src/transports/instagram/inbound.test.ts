import { describe, expect, it } from "vitest";
import type { TransportEvent } from "../../core/transport/events.ts";
import { readCall, Unreadable } from "./inbound/notifications.ts";
import { toComment, toEvents } from "./inbound.ts";
import type { Person } from "./people.ts";
import { ANN, sample } from "./testing.ts";

const person: Person = { igsid: ANN, chatId: "ann", contact: { name: "Ann", username: "ann" } };
const now = new Date("2026-09-21T15:00:00Z");
const post = { id: "17890000000000001", src: "", author: "shop", description: "" };
const URL_1 = "https://lookaside.fbsbx.com/ig_messaging_cdn/?asset_id=1&signature=Ab";
const mid = (number: string) => `aWdfZAG1faXRlbToxOklHTWVzc2FnZAUlE${number}`;

function eventsOf(body: unknown): TransportEvent[] {
  return readCall(body).flatMap(({ content }) => {
    if (content === null || content instanceof Unreadable) return [];
    if (content.kind === "direct") return toEvents(content, { person, now });
    return content.kind === "comment" ? [toComment(content, { person, now, post })] : [];
  });
}
const events = (name: string): TransportEvent[] => eventsOf(sample(name));
const media = (kind: string, text = "") => ({ type: "media", media: kind, file: { token: URL_1 }, text });

describe("toEvents", () => {
  it.each([
    ["text", { type: "text", text: "Hello 👋" }],
    ["image", media("image")],
    ["video", media("video")],
    ["audio", media("audio")],
    ["file", media("document")],
    ["reel", media("video", "A reel")],
    ["share", { type: "text", text: "https://www.instagram.com/p/Shared00001/" }],
    ["story-mention", media("image")],
    ["heart", { type: "text", text: "❤️" }],
    ["ephemeral", { type: "unsupported", what: "ephemeral" }],
    ["unsupported", { type: "unsupported", what: "message" }],
  ])("body of %s", (name, body) => {
    expect(events(name).map((event) => event.kind === "message" && event.message.body)).toEqual([body]);
  });

  it("a complete message", () => {
    expect(events("text")).toEqual([
      {
        kind: "message",
        message: {
          chatType: "instagram",
          chatId: "ann",
          externalId: mid("01"),
          direction: "in",
          sentAt: new Date(1_790_000_000_000),
          contact: { name: "Ann", username: "ann" },
          body: { type: "text", text: "Hello 👋" },
        },
      },
    ]);
  });

  it("each part of an album has its own id, and is deleted with the album", () => {
    const ids = events("album").map((event) => event.kind === "message" && event.message.externalId);
    expect(ids).toEqual([mid("03"), `${mid("03")}#2`]);
    const gone = events("unsend").map((event) => event.kind === "deleted" && event.ref.externalId);
    expect(gone.slice(0, 2)).toEqual([mid("01"), `${mid("01")}#2`]);
  });

  it.each([
    [
      "story-reply",
      {
        message: {
          quoted: {
            externalId: "17900000000000001",
            body: { type: "unsupported", what: "story" },
            link: expect.stringMatching(/^https:/),
          },
        },
      },
    ],
    ["reply", { message: { quoted: { externalId: mid("01") } } }],
    ["quick-reply", { message: { pressed: { text: "Yes", payload: "yes" } } }],
    [
      "postback",
      { message: { pressed: { text: "Order", payload: "order" }, quoted: { externalId: mid("21") } } },
    ],
    [
      "ad",
      {
        message: {
          body: { text: "Is it still on sale?" },
          referral: { source: "ad", sourceId: "120226305854810727", headline: "Kettles", ref: "promo7" },
        },
      },
    ],
    ["opened", { message: { body: { text: "/start promo7" }, referral: { source: "link", ref: "promo7" } } }],
    ["echo", { message: { direction: "echo", chatId: "ann" } }],
    ["edited", { kind: "edited", ref: { externalId: mid("01") }, body: { text: "Hello!" } }],
    ["read", { kind: "readUpTo", upTo: { externalId: mid("20") } }],
    ["read-watermark", { kind: "readUpTo", upTo: { sentAt: new Date(1_790_000_000_000) } }],
    ["reaction", { kind: "activity", chatId: "ann" }],
    ["comment", { message: { externalId: "17865799348089039", post, body: { text: "price?" } } }],
    ["comment-reply", { message: { quoted: { externalId: "17865799348089039" } } }],
    ["comment-in-entry", { message: { externalId: "17865799348089039" } }],
    ["live-comment", { message: { externalId: "17865799348089041" } }],
  ])("%s", (name, expected) => {
    expect(events(name)).toMatchObject([expected]);
  });

  it("own comments and removed reactions emit nothing", () => {
    const own = JSON.stringify(sample("comment")).replace(`"id":"${ANN}"`, '"id":"17841400000000001"');
    const taken = JSON.stringify(sample("reaction")).replace('"react"', '"unreact"');
    expect([own, taken].flatMap((text) => eventsOf(JSON.parse(text)))).toEqual([]);
  });
});
