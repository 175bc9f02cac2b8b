import { type Queryable, sql } from "../../database/database.ts";
import { isUuid, newId } from "../../platform/ids.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import type { HasChannels } from "../channel/channel.ts";
import type { HasChats } from "../chat/chats.ts";
import { findChats } from "../chat/named-chat.ts";
import { personOfNickname, publicChatId } from "../chat/nickname.ts";
import { AppError, type ErrorCode } from "../errors.ts";
import type { HasLive } from "../event/live-notifier.ts";
import { jsonValue } from "../json-rows.ts";
import type { HasAccept } from "../message/accept.ts";
import { checkMessage, type SendRequest, sendMessage } from "../message/send.ts";
import type { Scope } from "../scope.ts";
import type { ChatType } from "../transport/definition.ts";
import { isWritable } from "../writable-accounts.ts";
import { authorNameOf } from "./author.ts";
import { reachChat } from "./chat-list.ts";
import { type ChatRow, type Colleague, loadChats } from "./chat-view.ts";
import { type EntryView, loadEntries, notifyEntry } from "./entries.ts";
import type { ProposalDetails } from "./proposal-view.ts";
import type { InboxSession } from "./reach.ts";
import { isWaitingProposal } from "./waiting-proposal.ts";

type Sending = Base & HasLive & HasAccept & HasChats & HasChannels;

/** A message that a program wants to send when an employee approves it. */
export interface NewProposal {
  readonly channelId: string;
  readonly chatType: ChatType;
  readonly chatId: string;
  readonly text?: string;
  readonly template?: SendRequest["template"];
  readonly quotedMessageId?: string;
  /** Seconds, after which nobody can approve it any more. */
  readonly expiresIn: number;
}

/** Waiting proposals of a chat: more would bury it. */
const MAX_WAITING = 20;

const ADD = sql(
  "proposal_add",
  `insert into chat_entries (account_id, id, chat, channel_id, kind, author_id, text, details)
   select $1, $2, $3, $4, 'proposed', $5, $6, jsonb_build_object('proposal', $7::jsonb || jsonb_build_object(
     'expires_at', now() + $8 * interval '1 second',
     'token', jsonb_build_object('id', $5::text, 'hint', coalesce((select t.hint from tokens t where t.id = $5::uuid), ''))))
   where (select count(*) from chat_entries w where w.account_id = $1 and w.chat = $3
     and w.created_at > now() - interval '8 days' and ${isWaitingProposal("w")}) < ${MAX_WAITING}
     or exists (select 1 from chat_entries o where o.account_id = $1 and o.id = $2)
   on conflict (account_id, id) do nothing returning id`,
);

/**
 * Stores a message as a proposal, which the employees see in its chat; nothing is sent before one of them approves it. Only
 * for chats that exist. `operationId`, if given, becomes its id, which makes the call idempotent. Throws CHAT_NOT_FOUND,
 * QUOTA_EXCEEDED, and what `sendMessage` refuses at once.
 */
export async function proposeMessage(
  core: Sending,
  { accountId, tokenId }: Scope & { readonly tokenId: string },
  given: NewProposal,
  operationId: string | null,
): Promise<EntryView> {
  const scope = { accountId };
  const [chat] = await loadChats(core.db, accountId, await findChats(core, scope, given));
  if (chat === undefined) throw new AppError("CHAT_NOT_FOUND");
  const { text, template, quotedMessageId, expiresIn } = given;
  await checkMessage(core, scope, requestOf(chat, { text: text ?? "", template, quotedMessageId }));
  const id = operationId ?? newId();
  const proposal = { state: "waiting", template, quotedMessageId };
  const values = [
    accountId,
    id,
    chat.id,
    chat.channel_id,
    tokenId,
    text ?? "",
    jsonValue(proposal),
    expiresIn,
  ];
  await core.db.tx(async (tx) => {
    if ((await tx.query(ADD, values)).length > 0)
      await audit(tx, { accountId, action: "proposal.create", subject: id, details: { chat: chat.id } });
  });
  const [entry] = await loadEntries(core.db, accountId, [id]);
  if (entry === undefined)
    throw new AppError("QUOTA_EXCEEDED", {
      description: `At most ${MAX_WAITING} proposals may wait in a chat`,
    });
  notifyWaiting(core, accountId, entry.view);
  return entry.view;
}

/** Its chat counts the proposals that wait. */
function notifyWaiting(core: HasLive, accountId: number, entry: EntryView): void {
  const { chat_id: chat } = entry;
  core.live.notify({ accountId, about: "chat", chat, subject: chat });
  notifyEntry(core, accountId, entry);
}

/** A proposal as its program sees it. */
export interface ProposalOutcome {
  readonly entry: EntryView;
  readonly channelId: string;
  readonly chatType: string;
  readonly chatId: string;
}

/** Throws PROPOSAL_NOT_FOUND, also once its chat is deleted. */
export async function getProposal(core: Base, { accountId }: Scope, id: string): Promise<ProposalOutcome> {
  const [entry] = isUuid(id) ? await loadEntries(core.db, accountId, [id]) : [];
  const [chat] = entry === undefined ? [] : await loadChats(core.db, accountId, [entry.view.chat_id]);
  if (entry === undefined || entry.view.proposal === null || chat === undefined)
    throw new AppError("PROPOSAL_NOT_FOUND");
  const { channel_id: channelId, chat_type: chatType, chat_id: chatId } = chat;
  return { entry: entry.view, channelId, chatType, chatId: publicChatId({ chatType, chatId }) };
}

// The one who comes second finds it decided, and so does who comes too late.
const DECIDE = sql(
  "proposal_decide",
  `update chat_entries n set text = $4, details = jsonb_set(n.details, '{proposal}',
     n.details -> 'proposal' || $3::jsonb || jsonb_build_object('decided_at', now()))
   where n.account_id = $1 and n.id = $2 and ${isWaitingProposal("n")}
   returning n.id`,
);

/** `decided` false: somebody else was first, or it is too late; the entry says which. */
export interface Decision {
  readonly decided: boolean;
  readonly entry: EntryView;
}

/**
 * Sends the proposal, with the text as the employee has changed it, as the employee's message. If two decide at once, the
 * first decision counts. Once it is approved it is sent once, whatever is restarted: the message's id is stored with the
 * decision, and `sendApproved` repeats what was interrupted. Idempotent for the employee. Throws MESSAGES_NOT_FOUND,
 * VALIDATION_ERROR, and what `sendMessage` refuses at once; then it still waits.
 */
export async function approveProposal(
  core: Sending,
  session: InboxSession,
  id: string,
  changed: string | undefined,
): Promise<Decision> {
  const { entry, chat } = await reachProposal(core, session, id);
  const text = changed ?? entry.text;
  const { template, quotedMessageId } = await detailsOf(core, session.scope, id);
  if (template !== undefined && changed !== undefined)
    throw new AppError("VALIDATION_ERROR", {
      data: { fields: [{ field: "text", message: "a template cannot be changed" }] },
    });
  if (entry.proposal?.state === "waiting")
    await checkMessage(core, session.scope, requestOf(chat, { text, template, quotedMessageId }));
  const change = {
    state: "approved",
    messageId: newId(),
    ...(text === entry.text ? {} : { proposedText: entry.text }),
  };
  const decision = await decide(core, session, { id, text, change, action: "proposal.approve" });
  if (!decision.decided) return decision;
  await sendOne(core, session.scope, id);
  return { decided: true, entry: await reload(core, session, id) };
}

/** Nothing is sent. Idempotent for the employee. Throws MESSAGES_NOT_FOUND. */
export async function declineProposal(core: Sending, session: InboxSession, id: string): Promise<Decision> {
  const { entry } = await reachProposal(core, session, id);
  const change = { state: "declined" };
  return decide(core, session, { id, text: entry.text, change, action: "proposal.decline" });
}

async function decide(
  core: Base & HasLive,
  session: InboxSession,
  {
    id,
    text,
    change,
    action,
  }: {
    readonly id: string;
    readonly text: string;
    readonly change: { readonly state: string };
    readonly action: "proposal.approve" | "proposal.decline";
  },
): Promise<Decision> {
  const { accountId } = session.scope;
  const decidedBy = { id: session.opening.userId, name: await authorNameOf(core, session) };
  const isFirst = await core.db.tx(async (tx) => {
    const rows = await tx.query(DECIDE, [accountId, id, jsonValue({ ...change, decidedBy }), text]);
    if (rows.length === 0) return false;
    await audit(tx, { accountId, action, subject: id });
    return true;
  });
  const entry = await reload(core, session, id);
  if (isFirst) notifyWaiting(core, accountId, entry);
  return { decided: isFirst || isRepeated(entry, change.state, decidedBy), entry };
}

/** What is approved may have been sent, or refused, meanwhile. */
function isRepeated({ proposal }: EntryView, wanted: string, by: Colleague): boolean {
  if (proposal === null || proposal.decided_by?.id !== by.id) return false;
  return (proposal.state === "declined") === (wanted === "declined") && proposal.state !== "expired";
}

async function reachProposal(
  core: Base,
  session: InboxSession,
  id: string,
): Promise<{ readonly entry: EntryView; readonly chat: ChatRow }> {
  const [entry] = isUuid(id) ? await loadEntries(core.db, session.scope.accountId, [id]) : [];
  if (entry === undefined || entry.view.proposal === null) throw new AppError("MESSAGES_NOT_FOUND");
  const chat = await reachChat(core, session, entry.view.chat_id).catch((error: unknown) => {
    throw error instanceof AppError ? new AppError("MESSAGES_NOT_FOUND") : error;
  });
  return { entry: entry.view, chat };
}

async function reload(core: Base, { scope }: InboxSession, id: string): Promise<EntryView> {
  const [entry] = await loadEntries(core.db, scope.accountId, [id]);
  if (entry === undefined) throw new AppError("MESSAGES_NOT_FOUND");
  return entry.view;
}

interface Content {
  readonly text: string;
  readonly template: SendRequest["template"] | undefined;
  readonly quotedMessageId: string | undefined;
}

function requestOf(chat: ChatRow, { text, template, quotedMessageId }: Content): SendRequest {
  const { chat_type: chatType, chat_id: chatId, channel_id: channelId } = chat;
  return {
    channelId,
    recipient: { chatType, ...(personOfNickname({ chatType, chatId }) ?? { chatId }) },
    ...(template === undefined ? { text } : { template }),
    ...(quotedMessageId === undefined ? {} : { quotedMessageId }),
    refusedAtOnce: true,
  };
}

const STORED = sql(
  "proposal_stored",
  `select n.chat, n.text, n.details -> 'proposal' as proposal from chat_entries n
   where n.account_id = $1 and n.id = $2 and n.kind = 'proposed'`,
);

interface Stored {
  readonly chat: string;
  readonly text: string;
  readonly proposal: ProposalDetails;
}

async function storedOf(db: Queryable, { accountId }: Scope, id: string): Promise<Stored> {
  const [row] = await db.query<Stored & object>(STORED, [accountId, id]);
  if (row === undefined) throw new AppError("MESSAGES_NOT_FOUND");
  return row;
}

async function detailsOf({ db }: Base, scope: Scope, id: string): Promise<ProposalDetails> {
  return (await storedOf(db, scope, id)).proposal;
}

const SETTLE = sql(
  "proposal_settle",
  `update chat_entries n set details = jsonb_set(n.details, '{proposal}', n.details -> 'proposal' || $3::jsonb)
   where n.account_id = $1 and n.id = $2 and n.details #>> '{proposal,state}' = 'approved' returning n.chat`,
);

/** An approval that is older is no longer sent: its message may have been sent, and deleted since. */
const MAX_DELAY_MS = 86_400_000;

/** Sends an approved proposal, or records why it cannot be sent. Any number of callers send it once. */
async function sendOne(core: Sending, scope: Scope, id: string): Promise<void> {
  const { chat: chatUuid, text, proposal } = await storedOf(core.db, scope, id);
  const { messageId, decidedBy, decided_at: decidedAt } = proposal;
  if (proposal.state !== "approved" || messageId === undefined) return;
  const age = core.clock.now().getTime() - new Date(decidedAt ?? 0).getTime();
  const error = age > MAX_DELAY_MS ? "UNAVAILABLE" : await send();
  const change = error === null ? { state: "sent" } : { state: "failed", error };
  const settled = await core.db.query(SETTLE, [scope.accountId, id, jsonValue(change)]);
  if (settled.length > 0) notifyEntry(core, scope.accountId, { id, chat_id: chatUuid });

  async function send(): Promise<ErrorCode | null> {
    const [chat] = await loadChats(core.db, scope.accountId, [chatUuid]);
    if (chat === undefined) return "CHAT_NOT_FOUND";
    const { template, quotedMessageId } = proposal;
    const author = {
      ...(decidedBy === undefined ? {} : { authorId: decidedBy.id }),
      fromApp: { authorName: decidedBy?.name ?? null },
    };
    const request = { ...requestOf(chat, { text, template, quotedMessageId }), ...author };
    return sendMessage(core, scope, request, messageId ?? null).then(
      () => null,
      (cause: unknown) => {
        if (cause instanceof AppError && cause.status < 500) return cause.code;
        throw cause;
      },
    );
  }
}

/** Condition, as of its index. What is approved was proposed a week before at most. */
const UNSENT = `kind = 'proposed' and details #>> '{proposal,state}' = 'approved' and created_at > now() - interval '30 days'`;
/** Expression: whether approved proposals were not sent. */
export const HAS_UNSENT_PROPOSALS = `(select true from chat_entries where ${UNSENT} limit 1)`;

// Who has just approved is sending it.
const FIND_UNSENT = sql(
  "proposals_unsent",
  `select account_id, id from chat_entries p where ${UNSENT} and ${isWritable("p.account_id")}
     and (details #>> '{proposal,decided_at}')::timestamptz < now() - interval '10 seconds'
   order by created_at limit $1`,
);

/**
 * Sends up to `limit` approved proposals whose sending was interrupted. Returns how many. One that cannot be sent now does
 * not hold up the others; then it throws after the last.
 */
export async function sendApproved(core: Sending, limit: number): Promise<number> {
  const rows = await core.db.query<{ account_id: number; id: string }>(FIND_UNSENT, [limit]);
  const failures: unknown[] = [];
  for (const { account_id: accountId, id } of rows)
    await sendOne(core, { accountId }, id).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
  return rows.length;
}
