import { link, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makeDirectory } from "./file/make-directory.ts";
import { newId, newSecret } from "./ids.ts";

const KEY_BYTES = 32;
/** With 32 random bytes, fewer than 20 distinct values occur once in 7 billion keys; in text they are usual. */
const MIN_DISTINCT_BYTES = 20;

/**
 * Parses a key of exactly 32 random bytes in base64, base64url or hex, and returns it as base64url without padding,
 * so that one key has one spelling. The key is used without stretching, so a password would be guessable. Throws an
 * Error that states what was expected and does not contain the key.
 */
export function parseSecretKey(text: string): string {
  const key = /^[0-9a-f]{64}$/i.test(text)
    ? Buffer.from(text, "hex")
    : /^[\w+/-]{43}=?$/.test(text)
      ? Buffer.from(text, "base64")
      : Buffer.alloc(0);
  if (key.length !== KEY_BYTES || new Set(key).size < MIN_DISTINCT_BYTES)
    throw new Error("must be 32 random bytes in base64 or hex; `openssl rand -base64 32` generates them");
  return key.toString("base64url");
}

/**
 * Loads the key from the file; generates it, readable only by its owner, if the file does not exist. If several
 * programs call this at once, all get the same key, and it is on disk before it is used.
 */
export async function loadSecretKey(path: string): Promise<string> {
  const present = await readKey(path);
  if (present !== undefined) return present;
  makeDirectory(dirname(path), 0o711);
  const temporary = `${path}.${newId()}`;
  await writeDurably(temporary, `${newSecret(KEY_BYTES)}\n`);
  try {
    // Unlike a rename, this fails if another program was faster.
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
      `${path} contains no usable key. Restore it from a backup; without it, sealed credentials are lost.`,
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
