import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Field } from "../../kit/field.tsx";
import { Notice } from "../../kit/notice.tsx";
import { fullTime } from "../format.ts";
import { changedClient } from "../list/chats.ts";
import { nameShown } from "../model.ts";
import { problemOf } from "../problem.ts";
import { ask } from "../session.ts";
import { composerWords, detailWords, words } from "../texts/texts.ts";
import { type Card, changesOf, faultsOf, NAMES } from "./fields.ts";

/** What employees noted on the person of a chat, and a form to change it. */
export function ClientCard({ chatId }: { readonly chatId: string }) {
  const { card, problem, take } = useCard(chatId);
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLDivElement>(null);
  if (problem !== null) return <Notice tone="bad">{problem}</Notice>;
  if (card === null) return <div class="appears-late h-40 rounded-lg bg-line/50" aria-busy="true" />;
  const close = () => {
    setOpen(false);
    // It is there again with the next rendering.
    setTimeout(() => button.current?.querySelector("button")?.focus());
  };
  const texts = detailWords.value;
  if (isOpen)
    return (
      <CardForm
        chatId={chatId}
        card={card}
        onSaved={(saved) => {
          take(saved);
          close();
        }}
        onCancel={close}
      />
    );
  const labels = labelsOf();
  const noted = NAMES.filter((name) => card[name] !== "");
  return (
    <div class="grid gap-2" ref={button}>
      <dl class="grid gap-2">
        {noted.map((name) => (
          <div key={name}>
            <dt class="text-dim">{labels[name]}</dt>
            <dd class="whitespace-pre-wrap select-all" dir="auto">
              {name === "phone"
                ? `+${card.phone}`
                : name === "comment"
                  ? card.comment
                  : nameShown(card[name])}
            </dd>
          </div>
        ))}
      </dl>
      {card.changed_by !== null && card.changed_at !== null && (
        <p class="text-xs text-dim">
          {texts.changedBy(card.changed_by.name ?? card.changed_by.id, fullTime(Date.parse(card.changed_at)))}
        </p>
      )}
      <Button onPress={() => setOpen(true)}>{noted.length === 0 ? texts.addCard : texts.changeCard}</Button>
    </div>
  );
}

/** The card as it is now; a change by a colleague loads it again. */
function useCard(chatId: string) {
  const [card, setCard] = useState<Card | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const changed = changedClient.value;
  const isOther = changed !== null && changed.of !== null && changed.of !== chatId;
  useEffect(() => {
    if (isOther) return;
    const asking = new AbortController();
    ask("getCard", { path: { id: chatId } }, asking.signal).then(
      (next) => {
        setCard(next);
        setProblem(null);
      },
      (error: unknown) => {
        if (!asking.signal.aborted) setProblem(problemOf(error));
      },
    );
    return () => asking.abort();
  }, [chatId, isOther ? null : changed]);
  return { card, problem, take: setCard };
}

function labelsOf() {
  const { personName: name, phone, email, comment } = detailWords.value;
  return { name, phone, email, comment };
}

interface FormProps {
  readonly chatId: string;
  readonly card: Card;
  readonly onSaved: (card: Card) => void;
  readonly onCancel: () => void;
}

/** Only what is changed here is sent: a colleague may change another field meanwhile. */
function CardForm({ chatId, card, onSaved, onCancel }: FormProps) {
  const [before] = useState(card);
  const [typed, setTyped] = useState({ ...card, phone: card.phone === "" ? "" : `+${card.phone}` });
  const [showsFaults, setShowsFaults] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  const faults = faultsOf(typed);
  const texts = detailWords.value;
  const labels = labelsOf();
  const errors = { phone: texts.badPhone, email: texts.badEmail };
  const errorOf = (name: "phone" | "email") =>
    showsFaults && faults.includes(name) ? errors[name] : undefined;
  const write = (name: keyof typeof labels, value: string) => setTyped((now) => ({ ...now, [name]: value }));
  const save = () => {
    setShowsFaults(true);
    if (faults.length > 0 || isBusy) return;
    const body = changesOf({ ...before, phone: before.phone === "" ? "" : `+${before.phone}` }, typed);
    if (Object.keys(body).length === 0) return onCancel();
    setBusy(true);
    ask("changeCard", { path: { id: chatId }, body }).then(onSaved, (error: unknown) => {
      setProblem(problemOf(error));
      setBusy(false);
    });
  };
  return (
    <form
      ref={form}
      class="grid gap-3"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onCancel();
      }}
    >
      <p class="text-dim">{texts.cardHint}</p>
      {(["name", "phone", "email"] as const).map((name) => (
        <Field
          key={name}
          label={labels[name]}
          name={name}
          value={typed[name]}
          inputMode={name === "phone" ? "tel" : "text"}
          required={false}
          error={name === "name" ? undefined : errorOf(name)}
          onInput={(value) => write(name, value)}
        />
      ))}
      <div class="grid gap-1">
        <label for={id} class="font-semibold">
          {labels.comment}
        </label>
        <textarea
          id={id}
          rows={4}
          maxLength={2_000}
          dir="auto"
          class="w-full rounded-md border border-edge bg-bg px-3 py-2"
          value={typed.comment}
          onInput={(event) => write("comment", event.currentTarget.value)}
        />
      </div>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <p class="flex flex-wrap gap-2">
        <Button look="primary" type="submit" busy={isBusy}>
          {composerWords.value.save}
        </Button>
        <Button onPress={onCancel}>{words.value.cancel}</Button>
      </p>
    </form>
  );
}
