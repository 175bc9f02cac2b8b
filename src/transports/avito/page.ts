import type { PageReply, PageVisit } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { type Html, html } from "../../platform/html.ts";
import { textIn } from "../kit/json.ts";
import { definition } from "./definition.ts";
import type { AvitoLink } from "./tokens.ts";

interface Given {
  code?: string;
  client_id?: string;
  client_secret?: string;
}
type Visit = PageVisit<Given>;
type PageLink = Pick<AvitoLink, "settings">;

const TITLE = "Connect Avito";
/** Enough to read, to write, and to see whose account it is. */
const SCOPES = "messenger:read,messenger:write,user:read";

/** The page on which an owner connects an account: by signing in at Avito, or with an application of their own. */
export async function page(visit: Visit, link: PageLink): Promise<PageReply> {
  try {
    const code = visit.query.get("code");
    if (code !== null) {
      visit.conceal(code);
      return await connect(visit, link, { code });
    }
    if (visit.query.has("error")) return start(visit, link, "Avito was not allowed to connect the account.");
    return visit.method === "GET" ? start(visit, link) : await connectByHand(visit, link);
  } catch (error) {
    if (error instanceof TransportError) return start(visit, link, "Avito does not answer. Try again later.");
    throw error;
  }
}

/** Where the owner agrees (developers.avito.ru, "Авторизация"). Avito leads back to the address that the application has. */
function consentUrl({ settings }: PageLink, { state }: Pick<Visit, "state">): string {
  const url = new URL(`${settings.consentUrl.replace(/\/+$/, "")}/oauth`);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: settings.clientId,
    scope: SCOPES,
    state,
  }).toString();
  return url.href;
}

function connectByHand(visit: Visit, link: PageLink): Promise<PageReply> {
  const field = (name: string): string => (visit.form.get(name) ?? "").trim();
  const given = { client_id: field("client_id"), client_secret: field("client_secret") };
  visit.conceal(given.client_secret);
  return connect(visit, link, given);
}

async function connect(visit: Visit, link: PageLink, credentials: Given): Promise<PageReply> {
  const outcome = await visit.connect(credentials);
  if ("refusal" in outcome) return start(visit, link, `${outcome.refusal}.`);
  return {
    title: "Connected",
    html: html`<p><strong>${outcome.profile.name}</strong> is connected.</p><p>You can close this page.</p>`
      .html,
  };
}

function start(visit: Visit, link: PageLink, alert?: string): PageReply {
  const notice = alert === undefined ? html`` : html`<p role="alert">${alert}</p>`;
  const again = visit.isLinked ? html`<p>This channel is connected. You can connect it anew.</p>` : html``;
  const { clientId, clientSecret } = link.settings;
  const hasApp = clientId !== "" && clientSecret !== "";
  return {
    title: TITLE,
    ...(alert === undefined ? {} : { status: 400 }),
    html: html`${notice}${again}${hasApp ? signInPart(visit, link) : html``}${formPart(visit)}`.html,
  };
}

function signInPart(visit: Visit, link: PageLink): Html {
  return html`<p>Sign in at Avito with the company's main account, and allow access to its messages. The messages of Avito need a subscription that includes the messenger's API.</p>
<p><a class="button" href="${consentUrl(link, visit)}">Continue with Avito</a></p>
<h2>Or with an application of your own</h2>`;
}

function formPart(visit: Visit): Html {
  const { client_id, client_secret } = definition.credentials.properties;
  const fields = [
    ["client_id", client_id, html`type="text" value="${(visit.form.get("client_id") ?? "").trim()}"`],
    ["client_secret", client_secret, html`type="password"`],
  ] as const;
  const inputs = fields.map(([name, schema, kind]) => {
    const [title = name, description = "", pattern = ""] = ["title", "description", "pattern"].map((key) =>
      textIn(schema, key),
    );
    return html`<label>${title} <small>${description}</small><input name="${name}" ${kind} pattern="${pattern}" autocomplete="off" spellcheck="false" required></label>`;
  });
  return html`<form method="post" action="${visit.url}">${inputs}<button class="main">Connect</button></form>`;
}
