import { timingSafeEqual } from "node:crypto";
import { sql } from "../../../database/database.ts";
import { isUuid } from "../../../platform/ids.ts";
import type { Base } from "../../base.ts";
import { AppError } from "../../errors.ts";
import type { HasDeadLetters } from "../../inbound/dead-letters.ts";
import type { HasReports } from "../../message/report-queue.ts";
import type { Scope } from "../../scope.ts";
import type { ChannelLink, SignInReply, SignInVisit } from "../../transport/connector.ts";
import type { ChannelProfile } from "../../transport/events.ts";
import type { RegisteredTransport } from "../../transport/registry.ts";
import { type ChannelFound, callbackLink } from "../callback/callback-link.ts";
import type { HasChannels } from "../channel.ts";
import { createLinkedChannel, linkChannel, sealedCredentialsOf } from "../channels.ts";
import { credentialsContext } from "../credentials/credentials.ts";
import type { HasChannelLog } from "../log/channel-log.ts";
import { masker, redactor } from "../log/redact.ts";
import { findVisit, type OpenVisit, openVisit } from "./connect-visit.ts";
import { openCredentials } from "./link.ts";
import { ticketOf } from "./unlinked.ts";

const FIND = sql(
  "channel_for_sign_in",
  `select account_id, id, epoch, credentials from channels
   where id = $1 and transport = $2 and deleted_at is null`,
);

type Credentials = Readonly<Record<string, unknown>>;
type Methods = NonNullable<RegisteredTransport["connector"]["signIn"]>;
/** The parameters of the messenger's redirect, or the id that the person chose. */
export type SignInStep = { readonly query: URLSearchParams } | { readonly choice: string };

/** Whether sign-in is available: the connector supports it, and the operator has set what it requires. */
export function offersSignIn({ connector, settings }: RegisteredTransport): boolean {
  return connector.signIn?.isOffered({ settings }) ?? false;
}

/**
 * Starts a sign-in for a channel, or for one to be created: with `channelId` null, the returned id becomes the
 * channel's id once it is linked. `url` is at the messenger and is valid until the channel is linked, for at most an
 * hour. Throws TRANSPORT_NOT_AVAILABLE if sign-in is not available.
 */
export async function startSignIn(
  core: Base & HasChannelLog & HasDeadLetters & HasChannels & HasReports,
  scope: Scope,
  wanted: { readonly transport: string; readonly channelId: string | null },
): Promise<{ readonly channelId: string; readonly url: string }> {
  const transport = core.transports.get(wanted.transport);
  if (transport === undefined || !offersSignIn(transport)) throw new AppError("TRANSPORT_NOT_AVAILABLE");
  const { id, ticket } =
    wanted.channelId === null
      ? await openVisit(core, scope, transport)
      : await ticketOfChannel(core, scope, wanted.channelId);
  const { signIn, visit, link } = await admittedVisit(core, wanted.transport, ticket);
  return { channelId: id, url: await signIn.start(visit, link) };
}

/**
 * Continues a sign-in, on whichever node and in whichever window the person returned. Throws NOT_FOUND for a `state`
 * that is unknown or already used.
 */
export async function continueSignIn(
  core: Base & HasChannelLog & HasDeadLetters & HasChannels & HasReports,
  transportId: string,
  { state, step }: { readonly state: string; readonly step: SignInStep },
): Promise<SignInReply> {
  const { signIn, visit, link } = await admittedVisit(core, transportId, state);
  if ("query" in step) return signIn.comeBack(visit, link, step.query);
  if (signIn.choose === undefined) throw new AppError("NOT_FOUND");
  return signIn.choose(visit, link, step.choice);
}

async function ticketOfChannel(
  core: Base,
  scope: Scope,
  id: string,
): Promise<{ id: string; ticket: string }> {
  return { id, ticket: ticketOf(core, id, await sealedCredentialsOf(core, scope, id)) };
}

interface AdmittedVisit {
  readonly signIn: Methods;
  readonly visit: SignInVisit<Credentials>;
  readonly link: Parameters<Methods["start"]>[1];
}

async function admittedVisit(
  core: Base & HasChannelLog & HasDeadLetters & HasChannels & HasReports,
  transportId: string,
  ticket: string,
): Promise<AdmittedVisit> {
  const transport = core.transports.get(transportId);
  const signIn = transport?.connector.signIn;
  const [id = ""] = ticket.split(".");
  if (transport === undefined || signIn === undefined || !offersSignIn(transport) || !isUuid(id))
    throw new AppError("NOT_FOUND");
  const concealed: string[] = [];
  const { link, connect } = await admitted(core, transport, ticket, concealed);
  const visit: SignInVisit<Credentials> = {
    returnUrl: `${core.settings.publicUrl}/connect/${transportId}`,
    state: ticket,
    conceal: (secret) => void concealed.push(secret),
    connect: (found) => outcomeOf(connect(found)),
  };
  return { signIn, visit, link: link as AdmittedVisit["link"] };
}

/** What a ticket admits to, and for whom. */
interface Admission {
  readonly link: ChannelLink;
  connect(credentials: Credentials): Promise<ChannelProfile>;
}

async function admitted(
  core: Base & HasChannelLog & HasDeadLetters & HasChannels & HasReports,
  transport: RegisteredTransport,
  ticket: string,
  concealed: readonly string[],
): Promise<Admission> {
  const [id = ""] = ticket.split(".");
  const [row] = await core.db.query<ChannelFound>(FIND, [id, transport.definition.id]);
  if (row !== undefined) {
    if (!isSame(ticket, ticketOf(core, id, row.credentials))) throw new AppError("NOT_FOUND");
    return toChannel(core, transport, row, concealed);
  }
  const visit = await findVisit(core, transport.definition.id, ticket);
  if (visit === null) throw new AppError("NOT_FOUND");
  return toNewChannel(core, transport, visit, concealed);
}

function toChannel(
  core: Base & HasChannelLog & HasDeadLetters & HasChannels & HasReports,
  transport: RegisteredTransport,
  row: ChannelFound,
  concealed: readonly string[],
): Admission {
  const credentials = openCredentials(core, row.id, row.credentials);
  return {
    link: callbackLink(core, transport, row, { redact: hiding(transport, credentials, concealed) }),
    connect: (found) => linkChannel(core, { accountId: row.account_id }, row.id, found),
  };
}

/** The state of a future channel is stored with the visit. */
function toNewChannel(
  core: Base & HasChannelLog & HasDeadLetters & HasChannels & HasReports,
  transport: RegisteredTransport,
  { id, scope, state, close }: OpenVisit,
  concealed: readonly string[],
): Admission {
  const credentials = core.seal.seal("{}", credentialsContext(id));
  const row = { account_id: scope.accountId, id, epoch: 0, credentials };
  const link = callbackLink(core, transport, row, { redact: hiding(transport, {}, concealed) });
  return {
    link: Object.create(link, { state: { value: state } }),
    async connect(found) {
      const profile = await createLinkedChannel(core, scope, { id, transport, credentials: found });
      await close();
      return profile;
    },
  };
}

/** Masks the known secrets, and those obtained during the visit. */
function hiding(
  transport: RegisteredTransport,
  credentials: Credentials,
  concealed: readonly string[],
): (text: string) => string {
  const known = redactor(transport, credentials);
  return (text) => masker(concealed)(known(text));
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function outcomeOf(
  connecting: Promise<ChannelProfile>,
): ReturnType<SignInVisit<Credentials>["connect"]> {
  try {
    return { profile: await connecting };
  } catch (error) {
    if (error instanceof AppError && error.status !== 404) return { refusal: error.message };
    throw error;
  }
}
