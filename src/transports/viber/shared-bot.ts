import type { AppChannel, AppLink, InboundReply, InboundRequest } from "../../core/transport/connector.ts";
import { isJson } from "../kit/json.ts";
import { deepLink, fetchAccount, sharedProfile, type ViberLink } from "./account.ts";
import { answerStart, deliver, openCall } from "./callback.ts";
import { createClient } from "./client.ts";
import { Refusal, toTransportError } from "./errors.ts";
import { personIn, readUpdate, type ViberPerson, type ViberUpdate } from "./update.ts";

type App = AppLink<ViberLink>;
type Channel = AppChannel<ViberLink>;

/** A code of core's, as a deep link or a message of its own brings it. */
const CODE = /^[ci][\w-]{44}$/;

/**
 * Takes one callback of the bot that channels share. Who brings a claim code links its channel; who brings an invitation
 * becomes a customer of that channel, until they bring another one.
 */
export async function receiveForApp(request: InboundRequest, app: App): Promise<InboundReply> {
  const call = openCall(request, app.settings.botToken);
  if ("refusal" in call) return call.refusal;
  const update = tryRead(call.raw);
  const code = update === null ? undefined : codeIn(update);
  const found = code === undefined ? null : await app.byCode(code);
  if (update !== null && found !== null && code !== undefined) {
    const person = update.user ?? update.sender ?? {};
    const visit = { code, person, isStart: update.event === "conversation_started" };
    return found.kind === "claim" ? claim(app, visit, found.channel) : welcome(app, visit, found.channel);
  }
  return hand(app, call.raw);
}

/** To the channel whose customer it is about; nobody else's concern. */
async function hand(app: App, raw: unknown): Promise<InboundReply> {
  const personId = personIn(raw);
  const channel = personId === undefined ? undefined : (await app.bound([personId])).get(personId);
  if (channel === undefined) return { status: 200 };
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

/** Who has the bot already gets no `conversation_started`, but may write the code. */
function codeIn({ event, context, message }: ViberUpdate): string | undefined {
  const text = event === "message" ? message?.text?.trim() : context;
  return text !== undefined && CODE.test(text) ? text : undefined;
}

interface Visit {
  readonly code: string;
  readonly person: ViberPerson;
  readonly isStart: boolean;
}

/** Viber repeats a call that fails; the code serves until the claim is stored. */
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
  const way = account.uri === undefined ? "" : ` Customers come by ${deepLink(account.uri, invitation)}`;
  return answer(isStart, `The channel is linked.${way}`, account.name);
}

async function welcome(app: App, { person, isStart }: Visit, channel: Channel): Promise<InboundReply> {
  if (person.id === undefined) return { status: 200 };
  await bind(app, person.id, channel);
  return answer(isStart, "Write here, and you will get an answer.", channel.link.credentials.name ?? "");
}

function answer(isStart: boolean, text: string, senderName: string): InboundReply {
  return isStart ? answerStart(text, senderName) : { status: 200 };
}

/** The channel remembers its customers, for it must not write to those of others. */
async function bind(app: App, personId: string, channel: Channel): Promise<void> {
  const former = (await app.bound([personId])).get(personId);
  if (former !== undefined && former.link.channelId !== channel.link.channelId)
    await former.link.state.set(keyOf(personId), null);
  await channel.link.state.set(keyOf(personId), "yes");
  await app.bind(personId, channel);
}

/** Whether a person may be written to by a channel that shares its bot. */
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
