import type { PageReply, PageVisit } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { html } from "../../platform/html.ts";
import { GraphRefusal } from "../meta/error.ts";
import type { GivenCredentials, InstagramLink } from "./access.ts";
import { exchangeCode, SCOPES } from "./tokens.ts";

type Visit = PageVisit<GivenCredentials>;

/** The page on which an owner connects an account: by signing in at Instagram, or by a token. */
export async function page(visit: Visit, link: InstagramLink): Promise<PageReply> {
  try {
    const code = visit.query.get("code");
    if (code !== null) return await comeBack(visit, link, code);
    if (visit.query.has("error"))
      return start(visit, link, "Instagram was not allowed to connect the account.");
    return visit.method === "GET" ? start(visit, link) : await connectByHand(visit, link);
  } catch (error) {
    if (error instanceof GraphRefusal)
      return start(visit, link, `Instagram refused: ${error.error.details || error.error.message}`);
    if (error instanceof TransportError)
      return start(visit, link, "Instagram does not answer. Try again later.");
    throw error;
  }
}

function hasSignIn({ settings }: Pick<InstagramLink, "settings">): boolean {
  return settings.appId !== "" && settings.appSecret !== "";
}

async function comeBack(visit: Visit, link: InstagramLink, given: string): Promise<PageReply> {
  if (!hasSignIn(link)) return start(visit, link);
  // Instagram puts `#_` behind the address, which some clients send along.
  const code = given.replace(/#_$/, "");
  visit.conceal(code);
  const token = await exchangeCode(link, { code, returnUrl: visit.returnUrl });
  visit.conceal(token);
  return connect(visit, link, { user_token: token });
}

function connectByHand(visit: Visit, link: InstagramLink): Promise<PageReply> {
  const field = (name: string): string => (visit.form.get(name) ?? "").trim();
  const pageId = field("page_id");
  return connect(visit, link, {
    user_token: field("user_token"),
    ...(pageId === "" ? {} : { page_id: pageId }),
  });
}

async function connect(visit: Visit, link: InstagramLink, credentials: GivenCredentials): Promise<PageReply> {
  const outcome = await visit.connect(credentials);
  if ("refusal" in outcome) return start(visit, link, `${outcome.refusal}.`);
  const { name, username = "" } = outcome.profile;
  return {
    title: "Connected",
    html: html`<p><strong>${name}</strong>, @${username}, is connected.</p><p>You can close this page.</p>`
      .html,
  };
}

function start(visit: Visit, link: InstagramLink, alert?: string): PageReply {
  const notice = alert === undefined ? html`` : html`<p role="alert">${alert}</p>`;
  const again = visit.isLinked ? html`<p>This channel is connected. You can connect it anew.</p>` : html``;
  const signIn = hasSignIn(link)
    ? html`<p>Sign in at Instagram with your professional account and allow messages and comments.</p>
<p><a class="button" href="${dialogUrl(link, visit)}">Continue with Instagram</a></p>
<h2>Or with a token of your own</h2>`
    : html``;
  const form = html`<form method="post" action="${visit.url}"><label>User token <input name="user_token" type="password" autocomplete="off" spellcheck="false" required></label><label>Facebook page id <small>Only with a token of Facebook Login</small><input name="page_id" type="text" inputmode="numeric" pattern="[0-9]{5,32}" title="An id has digits only" value="${(visit.form.get("page_id") ?? "").trim()}" autocomplete="off"></label><button class="main">Connect</button></form>`;
  return {
    title: "Connect Instagram",
    ...(alert === undefined ? {} : { status: 400 }),
    html: html`${notice}${again}${signIn}${form}`.html,
  };
}

/** Page "Business Login for Instagram". */
function dialogUrl(
  { settings }: Pick<InstagramLink, "settings">,
  { returnUrl, state }: Pick<Visit, "returnUrl" | "state">,
): string {
  const query = new URLSearchParams({
    client_id: settings.appId,
    redirect_uri: returnUrl,
    response_type: "code",
    scope: SCOPES.join(","),
    state,
  });
  return `${settings.dialogUrl.replace(/\/+$/, "")}/oauth/authorize?${query}`;
}
