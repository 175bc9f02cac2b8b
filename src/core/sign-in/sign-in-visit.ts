import { sql } from "../../database/database.ts";
import { isUuid } from "../../platform/ids.ts";
import { isSame } from "../../platform/same.ts";
import { createLinkedChannel, type HasLinkSessions, linkChannel } from "../channel/channels.ts";
import { credentialsContext, openCredentials } from "../channel/credentials/credentials.ts";
import { ticketOf } from "../channel/link/unlinked.ts";
import { masker, redactor } from "../channel-log/redact.ts";
import { AppError } from "../errors.ts";
import { type ChannelFound, callbackLink } from "../inbound/callback/callback-link.ts";
import type { LinkCore } from "../inbound/link.ts";
import type { Scope } from "../scope.ts";
import type { ChannelLink, SignInVisit } from "../transport/connector.ts";
import type { ChannelProfile } from "../transport/events.ts";
import type { RegisteredTransport } from "../transport/registry.ts";
import { findVisit, type OpenVisit } from "./connect-visit.ts";
import { idOf } from "./sign-in-proofs.ts";

/** What a sign-in requires of core. */
export type SignInCore = LinkCore & HasLinkSessions;
export type Credentials = Readonly<Record<string, unknown>>;
type Methods = NonNullable<RegisteredTransport["connector"]["signIn"]>;

const FIND = sql(
  "channel_for_sign_in",
  `select account_id, id, epoch, credentials, proxy, exit_key from channels
   where id = $1 and transport = $2 and deleted_at is null`,
);

/** Whether sign-in is available: the connector supports it, and the operator has set what it requires. */
export function offersSignIn({ connector, settings }: RegisteredTransport): boolean {
  return connector.signIn?.isOffered({ settings }) ?? false;
}

/** A sign-in that a person may continue. */
export interface AdmittedVisit {
  readonly signIn: Methods;
  readonly transport: RegisteredTransport;
  readonly scope: Scope;
  /** Id of the channel to link again; null if the sign-in creates one. */
  readonly channelId: string | null;
  readonly ticket: string;
  readonly link: Parameters<Methods["start"]>[1];
  /** What the connector gets. Without `agreed`, its `connect` throws. */
  visit(state: string, agreed: boolean): SignInVisit<Credentials>;
  /** Ends a sign-in that creates a channel. */
  close(): Promise<void>;
}

/**
 * The sign-in to which a proof belongs: `prove` computes the proof that belongs to a ticket. Throws NOT_FOUND if it is
 * unknown, ended or already used.
 */
export async function admittedVisit(
  core: SignInCore,
  transportId: string,
  given: string,
  prove: (ticket: string) => string,
): Promise<AdmittedVisit> {
  const transport = core.transports.get(transportId);
  const signIn = transport?.connector.signIn;
  const id = idOf(given);
  if (transport === undefined || signIn === undefined || !offersSignIn(transport) || !isUuid(id))
    throw new AppError("NOT_FOUND");
  const concealed: string[] = [];
  const admission = await admitted(core, transport, id, concealed);
  if (!isSame(given, prove(admission.ticket))) throw new AppError("NOT_FOUND");
  const { link, connect, ...found } = admission;
  return {
    ...found,
    signIn,
    transport,
    link: link as AdmittedVisit["link"],
    visit: (state, agreed) => ({
      // One for all cells, because it is registered at the messenger.
      returnUrl: `${core.settings.installationUrl}/connect/${transportId}`,
      state,
      conceal: (secret) => void concealed.push(secret),
      async connect(credentials) {
        if (!agreed) throw new Error("A connector connected a channel before the person agreed");
        return outcomeOf(connect(credentials));
      },
    }),
  };
}

/** What a visit's ticket admits to. */
interface Admission extends Pick<AdmittedVisit, "scope" | "channelId" | "ticket" | "close"> {
  readonly link: ChannelLink;
  connect(credentials: Credentials): Promise<ChannelProfile>;
}

async function admitted(
  core: SignInCore,
  transport: RegisteredTransport,
  id: string,
  concealed: readonly string[],
): Promise<Admission> {
  const [row] = await core.db.query<ChannelFound>(FIND, [id, transport.definition.id]);
  if (row !== undefined) return toChannel(core, transport, row, concealed);
  const visit = await findVisit(core, transport.definition.id, id);
  if (visit === null) throw new AppError("NOT_FOUND");
  return toNewChannel(core, transport, visit, concealed);
}

function toChannel(
  core: SignInCore,
  transport: RegisteredTransport,
  row: ChannelFound,
  concealed: readonly string[],
): Admission {
  const credentials = openCredentials(core, row.id, row.credentials);
  const scope = { accountId: row.account_id };
  return {
    scope,
    channelId: row.id,
    ticket: ticketOf(core, row.id, row.credentials),
    link: callbackLink(core, transport, row, { redact: hiding(transport, credentials, concealed) }),
    connect: (found) => linkChannel(core, scope, row.id, found),
    close: async () => undefined,
  };
}

/** The state of a future channel is stored with the visit. */
function toNewChannel(
  core: SignInCore,
  transport: RegisteredTransport,
  { id, ticket, scope, state, close }: OpenVisit,
  concealed: readonly string[],
): Admission {
  const credentials = core.seal.seal("{}", credentialsContext(id));
  const row = { account_id: scope.accountId, id, epoch: 0, credentials };
  const link = callbackLink(core, transport, row, { redact: hiding(transport, {}, concealed) });
  return {
    scope,
    channelId: null,
    ticket,
    link: Object.create(link, { state: { value: state } }),
    async connect(found) {
      const profile = await createLinkedChannel(core, scope, { id, transport, credentials: found });
      await close();
      return profile;
    },
    close,
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
