import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { CHAT_TYPES } from "../src/core/transport/definition.ts";

const SKELETON = join(import.meta.dirname, "skeleton");
const HELP = `npm run new:transport NAME -- [--label "What people call it"] [--chat-type TYPE] [--root FOLDER]

Makes the skeleton of a transport: connector, definition, emulator, walk, crowd, tests, page and its row in the README.
It compiles, and its tests fail where something is to be written. docs/adding-a-transport.md tells what.

  NAME         the transport's id: lower-case letters
  --label      default: NAME with a capital letter
  --chat-type  which chats it has, one of ${CHAT_TYPES.join(", ")}; default: NAME
  --root       the repository; default: the one of this program`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    label: { type: "string" },
    "chat-type": { type: "string" },
    root: { type: "string", default: resolve(import.meta.dirname, "..") },
    help: { type: "boolean", default: false },
  },
});

const [name = ""] = positionals;
const pascal = name.slice(0, 1).toUpperCase() + name.slice(1);
const words = {
  NAME: name,
  LABEL: values.label ?? pascal,
  CHATTYPE: values["chat-type"] ?? name,
  UPPER: name.toUpperCase(),
  Pascal: pascal,
};

const mistake = findMistake();
if (values.help || mistake !== null) {
  console.error(mistake === null ? HELP : `${mistake}\n\n${HELP}`);
  process.exit(values.help ? 0 : 2);
}

const PLACES: Readonly<Record<string, string>> = {
  transport: `src/transports/${name}`,
  sandbox: `sandbox/${name}`,
  "page.md.txt": `docs/transports/${name}.md`,
};
for (const [from, to] of Object.entries(PLACES)) for (const file of filesOf(from)) write(from, to, file);
addRow();
console.log(`
Next: npm run fix, npm run docs, npm run check, and docs/adding-a-transport.md, section 7.`);

function findMistake(): string | null {
  if (!/^[a-z]+$/.test(name)) return "NAME must be lower-case letters";
  if (existsSync(join(values.root, "src/transports", name))) return `src/transports/${name} is there already`;
  if (!CHAT_TYPES.some((type) => type === words.CHATTYPE))
    return `"${words.CHATTYPE}" is no chat type: add it to CHAT_TYPE_TRAITS in src/core/transport/definition.ts, or give --chat-type`;
  return null;
}

function filesOf(from: string): string[] {
  return from.endsWith(".txt") ? [""] : globSync("**/*.txt", { cwd: join(SKELETON, from) });
}

function write(from: string, to: string, file: string): void {
  const target = join(values.root, to, fill(file).replace(/\.txt$/, ""));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, fill(readFileSync(join(SKELETON, from, file), "utf8")), { flag: "wx" });
  console.log(target);
}

/** Appends a row to the table of messengers. */
function addRow(): void {
  const path = join(values.root, "README.md");
  const readme = readFileSync(path, "utf8");
  const row = `| ${words.LABEL} | [docs/transports/${name}.md](docs/transports/${name}.md) |`;
  const table = /(\| Messenger \|[^\n]*\n(?:\|[^\n]*\n)+)/;
  if (!table.test(readme)) throw new Error("README.md has no table of messengers");
  writeFileSync(path, readme.replace(table, `$1${row}\n`));
}

function fill(text: string): string {
  return Object.entries(words).reduce((filled, [word, value]) => filled.replaceAll(word, value), text);
}
