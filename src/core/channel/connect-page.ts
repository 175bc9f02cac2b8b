import { timingSafeEqual } from "node:crypto";
import { sql } from "../../database/database.ts";
import { isUuid } from "../../platform/ids.ts";
import type { Core } from "../core.ts";
import { AppError } from "../errors.ts";
import type { ChannelLink, PageReply, PageVisit } from "../transport/connector.ts";
import type { ChannelProfile } from "../transport/events.ts";
import type { RegisteredTransport } from "../transport/registry.ts";
import { createLinkedChannel, linkChannel } from "./channels.ts";
import { findVisit, type OpenVisit } from "./connect-visit.ts";
import { credentialsContext } from "./credentials.ts";
import { openCredentials } from "./link.ts";
import { type ChannelFound, passingLink } from "./passing-link.ts";
import { masker, redactor } from "./redact.ts";
import { ticketOf } from "./unlinked.ts";

const FIND = sql(
  "channel_for_page",
  `select account_id, id, epoch, credentials from channels
   where id = $1 and transport = $2 and deleted_at is null`,
);

type Credentials = Readonly<Record<string, unknown>>;
/** A visit as HTTP brings it. */
export type PageRequest = Pick<PageVisit<unknown>, "method" | "query" | "form">;
type Page = NonNullable<RegisteredTransport["connector"]["page"]>;

/**
 * Lets the transport answer a visit to the page of one channel, or of one that is to come. Throws NOT_FOUND for a ticket
 * that is unknown or has served: the channel was linked with it, or re-initialised since.
 */
export async function visitPage(
  core: Core,
  transportId: string,
  ticket: string,
  request: PageRequest,
): Promise<PageReply> {
  const transport = core.transports.get(transportId);
  const [id = ""] = ticket.split(".");
  if (transport?.connector.page === undefined || !isUuid(id)) throw new AppError("NOT_FOUND");
  const concealed: string[] = [];
  const { link, connect, isLinked } = await admitted(core, transport, ticket, concealed);
  const pages = `${core.settings.publicUrl}/connect/${transportId}`;
  const visit: PageVisit<Credentials> = {
    ...request,
    url: `${pages}/${ticket}`,
    returnUrl: pages,
    state: ticket,
    isLinked,
    conceal: (secret) => void concealed.push(secret),
    connect: (found) => outcomeOf(connect(found)),
  };
  return transport.connector.page(visit, link as Parameters<Page>[1]);
}

/** Whom a ticket admits to what. */
interface Admission {
  readonly link: ChannelLink;
  readonly isLinked: boolean;
  connect(credentials: Credentials): Promise<ChannelProfile>;
}

async function admitted(
  core: Core,
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
  core: Core,
  transport: RegisteredTransport,
  row: ChannelFound,
  concealed: readonly string[],
): Admission {
  const credentials = openCredentials(core, row.id, row.credentials);
  return {
    link: passingLink(core, transport, row, { redact: hiding(transport, credentials, concealed) }),
    isLinked: Object.keys(credentials).length > 0,
    connect: (found) => linkChannel(core, { accountId: row.account_id }, row.id, found),
  };
}

/** What it would store for a channel goes with the visit, and there is nothing that it could tell yet. */
function toNewChannel(
  core: Core,
  transport: RegisteredTransport,
  { id, scope, state, close }: OpenVisit,
  concealed: readonly string[],
): Admission {
  const credentials = core.seal.seal("{}", credentialsContext(id));
  const row = { account_id: scope.accountId, id, epoch: 0, credentials };
  const link = passingLink(core, transport, row, { redact: hiding(transport, {}, concealed) });
  return {
    link: Object.create(link, { state: { value: state } }),
    isLinked: false,
    async connect(found) {
      const profile = await createLinkedChannel(core, scope, { id, transport, credentials: found });
      await close();
      return profile;
    },
  };
}

/** Masks the secrets that are known, and those that come up during the visit. */
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

async function outcomeOf(connecting: Promise<ChannelProfile>): ReturnType<PageVisit<unknown>["connect"]> {
  try {
    return { profile: await connecting };
  } catch (error) {
    if (error instanceof AppError && error.status !== 404) return { refusal: error.message };
    throw error;
  }
}
