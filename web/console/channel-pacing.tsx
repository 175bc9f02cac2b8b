import { useState } from "preact/hooks";
import type { Operations } from "../kit/api/generated.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Field } from "../kit/field.tsx";
import { dictionary, pluralEn } from "../kit/i18n.ts";
import { Notice } from "../kit/notice.tsx";
import { toast } from "../kit/toast.tsx";
import { durationText } from "./format.ts";
import { Card, Empty, Facts, Load } from "./parts.tsx";
import { ask, mayAct, useAct, useLoad } from "./state.ts";
import { words as common } from "./words.ts";

type View = Operations["accountGetPacing"]["output"]["data"][number];
type Change = NonNullable<Operations["accountChangePacing"]["input"]["body"]>;

const words = dictionary({
  en: {
    pacing: "Pacing",
    perMinute: "Messages per minute",
    perChat: "Per minute and chat",
    jitter: "Random delay",
    first: "First contacts",
    noLimit: "no limit",
    left: (left: number, of: number) => `${left} of ${of} left in 24 hours`,
    held: (until: string, reason: string) => `paused until ${until}: ${reason}`,
    waiting: "Waiting for",
    notices: "Notices",
    chats: (count: number) => pluralEn(count, { one: "1 chat", other: `${count} chats` }),
    change: "Change pacing",
    hint: "Empty: the messenger’s default. The owning node applies a change within a second.",
    perDay: "First contacts per day",
    warmUp: "Warm-up days",
    jitterMs: "Random delay, ms",
    endHold: "End the pause of first contacts",
    saved: "Pacing changed",
    save: "Save",
    cancel: "Cancel",
    number: "Enter a number.",
  },
  ru: {
    pacing: "Темп",
    perMinute: "Сообщений в минуту",
    perChat: "В минуту в каждом чате",
    jitter: "Случайная пауза",
    first: "Новые собеседники",
    noLimit: "без ограничения",
    left: (left: number, of: number) => `осталось ${left} из ${of} на сутки`,
    held: (until: string, reason: string) => `задержано до ${until}: ${reason}`,
    waiting: "Ждёт",
    notices: "Уведомления",
    chats: (count: number) => `чатов: ${count}`,
    change: "Изменить темп",
    hint: "Пусто: как принято в мессенджере. Изменение действует через секунду.",
    perDay: "Новых собеседников в день",
    warmUp: "Дней разогрева",
    jitterMs: "Случайная пауза, мс",
    endHold: "Снять паузу для новых собеседников",
    saved: "Темп изменён",
    save: "Сохранить",
    cancel: "Отмена",
    number: "Введите число.",
  },
});

const waits = dictionary({
  en: {
    turn: "nothing, being sent now",
    inactive: "the channel to become active",
    stopped: "an operator to resume sending",
    pause: "the messenger’s rate limit",
    pace: "the channel’s or the chat’s rate limit",
    allowance: "the first-contact limit",
    hold: "the cooldown after a warning",
    retry: "the next attempt",
  },
  ru: {
    turn: "ничего, сейчас уйдёт",
    inactive: "пока канал заработает",
    stopped: "пока разрешат отправку",
    pause: "мессенджер просил подождать",
    pace: "темп канала или чата",
    allowance: "лимит новых собеседников",
    hold: "конец предупреждения мессенджера",
    retry: "следующую попытку",
  },
});

/** How fast the channel sends, what its messages wait for, and a form to change it. */
export function Pacing({ accountId, id }: { readonly accountId: string; readonly id: string }) {
  const pacing = useLoad("accountGetPacing", { path: { account: accountId, id } }, 5_000);
  const [changes, setChanges] = useState(false);
  const view = pacing.data?.data[0];
  const save = async (body: Change) => {
    await ask("accountChangePacing", { path: { account: accountId, id }, body });
    toast(words.value.saved);
    setChanges(false);
    pacing.reload();
  };
  return (
    <Card
      title={words.value.pacing}
      actions={
        mayAct.value &&
        view !== undefined && <Button onPress={() => setChanges(true)}>{words.value.change}</Button>
      }
    >
      <Load from={pacing}>
        {({ data: [found] }) =>
          found === undefined ? <Empty>{common.value.none}</Empty> : <Facts facts={factsOf(found)} />
        }
      </Load>
      <Dialog title={words.value.change} open={changes} onClose={() => setChanges(false)}>
        {view !== undefined && <Form view={view} onSave={save} onClose={() => setChanges(false)} />}
      </Dialog>
    </Card>
  );
}

function factsOf({ limits, first_contacts: first, queue, notices }: View) {
  const reasons: Readonly<Record<string, string>> = waits.value;
  const { left, allowance } = first;
  const contacts = allowance === null ? words.value.noLimit : words.value.left(left ?? 0, allowance);
  const held =
    first.held_until === null
      ? []
      : [
          [
            "",
            words.value.held(new Date(first.held_until).toLocaleString(), first.hold_reason ?? ""),
          ] as const,
        ];
  return [
    [words.value.perMinute, limits.per_minute],
    [words.value.perChat, limits.chat_per_minute],
    [words.value.jitter, durationText(limits.jitter_ms)],
    [words.value.first, contacts],
    ...held,
    ...queue.waiting.map(
      (group) =>
        [
          words.value.waiting,
          `${reasons[group.for] ?? group.for} · ${words.value.chats(group.chats)}`,
        ] as const,
    ),
    ...notices.slice(0, 3).map((notice) => [words.value.notices, notice.text] as const),
  ] as const;
}

const FIELDS = [
  "per_minute",
  "chat_per_minute",
  "jitter_ms",
  "first_contacts_per_day",
  "warm_up_days",
] as const;
type Name = (typeof FIELDS)[number];

interface FormProps {
  readonly view: View;
  readonly onSave: (body: Change) => Promise<void>;
  readonly onClose: () => void;
}

/** Fields show what was set for this channel; those that are empty follow the messenger's defaults. */
function Form({ view, onSave, onClose }: FormProps) {
  const [values, setValues] = useState<Readonly<Record<Name, string>>>(() => givenIn(view));
  const [endsHold, setEndsHold] = useState(false);
  const { busy, problem, run } = useAct();
  const labels: Readonly<Record<Name, string>> = {
    per_minute: words.value.perMinute,
    chat_per_minute: words.value.perChat,
    jitter_ms: words.value.jitterMs,
    first_contacts_per_day: words.value.perDay,
    warm_up_days: words.value.warmUp,
  };
  const wrong = (name: Name) => (Number.isFinite(Number(values[name])) ? undefined : words.value.number);
  return (
    <form
      class="grid gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (FIELDS.every((name) => wrong(name) === undefined)) run(() => onSave(bodyOf(values, endsHold)));
      }}
    >
      <p class="text-sm text-dim">{words.value.hint}</p>
      {FIELDS.map((name) => (
        <Field
          key={name}
          name={name}
          label={labels[name]}
          value={values[name]}
          onInput={(value) => setValues({ ...values, [name]: value })}
          inputMode="numeric"
          required={false}
          error={wrong(name)}
        />
      ))}
      {view.first_contacts.held_until !== null && (
        <label class="flex min-h-6 items-center gap-2">
          <input
            type="checkbox"
            class="h-5 w-5"
            checked={endsHold}
            onChange={(event) => setEndsHold(event.currentTarget.checked)}
          />
          {words.value.endHold}
        </label>
      )}
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <div class="flex flex-wrap justify-end gap-2">
        <Button onPress={onClose}>{words.value.cancel}</Button>
        <Button type="submit" look="primary" busy={busy}>
          {words.value.save}
        </Button>
      </div>
    </form>
  );
}

function givenIn({ limits, changed }: View): Record<Name, string> {
  const given = (name: Name): string => (changed.includes(name) ? String(limits[name] ?? "") : "");
  return {
    per_minute: given("per_minute"),
    chat_per_minute: given("chat_per_minute"),
    jitter_ms: given("jitter_ms"),
    first_contacts_per_day: given("first_contacts_per_day"),
    warm_up_days: given("warm_up_days"),
  };
}

function bodyOf(values: Readonly<Record<Name, string>>, endsHold: boolean): Change {
  const filled = FIELDS.filter((name) => values[name].trim() !== "");
  return {
    ...Object.fromEntries(filled.map((name) => [name, Number(values[name])])),
    reset: FIELDS.filter((name) => !filled.includes(name)),
    ...(endsHold ? { end_hold: true } : {}),
  };
}
