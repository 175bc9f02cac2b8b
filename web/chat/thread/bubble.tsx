import { Icon } from "../../kit/icon.tsx";
import { Body } from "../bubbles/body.tsx";
import { RichText } from "../bubbles/rich-text.tsx";
import { Ticks } from "../bubbles/ticks.tsx";
import { clockTime, fullTime } from "../format.ts";
import { later } from "../later.ts";
import { lineOf } from "../list/summary.ts";
import { type Message, nameShown } from "../model.ts";
import { session } from "../session.ts";
import { bubbleWords, words } from "../texts/texts.ts";
import { hasActions, openActions } from "./actions.ts";
import type { Audience } from "./audience.ts";

const trouble = () => import("./bubble-trouble.tsx");
const Waiting = later(async () => (await trouble()).Waiting);
const Failure = later(async () => (await trouble()).Failure);

interface BubbleProps {
  readonly messages: readonly [Message, ...Message[]];
  /** The chat's name, read out as the author of a single customer's messages. */
  readonly chatName: string;
  readonly isFirst: boolean;
  readonly isLit: boolean;
  /** Who sees an answer on Instagram; null: as usual. */
  readonly audience: Audience | null;
  readonly onQuoted: (id: string) => void;
}

/** One message, or an album, with its author, state and actions. */
export function Bubble({ messages, chatName, isFirst, isLit, audience, onQuoted }: BubbleProps) {
  const message = messages.at(-1) ?? messages[0];
  const isFailed = message.wire.status === "error";
  const colour = isFailed ? "bg-bad-bg" : message.isOut ? "bg-out" : "bg-in";
  const name =
    message.isOut && message.wire.author?.id === session.value?.user.id
      ? words.value.you
      : message.authorName;
  const heard = name === "" && !message.isOut ? chatName : name;
  return (
    <article
      data-message={message.id}
      aria-label={[heard, fullTime(message.time)].filter((part) => part !== "").join(", ")}
      class={`group flex flex-col px-4 -outline-offset-2 ${isFirst ? "pt-2.5" : "pt-0.5"} ${message.isOut ? "items-end" : "items-start"}`}
    >
      {isFirst && name !== "" && (
        <p class="mx-1 mb-0.5 max-w-full truncate text-xs text-dim" dir="auto">
          {name}
        </p>
      )}
      <div class={`flex max-w-full items-center gap-1 ${message.isOut ? "flex-row-reverse" : ""}`}>
        <div
          class={`relative max-w-[min(520px,calc(100cqw-84px))] min-w-0 rounded-lg shaped px-3 py-1.5 ${colour} ${isLit ? "outline-2 outline-accent-text" : ""}`}
        >
          {message.wire.quoted !== null && (
            <Quote quoted={message.wire.quoted} chatType={message.chatType} onPress={onQuoted} />
          )}
          <div class={message.isDeleted ? "text-dim line-through" : ""}>
            <Body messages={messages} foot={<Foot message={message} audience={audience} />} />
          </div>
          <Former message={message} />
          {message.pending !== null && <Waiting message={message} />}
          {isFailed && message.pending === null && <Failure message={message} />}
        </div>
        {message.pending === null && hasActions(message) && (
          <button
            type="button"
            class="-my-1 grid h-10 w-10 shrink-0 place-items-center rounded-md text-dim opacity-0 group-hover:opacity-100 focus-visible:opacity-100 aria-expanded:opacity-100 [@media(hover:none)]:opacity-100"
            aria-label={bubbleWords.value.actions}
            aria-haspopup="menu"
            onClick={(event) => openActions(message, event.currentTarget)}
          >
            <Icon name="more" />
          </button>
        )}
      </div>
      <Reactions messages={messages} />
    </article>
  );
}

/** The reactions to a message or to the pictures of an album: each emoji once, with who reacted. */
function Reactions({ messages }: { readonly messages: readonly Message[] }) {
  const all = messages.flatMap(({ wire }) => wire.reactions);
  if (all.length === 0) return null;
  const emojis = [...new Set(all.map(({ emoji }) => emoji))];
  return (
    <ul class="mx-1 mt-0.5 flex flex-wrap gap-1" aria-label={bubbleWords.value.reactions}>
      {emojis.map((emoji) => {
        const people = all.filter((each) => each.emoji === emoji);
        const names = people.map(({ name, is_ours: isOurs }) => (isOurs ? words.value.you : name)).join(", ");
        return (
          <li key={emoji} title={names} class="rounded-full border border-line bg-bg px-2 py-0.5 text-sm">
            {emoji}
            {people.length > 1 && <span class="ml-1 text-dim">{people.length}</span>}
            <span class="sr-only"> {names}</span>
          </li>
        );
      })}
    </ul>
  );
}

interface QuoteProps {
  readonly quoted: NonNullable<Message["wire"]["quoted"]>;
  readonly chatType: string;
  readonly onPress: (id: string) => void;
}

function Quote({ quoted, chatType, onPress }: QuoteProps) {
  const author =
    quoted.author_name ?? (quoted.direction === "in" || quoted.direction === null ? "" : words.value.you);
  const look = "mb-1 block w-full border-l-3 border-accent pl-2 text-left text-sm text-dim";
  const content = (
    <>
      {author !== "" && (
        <span class="block truncate font-semibold text-accent-text" dir="auto">
          {nameShown(author)}
        </span>
      )}
      <span class="line-clamp-2" dir="auto">
        {quoted.unsupported === "story" ? bubbleWords.value.story : lineOf(quoted, chatType)}
      </span>
    </>
  );
  const { id, link } = quoted;
  if (link !== null)
    return (
      <a class={`${look} no-underline`} href={link} target="_blank" rel="noopener noreferrer">
        {content}
        <span class="underline">{bubbleWords.value.openStory}</span>
      </a>
    );
  if (id === null) return <span class={look}>{content}</span>;
  return (
    <button type="button" class={look} onClick={() => onPress(id)}>
      <span class="sr-only">{bubbleWords.value.showQuoted} </span>
      {content}
    </button>
  );
}

/** The text and the file before an edit, on request. */
function Former({ message }: { readonly message: Message }) {
  const { old, edited_at: editedAt } = message.wire;
  if (editedAt === null || old === null) return null;
  const text = old.text === message.text ? null : old.text;
  if (text === null && old.file_url === null) return null;
  return (
    <details class="mt-1 text-sm text-dim">
      <summary>{bubbleWords.value.editedFrom}</summary>
      {text !== null && (
        <div class="line-through">
          <RichText text={text} chatType={message.chatType} id={`${message.id} before`} />
        </div>
      )}
      {old.file_url !== null && (
        <a class="inline-block py-1 underline" href={old.file_url} target="_blank" rel="noopener noreferrer">
          {bubbleWords.value.formerFile}
        </a>
      )}
    </details>
  );
}

interface FootProps {
  readonly message: Message;
  readonly audience: Audience | null;
}

/** The time and the state, at the end of the last line. */
function Foot({ message, audience }: FootProps) {
  const { status, edited_at: editedAt, is_system: isNotice } = message.wire;
  const { publicReply, privateReply } = bubbleWords.value;
  return (
    <span class="float-end ms-3 mt-1 -mb-0.5">
      <span dir="ltr" class="flex items-center gap-1.5 text-xs whitespace-nowrap text-dim">
        {audience !== null && (
          <span class="font-semibold">{audience === "public" ? publicReply : privateReply}</span>
        )}
        {isNotice === true && <span>{bubbleWords.value.notice}</span>}
        {message.isDeleted && <span>{bubbleWords.value.deleted}</span>}
        {editedAt !== null && !message.isDeleted && <span>{bubbleWords.value.edited}</span>}
        <time dateTime={message.wire.at} title={fullTime(message.time)}>
          {clockTime(message.time)}
        </time>
        {message.isOut && status !== "inbound" && <Ticks status={status} />}
      </span>
    </span>
  );
}
