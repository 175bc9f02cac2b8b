import { expect, test } from "vitest";
import { titledTable } from "./table.ts";

test("foreign text cannot control the terminal or forge a row", () => {
  const text = titledTable(
    ["name", "status"],
    [
      ["\u001b[1A\u001b[2KAnn", "active"],
      ["Bob\nok  all is well", "disabled"],
    ],
    "none",
  );
  const cells = ["name", "\\u001b[1A\\u001b[2KAnn", "Bob\\u000aok  all is well"];
  const width = Math.max(...cells.map(({ length }) => length));
  const statuses = ["status", "active", "disabled"];
  expect(text.split("\n")).toEqual(cells.map((cell, row) => `${cell.padEnd(width)}  ${statuses[row]}`));
});
