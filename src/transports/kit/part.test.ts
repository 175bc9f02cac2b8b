import { expect, it } from "vitest";
import type { MessageBody } from "../../core/transport/events.ts";
import { bodiesOf, itemPart, joinParts, NOTHING, quotedPart, wordsPart } from "./part.ts";

const photo = (text = ""): MessageBody => ({ type: "media", media: "image", file: { token: "t" }, text });
const place: MessageBody = { type: "geo", latitude: 1, longitude: 2, text: "Cafe" };
const part = joinParts([wordsPart(["See", undefined, ""]), itemPart(photo()), itemPart(place)]);

it("has all words with the first item", () => {
  expect(bodiesOf(part)).toEqual([photo("See"), place]);
  expect(bodiesOf(joinParts([wordsPart(["See"]), itemPart(place)]))).toEqual([
    { ...place, text: "See\nCafe" },
  ]);
  expect(bodiesOf(wordsPart(["One", "Two"]))).toEqual([{ type: "text", text: "One\nTwo" }]);
  expect(bodiesOf(NOTHING)).toEqual([]);
});

it("marks each line of what was forwarded, at every depth", () => {
  const inner = quotedPart(joinParts([wordsPart(["a\nb"]), itemPart(place)]));
  const outer = joinParts([wordsPart(["own"]), quotedPart(joinParts([wordsPart(["c"]), inner]))]);
  expect(bodiesOf(outer)).toEqual([{ ...place, text: "own\n> c\n> > a\n> > b\n> > Cafe" }]);
});
