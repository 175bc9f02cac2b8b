import { isRecord } from "../http/fields.ts";
import { pack, unpack } from "../saved-value.ts";
import type { State } from "./world/state.ts";
import type { World } from "./world/world.ts";

/** Version of the format; other versions are not loaded. */
const version = 2;

/** People, groups, messages, files, keys and logins as plain JSON. MTProto sessions do not survive a restart. */
export function saveWorld({ state }: World): unknown {
  return { version, state: pack(state) };
}

/** Restores what `saveWorld` returned; other values are ignored. */
export function restoreWorld(world: World, saved: unknown): void {
  if (!isRecord(saved) || saved["version"] !== version) return;
  Object.assign(world.state, unpack(saved["state"]) as State);
}
