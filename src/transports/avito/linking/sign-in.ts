import type { SignIn, SignInReply, SignInVisit } from "../../../core/transport/connector.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import type { AvitoLink } from "./tokens.ts";

interface Given {
  code?: string;
  client_id?: string;
  client_secret?: string;
}
type Visit = SignInVisit<Given>;

/** The scopes to read and write messages, and to identify the account. */
const SCOPES = "messenger:read,messenger:write,user:read";

/** The owner signs in at Avito and grants access (developers.avito.ru, "Авторизация"). */
export const signIn: SignIn<Given, AvitoLink> = {
  isOffered: ({ settings: { clientId, clientSecret } }) => clientId !== "" && clientSecret !== "",
  start: async ({ state }, { settings }) => consentUrl(settings, state),
  comeBack,
};

/** Avito redirects back to the URL configured for the application. */
function consentUrl({ consentUrl: root, clientId }: AvitoLink["settings"], state: string): string {
  const url = new URL(`${root.replace(/\/+$/, "")}/oauth`);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    scope: SCOPES,
    state,
  }).toString();
  return url.href;
}

async function comeBack(visit: Visit, _link: AvitoLink, query: URLSearchParams): Promise<SignInReply> {
  const code = query.get("code");
  if (code === null)
    return {
      kind: "refused",
      reason: "denied",
      description: "The owner did not grant access to the Avito account",
    };
  visit.conceal(code);
  try {
    const outcome = await visit.connect({ code });
    return "refusal" in outcome
      ? { kind: "refused", reason: "credentials", description: outcome.refusal }
      : { kind: "connected", ...outcome };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    return { kind: "refused", reason: "unavailable", description: "Avito did not respond" };
  }
}
