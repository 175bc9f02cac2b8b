import type { AppChannel, AppLink, InboundReply, InboundRequest } from "../../core/transport/connector.ts";
import { isJson } from "../kit/json.ts";
import { deepLink, fetchAccount, sharedProfile, type ViberLink } from "./account.ts";
import { answerStart, deliver, openCall } from "./callback.ts";
import { createClient } from "./client.ts";
import { Refusal, toTransportError } from "./errors.ts";
import { personIn, readUpdate, type ViberPerson, type ViberUpdate } from "./update.ts";

type App = AppLink<ViberLink>;
type Channel = AppChannel<ViberLink>;

/** A code issued by core, as contained in a deep link or sent as a message. */
const CODE = /^[ci][\w-]{44}$/;

/**
 * Receives one callback of the shared bot. A person who presents a claim code links its channel. A person who
 * presents an invitation becomes a customer of that channel, until they present another one.
 */
export async function receiveForApp(request: InboundRequest, app: App): Promise<InboundReply> {
  const call = openCall(request, app.settings.botToken);
  if ("refusal" in call) return call.refusal;
  if ("reason" in call) {
    app.reportUnknown("unreadable");
    return { status: 200 };
  }
  const update = tryRead(call.json);
  const code = update === null ? undefined : codeIn(update);
  const found = code === undefined ? null : await app.byCode(code);
  if (update !== null && found !== null && code !== undefined) {
    const person = update.user ?? update.sender ?? {};
    const visit = { code, person, isStart: update.event === "conversation_started" };
    return found.kind === "claim" ? claim(app, visit, found.channel) : welcome(app, visit, found.channel);
  }
  return forward(app, call.json);
}

/** Passes the callback to the channel whose customer it concerns; what a person of no channel writes is only counted. */
async function forward(app: App, raw: unknown): Promise<InboundReply> {
  const personId = personIn(raw);
  const channel = personId === undefined ? undefined : (await app.bound([personId])).get(personId);
  if (channel === undefined) {
    if (personId !== undefined) app.reportUnknown("foreign.person");
    return { status: 200 };
  }
  if (!app.mayTake(channel)) return { status: 429 };
  await deliver(raw, channel.link);
  return { status: 200 };
}

function tryRead(raw: unknown): ViberUpdate | null {
  try {
    return readUpdate(isJson(raw) ? raw : {});
  } catch {
    return null;
  }
}

/** A person who already has the bot gets no `conversation_started`, but can send the code as a message. */
function codeIn({ event, context, message }: ViberUpdate): string | undefined {
  const text = event === "message" ? message?.text?.trim() : context;
  return text !== undefined && CODE.test(text) ? text : undefined;
}

interface Visit {
  readonly code: string;
  readonly person: ViberPerson;
  readonly isStart: boolean;
}

/** Viber retries a failed call; the code is valid until the claim is stored. */
async function claim(app: App, { code, person, isStart }: Visit, channel: Channel): Promise<InboundReply> {
  const { id: owner, name = "Viber" } = person;
  if (owner === undefined) return { status: 200 };
  const account = await asTransportError(fetchAccount(createClient(app, app.settings.botToken)));
  const { invitation } = channel.link.codes;
  const profile = sharedProfile(account, { owner, name, invitation });
  const outcome = await app.claim(code, { profile, credentials: { owner, name } });
  if ("refusal" in outcome) {
    app.log("info", "Viber: a channel was not linked", { channelId: channel.link.channelId });
    return answer(isStart, outcome.refusal, account.name);
  }
  await bind(app, owner, channel);
  const way =
    account.uri === undefined ? "" : ` Your customers can open ${deepLink(account.uri, invitation)}`;
  return answer(isStart, `The channel is linked.${way}`, account.name);
}

async function welcome(app: App, { person, isStart }: Visit, channel: Channel): Promise<InboundReply> {
  if (person.id === undefined) return { status: 200 };
  await bind(app, person.id, channel);
  return answer(isStart, "Write here, and you will get a reply.", channel.link.credentials.name ?? "");
}

function answer(isStart: boolean, text: string, senderName: string): InboundReply {
  return isStart ? answerStart(text, senderName) : { status: 200 };
}

/** The channel stores its customers, because it must not write to those of other channels. */
async function bind(app: App, personId: string, channel: Channel): Promise<void> {
  const former = (await app.bound([personId])).get(personId);
  if (former !== undefined && former.link.channelId !== channel.link.channelId)
    await former.link.state.set(keyOf(personId), null);
  await channel.link.state.set(keyOf(personId), "yes");
  await app.bind(personId, channel);
}

/** Whether a channel that shares its bot may write to this person. */
export async function isCustomer(link: ViberLink, personId: string): Promise<boolean> {
  return (await link.state.get(keyOf(personId))) !== null;
}

function keyOf(personId: string): string {
  return `person:${personId}`;
}

async function asTransportError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Refusal ? toTransportError(error, { floodScope: "channel" }) : error;
  }
}
