import {
  type MessageErrorCode,
  type RetryPolicy,
  type SendRestriction,
  TransportError,
} from "../../core/transport/errors.ts";
import type { SendFailure } from "../../core/transport/events.ts";
import { type Json, objectIn, textIn } from "../kit/json.ts";
import { joined } from "../kit/words.ts";
import { type GraphRefusal, isUnauthorized, type MetaError, readError, wordsOf } from "../meta/error.ts";

interface Rule {
  readonly codes: readonly number[];
  readonly code: MessageErrorCode;
  readonly sentence: string;
  readonly retry?: RetryPolicy;
}

/** Meta recommends growing delays, without stating durations. */
const FLOODS: readonly { readonly codes: readonly number[]; readonly retry: RetryPolicy }[] = [
  // Too many messages to one person: Meta allows one per six seconds.
  { codes: [131056], retry: { afterMs: 6_000, scope: "chat" } },
  { codes: [130429], retry: { afterMs: 2_000, scope: "channel" } },
  { codes: [4, 17, 32, 613, 80007, 133016], retry: { afterMs: 30_000, scope: "channel" } },
];

/** The platform's page "Error codes". */
const RULES: readonly Rule[] = [
  {
    codes: [131047, 470],
    code: "24_HOURS_EXCEEDED",
    sentence: "The customer has not written for 24 hours; only a template can be sent",
  },
  {
    codes: [131026, 131021, 131030, 131062],
    code: "BAD_CONTACT",
    sentence: "WhatsApp cannot deliver to this number",
  },
  {
    codes: [131048, 131049, 131050, 130472, 130497, 368],
    code: "SPAM",
    sentence: "WhatsApp blocked this message to protect its recipient",
  },
  {
    codes: [131052, 131053],
    code: "CONTENT_CONVERSION_ERROR",
    sentence: "WhatsApp cannot process this file",
  },
  { codes: [131051], code: "WRONG_CONTENT", sentence: "WhatsApp does not support this type of message" },
  { codes: [132005], code: "TOO_LONG_TEXT", sentence: "The template is too long with these values" },
  {
    codes: [131031, 131037, 131042, 131045, 133010],
    code: "CHANNEL_REJECTED",
    sentence: "WhatsApp does not allow this number to send",
  },
  {
    codes: [1, 2, 131000, 131016, 131057],
    code: "UNKNOWN_ERROR",
    sentence: "WhatsApp is temporarily unavailable",
    retry: "later",
  },
];

/** Maps an error to a message error. `data` contains Meta's own text. */
export function judge(error: MetaError): SendFailure & { readonly retry: RetryPolicy } {
  const flood = FLOODS.find(({ codes }) => codes.includes(error.code));
  if (flood)
    return {
      code: "TOO_MANY_EXT_REQS",
      description: "WhatsApp is rate limiting the number",
      retry: flood.retry,
      ...dataOf(error),
    };
  const { code, sentence, retry = "never" } = ruleFor(error);
  return { code, description: sentence, retry, ...dataOf(error) };
}

function ruleFor(error: MetaError): Pick<Rule, "code" | "sentence" | "retry"> {
  const words = `${error.message} ${error.details}`.toLowerCase();
  const rule = RULES.find(({ codes }) => codes.includes(error.code));
  if (rule?.code === "CONTENT_CONVERSION_ERROR" && /\b(size|too (big|large)|exceeds)\b/.test(words))
    return { code: "TOO_BIG_CONTENT", sentence: "The file is too large for WhatsApp" };
  if (rule) return rule;
  if (words.includes("must be a file with one of the following types"))
    return { code: "WRONG_CONTENT", sentence: "WhatsApp accepts files of this type only by a public link" };
  if ((error.code === 100 || error.code === 131009) && /too long|length/.test(words))
    return { code: "TOO_LONG_TEXT", sentence: "The text is too long for WhatsApp" };
  return { code: "GENERAL_ERROR", sentence: "WhatsApp refused" };
}

function dataOf(error: MetaError): { data?: string } {
  return { data: wordsOf(error) };
}

export function toTransportError(refusal: GraphRefusal): TransportError {
  const { code, description, data, retry } = judge(refusal.error);
  const policy =
    refusal.status === 429 && typeof retry === "string"
      ? ({ afterMs: 30_000, scope: "channel" } as const)
      : retry;
  const restriction = restrictionOf(refusal.error) ?? undefined;
  return new TransportError(code, description, { retry: policy, data, restriction, cause: refusal });
}

/** Meta states no end of a "spam rate limit". */
const SPAM_LIMIT_MS = 86_400_000;

/** What an error says of the whole number, although it can still send; null: nothing. */
export function restrictionOf(
  { code }: Pick<MetaError, "code">,
  at: Date = new Date(),
): SendRestriction | null {
  if (code !== 131048) return null;
  const reason = "WhatsApp limits how much this number may send, because people blocked or reported it";
  return { kind: "spam", reason, until: new Date(at.getTime() + SPAM_LIMIT_MS), isEstimate: true };
}

/** How an error affects the whole channel; null if it concerns only the message. */
export function channelFault(error: MetaError): "unauthorized" | "blocked" | "rejected" | null {
  const { code } = error;
  if (isUnauthorized(error)) return "unauthorized";
  if (code === 131031) return "blocked";
  // 131042 (unpaid bill) is excluded: it blocks templates, but replies still work.
  return code === 131037 || code === 131045 || code === 133010 ? "rejected" : null;
}

/** The failure in a message status, without a retry policy. */
export function toFailure(error: Json): SendFailure {
  const known = readError(error);
  if (known === null) {
    const said = joined([textIn(error, "message"), textIn(objectIn(error, "error_data"), "details")], ": ");
    const failure = { code: "UNKNOWN_ERROR", description: "WhatsApp gave no reason" } as const;
    return said === null ? failure : { ...failure, description: "WhatsApp refused", data: said };
  }
  const { retry: _, ...failure } = judge(known);
  return failure;
}
