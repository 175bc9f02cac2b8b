import { createRequire } from "node:module";

interface Session {
  serialize(): unknown;
  readonly constructor: { deserialize(serialized: unknown): Session };
}
interface Cipher {
  doDecryptWhisperMessage(message: Uint8Array, session: Session | undefined): Promise<Uint8Array>;
}

/**
 * libsignal 6 tries a text on each session of a peer, and turns the ratchet of a session before it knows whether the text
 * belongs to it; when a later session fits, all are stored. The session in use, spoilt like this, writes what the peer
 * cannot read. From here on a session that a text does not belong to is left as it was.
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
