import { createCipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { proto } from "baileys/WAProto/index.js";

const { MESSAGE_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType;

/** What comes with a message so that later ones about it can be sealed; of the emulator, it follows from the id. */
export function secretOf(id: string): Buffer {
  return createHash("sha256").update(`secret of ${id}`).digest();
}

/**
 * An edit as phones write it since May 2026; bytes are sealed as they are. `author` is the address, without device, of
 * whoever wrote and edits.
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
