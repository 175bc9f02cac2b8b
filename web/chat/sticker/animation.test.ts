import { expect, test } from "vitest";
import { checkAnimation, MAX_FILE_BYTES, readAnimation } from "./animation.ts";

const SQUARE = {
  ty: "gr",
  it: [
    { ty: "rc", p: { a: 0, k: [0, 0] }, s: { a: 0, k: [256, 256] }, r: { a: 0, k: 0 } },
    { ty: "fl", c: { a: 0, k: [1, 0, 0, 1] }, o: { a: 0, k: 100 } },
    { ty: "tr", p: { a: 0, k: [256, 256] } },
  ],
};
const LAYER = { ty: 4, ip: 0, op: 60, st: 0, ks: {}, shapes: [SQUARE] };
const STICKER = { tgs: 1, v: "5.5.2", fr: 60, ip: 0, op: 60, w: 512, h: 512, layers: [LAYER] };
const using = (refId: string) => ({ ...LAYER, ty: 0, refId });
const gzip = (text: string) =>
  new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).blob();
const tgs = (value: unknown) => gzip(JSON.stringify(value));

test("a sticker is read, without what it does not need", async () => {
  const told = {
    ...STICKER,
    fonts: { list: [{ fPath: "https://evil.example/font" }] },
    assets: [{ id: "part", w: 10, h: 10, layers: [LAYER], u: "https://evil.example/", p: "picture.png" }],
    layers: [
      { ...LAYER, ef: [{ ty: 5 }], ks: { r: { a: 0, k: 0, x: "fetch('//evil.example')" } } },
      { ...LAYER, shapes: [{ ty: "st", d: [{ n: "d", v: { a: 0, k: 0.0001 } }], w: { a: 0, k: 1 } }] },
      using("part"),
    ],
  };
  const text = JSON.stringify(await readAnimation(await tgs(told)));
  expect(text).toContain('"refId":"part"');
  expect(text).not.toMatch(/evil|"ef"|"d":|"x":/);
});

const deep = Array.from({ length: 100 }).reduce<object>((inner) => ({ ty: "gr", it: [inner] }), SQUARE);
const powers = Array.from({ length: 8 }, (_, index) => ({
  id: `c${index}`,
  layers: Array.from({ length: 10 }, () => (index === 0 ? LAYER : using(`c${index - 1}`))),
}));
const RECTANGLE = SQUARE.it[0];
const many = (count: number, shape: unknown) => Array.from({ length: count }, () => shape);
test("a sticker of many shapes is played", () => {
  const layer = { ...LAYER, shapes: many(30, { ty: "gr", it: [...many(20, RECTANGLE), ...SQUARE.it] }) };
  const assets = [{ id: "part", layers: [layer] }];
  expect(checkAnimation({ ...STICKER, assets, layers: many(4, using("part")) })).not.toBeNull();
});

test.each<[string, unknown]>([
  ["no object", [1]],
  [
    "many shapes, used often",
    {
      ...STICKER,
      assets: [{ id: "a", layers: [{ ...LAYER, shapes: many(1_000, SQUARE) }] }],
      layers: many(100, using("a")),
    },
  ],
  [
    "much data, used often",
    {
      ...STICKER,
      assets: [{ id: "a", layers: [{ ...LAYER, ks: many(100_000, []) }] }],
      layers: many(100, using("a")),
    },
  ],
  [
    "many curves, used often",
    {
      ...STICKER,
      assets: [{ id: "a", layers: [{ ...LAYER, ks: many(1_000, { ti: 0 }) }] }],
      layers: many(100, using("a")),
    },
  ],
  [
    "as many fills as paths",
    { ...STICKER, layers: [{ ...LAYER, shapes: [...many(1_000, RECTANGLE), ...many(1_000, SQUARE.it[1])] }] },
  ],
  [
    "fills outside of groups of paths",
    { ...STICKER, layers: [{ ...LAYER, shapes: [SQUARE, ...many(10_000, SQUARE.it[1])] }] },
  ],
  [
    "as many transformations as paths",
    { ...STICKER, layers: [{ ...LAYER, shapes: [...many(2, RECTANGLE), ...many(2, SQUARE.it[2])] }] },
  ],
  [
    "many shapes that draw nothing",
    { ...STICKER, layers: [{ ...LAYER, shapes: many(20_000, { ty: "mm" }) }] },
  ],
  ["no size", { ...STICKER, w: undefined }],
  ["a size that is no number", { ...STICKER, h: "512" }],
  ["too large", { ...STICKER, w: 5_000 }],
  ["too fast", { ...STICKER, fr: 1_000 }],
  ["no frames", { ...STICKER, op: 0 }],
  ["too long", { ...STICKER, op: 60 * 60 }],
  ["no layers", { ...STICKER, layers: undefined }],
  ["a picture from an address", { ...STICKER, assets: [{ id: "p", u: "https://a.example/", p: "1.png" }] }],
  ["a layer of text", { ...STICKER, layers: [{ ...LAYER, ty: 5 }] }],
  ["a layer of a picture", { ...STICKER, layers: [{ ...LAYER, ty: 2 }] }],
  ["a repeater", { ...STICKER, layers: [{ ...LAYER, shapes: [{ ty: "rp", c: { k: 1e9 } }] }] }],
  ["a star in a group", { ...STICKER, layers: [{ ...LAYER, shapes: [{ ty: "gr", it: [{ ty: "sr" }] }] }] }],
  [
    "a gradient of a thousand million colours",
    { ...STICKER, layers: [{ ...LAYER, shapes: [{ ty: "gf", g: { p: 1e9 } }] }] },
  ],
  [
    "too many curves",
    { ...STICKER, layers: [{ ...LAYER, more: Array.from({ length: 2_001 }, () => ({ ti: 0 })) }] },
  ],
  ["shapes that are none", { ...STICKER, layers: [{ ...LAYER, shapes: "all" }] }],
  ["too many layers", { ...STICKER, layers: Array.from({ length: 1_001 }, () => LAYER) }],
  ["compositions that multiply", { ...STICKER, assets: powers, layers: [using("c7")] }],
  [
    "a composition within itself",
    { ...STICKER, assets: [{ id: "a", layers: [using("a")] }], layers: [using("a")] },
  ],
  ["an unknown composition", { ...STICKER, layers: [using("nothing")] }],
  ["groups too deep", { ...STICKER, layers: [{ ...LAYER, shapes: [deep] }] }],
  [
    "too many values",
    { ...STICKER, layers: [{ ...LAYER, more: Array.from({ length: 200_001 }, () => []) }] },
  ],
  ["too many mattes", { ...STICKER, layers: Array.from({ length: 21 }, () => ({ ...LAYER, tt: 1 })) }],
])("%s is not played", (_, value) => {
  expect(checkAnimation(STICKER)).not.toBeNull();
  expect(checkAnimation(value)).toBeNull();
});

test.each<[string, () => Blob | Promise<Blob>]>([
  ["no gzip", () => new Blob(["{}"])],
  ["no JSON", () => gzip("{")],
  ["a cut file", async () => (await tgs(STICKER)).slice(0, 60)],
  ["a file that is too large", () => new Blob(["0".repeat(MAX_FILE_BYTES + 1)])],
  ["a file that grows beyond an animation", () => gzip(" ".repeat(100_000_000))],
])("%s is no sticker", async (_, file) => {
  expect(await readAnimation(await file())).toBeNull();
});
