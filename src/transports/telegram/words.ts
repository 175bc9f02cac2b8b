import { type LinkedStretch, withAddresses } from "../kit/marked-words.ts";
import { amountOf } from "../kit/money.ts";
import { joined, linked } from "../kit/words.ts";
import type { TgChecklistTask, TgContent, TgEntities, UNSUPPORTED_KINDS } from "./content.ts";
import { knownName } from "./names.ts";

/** A text with the addresses of its links (Bot API, `MessageEntity`, `text_link`). */
export function textOf(text: string | undefined, entities: TgEntities | undefined): string | undefined {
  if (text === undefined || entities === undefined) return text;
  const links = entities.flatMap(({ type, offset, length, url }): LinkedStretch[] =>
    type !== "text_link" || url === undefined || offset === undefined || length === undefined
      ? []
      : [{ offset, length, url }],
  );
  return withAddresses(text, links);
}

export type UnsupportedKind = (typeof UNSUPPORTED_KINDS)[number];

/** What a person can read of content that has no counterpart in the interface. Null: nothing. */
export function wordsOf(content: TgContent, kind: UnsupportedKind): string | null {
  switch (kind) {
    case "poll":
      return pollWords(content.poll ?? {});
    case "checklist": {
      const { title, title_entities, tasks = [] } = content.checklist ?? {};
      return joined([textOf(title, title_entities), ...tasks.map(taskLine)]);
    }
    case "game": {
      const { title, description, text, text_entities } = content.game ?? {};
      return joined([title, description, textOf(text, text_entities)]);
    }
    case "invoice": {
      const { title, description, total_amount, currency } = content.invoice ?? {};
      return joined([title, description, amountOf(total_amount, currency)]);
    }
    case "dice": {
      const { emoji, value } = content.dice ?? {};
      return joined([emoji, value === undefined ? undefined : String(value)], " ");
    }
    case "story":
      return storyWords(content.story) ?? null;
    case "giveaway":
    case "giveaway_winners": {
      const { chats = [], chat, prize_description, winners = [] } = content[kind] ?? {};
      const names = [...chats, ...(chat ? [chat] : []), ...winners].map(knownName);
      return joined([prize_description, ...names]);
    }
    case "paid_media":
      return null;
  }
}

function pollWords(poll: NonNullable<TgContent["poll"]>): string | null {
  const { question, question_entities, description, description_entities, options = [], media } = poll;
  const { explanation, explanation_entities, explanation_media } = poll;
  const choices = options.map(({ text, text_entities, media: own }) => {
    const choice = linked(textOf(text, text_entities), own?.link?.url);
    return choice && `• ${choice}`;
  });
  return joined([
    textOf(question, question_entities),
    linked(textOf(description, description_entities), media?.link?.url),
    ...choices,
    linked(textOf(explanation, explanation_entities), explanation_media?.link?.url),
  ]);
}

export function taskLine(task: TgChecklistTask): string | undefined {
  const isDone = task.completion_date || task.completed_by_user || task.completed_by_chat;
  const words = textOf(task.text, task.text_entities);
  return words && `${isDone ? "☑" : "☐"} ${words}`;
}

/** Whose story it is, and where a browser shows it. */
function storyWords(story: TgContent["story"]): string | undefined {
  const { username } = story?.chat ?? {};
  const name = knownName(story?.chat);
  return linked(name === "" || name === username ? undefined : name, storyAddress(story));
}

/** Where a browser shows a story; those of chats without a username are shown by Telegram's programs only. */
export function storyAddress(story: TgContent["story"]): string | undefined {
  const username = story?.chat?.username;
  return username === undefined || story?.id === undefined
    ? undefined
    : `https://t.me/${username}/s/${story.id}`;
}
