import type { Step } from "./contract.ts";
import type { Crm, Expected } from "./crm.ts";
import { comeBack, openDialog } from "./page.ts";
import type { Stage } from "./stage.ts";

/** A person's action in the messenger's app. */
type Act = () => Promise<unknown>;
type Write = (text: string) => Promise<unknown>;

/** The CRM quotes a message of the person; `read`, if given, checks that the person sees the quote. */
export function quoteStep(
  crm: Crm,
  until: Expected,
  { write, read }: { readonly write: Write; readonly read?: Act },
): Step {
  return {
    name: read === undefined ? "send a quote" : "send a quote, and be read",
    run: async () => {
      await write("What does it cost?");
      const { messageId } = await crm.hears({ text: "What does it cost?" });
      const id = await crm.send({ text: "Ten", quoted_message_id: messageId });
      const status = await crm.become(id, until);
      if (read === undefined) return status;
      await read();
      return crm.become(id, "read");
    },
  };
}

/** The CRM marks the person's messages as read, and shows that somebody is typing. */
export function markSteps(crm: Crm, marks: readonly ("read" | "typing")[]): Step[] {
  const names = { read: "mark the chat as read", typing: "show typing" };
  return marks.map((mark) => ({ name: names[mark], run: () => crm.mark(mark) }));
}

/** The CRM edits a message and deletes it. `see` waits until the person sees the new text, if that can be known. */
export function changeSteps(crm: Crm, until: Expected = "sent", see?: See): Step[] {
  const ours = { id: "" };
  return [
    editMessageStep(crm, ours, { until, ...(see === undefined ? {} : { see }) }),
    deleteMessageStep(crm, ours),
  ];
}

type See = (text: string) => Promise<string>;

/** Sends a message, stores its id in `ours`, and changes its text to `Tuesday`. */
export function editMessageStep(
  crm: Crm,
  ours: { id: string },
  { until, see }: { readonly until: Expected; readonly see?: See },
): Step {
  return {
    name: "edit a message",
    run: async () => {
      ours.id = await crm.send({ text: "Monday" });
      await crm.become(ours.id, until);
      const status = await crm.change("PATCH", ours.id, { text: "Tuesday" });
      await crm.hears({ messageId: ours.id, isEdited: true, text: "Tuesday" });
      return see === undefined ? status : see("Tuesday");
    },
  };
}

/** `ours` contains the id of an earlier step. `gone` throws while the person still sees the message. */
export function deleteMessageStep(
  crm: Crm,
  ours: { readonly id: string },
  gone?: () => Promise<unknown>,
): Step {
  return {
    name: "delete a message",
    run: async () => {
      const status = await crm.change("DELETE", ours.id);
      await crm.hears({ messageId: ours.id, isDeleted: true });
      await gone?.();
      return status;
    },
  };
}

/** The person edits a message; `edit` receives the result of `write`. */
export function editedStep<T>(
  crm: Crm,
  write: (text: string) => Promise<T>,
  edit: (written: T, text: string) => Promise<unknown>,
): Step {
  return {
    name: "the customer edits",
    run: async () => {
      const written = await write("Tow");
      await crm.hears({ text: "Tow" });
      await edit(written, "Two");
      const { oldInfo } = await crm.hears({ text: "Two", isEdited: true });
      return `was ${(oldInfo as { oldText?: string }).oldText}`;
    },
  };
}

/** The person reacts to a message of their own and takes it back; then the CRM does the same. */
export function reactionSteps<T>(
  stage: Stage,
  crm: Crm,
  { write, react, seen, emoji = "🔥" }: Reacting<T>,
): Step[] {
  const about: { messageId: string; written?: T } = { messageId: "" };
  return [
    {
      name: "the customer reacts, and takes it back",
      run: async () => {
        const written = await write("How about this?");
        about.written = written;
        about.messageId = String((await crm.hears({ text: "How about this?" }))["messageId"]);
        await react(written, "🔥");
        const { from } = await crm.hearsReaction(about.messageId, "🔥", "person");
        await react(written, null);
        await crm.hearsReaction(about.messageId, null, "person");
        return `told of ${(from as { name: string }).name}`;
      },
    },
    {
      name: "react to a message, and take it back",
      run: async () => {
        const { messageId, written } = about;
        const shows = (count: number) =>
          stage.until(
            `${count} reactions are shown`,
            async () => (await seen(written as T)).length === count,
          );
        await crm.react(messageId, emoji);
        await crm.hearsReaction(messageId, emoji, "us");
        await shows(1);
        const status = await crm.react(messageId, null);
        await crm.hearsReaction(messageId, null, "us");
        await shows(0);
        return status;
      },
    },
  ];
}

export interface Reacting<T> {
  readonly write: (text: string) => Promise<T>;
  /** The person's reaction; null removes it. */
  readonly react: (written: T, emoji: string | null) => Promise<unknown>;
  /** The reactions that the messenger shows at the message. */
  readonly seen: (written: T) => Promise<readonly unknown[]>;
  /** The CRM's, if the messenger does not accept any. */
  readonly emoji?: string;
}

/** The person comes by a link or an advertisement, which the CRM is told. `text`: of the message that tells it. */
export function referralStep(
  crm: Crm,
  act: Act,
  { text, ...expected }: { readonly text: string } & Json,
): Step {
  return {
    name: "receive where a customer comes from",
    run: async () => {
      await act();
      return cameFrom(await crm.hears({ text }), expected);
    },
  };
}

/** Throws unless the item tells that its person came from there; returns what it tells. */
export function cameFrom({ referral }: Json, expected: Json): string {
  const told = (referral ?? {}) as Json;
  const wrong = Object.entries(expected).filter(([name, value]) => told[name] !== value);
  if (wrong.length > 0) throw new Error(JSON.stringify(told));
  return JSON.stringify(told);
}

type Json = Readonly<Record<string, unknown>>;

/** The person writes while no node of the service runs. */
export function offlineStep(stage: Stage, crm: Crm, write: Write): Step {
  return {
    name: "what was written while nobody listened comes afterwards",
    run: async () => {
      await stage.service.kill();
      await write("Anybody there?");
      stage.service = await stage.startNode();
      return String((await crm.hears({ text: "Anybody there?" }))["text"]);
    },
  };
}

/** The messenger rejects once because of its rate limits, and the message is sent later. */
export function waitedOutStep(crm: Crm, name: string, refuse: Act, until: Expected): Step {
  return {
    name: `${name} is waited out`,
    run: async () => {
      await refuse();
      return crm.become(await crm.send({ text: "Hello" }), until);
    },
  };
}

/** The person accepts no messages for a while. */
export function blockedStep(
  crm: Crm,
  name: string,
  { block, unblock }: { readonly block: Act; readonly unblock: Act },
): Step {
  return {
    name,
    run: async () => {
      await block();
      const outcome = await crm.become(await crm.send({ text: "Still there?" }), "error", {
        code: "BAD_CONTACT",
      });
      await unblock();
      return outcome;
    },
  };
}

/** The owner's access is revoked; the next send, or the connector itself, detects it. */
export function revokedStep(crm: Crm, name: string, revoke: Act): Step {
  return {
    name,
    run: async () => {
      await revoke();
      await crm.send({ text: "Nobody takes this" }).catch(() => undefined);
      return crm.status("disabled", "unauthorized");
    },
  };
}

/** Each callback is delivered several times, and its message is reported once. */
export function repeatedCallbackStep(stage: Stage, crm: Crm, write: Write): Step {
  return {
    name: "the same callback comes three times",
    run: async () => {
      await stage.admin("POST", "/settings", { deliveries: 3 });
      await write("Only once");
      await crm.hears({ text: "Only once" });
      await stage.admin("POST", "/settings", { deliveries: 1 });
      await write("The next");
      await crm.hears({ text: "The next" });
      if (crm.hasHeard({ text: "Only once" })) throw new Error("it was told twice");
      return "told once";
    },
  };
}

/** Opens the channel's page and then the messenger's dialog. `agree` returns the redirect address. */
export async function connectThroughDialog(page: string, agree: () => Promise<string>): Promise<void> {
  await openDialog(page);
  await comeBack(await agree());
}
