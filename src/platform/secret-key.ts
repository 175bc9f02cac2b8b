import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { newId, newSecret } from "./ids.ts";

/**
 * The key in that file; generated, readable for its owner alone, when there is none. Several programs may ask at
 * the same time: all get the same key, and it is on the disk before anybody uses it.
 */
export async function loadSecretKey(path: string): Promise<string> {
  const present = await readKey(path);
  if (present !== undefined) return present;
  await mkdir(dirname(path), { recursive: true, mode: 0o711 });
  const temporary = `${path}.${newId()}`;
  await writeDurably(temporary, `${newSecret(32)}\n`);
  try {
    // Unlike a rename, this fails when another program was quicker.
    await link(temporary, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  return (await readKey(path)) ?? "";
}

async function readKey(path: string): Promise<string | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new Error(`The key in ${path} cannot be read: ${String(error)}. Let this user read it.`, {
      cause: error,
    });
  }
  const key = text.trim();
  if (key.length < 16)
    throw new Error(
      `${path} holds no usable key. Restore it from a backup; without it, sealed credentials are lost.`,
    );
  return key;
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
