import type { tl } from "@mtcute/core";
import Long from "long";

/** The message of a secret chat with this number. It cannot be decrypted: the chat has no key. */
export function secretMessage(qts: number, date: number): tl.RawEncryptedMessage {
  return {
    _: "encryptedMessage",
    randomId: Long.fromNumber(qts),
    chatId: 1,
    date,
    bytes: Buffer.alloc(32),
    file: { _: "encryptedFileEmpty" },
  };
}
