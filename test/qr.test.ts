import { expect, test } from "vitest";
import { readQr } from "../sandbox/qr-reader.ts";
import { qrPng } from "../src/platform/qr.ts";

test.each([1, 20, 100, 257, 300, 500])("a text of %i characters can be read again", async (length) => {
  const text = `https://example.com/#${"aB3,+/=".repeat(80)}`.slice(0, length);
  const picture = await qrPng(text);
  expect(picture).toMatch(/^data:image\/png;base64,/);
  expect(readQr(picture)).toBe(text);
});
