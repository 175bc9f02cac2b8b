import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { columnsOf, mediaKindOf, mimeTypeOf, rises, statusesBelow, storedName } from "./content.ts";
import type { MessageBody } from "./transport/events.ts";
import { MESSAGE_STATUSES, type MessageStatus } from "./transport/message.ts";

describe("mediaKindOf", () => {
  it.each([
    // By MIME type.
    ["image", { mimeType: "image/jpeg" }],
    ["audio", { mimeType: "audio/ogg; codecs=opus" }],
    ["video", { mimeType: "video/mp4" }],
    ["document", { mimeType: "application/pdf" }],
    ["document", { mimeType: "text/plain" }],
    ["document", { mimeType: "image/svg+xml" }],
    ["document", { mimeType: "image/svg+xml; charset=utf-8" }],
    ["image", { mimeType: "IMAGE/PNG" }],
    ["document", { mimeType: "application/pdf", name: "a.png" }],
    ["image", { mimeType: "image/png", name: "a.pdf" }],
    // By name, where the type says nothing.
    ["image", { mimeType: "application/octet-stream", name: "a.JPG" }],
    ["image", { mimeType: "application/octet-stream; charset=binary", name: "a.jpg" }],
    ["image", { mimeType: "", name: "a.jpg" }],
    ["image", { name: "a.b.heic" }],
    ["audio", { name: "voice.opus" }],
    ["video", { name: "clip.3gp" }],
    ["document", { name: "a.pdf" }],
    ["document", { name: "jpg" }],
    ["document", { name: "jpg." }],
    ["document", { name: "a.constructor" }],
    ["document", { name: "a.__proto__" }],
    ["document", { name: "a.pdf", url: "https://x.example/a.png" }],
    // By address, where the name has no ending.
    ["video", { url: "https://x.example/a.mp4?size=1.png#b.jpg" }],
    ["image", { name: "photo", url: "https://x.example/a.png" }],
    ["document", { url: "https://x.example.mp4/" }],
    ["document", { url: "https://x.example/a.mp4/download" }],
    ["document", { url: "a.mp4" }],
    ["document", {}],
  ] as const)("%s: %o", (kind, file) => expect(mediaKindOf(file)).toBe(kind));
});

describe("mimeTypeOf", () => {
  it.each([
    ["image/jpeg", { mimeType: "image/jpeg", name: "a.png" }],
    ["audio/ogg; codecs=opus", { mimeType: "audio/ogg; codecs=opus" }],
    ["image/jpeg", { mimeType: "image/JPG" }],
    ["audio/mpeg", { mimeType: "audio/mp3; x=1" }],
    ["image/jpeg", { mimeType: "application/octet-stream", name: "a.JPG" }],
    ["image/png", { mimeType: "binary/octet-stream", name: "photo", url: "https://x.example/a.png" }],
    ["application/pdf", { mimeType: "", name: "a.pdf" }],
    ["application/octet-stream", { mimeType: "application/octet-stream", name: "a.xyz" }],
    ["application/octet-stream", {}],
  ] as const)("%s: %o", (type, file) => expect(mimeTypeOf(file)).toBe(type));
});

describe("storedName", () => {
  it.each([
    ["audio.ogg", "audio", { mimeType: "audio/ogg; codecs=opus" }],
    ["voice.ogg", "audio", { mimeType: "audio/ogg; codecs=opus", name: "voice" }],
    ["a.opus", "audio", { mimeType: "audio/ogg; codecs=opus", name: "a.opus" }],
    ["image.jpg", "image", { mimeType: "image/jpeg" }],
    ["image.jpg", "image", {}],
    ["video.mp4", "video", { mimeType: "video/mp4" }],
    ["file.pdf", "document", { mimeType: "application/pdf" }],
    ["file", "document", { mimeType: "application/x-unknown" }],
    ["notes.md", "document", { mimeType: "text/plain", name: "notes.md" }],
  ] as const)("%s: %s %o", (name, kind, file) => expect(storedName(file, kind)).toBe(name));
});

describe("columnsOf", () => {
  const file = { token: "t" };
  it.each<[MessageBody, string, string | null]>([
    [{ type: "text", text: "hello" }, "text", "hello"],
    [{ type: "text", text: "" }, "text", ""],
    [{ type: "media", media: "audio", file, text: "" }, "audio", null],
    [{ type: "media", media: "document", file, text: "look" }, "document", "look"],
    [{ type: "geo", latitude: 55.75, longitude: -37.5, text: "" }, "geo", "55.75,-37.5"],
    [{ type: "geo", latitude: 0, longitude: 0, text: "Null Island" }, "geo", "0,0\nNull Island"],
    [{ type: "vcard", vcard: "BEGIN:VCARD" }, "vcard", "BEGIN:VCARD"],
    [{ type: "missing_call" }, "missing_call", null],
    [{ type: "unsupported", what: "poll" }, "unsupported", null],
    [{ type: "unsupported", what: "poll", text: "Tea?" }, "unsupported", "Tea?"],
  ])("%o", (body, type, text) => expect(columnsOf(body)).toEqual({ type, text }));
});

const STATUSES = MESSAGE_STATUSES;

describe("rises", () => {
  /** Which statuses may follow; all others may not. */
  const FOLLOWERS: Record<MessageStatus, readonly MessageStatus[]> = {
    queued: ["sent", "delivered", "read", "error"],
    inbound: [],
    sent: ["delivered", "read", "error"],
    delivered: ["read"],
    read: [],
    error: [],
  };
  it.each(STATUSES)("after %s", (from) =>
    expect(STATUSES.filter((to) => rises(from, to))).toEqual(FOLLOWERS[from]),
  );

  it.each(STATUSES)("to %s, as SQL has it", (to) => {
    const before = STATUSES.filter((from) => FOLLOWERS[from].includes(to));
    expect(new Set(statusesBelow(to))).toEqual(new Set(before));
  });
});

describe("any order of reports", () => {
  /** The statuses that the message goes through. */
  function apply(start: MessageStatus, reports: readonly MessageStatus[]): MessageStatus[] {
    const seen = [start];
    for (const to of reports) if (rises(seen.at(-1) ?? start, to)) seen.push(to);
    return seen;
  }
  const ORDER: readonly MessageStatus[] = ["queued", "sent", "delivered", "read"];
  const receipts = fc.array(fc.constantFrom("sent", "delivered", "read"), { minLength: 1 });

  test("ends at the highest receipt and never falls", () => {
    fc.assert(
      fc.property(receipts, (reports) => {
        const ranks = apply("queued", reports).map((status) => ORDER.indexOf(status));
        expect(ranks).toEqual([...new Set(ranks)].sort((a, b) => a - b));
        expect(ranks.at(-1)).toBe(Math.max(...reports.map((status) => ORDER.indexOf(status))));
      }),
    );
  });

  test("an error ends the message, and is possible only before delivery", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STATUSES)), (reports) => {
        const seen = apply("queued", reports);
        const at = seen.indexOf("error");
        if (at === -1) return;
        expect(at).toBe(seen.length - 1);
        expect(["queued", "sent"]).toContain(seen[at - 1]);
      }),
    );
  });
});
