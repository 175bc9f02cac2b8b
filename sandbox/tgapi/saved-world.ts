import { isRecord } from "../http/fields.ts";
import { pack, unpack } from "../saved-value.ts";
import type { State } from "./world/state.ts";
import type { World } from "./world/world.ts";

/** The form of what is kept; another one is not read. */
const version = 1;

/** People, groups, messages, files, keys and logins as plain JSON. MTProto sessions do not outlive a restart. */
export function saveWorld({ state }: World): unknown {
  return { version, state: pack(state) };
}

/** Puts back what `saveWorld` returned; anything else is left alone. */
export function restoreWorld(world: World, saved: unknown): void {
  if (!isRecord(saved) || saved["version"] !== version) return;
  Object.assign(world.state, unpack(saved["state"]) as State);
}
