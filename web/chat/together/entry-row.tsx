import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { LongText } from "../../kit/long-text.tsx";
import { Menu } from "../../kit/menu.tsx";
import { beginning } from "../../kit/pieces.ts";
import { toast } from "../../kit/toast.tsx";
import { clockTime, fullTime } from "../format.ts";
import type { Colleague, Entry } from "../model.ts";
import { problemOf } from "../problem.ts";
import { ask, session } from "../session.ts";
import { bubbleWords, composerWords, togetherWords, words } from "../texts/texts.ts";
import { Removal } from "../thread/removal.tsx";
import { takeMessage } from "../thread/thread.ts";
import { ProposalRow } from "./proposal-row.tsx";
import { untilTime } from "./until-time.ts";

interface EntryProps {
  readonly entry: Entry;
  readonly isLit: boolean;
}

/** A line that only employees see. */
export function EntryRow({ entry, isLit }: EntryProps) {
  if (entry.proposal !== null)
    return <ProposalRow key={entry.id} entry={entry} proposal={entry.proposal} isLit={isLit} />;
  if (entry.kind === "note") return <Note key={entry.id} entry={entry} isLit={isLit} />;
  return (
    <p class="px-4 py-1.5 text-center text-xs text-dim">
      {whatHappened(entry)} · <time dateTime={entry.at}>{clockTime(Date.parse(entry.at))}</time>
    </p>
  );
}

function nameOf(user: Colleague): string {
  if (user.id === session.value?.user.id) return words.value.you;
  return beginning(user.name ?? togetherWords.value.someone);
}

function whatHappened({ kind, author, to, until }: Entry): string {
  const { took, gave, gaveYou, released, snoozed, unsnoozed } = togetherWords.value;
  const who = nameOf(author);
  if (kind === "snoozed") return until === null ? unsnoozed(who) : snoozed(who, untilTime(Date.parse(until)));
  if (to === null) return released(who);
  if (to.id === author.id) return took(who);
  return to.id === session.value?.user.id ? gaveYou(who) : gave(who, nameOf(to));
}

function Note({ entry, isLit }: EntryProps) {
  const [edited, setEdited] = useState<string | null>(null);
  const article = useRef<HTMLElement>(null);
  const isEdited = useRef(false);
  // The keyboard is where the employee writes, and then at the note again.
  useLayoutEffect(() => {
    if (edited !== null) article.current?.querySelector("textarea")?.focus();
    else if (isEdited.current) article.current?.focus();
    isEdited.current = edited !== null;
  }, [edited === null]);
  const [asksRemoval, setAsksRemoval] = useState(false);
  const { note, onlyColleagues, removeNote, removeNoteHint } = togetherWords.value;
  const { id, author, text, at, edited_at: editedAt } = entry;
  const isOwn = author.id === session.value?.user.id;
  const remove = async () => takeMessage(await ask("removeNote", { path: { id } }));
  const save = () =>
    void ask("editNote", { path: { id }, body: { text: edited ?? text } }).then(
      (changed) => {
        takeMessage(changed);
        setEdited(null);
      },
      (error: unknown) => toast(problemOf(error)),
    );
  return (
    <article
      ref={article}
      data-message={id}
      aria-label={`${note}, ${nameOf(author)}, ${fullTime(Date.parse(at))}`}
      class="flex flex-col items-center px-4 py-1.5 -outline-offset-2"
    >
      <div
        class={`w-full max-w-[480px] rounded-lg border border-dashed border-wait bg-wait-bg px-3 py-2 ${isLit ? "outline-2 outline-accent-text" : ""}`}
      >
        <p class="flex items-center gap-1.5 text-xs font-semibold text-wait">
          <Icon name="template" size={12} />
          <span>{note}</span>
          <span class="min-w-0 flex-1 truncate font-normal" title={onlyColleagues}>
            {nameOf(author)} · <time dateTime={at}>{clockTime(Date.parse(at))}</time>
            {editedAt !== null && ` · ${bubbleWords.value.edited}`}
          </span>
          {isOwn && (
            <Menu
              label={bubbleWords.value.actions}
              class="-my-1 -mr-2 grid h-10 w-10 shrink-0 place-items-center rounded-md text-dim print:hidden"
              items={[
                { label: bubbleWords.value.edit, onChoose: () => setEdited(text) },
                { label: bubbleWords.value.remove, onChoose: () => setAsksRemoval(true) },
              ]}
            >
              <Icon name="more" />
            </Menu>
          )}
        </p>
        {edited === null ? (
          <div class="wrap-anywhere whitespace-pre-wrap" dir="auto">
            <LongText id={`note ${id}`} text={text}>
              {(piece) => piece}
            </LongText>
          </div>
        ) : (
          <div class="mt-1 grid gap-2">
            <textarea
              rows={3}
              class="w-full rounded-md border border-edge bg-bg p-2"
              aria-label={note}
              maxLength={10_000}
              dir="auto"
              value={edited}
              onInput={(event) => setEdited(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === "Escape") {
                  event.stopPropagation();
                  setEdited(null);
                }
              }}
            />
            <span class="flex flex-wrap justify-end gap-2">
              <Button onPress={() => setEdited(null)}>{words.value.cancel}</Button>
              <Button look="primary" disabled={edited.trim() === ""} onPress={save}>
                {composerWords.value.save}
              </Button>
            </span>
          </div>
        )}
      </div>
      {asksRemoval && (
        <Removal
          title={removeNote}
          hint={removeNoteHint}
          remove={remove}
          onClose={() => setAsksRemoval(false)}
        />
      )}
    </article>
  );
}
