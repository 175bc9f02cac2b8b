import type { SignIn, SignInReply, SignInVisit } from "../../../core/transport/connector.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import { GraphRefusal } from "../../meta/error.ts";
import type { GivenCredentials, InstagramLink } from "../access.ts";
import { exchangeCode, SCOPES } from "./tokens.ts";

type Visit = SignInVisit<GivenCredentials>;

/** The owner signs in at Instagram with a professional account (page "Business Login for Instagram"). */
export const signIn: SignIn<GivenCredentials, InstagramLink> = {
  isOffered: ({ settings: { appId, appSecret } }) => appId !== "" && appSecret !== "",
  start: async (visit, link) => dialogUrl(link, visit),
  comeBack,
};

function dialogUrl({ settings }: InstagramLink, { returnUrl, state }: Visit): string {
  const query = new URLSearchParams({
    client_id: settings.appId,
    redirect_uri: returnUrl,
    response_type: "code",
    scope: SCOPES.join(","),
    state,
  });
  return `${settings.dialogUrl.replace(/\/+$/, "")}/oauth/authorize?${query}`;
}

async function comeBack(visit: Visit, link: InstagramLink, query: URLSearchParams): Promise<SignInReply> {
  const code = query.get("code");
  if (code === null) return refused("denied", "The owner did not grant access to the Instagram account");
  try {
    return await connect(visit, link, code);
  } catch (error) {
    if (error instanceof GraphRefusal)
      return refused("messenger", error.error.details || error.error.message);
    if (error instanceof TransportError) return refused("unavailable", "Instagram did not respond");
    throw error;
  }
}

async function connect(visit: Visit, link: InstagramLink, given: string): Promise<SignInReply> {
  // Instagram appends `#_` to the URL, which some clients send with the code.
  const code = given.replace(/#_$/, "");
  visit.conceal(code);
  const token = await exchangeCode(link, { code, returnUrl: visit.returnUrl });
  visit.conceal(token);
  const outcome = await visit.connect({ user_token: token });
  return "refusal" in outcome ? refused("credentials", outcome.refusal) : { kind: "connected", ...outcome };
}

function refused(
  reason: Extract<SignInReply, { kind: "refused" }>["reason"],
  description: string,
): SignInReply {
  return { kind: "refused", reason, description };
}
