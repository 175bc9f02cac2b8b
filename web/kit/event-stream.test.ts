import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventReader, type StreamEvent } from "./event-stream.ts";

const event = (data: string, type = "message", id: string | null = null): StreamEvent => ({ id, type, data });

describe("an event stream", () => {
  test.each<[string, readonly StreamEvent[]]>([
    ["id: 7\nevent: chat\ndata: {}\n\n", [event("{}", "chat", "7")]],
    ["data: a\n\ndata: b\n\n", [event("a"), event("b")]],
    ["data: a\ndata: b\n\n", [event("a\nb")]],
    [": beat\n\n", []],
    ["event: empty\n\n", []],
    ["data:no space\r\n\r\n", [event("no space")]],
    ["data: not ended\n", []],
    ["data\n\n", [event("")]],
  ])("%j", (text, events) => expect(eventReader()(text)).toEqual(events));

  test("cut anywhere, it gives the same events", () => {
    const text = 'id: 1\nevent: message\ndata: {"a":"б"}\n\n: beat\n\nid: 2\ndata: x\r\ndata: y\r\n\r\n';
    const whole = eventReader()(text);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), (cuts) => {
        const read = eventReader();
        const places = [0, ...cuts.sort((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((to, at) => text.slice(places[at], to));
        expect(pieces.flatMap((piece) => read(piece))).toEqual(whole);
      }),
    );
  });
});
