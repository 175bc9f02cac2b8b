import pg from "pg";
import { expect, test } from "vitest";
import { refused } from "./connections.ts";

test.each([
  ["28P01", "password authentication failed", /failed\. Check user, password and database/],
  ["53100", "could not write init file: No space left on device", /No space left on device$/],
])("a connection that the server refuses with %s", (code, message, said) => {
  const error = Object.assign(new pg.DatabaseError(message, message.length, "error"), { code });
  expect(refused(error).message).toMatch(said);
});
