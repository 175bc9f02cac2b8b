import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";

const ROOT = import.meta.dirname;
const COPIED = ["manifest.json", "popup.html", "popup.css", "_locales", "icons"];

/** Writes the extension as the browser loads it: the files of `src` without types, and the others unchanged. */
export async function buildExtension(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  for (const name of COPIED) await cp(join(ROOT, name), join(directory, name), { recursive: true });
  for (const name of await readdir(join(ROOT, "src"))) {
    if (name.endsWith(".d.ts")) continue;
    const script = stripTypeScriptTypes(await readFile(join(ROOT, "src", name), "utf8"));
    const imports = script.replaceAll(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"');
    await writeFile(join(directory, name.replace(/\.ts$/, ".js")), imports);
  }
}

if (import.meta.main) await buildExtension(join(ROOT, "dist"));
