import { Type } from "typebox";
import type { LinkView } from "../../core/channel/link/link-view.ts";
import { MAX_PASSKEY_BYTES } from "../../core/transport/login.ts";
import { nullableString } from "./shapes.ts";

const bytes = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description: `${description}, base64url` });

/** `PublicKeyCredential.toJSON()`; further members are ignored. */
export const passkeyAnswer = Type.Object(
  {
    id: Type.Optional(bytes(2_048, "Id of the passkey")),
    rawId: bytes(2_048, "Id of the passkey"),
    type: Type.Optional(Type.String({ maxLength: 64, description: "`public-key`" })),
    response: Type.Object(
      {
        clientDataJSON: bytes(MAX_PASSKEY_BYTES / 2, "What the browser has signed"),
        authenticatorData: bytes(MAX_PASSKEY_BYTES / 4, "What the authenticator has signed"),
        signature: bytes(2_048, "Signature"),
        userHandle: Type.Optional({
          ...nullableString,
          description: "Id of the account, base64url, or null",
        }),
      },
      { description: "The assertion" },
    ),
  },
  { title: "PasskeyResponse", description: "The result of the ceremony: `PublicKeyCredential.toJSON()`" },
);

/** What a person needs for the ceremony with the passkey, or for the comparison of codes after it. */
export const passkeyShape = Type.Object(
  {
    site: {
      ...nullableString,
      description: "The address on which the ceremony has to run: browsers permit it nowhere else",
    },
    request: Type.Unsafe<Readonly<Record<string, unknown>> | null>({
      type: ["object", "null"],
      additionalProperties: true,
      description:
        "What `PublicKeyCredential.parseRequestOptionsFromJSON` takes; null once the answer was accepted",
    }),
    expires_in: Type.Unsafe<number | null>({
      type: ["integer", "null"],
      description: "Seconds until the messenger gives up",
    }),
    prompt_for: Type.Unsafe<number | null>({
      type: ["integer", "null"],
      description: "Seconds in which an answer needs no comparison of codes",
    }),
    compare_code: {
      ...nullableString,
      description: "The code to compare with the one on the phone, with wait_for_code",
    },
  },
  { title: "PasskeyRequest" },
);

export function passkeyFields({ passkey, compareCode }: Pick<LinkView, "passkey" | "compareCode">) {
  return {
    site: passkey?.site ?? null,
    request: passkey?.request ?? null,
    expires_in: passkey?.seconds ?? null,
    prompt_for: passkey?.promptSeconds ?? null,
    compare_code: compareCode,
  };
}
