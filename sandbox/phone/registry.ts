import { foldersWith } from "../emulators.ts";
import type { Phone } from "./phone.ts";

const FILE = import.meta.url.endsWith(".ts") ? "phone.ts" : "phone.js";

/** The phones of all messengers whose folder has one, by name. */
export const phones: ReadonlyMap<string, Phone> = new Map(
  await Promise.all(
    foldersWith(FILE)
      .filter((name) => name !== "phone")
      .map(async (name) => [name, await load(name)] as const),
  ),
);

async function load(name: string): Promise<Phone> {
  const { default: phone }: { default: Phone } = await import(
    new URL(`../${name}/${FILE}`, import.meta.url).href
  );
  return phone;
}
