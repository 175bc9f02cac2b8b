import { createRequire } from "node:module";

interface Session {
  serialize(): unknown;
  readonly constructor: { deserialize(serialized: unknown): Session };
}
interface Cipher {
  doDecryptWhisperMessage(message: Uint8Array, session: Session | undefined): Promise<Uint8Array>;
}

/**
 * Patches libsignal 6: it tries a text on each session of a peer, and advances the ratchet of a session before it
 * knows whether the text belongs to it. If a later session matches, all are stored, and the current session then
 * produces texts that the peer cannot decrypt. The patch restores a session that a text does not belong to.
 */
const require = createRequire(createRequire(import.meta.url).resolve("baileys"));
const { prototype } = require("libsignal/src/session_cipher.js") as { readonly prototype: Cipher };
const { doDecryptWhisperMessage } = prototype;
prototype.doDecryptWhisperMessage = async function (this: Cipher, message, session) {
  const before = session?.serialize();
  try {
    return await doDecryptWhisperMessage.call(this, message, session);
  } catch (error) {
    if (session !== undefined) Object.assign(session, session.constructor.deserialize(before));
    throw error;
  }
};
