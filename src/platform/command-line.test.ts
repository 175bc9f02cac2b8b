import { expect, test } from "vitest";
import { programOf } from "./command-line.ts";

test.each([
  ["a checkout", "/home/ann/trunkline/src/cli/main.ts", "/home/ann/trunkline", "npm run cli --"],
  ["a project", "/srv/gate/node_modules/.bin/trunkline", "/srv/gate", "npx trunkline"],
  [
    "a project, started by its file",
    "/srv/gate/node_modules/trunkline/dist/src/cli/main.js",
    "/",
    "npx trunkline",
  ],
  ["a machine", "/usr/local/bin/trunkline", "/srv", "trunkline"],
  ["a container", "/app/dist/src/cli/main.js", "/app", "node dist/src/cli/main.js"],
  ["another directory", "/app/dist/src/cli/main.js", "/srv", "node /app/dist/src/cli/main.js"],
])("in %s", (_name, script, directory, expected) => {
  expect(programOf(script, directory)).toBe(expected);
});
