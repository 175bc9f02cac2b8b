import type { FileFacts, Message, PhoneFacts } from "../../sandbox/phone/shape.ts";
import { Icon } from "../kit/icon.tsx";
import { LongText } from "../kit/long-text.tsx";
import { Menu } from "../kit/menu.tsx";
import { beginning } from "../kit/pieces.ts";
import { Keyboard } from "./keyboard.tsx";
import type { Pane } from "./pane.ts";
import { act, fileAddress } from "./state.ts";
import { looks, words } from "./texts/texts.ts";
import { Ticks } from "./ticks.tsx";
import { clockTime } from "./time.ts";
import { useWork } from "./use-work.ts";

interface BubbleProps {
  readonly facts: PhoneFacts;
  readonly pane: Pane;
  readonly message: Message;
  readonly isGroup: boolean;
  readonly onReply: (message: Message) => void;
  readonly onEdit: (message: Message) => void;
}

/** One message; own messages are on the right. */
export function Bubble(props: BubbleProps) {
  const { message, pane, isGroup } = props;
  if (message.look === "system")
    return (
      <li class="justify-self-center rounded-full bg-line px-3 py-0.5 text-center text-xs">{message.text}</li>
    );
  return (
    <li class={`grid max-w-[85%] min-w-24 ${message.mine ? "justify-self-end" : "justify-self-start"}`}>
      <div
        class={`flex items-start gap-1 rounded-lg px-3 py-1.5 ${message.mine ? "rounded-br-sm bg-out" : "rounded-bl-sm bg-bg"}`}
      >
        <div class="grid min-w-0 flex-1 gap-1">
          {isGroup && !message.mine && message.author !== "" && (
            <p class="text-sm font-semibold text-accent-text">{message.author}</p>
          )}
          <Content message={message} pane={pane} />
          <Foot message={message} />
        </div>
        <Actions {...props} />
      </div>
      <Keyboard pane={pane} rows={message.buttons} message={message.id} />
    </li>
  );
}

function Content({ message, pane }: { readonly message: Message; readonly pane: Pane }) {
  const { quote, contact, place, files, text, look } = message;
  if (message.deleted) return <p class="text-dim italic">{words.value.deleted}</p>;
  const isBare = text === "" && files.length === 0 && contact === undefined && place === undefined;
  return (
    <>
      {quote !== undefined && (
        <blockquote class="truncate border-l-2 border-accent-text pl-2 text-sm text-dim">
          {beginning(quote.text) || "…"}
        </blockquote>
      )}
      {files.map((file, index) => (
        <File
          key={file.name + String(index)}
          file={file}
          message={message}
          url={fileAddress(pane, message.id, index)}
        />
      ))}
      {contact !== undefined && (
        <p>
          <span class="block text-sm text-dim">{looks.value.contact}</span>
          <span class="font-semibold">{contact.name}</span> {contact.phone}
        </p>
      )}
      {place !== undefined && <Place {...place} />}
      {text !== "" && (
        <p class="whitespace-pre-wrap">
          <LongText text={text} id={message.id}>
            {(piece) => piece}
          </LongText>
        </p>
      )}
      {isBare && (
        <p class="text-dim italic">
          {looks.value[look]}
          {look === "other" && message.kind !== "other" ? ` (${message.kind})` : ""}
        </p>
      )}
    </>
  );
}

function Place({ latitude, longitude, title }: NonNullable<Message["place"]>) {
  const at = `${latitude}/${longitude}`;
  return (
    <p>
      <span class="block text-sm text-dim">{looks.value.place}</span>
      {title !== "" && <span class="block font-semibold">{title}</span>}
      <a href={`https://www.openstreetmap.org/#map=16/${at}`} target="_blank" rel="noreferrer">
        {latitude.toFixed(4)}, {longitude.toFixed(4)}
      </a>
    </p>
  );
}

interface FileProps {
  readonly file: FileFacts;
  readonly message: Message;
  readonly url: string;
}

function File({ file, message, url }: FileProps) {
  const { picture, video } = words.value;
  if (file.mime.startsWith("image/") && message.look !== "file")
    return (
      <img
        src={url}
        alt={message.text || picture}
        class={
          message.look === "sticker"
            ? "h-24 w-24 object-contain"
            : "max-h-56 min-h-20 w-full min-w-28 rounded-md bg-line object-cover"
        }
      />
    );
  if (message.look === "video" || message.look === "round")
    return (
      // biome-ignore lint/a11y/useMediaCaption: what people send each other has none
      <video
        src={url}
        controls
        preload="none"
        aria-label={video}
        class={`w-full min-w-40 bg-black ${message.look === "round" ? "aspect-square rounded-full object-cover" : "max-h-56 rounded-md"}`}
      />
    );
  if (message.look === "voice" || message.look === "audio")
    return (
      // biome-ignore lint/a11y/useMediaCaption: what people send each other has none
      <audio
        src={url}
        controls
        preload="none"
        aria-label={looks.value[message.look]}
        class="w-full min-w-52"
      />
    );
  return (
    <a href={url} download={file.name} class="flex items-center gap-2 no-underline">
      <span class="grid h-9 w-9 shrink-0 place-items-center rounded-md bg-line">
        <Icon name="file" />
      </span>
      <span class="grid min-w-0">
        <span class="truncate font-semibold">{file.name}</span>
        {file.size !== null && <span class="text-xs text-dim">{sizeText(file.size)}</span>}
      </span>
    </a>
  );
}

function sizeText(bytes: number): string {
  return bytes < 1_000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${(bytes / 1e3).toFixed(1)} KB`
      : `${(bytes / 1e6).toFixed(1)} MB`;
}

function Foot({ message }: { readonly message: Message }) {
  return (
    <p class="flex flex-wrap items-center justify-end gap-x-2 text-xs text-dim">
      {message.reactions.length > 0 && (
        <span class="mr-auto rounded-full bg-pane px-1.5 text-sm text-ink">
          {message.reactions.join(" ")}
        </span>
      )}
      {message.edited && <span>{words.value.edited}</span>}
      <time dateTime={new Date(message.at).toISOString()}>{clockTime(message.at)}</time>
      {message.state !== null && <Ticks state={message.state} />}
    </p>
  );
}

function Actions({ facts, pane, message, onReply, onEdit }: BubbleProps) {
  const work = useWork();
  const { messageActions, reply, edit, delete: remove } = words.value;
  if (message.deleted) return null;
  const can = (name: (typeof facts.acts)[number]): boolean => facts.acts.includes(name);
  const run = (name: "react" | "delete", given: object) => () =>
    work.run(() => act(pane, name, { message: message.id, ...given }));
  const items = [
    ...(facts.quotes ? [{ label: reply, onChoose: () => onReply(message) }] : []),
    ...(can("react")
      ? facts.reactions.map((emoji) => ({ label: emoji, onChoose: run("react", { emoji }) }))
      : []),
    ...(can("edit") && message.mine ? [{ label: edit, onChoose: () => onEdit(message) }] : []),
    ...(can("delete") && message.mine ? [{ label: remove, onChoose: run("delete", {}) }] : []),
  ];
  if (items.length === 0) return null;
  return (
    <Menu
      label={messageActions}
      items={items}
      class="-mr-2 grid h-6 w-6 shrink-0 place-items-center rounded-full text-dim hover:bg-pane"
    >
      <Icon name="more" />
    </Menu>
  );
}
