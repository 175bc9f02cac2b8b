import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Refusal } from "../kit/api/client.ts";
import { Button } from "../kit/button.tsx";
import { copyText } from "../kit/copy-text.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Field } from "../kit/field.tsx";
import { focusHeading } from "../kit/focus.ts";
import { Icon } from "../kit/icon.tsx";
import { LongText } from "../kit/long-text.tsx";
import { Badge, Notice, type Tone } from "../kit/notice.tsx";
import { channelState } from "./channel/channel-state.ts";
import { exactTimeText, timeText, zonedTimeText } from "./format.ts";
import { accountName, hrefTo, type Loaded, messageOf, useAct } from "./state.ts";
import { channelStates as channelWords, commonWords as words } from "./texts/texts.ts";

interface ViewProps {
  readonly title: string;
  /** Below the title; "": nothing. */
  readonly detail?: string;
  /** The parent of the view, shown above its title. */
  readonly back?: { readonly href: string; readonly text: string };
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** One view: its heading is focused, so that a screen reader reads it. */
export function View({ title, detail = "", back, actions, children }: ViewProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Once: a title that changes when its data are loaded must not take the focus from a field.
  useLayoutEffect(() => focusHeading(heading.current), []);
  useEffect(() => {
    document.title = `${title} · Trunkline`;
  }, [title]);
  return (
    <div class="grid min-w-0 gap-4">
      <div class="flex flex-wrap items-end justify-between gap-3">
        <div class="min-w-0">
          {back !== undefined && (
            <a href={back.href} class="inline-flex min-h-6 items-center gap-1 text-sm no-underline">
              <Icon name="back" />
              {back.text}
            </a>
          )}
          <h1 ref={heading} tabIndex={-1} class="text-xl font-semibold leading-tight outline-none">
            {title}
          </h1>
          {detail !== "" && <p class="text-sm text-dim">{detail}</p>}
        </div>
        {actions !== undefined && <div class="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

export function Card({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="min-w-0 rounded-lg border border-line bg-bg">
      <div class="flex min-h-12 flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2">
        <h2 class="font-semibold">{title}</h2>
        {actions !== undefined && <div class="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** The states of loading: a skeleton, nothing, an error with its remedy, or the data, new or old. */
export function Load<T>({
  from,
  rows = 4,
  empty,
  children,
}: {
  readonly from: Loaded<T>;
  readonly rows?: number;
  /** The text if there is nothing. */
  readonly empty?: string;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { data, error, reload } = from;
  if (data === undefined && error === undefined) return <Skeleton rows={rows} />;
  if (data === undefined && isFinal(error))
    return (
      <div class="p-4">
        <Notice tone="wait">{messageOf(error)}</Notice>
      </div>
    );
  const isEmpty = Array.isArray(data) && data.length === 0;
  return (
    <>
      {error !== undefined && (
        <div class="p-4">
          <Notice tone={data === undefined ? "bad" : "wait"}>
            <p class="mb-2">
              {data === undefined ? words.value.failed : words.value.stale} {messageOf(error)}
            </p>
            <Button onPress={reload}>{words.value.retry}</Button>
          </Notice>
        </div>
      )}
      {data !== undefined && (isEmpty && empty !== undefined ? <Empty>{empty}</Empty> : children(data))}
    </>
  );
}

/** Whether repeating the request makes no sense: it is not there, or not for this person. */
function isFinal(error: unknown): boolean {
  return error instanceof Refusal && /(^|_)NOT_FOUND$|^FORBIDDEN$/.test(error.code);
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="px-4 py-8 text-center text-dim">{children}</p>;
}

function Skeleton({ rows }: { readonly rows: number }) {
  return (
    <div class="appears-late grid gap-2 p-4" aria-busy="true">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class="h-8 rounded-md bg-pane" />
      ))}
    </div>
  );
}

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  readonly class?: string;
}

/** A table; on a phone each row is a card with the names of its columns. */
export function Table<T>({
  label,
  columns,
  rows,
  keyOf,
}: {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}) {
  return (
    <table class="w-full text-sm max-md:block [&_.shaped]:wrap-normal" aria-label={label}>
      <thead class="max-md:sr-only">
        <tr class="border-b border-line text-left text-dim">
          {columns.map(({ title, class: more = "" }) => (
            <th key={title} scope="col" class={`px-4 py-2 font-normal whitespace-nowrap ${more}`}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody class="max-md:block">
        {rows.map((row) => (
          <tr key={keyOf(row)} class="border-b border-line last:border-0 max-md:block max-md:py-2">
            {columns.map(({ title, cell, class: more = "" }) => (
              <td key={title} class={`px-4 py-2 align-middle max-md:flex max-md:gap-3 max-md:py-1 ${more}`}>
                <span class="w-28 shrink-0 text-dim md:hidden" aria-hidden="true">
                  {title}
                </span>
                <span class="min-w-0">{cell(row)}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Names and values. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="grid gap-x-4 gap-y-2 p-4 text-sm sm:grid-cols-[minmax(8rem,auto)_1fr]">
      {facts.map(([name, value]) => (
        <>
          <dt class="text-dim max-sm:-mb-2">{name}</dt>
          <dd class="min-w-0">{value}</dd>
        </>
      ))}
    </dl>
  );
}

/** The name of an account as a link to it, and its id. */
export function AccountName({ id }: { readonly id: number | null }) {
  if (id === null) return <span class="text-dim">–</span>;
  const name = accountName(id);
  return (
    <span class="inline-flex flex-wrap items-baseline gap-x-2">
      <a href={hrefTo(["accounts", String(id)])} class="inline-block min-w-0 leading-6 wrap-anywhere">
        {name}
      </a>
      {name !== String(id) && <span class="text-xs text-dim">{id}</span>}
    </span>
  );
}

/** `isWhole`: with the date and the time zone. */
export function Time({ at, isWhole = false }: { readonly at: string | null; readonly isWhole?: boolean }) {
  if (at === null) return <span class="text-dim">–</span>;
  return (
    <time
      dateTime={at}
      title={exactTimeText(at)}
      class={isWhole ? "lg:whitespace-nowrap" : "whitespace-nowrap"}
    >
      {isWhole ? zonedTimeText(at) : timeText(at)}
    </time>
  );
}

const CHANNEL_TONES: Readonly<Record<string, Tone>> = { active: "ok", init: "wait", disabled: "bad" };

export function ChannelStatus({
  channel,
}: {
  readonly channel: {
    readonly status: string;
    readonly reason: string | null;
    readonly connect: string;
    readonly stoppedAt: string | null;
  };
}) {
  return (
    <span class="inline-flex flex-wrap gap-1">
      <Badge tone={CHANNEL_TONES[channel.status] ?? "neutral"}>{channelState(channel)}</Badge>
      {channel.stoppedAt !== null && <Badge tone="wait">{channelWords.value.stopped}</Badge>}
    </span>
  );
}

/** Text as sent, in a scrollable box. */
export function Code({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
      tabIndex={0}
      class="max-h-96 overflow-auto rounded-md bg-pane p-3"
    >
      <pre class="whitespace-pre-wrap font-mono text-xs">
        <LongText key={text.length} text={text}>
          {(piece) => piece}
        </LongText>
      </pre>
    </section>
  );
}

export function Copy({ text, label }: { readonly text: string; readonly label?: string }) {
  return (
    <Button onPress={() => copyText(text, words.value.copied)}>
      <Icon name="copy" />
      {label ?? words.value.copy}
    </Button>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  /** The text to type for confirmation. */
  readonly typed?: string;
  readonly danger?: boolean;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => Promise<unknown>;
}

/** Confirms an action that cannot be undone. */
export function Confirm({ title, text, action, typed, danger = true, ...props }: ConfirmProps) {
  const [value, setValue] = useState("");
  const { busy, problem, run } = useAct();
  const confirm = () =>
    run(async () => {
      await props.onConfirm();
      setValue("");
      props.onClose();
    });
  return (
    <Dialog title={title} open={props.open} onClose={props.onClose}>
      <form
        class="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          confirm();
        }}
      >
        <p>{text}</p>
        {typed !== undefined && (
          <Field label={words.value.typeToConfirm(typed)} name="confirm" value={value} onInput={setValue} />
        )}
        {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
        <div class="flex flex-wrap justify-end gap-2">
          <Button onPress={props.onClose}>{words.value.cancel}</Button>
          <Button
            type="submit"
            look={danger ? "danger" : "primary"}
            busy={busy}
            disabled={typed !== undefined && value !== typed}
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** A choice among a few options. */
export function Select({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div class="grid max-w-full grid-cols-1 gap-1 text-sm">
      <label for={id} class="text-dim">
        {label}
      </label>
      <select
        id={id}
        class="min-h-10 max-w-full rounded-md border border-edge bg-bg px-2"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A search field; searches when the typing pauses. */
export function Search({
  label,
  value,
  onSearch,
}: {
  readonly label: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const timer = useRef<number>(undefined);
  // The search function of the last rendering: other filters may change while the typing pauses.
  const latest = useRef(onSearch);
  latest.current = onSearch;
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <label class="grid min-w-0 flex-1 basis-60 gap-1 text-sm">
      <span class="text-dim">{label}</span>
      <input
        type="search"
        class="min-h-10 w-full rounded-md border border-edge bg-bg px-3"
        value={text}
        onInput={(event) => {
          const next = event.currentTarget.value;
          setText(next);
          clearTimeout(timer.current);
          timer.current = window.setTimeout(() => latest.current(next), 300);
        }}
      />
    </label>
  );
}
