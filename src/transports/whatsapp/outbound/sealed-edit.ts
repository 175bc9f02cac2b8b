import { createDecipheriv, hkdfSync } from "node:crypto";
import type { proto as Proto } from "baileys";
import { proto } from "../library.ts";

export type SealedEdit = Proto.Message.ISecretEncryptedMessage;

const TAG_BYTES = 16;

/**
 * Decrypts an edit, which phones have encrypted with the secret of the edited message since May 2026. `names` are the
 * addresses, without devices, of its author, the only one who may edit it; phones use the number or the hidden id.
 * Null if none fits.
 */
export function openEdit(
  { targetMessageKey, encPayload, encIv }: SealedEdit,
  secret: Uint8Array,
  names: readonly string[],
): Proto.IMessage | null {
  const id = targetMessageKey?.id ?? "";
  if (encPayload == null || encIv == null || encPayload.length <= TAG_BYTES) return null;
  for (const author of names)
    for (const editor of names) {
      const key = hkdfSync("sha256", secret, "", `${id}${author}${editor}Message Edit`, 32);
      const edit = open(encPayload, new Uint8Array(key), encIv);
      if (edit !== null) return edit;
    }
  return null;
}

export interface SealedVote {
  readonly pollId: string;
  readonly payload: Uint8Array;
  readonly iv: Uint8Array;
}

/**
 * Decrypts a vote, which is encrypted with the secret of its poll: the SHA-256 of the chosen options. `creators` and
 * `voters` are the addresses, without devices, of whoever wrote the poll, and the vote. Null if none fits.
 */
export function openVote(
  { pollId, payload, iv }: SealedVote,
  secret: Uint8Array,
  { creators, voters }: { readonly creators: readonly string[]; readonly voters: readonly string[] },
): readonly Uint8Array[] | null {
  // A vote for nothing is empty.
  if (payload.length < TAG_BYTES) return null;
  for (const creator of creators)
    for (const voter of voters) {
      const key = hkdfSync("sha256", secret, "", `${pollId}${creator}${voter}Poll Vote`, 32);
      const plain = decrypt(payload, new Uint8Array(key), { iv, about: `${pollId}\0${voter}` });
      if (plain !== null) return readVote(plain);
    }
  return null;
}

function readVote(plain: Uint8Array): readonly Uint8Array[] | null {
  try {
    return proto.Message.PollVoteMessage.decode(plain).selectedOptions;
  } catch {
    return null;
  }
}

/** Also null if the decrypted content is not a message. */
function open(payload: Uint8Array, key: Uint8Array, iv: Uint8Array): Proto.IMessage | null {
  const plain = decrypt(payload, key, { iv });
  try {
    return plain && proto.Message.decode(plain);
  } catch {
    return null;
  }
}

function decrypt(
  payload: Uint8Array,
  key: Uint8Array,
  { iv, about }: { readonly iv: Uint8Array; readonly about?: string },
): Uint8Array | null {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES });
    if (about !== undefined) decipher.setAAD(Buffer.from(about));
    decipher.setAuthTag(payload.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}
