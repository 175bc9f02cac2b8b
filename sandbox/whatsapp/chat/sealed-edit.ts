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
  const plain = edit instanceof Uint8Array ? edit : proto.Message.encode(edit).finish();
  const sealed = seal(plain, sealing);
  return { secretEncryptedMessage: { targetMessageKey: key, ...sealed, secretEncType: MESSAGE_EDIT } };
}

/** A vote on the poll with this key, for options by their words. Addresses are without devices. */
export function sealVote(
  options: readonly string[],
  key: proto.IMessageKey,
  { creator, voter }: { readonly creator: string; readonly voter: string },
): proto.IMessage {
  const id = key.id ?? "";
  const sealing = hkdfSync("sha256", secretOf(id), "", `${id}${creator}${voter}Poll Vote`, 32);
  const selectedOptions = options.map((option) => createHash("sha256").update(option).digest());
  const plain = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish();
  const vote = seal(plain, sealing, `${id}\0${voter}`);
  return { pollUpdateMessage: { pollCreationMessageKey: key, vote, senderTimestampMs: Date.now() } };
}

function seal(plain: Uint8Array, key: ArrayBuffer, about = ""): { encPayload: Buffer; encIv: Buffer } {
  const encIv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", new Uint8Array(key), encIv);
  cipher.setAAD(Buffer.from(about));
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return { encPayload: Buffer.concat([text, cipher.getAuthTag()]), encIv };
}
