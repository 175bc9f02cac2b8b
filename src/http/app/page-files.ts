import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Prebuilt, prebuild } from "../prebuilt.ts";

/** Where the built pages are. */
export interface PageSource {
  readonly directory: string;
  /** Resolves when they are built; rejects if the build fails. */
  readonly ready: Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** Reads the built pages at the first request and keeps them in memory: some hundred kilobytes, compressed once. */
export function createPageFiles(source: PageSource | null): (name: string) => Promise<Prebuilt | undefined> {
  let files: Promise<ReadonlyMap<string, Prebuilt>> | undefined;
  return async (name) => {
    if (source === null) return undefined;
    files ??= readAll(source);
    try {
      return (await files).get(name);
    } catch {
      // Retried at the next request, since they may be built by then.
      files = undefined;
      return undefined;
    }
  };
}

async function readAll({ directory, ready }: PageSource): Promise<ReadonlyMap<string, Prebuilt>> {
  await ready;
  const names = await readdir(directory, { recursive: true });
  const known = names.filter((name) => typeOf(name) !== undefined);
  return new Map(
    await Promise.all(known.map(async (name) => [slashes(name), await read(directory, name)] as const)),
  );
}

async function read(directory: string, name: string): Promise<Prebuilt> {
  return prebuild(typeOf(name) ?? "", await readFile(join(directory, name)));
}

function typeOf(name: string): string | undefined {
  return TYPES[name.slice(name.lastIndexOf(".") + 1)];
}

function slashes(name: string): string {
  return name.replaceAll("\\", "/");
}
