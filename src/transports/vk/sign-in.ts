import type { SignIn, SignInRefusal, SignInReply, SignInVisit } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { fields, listOf, text } from "../../platform/foreign/foreign-json.ts";
import type { VkLink } from "./community.ts";
import { dialogUrl, exchangeCode, hasApp, offeredCommunities } from "./dialog.ts";
import { Refusal } from "./errors.ts";

type Visit = SignInVisit<{ access_token: string }>;

/** State key: what VK's next redirect is for, "person" or the id of the chosen community. */
const ASKED_FOR = "askedFor";
/** State key of the communities that the person may choose from. */
const OFFER = "offer";
const PERSON = "person";

/**
 * The owner signs in at VK, chooses one of their communities, and grants the app access to it: two VK dialogs with
 * the choice in between.
 */
export const signIn: SignIn<{ access_token: string }, VkLink> = {
  isOffered: hasApp,
  async start(visit, link) {
    await link.state.set(ASKED_FOR, PERSON);
    return dialogUrl(link, visit);
  },
  comeBack: (visit, link, query) => explained(() => comeBack(visit, link, query)),
  choose: (visit, link, id) => explained(() => choose(visit, link, id)),
  async discard(_visit, link) {
    await link.state.set(ASKED_FOR, null);
    await link.state.set(OFFER, null);
  },
};

async function explained(work: () => Promise<SignInReply>): Promise<SignInReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return refused("messenger", error.text);
    if (error instanceof TransportError) return refused("unavailable", "VK did not respond");
    throw error;
  }
}

async function comeBack(visit: Visit, link: VkLink, query: URLSearchParams): Promise<SignInReply> {
  const code = query.get("code");
  if (code === null) return refused("denied", "The owner did not grant access to the VK community");
  const askedFor = await link.state.get(ASKED_FOR);
  if (askedFor === null) return refused("outdated", "Sign in at VK again");
  visit.conceal(code);
  const token = await exchangeCode(link, { code, returnUrl: visit.returnUrl });
  if (token === null) return refused("outdated", "VK returned no key");
  visit.conceal(token);
  await link.state.set(ASKED_FOR, null);
  if (askedFor !== PERSON) return connect(visit, token);
  const items = await offeredCommunities(link, token);
  if (items.length === 0) return refused("nothing", "You administer no community on VK");
  await link.state.set(OFFER, JSON.stringify(items));
  return { kind: "choice", of: "community", items };
}

const readOffer = listOf(fields({ id: text, name: text }));

async function choose(visit: Visit, link: VkLink, chosen: string): Promise<SignInReply> {
  const offer = readOffer(JSON.parse((await link.state.get(OFFER)) ?? "[]"));
  if (!offer?.some(({ id }) => id === chosen)) return refused("outdated", "Sign in at VK again");
  await link.state.set(OFFER, null);
  await link.state.set(ASKED_FOR, chosen);
  return { kind: "elsewhere", url: dialogUrl(link, visit, chosen) };
}

async function connect(visit: Visit, key: string): Promise<SignInReply> {
  const outcome = await visit.connect({ access_token: key });
  return "refusal" in outcome ? refused("credentials", outcome.refusal) : { kind: "connected", ...outcome };
}

function refused(reason: SignInRefusal, description: string): SignInReply {
  return { kind: "refused", reason, description };
}
