import type { InboundMessage, MessageBody } from "../../core/transport/events.ts";
import { withText } from "../kit/body.ts";
import { amountOf } from "../kit/money.ts";
import { answerJson, answerLines, answerLinesOf, joined, linked } from "../kit/words.ts";
import { attachedBodies } from "./body.ts";
import { NOTICE_KINDS, type TgNotices, type TgUser } from "./content.ts";
import { knownName } from "./names.ts";
import { taskLine, textOf } from "./words.ts";

/** A service message that is reported as a message. */
export type Notice = Pick<InboundMessage, "answers" | "isSystem"> & {
  readonly bodies: readonly MessageBody[];
};

/** Reads a service message with words of a person, or with what a person chose or paid. Null for others. */
export function noticeOf(notices: TgNotices): Notice | null {
  const kind = NOTICE_KINDS.find((each) => notices[each] !== undefined);
  return kind === undefined ? null : readNotice(notices, kind);
}

function readNotice(notices: TgNotices, kind: (typeof NOTICE_KINDS)[number]): Notice | null {
  switch (kind) {
    case "web_app_data": {
      const { data, button_text } = notices.web_app_data ?? {};
      return answer(kind, data, [button_text, ...answerLinesOf(data)]);
    }
    case "users_shared": {
      const { users = [] } = notices.users_shared ?? {};
      const photos = users.flatMap(attachedBodies);
      const lines = users.map((user) => personLine({ ...user, id: user.user_id }));
      return answer(kind, answerJson(notices.users_shared ?? {}), lines, photos);
    }
    case "chat_shared": {
      const chat = notices.chat_shared ?? {};
      const line = personLine({ ...chat, id: chat.chat_id });
      return answer(kind, answerJson(chat), [line], attachedBodies(chat));
    }
    case "successful_payment": {
      const { total_amount, currency, invoice_payload, order_info } = notices.successful_payment ?? {};
      const lines = [amountOf(total_amount, currency), ...answerLines({ invoice_payload, ...order_info })];
      return answer(kind, answerJson(notices.successful_payment ?? {}), lines);
    }
    case "refunded_payment": {
      const { total_amount, currency, invoice_payload } = notices.refunded_payment ?? {};
      const text = joined([amountOf(total_amount, currency), ...answerLines({ invoice_payload })]);
      return { ...unsupported("refunded payment", text), isSystem: true };
    }
    case "gift":
    case "gift_upgrade_sent": {
      const { text, entities } = notices[kind] ?? {};
      return unsupported("gift", textOf(text, entities) ?? null);
    }
    case "unique_gift": {
      const { text, entities, gift = {} } = notices.unique_gift ?? {};
      const title = joined([gift.base_name, gift.number && `#${gift.number}`], " ");
      const address = gift.name && `https://t.me/nft/${gift.name}`;
      return unsupported("gift", joined([linked(title ?? undefined, address), textOf(text, entities)]));
    }
    case "passport_data": {
      const { data = [] } = notices.passport_data ?? {};
      return unsupported(
        "passport",
        joined(data.flatMap(({ phone_number, email }) => [phone_number, email])),
      );
    }
    case "checklist_tasks_done":
      return unsupported("checklist", joined(changedTasks(notices.checklist_tasks_done ?? {})));
    case "checklist_tasks_added":
      return unsupported("checklist", joined((notices.checklist_tasks_added?.tasks ?? []).map(taskLine)));
    case "poll_option_added":
    case "poll_option_deleted": {
      const { option_text, option_text_entities } = notices[kind] ?? {};
      const option = textOf(option_text, option_text_entities);
      const sign = kind === "poll_option_added" ? "+" : "−";
      return unsupported("poll", option === undefined ? null : `${sign} ${option}`);
    }
    case "suggested_post_declined":
      return withWords("suggested post", notices.suggested_post_declined?.comment);
  }
}

/** What a person answered to a button of ours. */
function answer(
  type: string,
  payload: string | undefined,
  lines: readonly (string | undefined)[],
  parts: readonly MessageBody[] = [],
): Notice {
  const text = joined(lines);
  const answers = payload === undefined ? {} : { answers: [{ type, payload }] };
  const { bodies } =
    text === null ? unsupported(type.replaceAll("_", " "), null) : { bodies: withText(text, parts) };
  return { bodies, ...answers };
}

function unsupported(what: string, text: string | null): Notice {
  return { bodies: [{ type: "unsupported", what, ...(text !== null && { text }) }] };
}

const withWords = (what: string, words: string | undefined): Notice | null =>
  words === undefined ? null : unsupported(what, words);

function personLine(who: TgUser): string | undefined {
  const name = knownName(who);
  const username = who.username !== undefined && who.username !== name ? `@${who.username}` : undefined;
  return joined([name, username], " ") ?? who.id;
}

/** The tasks whose state changed, with the new one. */
function changedTasks(done: NonNullable<TgNotices["checklist_tasks_done"]>): (string | undefined)[] {
  const { checklist_message, marked_as_done_task_ids = [], marked_as_not_done_task_ids = [] } = done;
  const tasks = checklist_message?.checklist?.tasks ?? [];
  return tasks.flatMap((task) => {
    if (task.id === undefined) return [];
    if (marked_as_done_task_ids.includes(task.id)) return [taskLine({ ...task, completion_date: 1 })];
    if (!marked_as_not_done_task_ids.includes(task.id)) return [];
    const { text, text_entities } = task;
    return [taskLine({ text, text_entities })];
  });
}
