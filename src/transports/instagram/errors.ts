import { type MessageErrorCode, type RetryPolicy, TransportError } from "../../core/transport/errors.ts";
import { type GraphRefusal, type MetaError, wordsOf } from "../meta/error.ts";

interface Rule {
  readonly code: MessageErrorCode;
  readonly sentence: string;
  readonly retry?: RetryPolicy;
  fits(error: MetaError, words: string): boolean;
}

const subcodes =
  (...wanted: readonly number[]) =>
  ({ subcode }: MetaError): boolean =>
    subcode !== undefined && wanted.includes(subcode);
const codes =
  (...wanted: readonly number[]) =>
  ({ code }: MetaError): boolean =>
    wanted.includes(code);

/**
 * Pages "Error codes" of the Messenger and of the Instagram Platform; the first that fits holds. Subcodes 25340xx are
 * those that production code of others handles, as Meta lists only some of them.
 */
const RULES: readonly Rule[] = [
  {
    code: "TOO_MANY_EXT_REQS",
    sentence: "Instagram asks to send more slowly",
    retry: { afterMs: 30_000, scope: "channel" },
    fits: codes(4, 17, 32, 613, 80002, 80006),
  },
  {
    code: "7_DAYS_EXCEEDED",
    sentence: "The person has not written for too long",
    fits: (error, words) =>
      subcodes(2534022, 2018278)(error) || (error.code === 10 && words.includes("allowed window")),
  },
  {
    code: "COMMENT_ALREADY_PRIVATE_REPLIED",
    sentence: "This comment was answered in private already",
    fits: subcodes(2534025),
  },
  {
    code: "COMMENT_INVALID_FOR_PRIVATE_REPLY",
    sentence: "This comment cannot be answered in private, or not any more",
    fits: subcodes(2534013),
  },
  {
    code: "BAD_CONTACT",
    sentence: "The conversation was deleted or archived on Instagram",
    fits: subcodes(2534001),
  },
  {
    code: "CHATID_IGSID_MISMATCH",
    sentence: "Instagram does not know this person, or does not let the account write to them",
    fits: (error) => error.code === 551 || subcodes(2534014, 2018001)(error),
  },
  {
    code: "COMMENT_DELETED",
    sentence: "The comment is gone",
    fits: (error) => error.code === 100 && error.subcode === 33,
  },
  {
    code: "TOO_LONG_TEXT",
    sentence: "The text is too long for Instagram",
    fits: (_, words) => /length of param message|longer than \d+ characters/.test(words),
  },
  {
    code: "TOO_BIG_CONTENT",
    sentence: "The file is too big for Instagram",
    fits: (error, words) => subcodes(2018007)(error) && words.includes("size"),
  },
  {
    code: "WRONG_CONTENT",
    sentence: "The file does not fit what Instagram takes",
    fits: subcodes(2018047),
  },
  {
    code: "CONTENT_CONVERSION_ERROR",
    sentence: "Instagram cannot fetch or use this file",
    fits: (error, words) => subcodes(2018007, 2018008)(error) || words.includes("attachment upload fail"),
  },
  {
    code: "BAD_LINK",
    sentence: "Instagram refuses the text because of a link",
    fits: (error, words) =>
      error.subcode === 1404006 || (error.code === 100 && /more than \d+ links?\b/.test(words)),
  },
  {
    code: "MENTION_FORBIDDEN",
    sentence: "Instagram does not let this person be mentioned",
    fits: (error, words) => error.code === 100 && /\bmention(ed)?\b/.test(words),
  },
  {
    code: "SPAM",
    sentence: "Instagram holds this message back",
    fits: (error, words) => error.code === 368 || /\bspam\b/.test(words),
  },
  {
    code: "UNKNOWN_ERROR",
    sentence: "Instagram is out of order at the moment",
    retry: "later",
    fits: codes(1, 2),
  },
];
const OTHER = { code: "GENERAL_ERROR", sentence: "Instagram refused" } as const;

/** What a refusal means for the message that it is about. `data` carries Meta's own words. */
export function toTransportError(refusal: GraphRefusal): TransportError {
  const { error, status } = refusal;
  const words = `${error.message} ${error.details}`.toLowerCase();
  const rule = RULES.find((each) => each.fits(error, words)) ?? OTHER;
  const { code, sentence } = rule;
  const flood = status === 429 ? ({ afterMs: 30_000, scope: "channel" } as const) : undefined;
  const retry = flood ?? ("retry" in rule ? rule.retry : undefined) ?? "never";
  return new TransportError(flood === undefined ? code : "TOO_MANY_EXT_REQS", sentence, {
    retry,
    data: wordsOf(error),
    cause: refusal,
  });
}

/** Whether the token itself is dead: permissions may be missing for one call only. */
export function isTokenDead({ code }: MetaError): boolean {
  return code === 190 || code === 102;
}
