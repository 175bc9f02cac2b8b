import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { locale } from "../../kit/i18n.ts";
import { Notice } from "../../kit/notice.tsx";
import { fullTime } from "../format.ts";
import { lineOf } from "../list/summary.ts";
import type { Chat } from "../model.ts";
import { showsDetails } from "../navigation.ts";
import { problemOf } from "../problem.ts";
import { ask } from "../session.ts";
import { bubbleWords, words, writingWords } from "../texts/texts.ts";
import { loadOlder, threadOf } from "../thread/thread.ts";
import { channelName } from "../thread/thread-head.tsx";
import { asPage, asText, type ExportedItem, type ExportHead, fileNameOf } from "./exported.ts";

const PAGE = 100;

interface ExportDialogProps {
  readonly chat: Chat;
  readonly onClose: () => void;
}

/** Saves the whole conversation as a file, or prints it. Closing the dialog stops the loading. */
export function ExportDialog({ chat, onClose }: ExportDialogProps) {
  const [count, setCount] = useState<number | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const texts = writingWords.value;
  const run = async (work: (signal: AbortSignal) => Promise<void>) => {
    const { signal } = stop.current;
    setCount(0);
    setProblem(null);
    try {
      await work(signal);
      if (!signal.aborted) onClose();
    } catch (error) {
      if (!signal.aborted) setProblem(problemOf(error));
    }
    setCount(null);
  };
  const save = (ending: "txt" | "html") =>
    void run(async (signal) => {
      const messages = await wholeChat(chat, signal, setCount);
      const head = headOf(chat);
      const content = ending === "txt" ? asText(head, messages) : asPage(head, messages);
      const type = ending === "txt" ? "text/plain;charset=utf-8" : "text/html;charset=utf-8";
      download(new Blob([content], { type }), fileNameOf(chat.name, ending));
    });
  const print = () =>
    void run(async (signal) => {
      const thread = threadOf(chat.id);
      while (thread.span.value?.before != null && !signal.aborted) {
        await loadOlder(thread);
        const { problem: fault } = thread;
        if (fault.value !== null) return setProblem(fault.value);
        setCount(thread.span.value?.messages.length ?? 0);
      }
      if (signal.aborted) return;
      // The dialogs are not part of what is printed, and would cover it.
      onClose();
      showsDetails.value = false;
      setTimeout(() => window.print());
    });
  return (
    <Dialog title={texts.export} close={words.value.close} open onClose={onClose}>
      <div class="grid gap-3">
        <p class="text-sm text-dim">{texts.exportHint}</p>
        <Button busy={count !== null} onPress={() => save("html")}>
          {texts.asPage}
        </Button>
        <Button busy={count !== null} onPress={() => save("txt")}>
          {texts.asText}
        </Button>
        <Button busy={count !== null} onPress={print}>
          {texts.print}
        </Button>
        <p role="status" class="text-sm text-dim empty:hidden">
          {count !== null && texts.loadedSoFar(count)}
        </p>
        {problem !== null && <Notice tone="bad">{problem}</Notice>}
      </div>
    </Dialog>
  );
}

/** All messages of a chat with its internal notes, oldest first. Throws as `ask`. */
async function wholeChat(
  { id }: Chat,
  signal: AbortSignal,
  onProgress: (count: number) => void,
): Promise<readonly ExportedItem[]> {
  const pages: ExportedItem[][] = [];
  let count = 0;
  for (let before: string | null | undefined; before !== null; ) {
    const query = { limit: PAGE, ...(before === undefined ? {} : { before }) };
    const page = await ask("listMessages", { path: { id }, query }, signal);
    const notes = page.entries.filter(
      ({ kind, deleted_at: deletedAt }) => kind === "note" && deletedAt === null,
    );
    pages.push([...page.messages, ...notes].toSorted((a, b) => (a.order < b.order ? -1 : 1)));
    count += page.messages.length;
    onProgress(count);
    ({ before } = page);
  }
  return pages.toReversed().flat();
}

function headOf(chat: Chat): ExportHead {
  const channel = channelName(chat.channel_id, chat.transport);
  const { deleted, edited, error } = bubbleWords.value;
  return {
    title: `${chat.name} · ${channel}`,
    language: locale.value,
    customer: chat.name,
    us: channel,
    timeOf: fullTime,
    kindOf: (message) => lineOf({ type: message.type, text: null }, chat.chat_type),
    deleted,
    edited,
    notSent: error,
    note: writingWords.value.internalNote,
  };
}

function download(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // Not at once: the browser has only begun to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
