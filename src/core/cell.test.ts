import { expect, test } from "vitest";
import { cellOfToken, newToken } from "./account/tokens.ts";
import { cellOfPath, cellUrl, withoutCell } from "./cell.ts";
import { isFileUrl } from "./file/file-url.ts";
import { cellOfState } from "./sign-in/sign-in-proofs.ts";

test.each([
  ["/c/b/v2/channels?x=1", "b", "/v2/channels?x=1"],
  ["/c/b", "b", "/"],
  ["/c/b/", "b", "/"],
  ["/c/b?x=1", "b", "/?x=1"],
  ["/c/ninechars/v2", null, "/c/ninechars/v2"],
  ["/c/B/v2", null, "/c/B/v2"],
  ["/c/2b/v2", null, "/c/2b/v2"],
  ["/c", null, "/c"],
  ["/v2/channels", null, "/v2/channels"],
  ["/v2/c/b/x", null, "/v2/c/b/x"],
  // Only one: a balancer looks at the first.
  ["/c/b/c/a/v2", "b", "/c/a/v2"],
])("the path %s is of the cell %s and the route %s", (path, cell, rest) => {
  expect([cellOfPath(path), withoutCell(path)]).toEqual([cell, rest]);
});

test("the base of links names the cell, if it has a name", () => {
  expect(cellUrl("https://gw.example/a", "b")).toBe("https://gw.example/a/c/b");
  expect(cellUrl("https://gw.example/a", null)).toBe("https://gw.example/a");
});

test("a token names its cell before a dot, which no secret contains", () => {
  expect(newToken("access", "b")).toMatch(/^tl_at_b\.[\w-]{43}$/);
  expect(newToken("page", null)).toMatch(/^tl_pt_[\w-]{43}$/);
  expect(["tl_at_b.x", "tl_at_b_x", "tl_at_B.x", "x_tl_at_b.x", "tl_at_2b.x", ""].map(cellOfToken)).toEqual([
    "b",
    null,
    null,
    null,
    null,
    null,
  ]);
});

test.each([
  ["https://gw.example/files/key/a.txt", true],
  ["https://gw.example/c/b/files/key", true],
  ["https://gw.example/c/b/app/files/key", false],
  ["https://gw.example.evil/files/key", false],
  ["https://other.example/files/key", false],
])("%s is a link to one of our files: %s", (url, isOurs) => {
  expect(isFileUrl("https://gw.example", url)).toBe(isOurs);
});

test.each([
  ["id-1.proof_2.b", "b"],
  ["id-1.proof_2", null],
  ["id-1.proof_2.b.c", null],
  ["id-1.proof_2.//evil", null],
  ["", null],
])("the state %s is of the cell %s", (state, cell) => {
  expect(cellOfState(state)).toBe(cell);
});
