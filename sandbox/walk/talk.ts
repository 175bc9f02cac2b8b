import type { Crm, Expected } from "./crm.ts";
import { comeBack, openDialog } from "./page.ts";
import type { Stage } from "./stage.ts";
import type { Step } from "./step.ts";

/** What a person does in their own application. */
type Act = () => Promise<unknown>;
type Write = (text: string) => Promise<unknown>;

/** The CRM answers a message of the person with a quote of it, which they read where `read` is given. */
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

/** The CRM edits a message and deletes it. `see` waits until the person sees the new text, where that can be known. */
export function changeSteps(crm: Crm, until: Expected = "sent", see?: See): Step[] {
  const ours = { id: "" };
  return [
    editMessageStep(crm, ours, { until, ...(see === undefined ? {} : { see }) }),
    deleteMessageStep(crm, ours),
  ];
}

type See = (text: string) => Promise<string>;

/** Sends a message, whose id it puts into `ours`, and changes its text to `Tuesday`. */
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

/** `ours` holds the id once a step before has sent the message. `gone` throws where the person still sees it. */
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

/** The person edits what they wrote; `edit` gets what `write` answered. */
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

/** The messenger refuses once because of its limits, and the message is sent later. */
export function waitedOutStep(crm: Crm, name: string, refuse: Act, until: Expected): Step {
  return {
    name: `${name} is waited out`,
    run: async () => {
      await refuse();
      return crm.become(await crm.send({ text: "Hello" }), until);
    },
  };
}

/** The person takes no messages for a while. */
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

/** The owner's access ends; the next send finds out, or the connector by itself. */
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

/** Opens the channel's page and the messenger's dialog behind it. `agree` answers the address that leads back. */
export async function connectThroughDialog(page: string, agree: () => Promise<string>): Promise<void> {
  await openDialog(page);
  await comeBack(await agree());
}
