import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Capabilities } from "../src/core/transport/definition.ts";
import { transports } from "../src/transports/index.ts";

/** The table of a section: the cells beside each transport. */
function tableOf(section: string, page = "chats"): Map<string, readonly string[]> {
  const text = readFileSync(join(import.meta.dirname, `../docs/${page}.md`), "utf8");
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

test("groups: the table is that of the transports", () => {
  const table = transports.flatMap(({ definition: { id, capabilities } }) => {
    const { groups } = capabilities;
    if (groups === undefined) return [];
    const { limits, picture, participants, roles } = groups;
    const { min, max } = limits.people;
    const types = picture?.mimeTypes.map((type) => type.replace("image/", "").toUpperCase()).join(" or ");
    const pictures = picture === null ? "no" : `${types}, ${picture.maxBytes / 2 ** 20} MB`;
    const changes = [...participants, ...roles].join(", ");
    return [[id, [String(limits.name), `${min} to ${max}`, pictures, changes]] as const];
  });
  expect(tableOf("Messengers", "groups")).toEqual(new Map(table));
});
