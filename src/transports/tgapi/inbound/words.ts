import { type LinkedStretch, withAddresses } from "../../kit/marked-words.ts";
import { amountOf } from "../../kit/money.ts";
import { joined, linked, wordsIn } from "../../kit/words.ts";
import { type Known, nameOf, usernameOf } from "../people/names.ts";
import { chatIdOf, type TgEntities, type TgMedia, type TgPeer, type TgTask, type TgWords } from "./update.ts";

/** A text with the addresses of its links (TL constructor `messageEntityTextUrl`). */
export function textOf(text: string | undefined, entities: TgEntities | undefined): string | undefined {
  if (text === undefined || entities === undefined) return text;
  const links = entities.flatMap(({ _: kind, offset, length, url }): LinkedStretch[] =>
    kind !== "messageEntityTextUrl" || url === undefined || offset === undefined || length === undefined
      ? []
      : [{ offset, length, url }],
  );
  return withAddresses(text, links);
}

export const wordsOf = (words: TgWords | undefined): string | undefined =>
  textOf(words?.text, words?.entities);

/** What a person can read of content that has no counterpart in the interface. Null: nothing. Pure. */
export function mediaWords(media: TgMedia, known: Known): string | null {
  switch (media._) {
    case "messageMediaToDo": {
      const { todo, completions = [] } = media;
      const done = new Set(completions.map(({ id }) => id));
      return joined([
        wordsOf(todo?.title),
        ...(todo?.list ?? []).map((task) => taskLine(task, done.has(task.id))),
      ]);
    }
    case "messageMediaGame":
      return joined([media.game?.title, media.game?.description]);
    case "messageMediaInvoice": {
      const { title, description, totalAmount, currency } = media;
      const total = totalAmount === undefined ? undefined : Number(totalAmount);
      return joined([title, description, amountOf(total, currency)]);
    }
    case "messageMediaDice":
      return joined([media.emoticon, media.value === undefined ? undefined : String(media.value)], " ");
    case "messageMediaStory": {
      const { peer, id, story } = media;
      return joined([storyWords(peer, id, known), textOf(story?.caption, story?.entities)]);
    }
    case "messageMediaGiveaway":
    case "messageMediaGiveawayResults": {
      const { prizeDescription, channels = [], channelId, winners = [] } = media;
      const chats = [...channels, channelId].map((id) => chatIdOf({ channelId: id }));
      const people = winners.map((userId) => chatIdOf({ userId }));
      return joined([prizeDescription, ...[...chats, ...people].map((id) => nameOf(known.get(id ?? "")))]);
    }
    case "messageMediaPaidMedia":
    case "messageMediaUnsupported":
    case "messageMediaVideoStream":
      return null;
    default:
      return wordsIn(media);
  }
}

export function taskLine({ title }: TgTask, isDone = false): string | undefined {
  const words = wordsOf(title);
  return words && `${isDone ? "☑" : "☐"} ${words}`;
}

/** Whose story it is, and where a browser shows it. */
function storyWords(peer: TgPeer | undefined, id: string | undefined, known: Known): string | undefined {
  const who = known.get(chatIdOf(peer) ?? "");
  const name = nameOf(who);
  return linked(name === "" || name === usernameOf(who) ? undefined : name, storyAddress(peer, id, known));
}

/** Where a browser shows a story; those of accounts without a username are shown by Telegram's programs only. */
export function storyAddress(
  peer: TgPeer | undefined,
  id: string | undefined,
  known: Known,
): string | undefined {
  const username = usernameOf(known.get(chatIdOf(peer) ?? ""));
  return username === undefined || id === undefined ? undefined : `https://t.me/${username}/s/${id}`;
}

/** The question, a line for each option, and the explanation. */
export function pollText({ poll, results }: TgMedia): string {
  const options = (poll?.answers ?? []).map(
    ({ text, media }) => `• ${linked(wordsOf(text), media?.webpage?.url) ?? ""}`,
  );
  const explanation = textOf(results?.solution, results?.solutionEntities);
  return joined([wordsOf(poll?.question), ...options, explanation]) ?? "";
}
