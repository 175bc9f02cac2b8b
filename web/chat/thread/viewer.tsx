import type { Signal } from "@preact/signals";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "../../kit/icon.tsx";
import { beginning } from "../../kit/pieces.ts";
import type { Message } from "../model.ts";
import { unmarked } from "../text-parts.ts";
import { bubbleWords, dialogWords, words } from "../texts/texts.ts";
import { shownPicture } from "./shown-picture.ts";

const MAX_ZOOM = 4;

interface ViewerProps {
  readonly messages: readonly Message[];
  /** The message whose picture is shown; null: none. */
  readonly shown?: Signal<string | null>;
}

/** The viewer of a thread's pictures; once per page. The browser traps and restores the focus. */
export function Viewer({ messages, shown = shownPicture }: ViewerProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [zoom, setZoom] = useState(1);
  const pictures = messages.filter(
    ({ type, wire, isDeleted }) => type === "image" && wire.file?.state === "stored" && !isDeleted,
  );
  const index = pictures.findIndex(({ id }) => id === shown.value);
  const picture = pictures[index];
  const isOpen = picture !== undefined;
  const caption = isOpen ? unmarked(beginning(picture.text), picture.chatType) : "";
  useLayoutEffect(() => {
    if (isOpen && dialog.current?.open === false) dialog.current.showModal();
    if (!isOpen) dialog.current?.close();
  }, [isOpen]);
  // Before the next key press, which applies to the new picture.
  useLayoutEffect(() => setZoom(1), [picture?.id]);
  const go = (step: number) => {
    shown.value = pictures[index + step]?.id ?? shown.value;
  };
  const scale = (factor: number) => setZoom(Math.min(MAX_ZOOM, Math.max(1, zoom * factor)));
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => go(-1),
    ArrowRight: () => go(1),
    "+": () => scale(1.5),
    "=": () => scale(1.5),
    "-": () => scale(1 / 1.5),
    "0": () => setZoom(1),
  };
  const { photo, download } = bubbleWords.value;
  const { viewer, zoomIn, zoomOut, next, previous } = dialogWords.value;
  return (
    <dialog
      ref={dialog}
      aria-label={viewer}
      class="m-0 h-dvh max-h-none w-dvw max-w-none bg-black text-white"
      onClose={() => {
        shown.value = null;
      }}
      onKeyDown={(event) => {
        const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
        if (act === undefined) return;
        event.preventDefault();
        act();
      }}
    >
      {picture?.wire.file && (
        <div class="grid h-full grid-rows-[auto_minmax(0,1fr)]">
          <div class="flex flex-wrap items-center gap-1 p-2">
            <span class="min-w-0 flex-1 truncate px-2 max-[479px]:basis-full" aria-live="polite">
              {index + 1} / {pictures.length}
              {caption !== "" && ` · ${caption}`}
            </span>
            <Tool name={previous} icon="back" isOff={index === 0} onPress={() => go(-1)} />
            <Tool name={next} icon="chevron" isOff={index === pictures.length - 1} onPress={() => go(1)} />
            <Tool name={zoomOut} icon="minus" isOff={zoom === 1} onPress={() => scale(1 / 1.5)} />
            <Tool name={zoomIn} icon="plus" isOff={zoom >= MAX_ZOOM} onPress={() => scale(1.5)} />
            <a
              class="grid h-10 place-items-center rounded-md px-3 text-white"
              href={picture.wire.file.url}
              download={picture.wire.file.name ?? ""}
            >
              {download}
            </a>
            <Tool name={words.value.close} icon="close" onPress={() => dialog.current?.close()} />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be reached by keys */}
          <div class="grid grid-cols-[100%] grid-rows-[100%] overflow-auto" tabIndex={0}>
            <img
              src={picture.wire.file.url}
              alt={caption || photo}
              class="m-auto max-h-full max-w-full"
              style={
                zoom === 1
                  ? {}
                  : { maxWidth: "none", maxHeight: "none", height: `calc(${zoom} * (100dvh - 60px))` }
              }
              onDblClick={() => setZoom(zoom === 1 ? 2 : 1)}
            />
          </div>
        </div>
      )}
    </dialog>
  );
}

interface ToolProps {
  readonly name: string;
  readonly icon: IconName;
  readonly isOff?: boolean;
  readonly onPress: () => void;
}

/** An inactive button keeps the focus: a disabled one would lose it, and with it all keys of the viewer. */
function Tool({ name, icon, isOff = false, onPress }: ToolProps) {
  return (
    <button
      type="button"
      class="grid h-10 w-10 place-items-center rounded-md hover:bg-white/20 aria-disabled:opacity-50"
      aria-label={name}
      aria-disabled={isOff}
      onClick={() => {
        if (!isOff) onPress();
      }}
    >
      <Icon name={icon} />
    </button>
  );
}
