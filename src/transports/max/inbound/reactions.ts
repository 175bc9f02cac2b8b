import type { MessageRef, TransportEvent } from "../../../core/transport/events.ts";
import {
  count,
  fields,
  integerText,
  listOf,
  type Reader,
  text,
} from "../../../platform/foreign/foreign-json.ts";
import { isJson, type Json, required } from "../../kit/json.ts";
import { idIn } from "../people/ids.ts";
import { OP } from "../wire/opcodes.ts";

/**
 * MAX pushes 155 when somebody else has reacted, with counts alone, and 156 when the account itself has, on any device.
 * Neither says who reacted with what, so that the present state is requested: 180 in a dialog, where what is not the
 * account's own is the other person's, and 181 in a group. (Public clients: PyMax; kolibri, `docs`; a bridge's notes on
 * PyMax 2.2.)
 */

type Ask = (opcode: number, payload: object) => Promise<Json>;

interface ReactionContext {
  readonly ask: Ask;
  readonly self: string;
  readonly now: Date;
  /** The person of a chat's side, as senders are told. */
  readonly whoIs: (userId: string) => { readonly id: string; readonly name: string };
}

/** Clients have seen the emoji itself and an object with it. */
const emoji: Reader<string> = (value) => text(value) ?? named(value)?.id;
const named = fields({ id: text });

export const readReactionPush = fields({ chatId: integerText, messageId: integerText });
const readCounts = fields({ counters: listOf(fields({ reaction: emoji, count })), yourReaction: emoji });
const readReactors = fields({ reactions: listOf(fields({ userId: integerText, reaction: emoji })) });

/** The newest of so many are told; MAX returns no more at once. */
const MAX_REACTORS = 100;

/** Rejects like `ask`. */
export async function reactionsTo(
  ref: MessageRef,
  opcode: number,
  context: ReactionContext,
): Promise<TransportEvent[]> {
  return ref.chatType === "max" ? inDialog(ref, context) : inGroup(ref, opcode, context);
}

async function inDialog(
  ref: MessageRef,
  { ask, now, self, whoIs }: ReactionContext,
): Promise<TransportEvent[]> {
  const { chatId, messageId } = numbersOf(ref);
  const answer = await ask(OP.reactionCounts, { chatId, messageIds: [messageId] });
  const all = isJson(answer["messagesReactions"]) ? Object.values(answer["messagesReactions"]) : [];
  const { counters = [], yourReaction } = readCounts(all[0]) ?? {};
  const theirs = counters.find((each) => (each.count ?? 0) > (each.reaction === yourReaction ? 1 : 0));
  const about = { kind: "reaction", ref, at: now } as const;
  const other = whoIs(String(BigInt.asIntN(64, chatId ^ BigInt(self))));
  return [
    { ...about, emoji: theirs?.reaction ?? null, by: other },
    { ...about, emoji: yourReaction ?? null },
  ];
}

/** Who took a reaction back in a group is not told: only the account's own removal is known, by its own push. */
async function inGroup(
  ref: MessageRef,
  opcode: number,
  { ask, now, self, whoIs }: ReactionContext,
): Promise<TransportEvent[]> {
  const answer = await ask(OP.reactedBy, { ...numbersOf(ref), count: MAX_REACTORS });
  const about = { kind: "reaction", ref, at: now } as const;
  const told = (readReactors(answer)?.reactions ?? []).flatMap(({ userId, reaction }): TransportEvent[] => {
    if (userId === undefined || reaction === undefined) return [];
    return [{ ...about, emoji: reaction, ...(userId !== self && { by: whoIs(userId) }) }];
  });
  const hasOwn = told.some((event) => !("by" in event));
  return hasOwn || opcode !== OP.reacted ? told : [...told, { ...about, emoji: null }];
}

function numbersOf({ chatId, externalId }: MessageRef): {
  readonly chatId: bigint;
  readonly messageId: bigint;
} {
  return {
    chatId: required(idIn(chatId), "chat id"),
    messageId: required(idIn(externalId), "message id"),
  };
}
