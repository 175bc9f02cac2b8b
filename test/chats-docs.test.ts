import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Capabilities } from "../src/core/transport/definition.ts";
import { transports } from "../src/transports/index.ts";

const text = readFileSync(join(import.meta.dirname, "../docs/chats.md"), "utf8");

/** The table of a section: the cells beside each transport. */
function tableOf(section: string): Map<string, readonly string[]> {
  const [, body = ""] = text.split(`## ${section}\n`);
  const rows = (body.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| `"));
  return new Map(
    rows.flatMap((row) => {
      const [names = "", ...cells] = row.slice(2, -2).split(" | ");
      return [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => [name, cells] as const);
    }),
  );
}

const can = (cell: string | undefined): boolean => cell !== undefined && !cell.startsWith("no");

test.each<[string, (capabilities: Capabilities) => readonly boolean[]]>([
  ["Reactions", ({ reactions }) => [reactions !== undefined, reactions?.send === true]],
  [
    "Reading marks and typing",
    ({ marks }) => [marks?.includes("read") === true, marks?.includes("typing") === true],
  ],
])("%s: the table is that of the transports", (section, capabilityOf) => {
  const table = tableOf(section);
  const documented = transports.map(({ definition: { id } }) => [id, table.get(id)?.map(can)]);
  expect(documented).toEqual(
    transports.map(({ definition: { id, capabilities } }) => [id, capabilityOf(capabilities)]),
  );
});
