import { useEffect, useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Menu } from "../../kit/menu.tsx";
import { beginning } from "../../kit/pieces.ts";
import { toast } from "../../kit/toast.tsx";
import { settleChat, takeChat } from "../list/chats.ts";
import type { Chat, Colleague } from "../model.ts";
import { leave } from "../navigation.ts";
import { problemOf } from "../problem.ts";
import { ask, session } from "../session.ts";
import { togetherWords, words } from "../texts/texts.ts";
import { beginNote } from "./note-composer.tsx";
import { untilTime } from "./until-time.ts";

interface ChatProps {
  readonly chat: Chat;
}

function complain(error: unknown): void {
  toast(problemOf(error));
}

/** Applies the answer, and shows why there is none. */
function apply(chat: Chat, answer: Promise<Chat>): void {
  answer.catch(complain);
  void settleChat(chat.id, answer);
}

/** The one who comes second sees who was first. */
async function assign(chat: Chat, assignee: string | null): Promise<void> {
  const { takenBy, takenByNobody, someone } = togetherWords.value;
  try {
    const before = chat.assignee?.id ?? null;
    const { assigned, chat: present } = await ask("assignChat", {
      path: { id: chat.id },
      body: { before, assignee },
    });
    takeChat(present);
    if (assigned) return;
    const first = present.assignee;
    toast(first === null ? takenByNobody : takenBy(beginning(first.name ?? someone)));
  } catch (error) {
    complain(error);
  }
}

/** What can be done with a chat. */
export function ChatMenu({ chat }: ChatProps) {
  const [asked, setAsked] = useState<"assign" | "snooze" | null>(null);
  const texts = togetherWords.value;
  const path = { id: chat.id };
  const me = session.value?.user.id ?? "";
  const isPinned = chat.pinned_at !== null;
  const close = () => setAsked(null);
  const items = [
    ...(chat.assignee?.id === me ? [] : [{ label: texts.assignToMe, onChoose: () => void assign(chat, me) }]),
    { label: texts.handOver, onChoose: () => setAsked("assign") },
    ...(chat.assignee === null ? [] : [{ label: texts.release, onChoose: () => void assign(chat, null) }]),
    // Also where the window is too low for the switch above the field.
    { label: texts.note, onChoose: () => beginNote(chat.id) },
    {
      label: texts.markUnread,
      onChoose: () => {
        // An open chat would be read at once.
        leave();
        apply(chat, ask("markUnread", { path, body: {} }));
      },
    },
    {
      label: isPinned ? texts.unpin : texts.pin,
      onChoose: () => apply(chat, ask("pinChat", { path, body: { pinned: !isPinned } })),
    },
    chat.snoozed_until === null
      ? { label: texts.snooze, onChoose: () => setAsked("snooze") }
      : {
          label: texts.endSnooze,
          onChoose: () => apply(chat, ask("snoozeChat", { path, body: { until: null } })),
        },
  ];
  return (
    <>
      <Assignee chat={chat} onHandOver={() => setAsked("assign")} />
      <Menu
        label={texts.chatActions}
        class="grid h-10 w-10 place-items-center rounded-md hover:bg-pane"
        items={items}
      >
        <Icon name="more" size={20} />
      </Menu>
      {asked === "assign" && <AssignDialog chat={chat} onClose={close} />}
      {asked === "snooze" && <SnoozeDialog chat={chat} onClose={close} />}
    </>
  );
}

interface AssigneeProps extends ChatProps {
  readonly onHandOver: () => void;
}

/** Who works on the chat; a press changes it. Of nobody's chat: takes it. Narrow panes have it in the menu alone. */
function Assignee({ chat, onHandOver }: AssigneeProps) {
  const { assignToMe, assignedTo, handOver, someone } = togetherWords.value;
  const look =
    "hidden h-10 max-w-64 items-center gap-2 rounded-md border border-line px-2.5 text-sm hover:bg-pane @min-[480px]:flex";
  if (chat.assignee === null)
    return (
      <button type="button" class={look} onClick={() => void assign(chat, session.value?.user.id ?? null)}>
        <Icon name="user" />
        <span class="truncate">{assignToMe}</span>
      </button>
    );
  const name = beginning(chat.assignee.name ?? someone);
  return (
    <button
      type="button"
      class={look}
      aria-label={`${assignedTo(name)}. ${handOver}`}
      title={`${assignedTo(name)}. ${handOver}`}
      onClick={onHandOver}
    >
      <Icon name="user" />
      <span class="truncate" dir="auto">
        {name}
      </span>
    </button>
  );
}

/** Beside the channel, where the pane is too narrow for the button. */
export function AssigneeLine({ chat }: ChatProps) {
  if (chat.assignee === null) return null;
  const { assignedTo, someone } = togetherWords.value;
  const name = beginning(chat.assignee.name ?? someone);
  return (
    <span class="@min-[480px]:hidden" title={assignedTo(name)}>
      <span class="sr-only">{assignedTo(name)}</span>
      <span aria-hidden="true">
        <span class="inline-block">
          <Icon name="user" size={12} />
        </span>{" "}
        {name} ·{" "}
      </span>
    </span>
  );
}

interface DialogProps extends ChatProps {
  readonly onClose: () => void;
}

const ROW = "flex min-h-10 w-full items-center gap-2 rounded-md px-3 py-2 text-left hover:bg-pane ";

function AssignDialog({ chat, onClose }: DialogProps) {
  const [colleagues, setColleagues] = useState<readonly Colleague[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [typed, setTyped] = useState("");
  const { handOver, findColleague, someone, noColleagues, me, release } = togetherWords.value;
  useEffect(() => {
    ask("listColleagues", {}).then(setColleagues, (error: unknown) => setProblem(problemOf(error)));
  }, []);
  const wanted = typed.trim().toLowerCase();
  const own = session.value?.user.id;
  const nameOf = ({ id, name }: Colleague) => {
    const called = beginning(name ?? `${someone} (${id})`);
    return id === own ? `${called} (${me})` : called;
  };
  const shown = (colleagues ?? [])
    .filter((each) => each.id !== chat.assignee?.id && nameOf(each).toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(b.id === own) - Number(a.id === own));
  const choose = (id: string | null) => {
    onClose();
    void assign(chat, id);
  };
  return (
    <Dialog title={handOver} open onClose={onClose} close={words.value.close}>
      <input
        type="search"
        class="h-10 w-full rounded-md border border-edge bg-bg px-3 placeholder:text-dim"
        placeholder={findColleague}
        aria-label={findColleague}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || shown[0] === undefined || wanted === "") return;
          // Else the key would press the button that gets the focus back.
          event.preventDefault();
          choose(shown[0].id);
        }}
      />
      {problem !== null && (
        <p role="alert" class="mt-2 text-sm text-bad">
          {problem}
        </p>
      )}
      {colleagues !== null && shown.length === 0 && (
        <p role="status" class="mt-2 text-sm text-dim">
          {noColleagues}
        </p>
      )}
      <ul class="mt-2 max-h-[50vh] overflow-y-auto">
        {shown.map((colleague) => (
          <li key={colleague.id}>
            <button type="button" class={ROW} onClick={() => choose(colleague.id)}>
              <Icon name="user" />
              <span class="min-w-0 truncate" dir="auto">
                {nameOf(colleague)}
              </span>
            </button>
          </li>
        ))}
        {chat.assignee !== null && wanted === "" && (
          <li>
            <button type="button" class={ROW} onClick={() => choose(null)}>
              <Icon name="close" />
              {release}
            </button>
          </li>
        )}
      </ul>
    </Dialog>
  );
}

/** Nine in the morning of a day, so many days from now. */
function morningIn(days: number): Date {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9);
}

function SnoozeDialog({ chat, onClose }: DialogProps) {
  const [own, setOwn] = useState("");
  const texts = togetherWords.value;
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000);
  const nextMonday = morningIn(8 - new Date().getDay());
  const choices: readonly (readonly [string, Date])[] = [
    [texts.inAnHour, hours(1)],
    [texts.inThreeHours, hours(3)],
    [texts.tomorrow, morningIn(1)],
    ...(new Date().getDay() === 0 ? [] : [[texts.nextWeek, nextMonday] as const]),
  ];
  const snooze = (until: Date): void => {
    onClose();
    const answer = ask("snoozeChat", { path: { id: chat.id }, body: { until: until.toISOString() } });
    apply(chat, answer);
    answer.then(
      () => {
        leave();
        toast(texts.snoozedUntil(untilTime(until.getTime())));
      },
      () => undefined,
    );
  };
  const chosen = new Date(own);
  return (
    <Dialog title={texts.snooze} open onClose={onClose} close={words.value.close}>
      <p class="mb-3 text-sm text-dim">{texts.snoozeHint}</p>
      <ul>
        {choices.map(([label, until]) => (
          <li key={label}>
            <button type="button" class={ROW} onClick={() => snooze(until)}>
              <Icon name="clock" />
              <span class="flex-1">{label}</span>
              <span class="shrink-0 text-sm text-dim">{untilTime(until.getTime())}</span>
            </button>
          </li>
        ))}
      </ul>
      <form
        class="mt-2 flex flex-wrap items-end gap-2 border-t border-line pt-2.5"
        onSubmit={(event) => {
          event.preventDefault();
          snooze(chosen);
        }}
      >
        <label class="grid min-w-0 flex-1 gap-1 text-sm">
          {texts.atTime}
          <input
            type="datetime-local"
            class="h-10 w-full min-w-0 rounded-md border border-edge bg-bg px-3"
            value={own}
            onInput={(event) => setOwn(event.currentTarget.value)}
          />
        </label>
        <Button look="primary" type="submit" disabled={!(chosen.getTime() > Date.now())}>
          {texts.snoozeNow}
        </Button>
      </form>
    </Dialog>
  );
}
