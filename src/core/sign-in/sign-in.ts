import { sql } from "../../database/database.ts";
import { isSame } from "../../platform/same.ts";
import type { Base } from "../base.ts";
import { getChannel } from "../channel/channel.ts";
import { sealedCredentialsOf } from "../channel/channels.ts";
import { ticketOf } from "../channel/link/unlinked.ts";
import { AppError } from "../errors.ts";
import type { Scope } from "../scope.ts";
import type { SignInReply } from "../transport/connector.ts";
import { openVisit } from "./connect-visit.ts";
import { agreementProof, startProof, stateProof } from "./sign-in-proofs.ts";
import { type AdmittedVisit, admittedVisit, offersSignIn, type SignInCore } from "./sign-in-visit.ts";

// A sign-in is bound to the person in two ways, because anyone can send a link to anyone. The messenger's redirect is
// accepted only from the browser that went to the messenger, which holds a secret (`browser`). And nothing is connected
// before the person has seen the name of the account and agreed (`agreement`).

/** What the person is told before anything is connected. */
export interface Asked {
  readonly account: { readonly id: number; readonly name: string };
  /** Name of the channel that is linked again; null if the sign-in creates one. */
  readonly channel: string | null;
}

/** The query of the messenger's redirect, the id that the person chose, or the person's refusal. */
export type SignInStep =
  | { readonly query: URLSearchParams }
  | { readonly choice: string }
  | { readonly refusal: true };

/** A reply to the page. Until the person has agreed, it asks with `asked`, and takes `agreement` as their consent. */
export type SignInAnswer = (SignInReply | { readonly kind: "question" } | { readonly kind: "closed" }) & {
  readonly asked?: Asked & { readonly agreement: string };
};

/**
 * Starts a sign-in for a channel, or for one to be created: with `channelId` null, the returned id becomes the
 * channel's id once it is linked. `url` is ours: the person's browser goes from there to the messenger. It is valid
 * until the channel is linked, for at most an hour. Throws TRANSPORT_NOT_AVAILABLE if sign-in is not available.
 */
export async function startSignIn(
  core: Base,
  scope: Scope,
  wanted: { readonly transport: string; readonly channelId: string | null },
): Promise<{ readonly channelId: string; readonly url: string }> {
  const transport = core.transports.get(wanted.transport);
  if (transport === undefined || !offersSignIn(transport)) throw new AppError("TRANSPORT_NOT_AVAILABLE");
  const { id, ticket } =
    wanted.channelId === null
      ? await openVisit(core, scope, transport)
      : await ticketOfChannel(core, scope, wanted.channelId);
  const start = startProof(core, ticket);
  return { channelId: id, url: `${core.settings.publicUrl}/connect/${wanted.transport}/${start}/start` };
}

async function ticketOfChannel(
  core: Base,
  scope: Scope,
  id: string,
): Promise<{ id: string; ticket: string }> {
  return { id, ticket: ticketOf(core, id, await sealedCredentialsOf(core, scope, id)) };
}

/** What a start address connects to. Throws NOT_FOUND if it is no longer valid. */
export async function askedAtStart(core: SignInCore, transportId: string, start: string): Promise<Asked> {
  return askedOf(core, await startedVisit(core, transportId, start));
}

/**
 * The address at the messenger for the browser that holds this secret; only it can continue the sign-in. May be
 * repeated. Throws NOT_FOUND if the start address is no longer valid.
 */
export async function departForMessenger(
  core: SignInCore,
  transportId: string,
  { start, browser }: { readonly start: string; readonly browser: string },
): Promise<string> {
  const { signIn, visit, link, ticket } = await startedVisit(core, transportId, start);
  return signIn.start(visit(stateProof(core, ticket, browser), false), link);
}

function startedVisit(core: SignInCore, transportId: string, start: string): Promise<AdmittedVisit> {
  return admittedVisit(core, transportId, start, (ticket) => startProof(core, ticket));
}

export interface Continued {
  readonly state: string;
  /** The secret of the browser; null if it has none. */
  readonly browser: string | null;
  /** The `agreement` of an earlier answer, once the person has agreed to what that asked. */
  readonly agreement: string | null;
  readonly step: SignInStep;
}

/**
 * Continues a sign-in after the messenger's redirect, on whichever node. Asks the person first. Throws NOT_FOUND for a
 * `state` that is unknown, already used, or of another browser: a person who followed someone else's link to the
 * messenger learns nothing, and nothing is connected.
 */
export async function continueSignIn(
  core: SignInCore,
  transportId: string,
  { state, browser, agreement, step }: Continued,
): Promise<SignInAnswer> {
  if (browser === null) throw new AppError("NOT_FOUND");
  const admitted = await admittedVisit(core, transportId, state, (ticket) =>
    stateProof(core, ticket, browser),
  );
  if ("refusal" in step) return refuse(admitted, state);
  const shown = await askedOf(core, admitted);
  const { account, channel } = shown;
  const expected = agreementProof(core, state, [String(account.id), account.name, channel ?? ""]);
  const agreed = agreement !== null && isSame(agreement, expected);
  const answer = await replyTo(admitted, step, { state, agreed });
  const asks = answer.kind === "question" || answer.kind === "choice";
  return asks ? { ...answer, asked: { ...shown, agreement: expected } } : answer;
}

async function replyTo(
  { signIn, visit, link }: AdmittedVisit,
  step: Exclude<SignInStep, { refusal: true }>,
  { state, agreed }: { readonly state: string; readonly agreed: boolean },
): Promise<SignInReply | { readonly kind: "question" }> {
  const open = visit(state, agreed);
  if ("choice" in step) {
    if (!agreed || signIn.choose === undefined) throw new AppError("NOT_FOUND");
    return signIn.choose(open, link, step.choice);
  }
  if (agreed || signIn.offersBeforeConnecting === true) return signIn.comeBack(open, link, step.query);
  if (!step.query.has("error")) return { kind: "question" };
  // The messenger reports that the person declined: there is nothing to ask, and nothing to exchange.
  return signIn.comeBack(open, link, new URLSearchParams({ error: step.query.get("error") ?? "" }));
}

async function refuse({ signIn, visit, link, close }: AdmittedVisit, state: string): Promise<SignInAnswer> {
  await signIn.discard?.(visit(state, false), link);
  await close();
  return { kind: "closed" };
}

const ACCOUNT = sql("account_name", "select name from accounts where id = $1");

async function askedOf(core: SignInCore, { scope, channelId }: AdmittedVisit): Promise<Asked> {
  const [row] = await core.db.query<{ name: string }>(ACCOUNT, [scope.accountId]);
  const channel = channelId === null ? null : await getChannel(core, scope, channelId);
  return {
    account: { id: scope.accountId, name: row?.name ?? "" },
    // One that was never linked has no name yet.
    channel: channel === null || channel.name === "" ? null : channel.name,
  };
}
