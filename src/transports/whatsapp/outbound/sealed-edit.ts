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

/** Also null if the decrypted content is not a message. */
function open(payload: Uint8Array, key: Uint8Array, iv: Uint8Array): Proto.IMessage | null {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(payload.subarray(-TAG_BYTES));
    const plain = [decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()];
    return proto.Message.decode(Buffer.concat(plain));
  } catch {
    return null;
  }
}
