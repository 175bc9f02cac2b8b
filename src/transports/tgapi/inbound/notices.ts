import type { InboundMessage, MessageBody } from "../../../core/transport/events.ts";
import { amountOf } from "../../kit/money.ts";
import { answerLinesOf, joined, linked } from "../../kit/words.ts";
import { partBodies, type Reading } from "./body.ts";
import type { TgAction, TgMessage } from "./update.ts";
import { taskLine, wordsOf } from "./words.ts";

/** A service message that is reported as a message. */
export type Notice = Pick<InboundMessage, "answers" | "isSystem"> & { readonly body: MessageBody };

/**
 * Reads a service message (TL type `MessageAction`) that is a missed call, or has words or a file of a person. Null for
 * others. Pure.
 */
export function noticeOf({ action, out }: TgMessage, reading: Reading): Notice | null {
  if (action === undefined) return null;
  if (isMissedCall(action)) return out === true ? null : { body: { type: "missing_call" } };
  switch (action._) {
    case "messageActionWebViewDataSent":
    case "messageActionWebViewDataSentMe": {
      const { text, data } = action;
      const words = joined([text, ...answerLinesOf(data)]);
      if (words === null) return null;
      const answers = data === undefined ? {} : { answers: [{ type: "web_app_data", payload: data }] };
      return { body: { type: "text", text: words }, ...answers };
    }
    case "messageActionStarGiftUnique": {
      const { title, num, slug } = action.gift ?? {};
      const name = joined([title, num && `#${num}`], " ") ?? undefined;
      return unsupported("gift", joined([linked(name, slug && `https://t.me/nft/${slug}`)]));
    }
    case "messageActionStarGift":
    case "messageActionGiftPremium":
    case "messageActionGiftStars":
    case "messageActionGiftTon":
      return unsupported("gift", joined([action.gift?.title, wordsOf(action.message)]));
    case "messageActionGiftCode": {
      // Whoever opens it gets the gift (core.telegram.org/api/links#premium-giftcode-links).
      const address = action.slug && `https://t.me/giftcode/${action.slug}`;
      return unsupported("gift", joined([wordsOf(action.message), address]));
    }
    case "messageActionTodoAppendTasks":
      return unsupported("checklist", joined((action.list ?? []).map((task) => taskLine(task))));
    case "messageActionPollAppendAnswer":
    case "messageActionPollDeleteAnswer": {
      const option = wordsOf(action.answer?.text);
      const sign = action._ === "messageActionPollAppendAnswer" ? "+" : "−";
      return withWords("poll", option && `${sign} ${option}`);
    }
    case "messageActionSuggestedPostApproval":
      return withWords("suggested post", action.rejectComment);
    case "messageActionPaymentSent":
    case "messageActionPaymentRefunded": {
      const total = action.totalAmount === undefined ? undefined : Number(action.totalAmount);
      const what = action._ === "messageActionPaymentSent" ? "payment" : "refunded payment";
      return { ...unsupported(what, amountOf(total, action.currency) ?? null), isSystem: true };
    }
    case "messageActionCustomAction": {
      const text = wordsOf(action.message);
      return text === undefined ? null : { body: { type: "text", text }, isSystem: true };
    }
    case "messageActionSuggestProfilePhoto": {
      const [body] = partBodies({ _: "messageMediaPhoto", photo: action.photo }, reading);
      return body === undefined ? null : { body };
    }
    default:
      return null;
  }
}

function isMissedCall({ _: kind, reason, missed }: TgAction): boolean {
  if (kind === "messageActionConferenceCall") return missed === true;
  return kind === "messageActionPhoneCall" && reason?._ === "phoneCallDiscardReasonMissed";
}

function unsupported(what: string, text: string | null): Notice {
  return { body: { type: "unsupported", what, ...(text !== null && { text }) } };
}

const withWords = (what: string, words: string | undefined): Notice | null =>
  words === undefined ? null : unsupported(what, words);
