import { type Argon2Parameters, argon2, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { isSame } from "../../platform/same.ts";

const derive = promisify(argon2);
const ALGORITHM = "argon2id";
/** The minimum of the OWASP Password Storage Cheat Sheet; memory in KiB. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const TAG_BYTES = 32;
const SALT_BYTES = 16;
const STORED = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

/** Shorter passwords could be guessed. */
export const MIN_PASSWORD_LENGTH = 12;

/** The stored form of a password: argon2id with a random salt, in the PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive(ALGORITHM, parameters(password, salt, COST));
  return stored(salt, tag);
}

/** Whether the password matches the stored one. Takes equally long for wrong and correct passwords. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = "", tag = ""] = STORED.exec(hash) ?? [];
  if (memory === undefined) throw new Error("A stored password is damaged: set a new one");
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const expected = Buffer.from(tag, "base64");
  const actual = await derive(ALGORITHM, parameters(password, Buffer.from(salt, "base64"), cost));
  return isSame(actual, expected);
}

/**
 * A hash that no password matches, so that a login with an unknown name takes as long as one with a wrong password.
 */
export const NOBODYS_PASSWORD = stored(randomBytes(SALT_BYTES), randomBytes(TAG_BYTES));

function parameters(
  password: string,
  salt: Buffer,
  cost: Pick<Argon2Parameters, "memory" | "passes" | "parallelism">,
): Argon2Parameters {
  return { message: password, nonce: salt, tagLength: TAG_BYTES, ...cost };
}

function stored(salt: Buffer, tag: Buffer): string {
  const { memory, passes, parallelism } = COST;
  const text = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
  return `$${ALGORITHM}$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`;
}
