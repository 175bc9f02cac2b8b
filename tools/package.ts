import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

/**
 * `npm run package`: builds the package, and packs it with a lock of what it needs. Plain `npm pack` refuses, because
 * npm runs no scripts here and would pack what happens to be built.
 */
const ROOT = join(import.meta.dirname, "..");
const STAGED = join(ROOT, ".build/package");
const LOCK = "npm-shrinkwrap.json";
const { values } = parseArgs({ options: { "pack-destination": { type: "string", default: "." } } });

interface Manifest {
  readonly files: readonly string[];
  readonly [more: string]: unknown;
}
interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  readonly [more: string]: unknown;
}

run("npm", ["run", "build"], ROOT);
rmSync(STAGED, { recursive: true, force: true });
mkdirSync(STAGED, { recursive: true });
const manifest = published(read<Manifest>("package.json"));
for (const file of [...manifest.files, "README.md"])
  cpSync(join(ROOT, file), join(STAGED, file), { recursive: true });
write("package.json", { ...manifest, files: [...manifest.files, LOCK] });
write(LOCK, shrinkwrap(read<Lock>("package-lock.json"), manifest));
run("npm", ["pack", "--pack-destination", resolve(values["pack-destination"])], STAGED);

/** Without what only a checkout has. */
function published({
  private: _,
  devDependencies,
  scripts,
  overrides,
  allowScripts,
  ...rest
}: Manifest): Manifest {
  return rest as Manifest;
}

/** The lock without development dependencies: an installation gets the versions that the tests ran with. */
function shrinkwrap({ packages, ...lock }: Lock, { name, version, ...own }: Manifest): object {
  const { license, dependencies, optionalDependencies, engines, bin } = own;
  const needed = Object.entries(packages).filter(
    ([path, { dev }]) => path.startsWith("node_modules/") && !dev,
  );
  const root = { name, version, license, dependencies, optionalDependencies, engines, bin };
  return { ...lock, name, version, packages: { "": root, ...Object.fromEntries(needed) } };
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(ROOT, name), "utf8")) as T;
}

function write(name: string, value: object): void {
  writeFileSync(join(STAGED, name), `${JSON.stringify(value, null, 2)}\n`);
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status } = spawnSync(program, args, { cwd, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
