import { setTimeout as sleep } from "node:timers/promises";
import type { Act, Chat } from "../sandbox/crowd/contract.ts";
import type { Answer } from "./api.ts";
import type { Account, Messenger } from "./members.ts";
import type { Random } from "./random.ts";
import type { Stage } from "./stage.ts";

/** A message of a client of the interface. */
export interface Written {
  readonly text: string;
  /** The response was 2xx. */
  accepted: boolean;
  /** How often it was requested. */
  requests: number;
  /** Null: no edit was requested. */
  edit: { readonly text: string; accepted: boolean } | null;
}

/** A chat of one round, with everything written in it. */
export interface Conversation {
  /** The prefix of each text in it. */
  readonly name: string;
  readonly chat: Chat;
  readonly account: Account;
  readonly messenger: Messenger;
  /** By client, in the order of writing. */
  readonly clients: readonly Written[][];
  /** Texts of people and owners that the messenger has. */
  readonly inbound: string[];
}

/** New people at every messenger, with a conversation for each channel. */
export async function openConversations(
  { messengers, accountOf }: Pick<Stage, "messengers" | "accountOf">,
  round: number,
  people: number,
): Promise<Conversation[]> {
  const conversations: Conversation[] = [];
  for (const messenger of messengers)
    for (let person = 0; person < people; person++)
      for (const chat of await messenger.crowd.addPerson())
        conversations.push({
          name: `r${round} c${conversations.length}`,
          chat,
          account: accountOf(chat.channelId),
          messenger,
          clients: [[], []],
          inbound: [],
        });
  return conversations;
}

const PAUSE_MS = 4_000;
const BACK_OFF_MS = 200;

/** Everyone writes until `stop` aborts; resolves when all have ended. */
export async function talk(
  stage: Stage,
  conversations: readonly Conversation[],
  { random, stop }: { readonly random: Random; readonly stop: AbortSignal },
): Promise<void> {
  await Promise.all(
    conversations.flatMap((conversation) => {
      const { name } = conversation;
      return [
        // One client retries each message until it is accepted, the other one gives up without a response.
        writeAll(stage, conversation, 0, random.fork(`${name} a`), stop),
        writeAll(stage, conversation, 1, random.fork(`${name} b`), stop),
        actAll(conversation, random.fork(`${name} in`), stop),
      ];
    }),
  );
}

async function rest(random: Random, stop: AbortSignal): Promise<void> {
  await sleep(random.between(0, PAUSE_MS), undefined, { signal: stop }).catch(() => undefined);
}

async function writeAll(
  stage: Stage,
  conversation: Conversation,
  client: 0 | 1,
  random: Random,
  stop: AbortSignal,
): Promise<void> {
  const written = conversation.clients[client] ?? [];
  const ids = new Map<Written, string>();
  for (let number = 1; ; number++) {
    await rest(random, stop);
    if (stop.aborted) return;
    const message: Written = {
      text: `${conversation.name} ${"ab"[client]} ${number}`,
      accepted: false,
      requests: 0,
      edit: null,
    };
    written.push(message);
    const id = await write(stage, conversation, message, client);
    if (id !== null) {
      message.accepted = true;
      ids.set(message, id);
    }
    const edited = random.chance(0.15) ? random.pick(written) : null;
    const editedId = edited === null ? undefined : ids.get(edited);
    if (edited !== null && editedId !== undefined && edited.edit === null)
      await edit(stage, conversation, edited, editedId);
  }
}

/** The message's id once it is accepted; null if the client gave up. The first client uses v2, the other one v3. */
async function write(
  stage: Stage,
  { account, chat, messenger }: Conversation,
  message: Written,
  client: 0 | 1,
): Promise<string | null> {
  const { text } = message;
  const { channelId, chatId } = chat;
  const { chatType } = messenger.crowd;
  const sinceMs = performance.now();
  const v2 = { channel_id: channelId, recipient: { chat_type: chatType, chat_id: chatId }, text };
  for (;;) {
    message.requests++;
    const answer = await (client === 0
      ? stage.call(account, { method: "POST", path: "/v2/messages", body: v2, idempotencyKey: text })
      : stage.call(account, {
          method: "POST",
          path: "/v3/message",
          body: { channelId, chatType, chatId, text },
        })
    ).catch(() => null);
    if (answer !== null && answer.status < 300) {
      if (client === 0) stage.waits.note(sinceMs, performance.now());
      return idOf(answer);
    }
    stage.refusals.push(
      `"${text}": ${answer === null ? "no answer" : `${answer.status} ${JSON.stringify(answer.json)}`}`,
    );
    if (client === 1) return null;
    await sleep(BACK_OFF_MS);
  }
}

function idOf({ json }: Answer): string {
  const { data, messageId } = json as { data?: { request_id: string }; messageId?: string };
  return data?.request_id ?? messageId ?? "";
}

/** One request. Without a success it may have taken effect or not. */
async function edit(stage: Stage, { account }: Conversation, message: Written, id: string): Promise<void> {
  message.edit = { text: `${message.text} edited`, accepted: false };
  const body = { text: message.edit.text };
  const answer = await stage
    .call(account, { method: "PATCH", path: `/v2/messages/${id}`, body })
    .catch(() => null);
  if (answer !== null && answer.status < 300) message.edit.accepted = true;
}

async function actAll(conversation: Conversation, random: Random, stop: AbortSignal): Promise<void> {
  const { crowd } = conversation.messenger;
  for (let number = 1; ; number++) {
    await rest(random, stop);
    if (stop.aborted) return;
    const wanted: Act = random.pick(["write", "write", "write", "echo", "repeat"]);
    const act = crowd.acts.includes(wanted) ? wanted : "write";
    const text = `${conversation.name} ${act === "repeat" ? "write" : act} ${number}`;
    await crowd.act(conversation.chat, act, text);
    // A repetition repeats an earlier text, if there is one.
    if (act !== "repeat") conversation.inbound.push(text);
  }
}
