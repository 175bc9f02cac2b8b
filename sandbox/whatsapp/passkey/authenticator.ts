import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** What the authenticator does differently from a genuine one. */
export interface AssertionQuirks {
  readonly type?: string;
  readonly challenge?: string;
  readonly origin?: string;
  readonly rpId?: string;
  /** Bits of the authenticator's data; default: present and verified. */
  readonly flags?: number;
  readonly counter?: number;
  /** Another credential's id, as base64url. */
  readonly id?: string;
  readonly spoilSignature?: boolean;
}

/** `PublicKeyCredential.toJSON()` of an assertion. */
export interface AssertionJson {
  readonly id: string;
  readonly rawId: string;
  readonly type: string;
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle: string | null;
  };
}

const presentAndVerified = 0x05;

/** A passkey in software, with the ceremony of a browser on WhatsApp's site: a P-256 key that really signs. */
export class SoftwareAuthenticator {
  readonly id = randomBytes(20).toString("base64url");
  readonly #key: KeyObject;
  /** SubjectPublicKeyInfo as base64url, for `POST /people/{phone}/passkeys`. */
  readonly publicKey: string;
  #counter = 0;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#key = privateKey;
    this.publicKey = publicKey.export({ format: "der", type: "spki" }).toString("base64url");
  }

  /** Answers the request of `navigator.credentials.get`. */
  answer(
    request: { readonly challenge: string; readonly rpId: string },
    quirks: AssertionQuirks = {},
  ): AssertionJson {
    this.#counter++;
    const client = Buffer.from(
      JSON.stringify({
        type: quirks.type ?? "webauthn.get",
        challenge: quirks.challenge ?? request.challenge,
        origin: quirks.origin ?? "https://web.whatsapp.com",
        crossOrigin: false,
      }),
    );
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(quirks.counter ?? this.#counter);
    const data = Buffer.concat([
      sha256(quirks.rpId ?? request.rpId),
      Buffer.of(quirks.flags ?? presentAndVerified),
      counter,
    ]);
    const signature = sign("sha256", Buffer.concat([data, sha256(client)]), this.#key);
    if (quirks.spoilSignature) signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
    const id = quirks.id ?? this.id;
    return {
      id,
      rawId: id,
      type: "public-key",
      response: {
        clientDataJSON: client.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: signature.toString("base64url"),
        userHandle: null,
      },
    };
  }
}

function sha256(data: string | Uint8Array): Buffer {
  return createHash("sha256").update(data).digest();
}
