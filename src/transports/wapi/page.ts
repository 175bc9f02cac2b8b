import type { PageReply, PageVisit } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { type Html, html } from "../../platform/html.ts";
import { textIn } from "../kit/json.ts";
import { GraphRefusal } from "../meta/error.ts";
import type { WapiCredentials, WapiLink } from "./access.ts";
import { definition } from "./definition.ts";
import {
  dialogUrl,
  hasSignup,
  type OfferedNumber,
  offeredNumbers,
  readOffer,
  register,
  tokenFor,
} from "./signup.ts";

type Visit = PageVisit<WapiCredentials>;

const TITLE = "Connect WhatsApp Business";
/** Where the token waits, sealed, while the person chooses one of several numbers. */
const OFFER = "signup";

/** The page on which an owner connects a number: by Embedded Signup, or by ids and a token. */
export async function page(visit: Visit, link: WapiLink): Promise<PageReply> {
  try {
    const code = visit.query.get("code");
    if (code !== null) return await comeBack(visit, link, code);
    if (visit.query.has("error")) return start(visit, link, "Meta was not allowed to connect the number.");
    if (visit.method === "GET") return start(visit, link);
    const chosen = visit.form.get("number");
    return chosen === null ? await connectByHand(visit, link) : await choose(visit, link, chosen);
  } catch (error) {
    if (error instanceof GraphRefusal)
      return start(visit, link, `Meta refused: ${error.error.details || error.error.message}`);
    if (error instanceof TransportError) return start(visit, link, "Meta does not answer. Try again later.");
    throw error;
  }
}

async function comeBack(visit: Visit, link: WapiLink, code: string): Promise<PageReply> {
  if (!hasSignup(link)) return start(visit, link);
  visit.conceal(code);
  const token = await tokenFor(link, { code, returnUrl: visit.returnUrl });
  if (token === null) return start(visit, link, "Meta gave no token. Try again.");
  visit.conceal(token);
  const numbers = await offeredNumbers(link, token);
  const [only] = numbers;
  if (only === undefined)
    return start(visit, link, "The business has no phone number yet. Add one and try again.");
  if (numbers.length === 1) return connectOffered(visit, link, { token, number: only });
  await link.state.set(OFFER, JSON.stringify({ token, numbers }));
  return choice(visit, numbers);
}

async function choose(visit: Visit, link: WapiLink, chosen: string): Promise<PageReply> {
  const offer = readOffer(await link.state.get(OFFER));
  const number = offer?.numbers.find(({ id }) => id === chosen);
  if (offer === null || number === undefined) return start(visit, link, "Sign in at Meta once more.");
  visit.conceal(offer.token);
  await link.state.set(OFFER, null);
  return connectOffered(visit, link, { token: offer.token, number });
}

async function connectOffered(
  visit: Visit,
  link: WapiLink,
  { token, number }: { readonly token: string; readonly number: OfferedNumber },
): Promise<PageReply> {
  const pin = await register(link, token, number);
  return connect(
    visit,
    link,
    { phone_number_id: number.id, waba_id: number.wabaId, access_token: token },
    pin,
  );
}

function connectByHand(visit: Visit, link: WapiLink): Promise<PageReply> {
  const field = (name: string): string => (visit.form.get(name) ?? "").trim();
  const appSecret = field("app_secret");
  return connect(visit, link, {
    phone_number_id: field("phone_number_id"),
    waba_id: field("waba_id"),
    access_token: field("access_token"),
    ...(appSecret === "" ? {} : { app_secret: appSecret }),
  });
}

async function connect(
  visit: Visit,
  link: WapiLink,
  credentials: WapiCredentials,
  pin: string | null = null,
): Promise<PageReply> {
  const outcome = await visit.connect(credentials);
  if ("refusal" in outcome) return start(visit, link, `${outcome.refusal}.`);
  const { name, phone = "" } = outcome.profile;
  const secondFactor =
    pin === null
      ? html``
      : html`<p>The number's PIN for two-step verification is now <strong>${pin}</strong>. Keep it.</p>`;
  return {
    title: "Connected",
    html: html`<p><strong>${name}</strong>, +${phone}, is connected.</p>${secondFactor}<p>You can close this page.</p>`
      .html,
  };
}

function start(visit: Visit, link: WapiLink, alert?: string): PageReply {
  const notice = alert === undefined ? html`` : html`<p role="alert">${alert}</p>`;
  const again = visit.isLinked ? html`<p>This channel is connected. You can connect it anew.</p>` : html``;
  return {
    title: TITLE,
    ...(alert === undefined ? {} : { status: 400 }),
    html: html`${notice}${again}${hasSignup(link) ? signupPart(visit, link) : html``}${formPart(visit)}`.html,
  };
}

function signupPart(visit: Visit, link: WapiLink): Html {
  return html`<p>Sign in at Meta, choose your business and its phone number. A number that is in use in the WhatsApp app has to be removed from there first, unless Meta offers to use both.</p>
<p><a class="button" href="${dialogUrl(link, visit)}">Continue with Meta</a></p>
<h2>Or with a token of your own</h2>`;
}

/** One field for each credential. What is no secret is there again after a refusal. */
function formPart(visit: Visit): Html {
  const fields = Object.entries<object>(definition.credentials.properties).map(([name, schema]) => {
    const [title = name, description = "", pattern = ""] = ["title", "description", "pattern"].map((key) =>
      textIn(schema, key),
    );
    const isSecret = "sensitive" in schema;
    const typed = isSecret ? "" : (visit.form.get(name) ?? "").trim();
    const kind = isSecret
      ? html`type="password"`
      : html`type="text" inputmode="numeric" title="${FORMAT_HINT}" value="${typed}"`;
    const required = definition.credentials.required.some((each) => each === name) ? html` required` : html``;
    return html`<label>${title} <small>${description}</small><input name="${name}" ${kind} pattern="${pattern}" autocomplete="off" spellcheck="false"${required}></label>`;
  });
  return html`<form method="post" action="${visit.url}">${fields}<button class="main">Connect</button></form>`;
}

/** Shown by browsers when an id is something else. */
const FORMAT_HINT = "An id has digits only";

function choice(visit: Visit, numbers: readonly OfferedNumber[]): PageReply {
  const items = numbers.map(
    ({ id, digits, name }) =>
      html`<label class="radio"><input type="radio" name="number" value="${id}" required> ${name}, +${digits}</label>`,
  );
  return {
    title: "Which number?",
    html: html`<form method="post" action="${visit.url}"><fieldset><legend>Numbers that Meta offers</legend>${items}</fieldset><button class="main">Connect</button></form>`
      .html,
  };
}
