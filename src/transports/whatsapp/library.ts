import { decodeNewerParts } from "./newer-parts.ts";
import "./inbound/linked-streams.ts";
import "./keys/unshared-queues.ts";
import "./keys/spared-sessions.ts";
import "./keys/strict-signatures.ts";

/**
 * baileys, loaded after Node's streams have been patched, and libsignal (queues, signature checks, session state). No
 * other module may import its values.
 */
export const {
  default: makeWASocket,
  BufferJSON,
  Browsers,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  ReachoutTimelockEnforcementType,
  WA_CERT_DETAILS,
  S_WHATSAPP_NET,
  addTransactionCapability,
  buildPairingQRData,
  bytesToCrockford,
  cleanMessage,
  decodeMessageNode,
  downloadContentFromMessage,
  initAuthCreds,
  proto,
  unpadRandomMax16,
} = await import("baileys");

decodeNewerParts(proto);

/** Set on a message that could not be decrypted or parsed. */
export const { CIPHERTEXT } = proto.WebMessageInfo.StubType;
