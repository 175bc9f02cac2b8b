import { createHmac } from "node:crypto";
import Long from "long";
import { keyOfPeer, type PeerRef } from "./peer.ts";
import type { Person } from "./person.ts";
import type { World } from "./world.ts";

/** The access hash of a peer for one account; it differs for every account. */
export function accessHash(world: World, viewer: Person, peer: PeerRef): Long {
  return tag(world, `${viewer.id}/${keyOfPeer(peer)}`);
}

/** The access hash of a file for one account. */
export function fileHash(world: World, viewer: Person, file: string): Long {
  return tag(world, `${viewer.id}/file${file}`);
}

/** Proof that an account may download a file now: the time of issue, sealed. */
export function fileReference(world: World, file: string, issuedAt = world.clock.now()): Buffer {
  const time = Buffer.alloc(4);
  time.writeUInt32LE(issuedAt);
  return Buffer.concat([time, seal(world, `${file}/${issuedAt}`).subarray(0, 12)]);
}

/** When a reference was issued; undefined if it is forged. */
export function readReference(world: World, file: string, reference: Uint8Array): number | undefined {
  if (reference.length !== 16) return undefined;
  const issuedAt = Buffer.from(reference).readUInt32LE(0);
  return fileReference(world, file, issuedAt).equals(reference) ? issuedAt : undefined;
}

function tag(world: World, text: string): Long {
  return Long.fromBytesLE([...seal(world, text).subarray(0, 8)]);
}

function seal(world: World, text: string): Buffer {
  return createHmac("sha256", world.state.secret).update(text).digest();
}
