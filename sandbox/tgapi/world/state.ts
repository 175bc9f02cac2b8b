import { randomBytes } from "node:crypto";
import type { AuthKey } from "../mtproto/auth-key.ts";
import type { StoredFile } from "./file-store.ts";
import type { Group } from "./group.ts";
import type { Letter } from "./letter.ts";
import type { Person } from "./person.ts";

/** The state that survives a restart. Plain data. */
export interface State {
  people: Map<number, Person>;
  groups: Map<number, Group>;
  letters: Map<number, Letter>;
  /** By key, which is also their id on the wire. */
  files: Map<string, StoredFile>;
  keys: Map<string, AuthKey>;
  nextLetter: number;
  nextPerson: number;
  nextGroup: number;
  /** Access hashes and file references are derived from it. */
  secret: Buffer;
}

export function emptyState(): State {
  return {
    people: new Map(),
    groups: new Map(),
    letters: new Map(),
    files: new Map(),
    keys: new Map(),
    nextLetter: 1,
    nextPerson: 500_000_001,
    nextGroup: 4_000_001,
    secret: randomBytes(32),
  };
}
