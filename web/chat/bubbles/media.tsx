import { useState } from "preact/hooks";
import { Icon } from "../../kit/icon.tsx";
import { beginning } from "../../kit/pieces.ts";
import { fileSize } from "../format.ts";
import { later } from "../later.ts";
import { type Message, nameShown, type StoredFile } from "../model.ts";
import { bubbleWords } from "../texts/texts.ts";
import { openViewer } from "../thread/shown-picture.ts";

const Still = later(async () => (await import("../sticker/still.tsx")).Still);
const wantsCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const MAY_MOVE = /^image\/(?:gif|webp|apng)$/;

/** A picture in a box of its size, so that nothing moves when it is loaded. Opens the viewer. */
export function Picture({ message, file }: { readonly message: Message; readonly file: StoredFile }) {
  const [isBroken, setBroken] = useState(false);
  const isSticker = /\.was$/i.test(file.name ?? "");
  // A moving sticker of WhatsApp is an archive.
  if (isBroken || (isSticker && file.mime_type !== "image/webp")) return <Document file={file} />;
  const look = isSticker ? "h-40 w-40 object-contain" : "h-52 w-72 max-w-full bg-line object-cover";
  return (
    <button
      type="button"
      class="block overflow-hidden rounded-md"
      aria-label={bubbleWords.value.openPhoto}
      onClick={() => openViewer(message.id)}
    >
      {wantsCalm() && MAY_MOVE.test(file.mime_type ?? "") ? (
        <Still file={file} class={look} onError={() => setBroken(true)} />
      ) : (
        <img
          src={file.url}
          alt={beginning(message.text) || bubbleWords.value[isSticker ? "sticker" : "photo"]}
          loading="lazy"
          decoding="async"
          class={look}
          onError={() => setBroken(true)}
        />
      )}
    </button>
  );
}

/** Pictures sent together. */
export function Album({ messages }: { readonly messages: readonly Message[] }) {
  return (
    <ul class="grid w-72 max-w-full grid-cols-2 gap-1" aria-label={bubbleWords.value.album(messages.length)}>
      {messages.map((message, index) => (
        <li key={message.id} class={messages.length % 2 === 1 && index === 0 ? "col-span-2" : ""}>
          {message.wire.file !== null && <Tile message={message} file={message.wire.file} />}
        </li>
      ))}
    </ul>
  );
}

function Tile({ message, file }: { readonly message: Message; readonly file: StoredFile }) {
  return (
    <button
      type="button"
      class="block w-full overflow-hidden rounded-md"
      aria-label={bubbleWords.value.openPhoto}
      onClick={() => openViewer(message.id)}
    >
      <img
        src={file.url}
        alt={beginning(message.text) || bubbleWords.value.photo}
        loading="lazy"
        decoding="async"
        class="h-36 w-full bg-line object-cover"
      />
    </button>
  );
}

/** A sticker of Telegram: WebM without sound, of at most 256 KB. */
const MAX_STICKER_BYTES = 256 * 1024;
const isSticker = ({ mime_type: type, size }: StoredFile) =>
  type === "video/webm" && size !== null && size <= MAX_STICKER_BYTES;

export function Video({ file }: { readonly file: StoredFile }) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <Document file={file} />;
  if (isSticker(file) && !wantsCalm())
    return (
      <video
        src={file.url}
        autoPlay
        loop
        muted
        playsInline
        aria-label={bubbleWords.value.sticker}
        class="h-40 w-40 object-contain"
        onError={() => setBroken(true)}
      />
    );
  return (
    // biome-ignore lint/a11y/useMediaCaption: the messenger sends no captions
    <video
      src={file.url}
      controls
      playsInline
      preload="metadata"
      aria-label={bubbleWords.value.video}
      class="h-52 w-72 max-w-full rounded-md bg-black"
      onError={() => setBroken(true)}
    />
  );
}

/** Any file, by name and size; pressing it downloads it. */
export function Document({ file }: { readonly file: StoredFile }) {
  return (
    <a
      href={file.url}
      download={file.name ?? ""}
      class="flex min-w-0 items-center gap-2.5 rounded-md py-1 text-ink no-underline"
    >
      <span
        class="grid h-10 w-10 shrink-0 place-items-center rounded-md border border-edge"
        aria-hidden="true"
      >
        <Icon name="file" size={20} />
      </span>
      <span class="grid min-w-0">
        <span class="font-semibold" dir="auto">
          {nameShown(file.name ?? bubbleWords.value.document)}
        </span>
        <span class="text-sm text-dim">
          {[bubbleWords.value.download, file.size === null ? "" : fileSize(file.size)]
            .filter((part) => part !== "")
            .join(" · ")}
        </span>
      </span>
    </a>
  );
}
