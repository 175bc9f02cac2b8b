import "./spared-sessions.ts";
import "./strict-signatures.ts";

/** baileys, loaded after its signatures were made to count and its sessions spared. Nothing else may import its values. */
export const {
  default: makeWASocket,
  BufferJSON,
  Browsers,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  WA_CERT_DETAILS,
  addTransactionCapability,
  cleanMessage,
  decodeMessageNode,
  downloadContentFromMessage,
  initAuthCreds,
  normalizeMessageContent,
  proto,
  unpadRandomMax16,
} = await import("baileys");

/** Of a message that could not be decrypted or read. */
export const { CIPHERTEXT } = proto.WebMessageInfo.StubType;
