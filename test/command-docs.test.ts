import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { COMMAND_NAMES, findCommand } from "../src/cli/command-list.ts";

const ROOT = new URL("..", import.meta.url).pathname;
/** A command line in code: in a block, to its end; in a sentence, to the closing backtick. */
const MENTION = /(?:^|`|\$ )(?<program>npm run cli --|(?:npx )?trunkline) (?<line>[^`\n#|]+)/gm;
const WITHOUT_COMMAND = /^(--help|help|-h)|^…/;

interface Mention {
  readonly page: string;
  readonly program: string;
  readonly line: string;
}

const mentions: readonly Mention[] = globSync("{*.md,docs/**/*.md}", { cwd: ROOT }).flatMap((page) =>
  [...readFileSync(`${ROOT}/${page}`, "utf8").matchAll(MENTION)].map(({ groups }) => ({
    page,
    program: groups?.["program"] ?? "",
    line: (groups?.["line"] ?? "").trim(),
  })),
);

/** What the program prints: `commandLine("account list")`, or a command that is computed. */
const printed = globSync("{src,web,sandbox}/**/*.{ts,tsx}", { cwd: ROOT })
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => ({ file, text: readFileSync(`${ROOT}/${file}`, "utf8") }));

describe("what the service prints", () => {
  const lines = printed.flatMap(({ file, text }) =>
    [...text.matchAll(/commandLine\("(?<line>[^"]+)"\)/g)].map(({ groups }) => ({
      file,
      line: groups?.["line"] ?? "",
    })),
  );

  test("is found", () => {
    expect(lines.map(({ line }) => line)).toContain("operator link");
  });

  test.each(lines)("$file: $line", ({ line }) => expectCommand(line));

  // Which words start the program depends on how it was installed.
  test("names commands as a person can type them", () => {
    const names = COMMAND_NAMES.join("|");
    const typed = new RegExp(`(trunkline|npm run cli --|main\\.[jt]s) (${names})\\b`);
    const literal = printed.filter(({ text }) =>
      text.split("\n").some((line) => !/^\s*(\*|\/\/|\/\*)/.test(line) && typed.test(line)),
    );
    expect(literal.map(({ file }) => file)).toEqual([]);
  });
});

async function expectCommand(line: string): Promise<void> {
  if (WITHOUT_COMMAND.test(line) || line === "COMMAND") return;
  const words = line.split(" ");
  const command = await findCommand(words);
  expect(command, `there is no command "${line}"`).toBeDefined();
  const options = [...line.matchAll(/(?<= )--(?<name>[a-z\d-]+)/g)].map(
    ({ groups }) => groups?.["name"] ?? "",
  );
  expect(["json", "help", ...Object.keys(command?.options ?? {})]).toEqual(expect.arrayContaining(options));
}

describe("the documentation", () => {
  test.each(mentions)("$page: $program $line", ({ line }) => expectCommand(line));

  // `trunkline` is a command of an installed package; in a checkout there is none.
  test("says what `trunkline` is in a checkout, on every page that writes it", () => {
    const pages = new Set(mentions.filter(({ program }) => program === "trunkline").map(({ page }) => page));
    const unexplained = [...pages].filter(
      (page) => !/in a checkout[^.]*`npm run cli -- …`/.test(readFileSync(`${ROOT}/${page}`, "utf8")),
    );
    expect(unexplained).toEqual([]);
  });
});
