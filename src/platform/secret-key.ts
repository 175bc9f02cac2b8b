import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { newId, newSecret } from "./ids.ts";

const KEY_BYTES = 32;
/** Of 32 random bytes fewer than 20 differ once in 7 billion keys; in text it is usual. */
const MIN_DISTINCT_BYTES = 20;

/**
 * Reads a key of exactly 32 random bytes, spelt in base64, base64url or hex, and returns it as base64url without
 * padding: one key is one string, however it was spelt. The key is used without stretching, so a password would
 * be open to guessing. Throws an Error that says what was expected and does not show the key.
 */
export function parseSecretKey(text: string): string {
  const key = /^[0-9a-f]{64}$/i.test(text)
    ? Buffer.from(text, "hex")
    : /^[\w+/-]{43}=?$/.test(text)
      ? Buffer.from(text, "base64")
      : Buffer.alloc(0);
  if (key.length !== KEY_BYTES || new Set(key).size < MIN_DISTINCT_BYTES)
    throw new Error("must be 32 random bytes in base64 or hex; `openssl rand -base64 32` makes them");
  return key.toString("base64url");
}

/**
 * The key in that file; generated, readable for its owner alone, when there is none. Several programs may ask at
 * the same time: all get the same key, and it is on the disk before anybody uses it.
 */
export async function loadSecretKey(path: string): Promise<string> {
  const present = await readKey(path);
  if (present !== undefined) return present;
  await mkdir(dirname(path), { recursive: true, mode: 0o711 });
  const temporary = `${path}.${newId()}`;
  await writeDurably(temporary, `${newSecret(KEY_BYTES)}\n`);
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
  try {
    return parseSecretKey(text.trim());
  } catch (cause) {
    throw new Error(
      `${path} holds no usable key. Restore it from a backup; without it, sealed credentials are lost.`,
      { cause },
    );
  }
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
