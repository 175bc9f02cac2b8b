import type { SignIn, SignInRefusal, SignInReply, SignInVisit } from "../../../core/transport/connector.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import { GraphRefusal } from "../../meta/error.ts";
import type { WapiCredentials, WapiLink } from "./access.ts";
import {
  dialogUrl,
  hasSignup,
  type OfferedNumber,
  offeredNumbers,
  readOffer,
  register,
  tokenFor,
} from "./signup.ts";

type Visit = SignInVisit<WapiCredentials>;
/** State key of the token (sealed) and the offered numbers, while the person chooses a number. */
const OFFER = "signup";

/**
 * Embedded Signup: the owner signs in at Meta and grants access to one of the business's numbers. Meta's code is valid
 * for about thirty seconds.
 */
export const signIn: SignIn<WapiCredentials, WapiLink> = {
  isOffered: hasSignup,
  start: async (visit, link) => dialogUrl(link, visit),
  comeBack: (visit, link, query) => explained(() => comeBack(visit, link, query)),
  choose: (visit, link, id) => explained(() => choose(visit, link, id)),
  offersBeforeConnecting: true,
  discard: (_visit, link) => link.state.set(OFFER, null),
};

async function explained(work: () => Promise<SignInReply>): Promise<SignInReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GraphRefusal)
      return refused("messenger", error.error.details || error.error.message);
    if (error instanceof TransportError) return refused("unavailable", "Meta did not respond");
    throw error;
  }
}

async function comeBack(visit: Visit, link: WapiLink, query: URLSearchParams): Promise<SignInReply> {
  const code = query.get("code");
  if (code === null) return refused("denied", "The owner did not grant access to the number");
  visit.conceal(code);
  const token = await tokenFor(link, { code, returnUrl: visit.returnUrl });
  if (token === null) return refused("outdated", "Meta returned no token");
  visit.conceal(token);
  const numbers = await offeredNumbers(link, token);
  if (numbers.length === 0) return refused("nothing", "The business has no phone number yet");
  await link.state.set(OFFER, JSON.stringify({ token, numbers }));
  return {
    kind: "choice",
    of: "number",
    items: numbers.map(({ id, digits, name }) => ({ id, name: `${name}, +${digits}` })),
  };
}

async function choose(visit: Visit, link: WapiLink, chosen: string): Promise<SignInReply> {
  const offer = readOffer(await link.state.get(OFFER));
  const number = offer?.numbers.find(({ id }) => id === chosen);
  if (offer === null || number === undefined) return refused("outdated", "Sign in at Meta again");
  visit.conceal(offer.token);
  await link.state.set(OFFER, null);
  return connect(visit, link, { token: offer.token, number });
}

async function connect(
  visit: Visit,
  link: WapiLink,
  { token, number }: { readonly token: string; readonly number: OfferedNumber },
): Promise<SignInReply> {
  const pin = await register(link, token, number);
  const outcome = await visit.connect({
    phone_number_id: number.id,
    waba_id: number.wabaId,
    access_token: token,
  });
  if ("refusal" in outcome) return refused("credentials", outcome.refusal);
  return { kind: "connected", ...outcome, ...(pin === null ? {} : { pin }) };
}

function refused(reason: SignInRefusal, description: string): SignInReply {
  return { kind: "refused", reason, description };
}
