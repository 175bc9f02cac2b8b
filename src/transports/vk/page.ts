import type { PageReply, PageVisit } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { fields, listOf, text } from "../../platform/foreign-json.ts";
import { type Html, html } from "../../platform/html.ts";
import type { VkLink } from "./community.ts";
import { definition } from "./definition.ts";
import { Refusal } from "./errors.ts";
import { dialogUrl, exchangeCode, hasApp, type OfferedCommunity, offeredCommunities } from "./sign-in.ts";

type Visit = PageVisit<{ access_token: string }>;
type PageLink = Pick<VkLink, "settings" | "request" | "state">;

const TITLE = "Connect a VK community";
/** What VK's next answer is about: "person", or the id of the community that was chosen. */
const ASKED_FOR = "askedFor";
/** The communities that the person may choose from. */
const OFFER = "offer";
const PERSON = "person";

/** The page on which an owner connects a community: by a sign-in at VK, where the installation has an app, or by a key. */
export async function page(visit: Visit, link: PageLink): Promise<PageReply> {
  try {
    const code = visit.query.get("code");
    if (code !== null) return await comeBack(visit, link, code);
    if (visit.query.has("error")) return start(visit, link, "VK was not allowed to connect the community.");
    if (visit.method === "GET") return start(visit, link);
    if (visit.form.get("sign_in") !== null) return await signIn(visit, link);
    const chosen = visit.form.get("community");
    return chosen === null ? await connectByKey(visit, link) : await choose(visit, link, chosen);
  } catch (error) {
    if (error instanceof Refusal) return start(visit, link, `VK refused: ${error.words}`);
    if (error instanceof TransportError) return start(visit, link, "VK does not answer. Try again later.");
    throw error;
  }
}

async function signIn(visit: Visit, link: PageLink): Promise<PageReply> {
  if (!hasApp(link)) return start(visit, link);
  await link.state.set(ASKED_FOR, PERSON);
  return { redirect: dialogUrl(link, visit) };
}

async function comeBack(visit: Visit, link: PageLink, code: string): Promise<PageReply> {
  const askedFor = await link.state.get(ASKED_FOR);
  if (!hasApp(link) || askedFor === null) return start(visit, link);
  visit.conceal(code);
  const token = await exchangeCode(link, { code, returnUrl: visit.returnUrl });
  if (token === null) return start(visit, link, "VK gave no key. Try again.");
  visit.conceal(token);
  await link.state.set(ASKED_FOR, null);
  if (askedFor !== PERSON) return connect(visit, link, token);
  const communities = await offeredCommunities(link, token);
  if (communities.length === 0)
    return start(visit, link, "You administer no community on VK. Create one and try again.");
  await link.state.set(OFFER, JSON.stringify(communities));
  return choice(visit, communities);
}

const readOffer = listOf(fields({ id: text, name: text }));

async function choose(visit: Visit, link: PageLink, chosen: string): Promise<PageReply> {
  const offer = readOffer(JSON.parse((await link.state.get(OFFER)) ?? "[]"));
  if (!offer?.some(({ id }) => id === chosen)) return start(visit, link, "Sign in at VK once more.");
  await link.state.set(OFFER, null);
  await link.state.set(ASKED_FOR, chosen);
  return { redirect: dialogUrl(link, visit, chosen) };
}

function connectByKey(visit: Visit, link: PageLink): Promise<PageReply> {
  const key = (visit.form.get("access_token") ?? "").trim();
  visit.conceal(key);
  return connect(visit, link, key);
}

async function connect(visit: Visit, link: PageLink, key: string): Promise<PageReply> {
  const outcome = await visit.connect({ access_token: key });
  if ("refusal" in outcome) return start(visit, link, `${outcome.refusal}.`);
  const { name } = outcome.profile;
  return {
    title: "Connected",
    html: html`<p><strong>${name}</strong> is connected.</p><p>You can close this page.</p>`.html,
  };
}

function start(visit: Visit, link: PageLink, alert?: string): PageReply {
  const notice = alert === undefined ? html`` : html`<p role="alert">${alert}</p>`;
  const again = visit.isLinked ? html`<p>This channel is connected. You can connect it anew.</p>` : html``;
  return {
    title: TITLE,
    ...(alert === undefined ? {} : { status: 400 }),
    html: html`${notice}${again}${hasApp(link) ? signInPart(visit) : html``}${keyPart(visit)}`.html,
  };
}

function signInPart(visit: Visit): Html {
  return html`<p>Sign in at VK and choose the community whose messages are to arrive here.</p>
<form method="post" action="${visit.url}"><button class="main" name="sign_in" value="1">Continue with VK</button></form>
<h2>Or with a key of the community</h2>`;
}

function keyPart(visit: Visit): Html {
  const { title, description, pattern } = definition.credentials.properties.access_token as unknown as {
    readonly title: string;
    readonly description: string;
    readonly pattern: string;
  };
  return html`<ol><li>Open the community on VK, then <em>Manage → Messages</em>, and switch the messages on. Under <em>Bot settings</em> allow bots, for buttons.</li>
<li>Under <em>Manage → API usage</em> create a key that may manage the community and use its messages, photos and files.</li></ol>
<form method="post" action="${visit.url}"><label>${title} <small>${description}</small><input name="access_token" type="password" pattern="${pattern}" autocomplete="off" spellcheck="false" required></label><button class="main">Connect</button></form>`;
}

function choice(visit: Visit, communities: readonly OfferedCommunity[]): PageReply {
  const items = communities.map(
    ({ id, name }) =>
      html`<label class="radio"><input type="radio" name="community" value="${id}" required> ${name}</label>`,
  );
  return {
    title: "Which community?",
    html: html`<form method="post" action="${visit.url}"><fieldset><legend>Communities that you administer</legend>${items}</fieldset><button class="main">Continue</button></form>`
      .html,
  };
}
