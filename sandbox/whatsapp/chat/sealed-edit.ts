import { createCipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { proto } from "baileys/WAProto/index.js";

const { MESSAGE_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType;

/** The secret of a message, with which later messages about it are sealed; in the emulator derived from the id. */
export function secretOf(id: string): Buffer {
  return createHash("sha256").update(`secret of ${id}`).digest();
}

/**
 * An edit in the format of phones since May 2026; bytes are sealed unchanged. `author`: the address, without device,
 * of the author of message and edit.
 */
export function sealEdit(
  edit: proto.IMessage | Uint8Array,
  key: proto.IMessageKey,
  author: string,
): proto.IMessage {
  const id = key.id ?? "";
  const sealing = hkdfSync("sha256", secretOf(id), "", `${id}${author}${author}Message Edit`, 32);
  const encIv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", new Uint8Array(sealing), encIv);
  const plain = edit instanceof Uint8Array ? edit : proto.Message.encode(edit).finish();
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  const encPayload = Buffer.concat([text, cipher.getAuthTag()]);
  return {
    secretEncryptedMessage: { targetMessageKey: key, encPayload, encIv, secretEncType: MESSAGE_EDIT },
  };
}
