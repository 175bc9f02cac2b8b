import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { TransportError } from "../core/transport/errors.ts";
import { transports } from "./index.ts";
import telegram from "./telegram/index.ts";

/** What transports share; no messengers. */
const SHARED = ["kit", "meta"];

it("finds every messenger by its folder", () => {
  const folders = readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !SHARED.includes(entry.name))
    .map(({ name }) => name);
  expect(transports.map(({ definition }) => definition.id)).toEqual(folders.sort());
});

it("loads each once, whichever way it is imported", async () => {
  expect(transports).toContain(telegram);
  const again = (await import(new URL("../core/transport/errors.ts", import.meta.url).href)) as object;
  expect(again).toMatchObject({ TransportError });
});
