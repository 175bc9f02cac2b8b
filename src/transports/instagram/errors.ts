import {
  type MessageErrorCode,
  type RetryPolicy,
  type SendRestriction,
  TransportError,
} from "../../core/transport/errors.ts";
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
 * Pages "Error codes" of the Messenger and the Instagram Platform. The first matching rule applies. Meta documents
 * only some of the subcodes 25340xx; the others are those that other production code handles.
 */
const RULES: readonly Rule[] = [
  {
    code: "TOO_MANY_EXT_REQS",
    sentence: "Instagram is rate limiting the account",
    retry: { afterMs: 30_000, scope: "channel" },
    fits: codes(4, 17, 32, 613, 80002, 80006),
  },
  {
    code: "7_DAYS_EXCEEDED",
    sentence: "The person's last message is too old for a reply",
    fits: (error, words) =>
      subcodes(2534022, 2018278)(error) || (error.code === 10 && words.includes("allowed window")),
  },
  {
    code: "COMMENT_ALREADY_PRIVATE_REPLIED",
    sentence: "This comment already has a private reply",
    fits: subcodes(2534025),
  },
  {
    code: "COMMENT_INVALID_FOR_PRIVATE_REPLY",
    sentence: "A private reply to this comment is not possible, or no longer possible",
    fits: subcodes(2534013),
  },
  {
    code: "BAD_CONTACT",
    sentence: "The conversation was deleted or archived on Instagram",
    fits: subcodes(2534001),
  },
  {
    code: "CHATID_IGSID_MISMATCH",
    sentence: "Instagram does not know this person, or does not allow messages to them",
    fits: (error) => error.code === 551 || subcodes(2534014, 2018001)(error),
  },
  {
    code: "COMMENT_DELETED",
    sentence: "The comment no longer exists",
    fits: (error) => error.code === 100 && error.subcode === 33,
  },
  {
    code: "TOO_LONG_TEXT",
    sentence: "The text is too long for Instagram",
    fits: (_, words) => /length of param message|longer than \d+ characters/.test(words),
  },
  {
    code: "TOO_BIG_CONTENT",
    sentence: "The file is too large for Instagram",
    fits: (error, words) => subcodes(2018007)(error) && words.includes("size"),
  },
  {
    code: "WRONG_CONTENT",
    sentence: "Instagram does not accept this file",
    fits: subcodes(2018047),
  },
  {
    code: "CONTENT_CONVERSION_ERROR",
    sentence: "Instagram cannot fetch or process this file",
    fits: (error, words) => subcodes(2018007, 2018008)(error) || words.includes("attachment upload fail"),
  },
  {
    code: "BAD_LINK",
    sentence: "Instagram rejected the text because of a link",
    fits: (error, words) =>
      error.subcode === 1404006 || (error.code === 100 && /more than \d+ links?\b/.test(words)),
  },
  {
    code: "MENTION_FORBIDDEN",
    sentence: "Instagram does not allow mentioning this person",
    fits: (error, words) => error.code === 100 && /\bmention(ed)?\b/.test(words),
  },
  {
    code: "SPAM",
    sentence: "Instagram blocked this message as suspected spam",
    fits: (error, words) => error.code === 368 || /\bspam\b/.test(words),
  },
  {
    code: "UNKNOWN_ERROR",
    sentence: "Instagram is temporarily unavailable",
    retry: "later",
    fits: codes(1, 2),
  },
];
const OTHER = { code: "GENERAL_ERROR", sentence: "Instagram refused" } as const;

/** Maps a refusal to a message error. `data` contains Meta's own text. */
export function toTransportError(refusal: GraphRefusal): TransportError {
  const { error, status } = refusal;
  const words = `${error.message} ${error.details}`.toLowerCase();
  const rule = RULES.find((each) => each.fits(error, words)) ?? OTHER;
  const { code, sentence } = rule;
  const flood = status === 429 ? ({ afterMs: 30_000, scope: "channel" } as const) : undefined;
  const retry = flood ?? ("retry" in rule ? rule.retry : undefined) ?? "never";
  return new TransportError(flood === undefined ? code : "TOO_MANY_EXT_REQS", sentence, {
    retry,
    restriction: code === "SPAM" && error.code === TEMPORARILY_BLOCKED ? temporarilyBlocked() : undefined,
    data: wordsOf(error),
    cause: refusal,
  });
}

/** "Temporarily blocked for policies violations" (page "Error Codes"): concerns the account, not the message. */
const TEMPORARILY_BLOCKED = 368;
/** Meta states no end. */
const BLOCK_MS = 3_600_000;

function temporarilyBlocked(): SendRestriction {
  const reason = "Instagram has temporarily blocked this account from sending";
  return { kind: "spam", reason, until: new Date(Date.now() + BLOCK_MS), isEstimate: true };
}

/** Whether the token itself is invalid. A missing permission may concern one call only. */
export function isTokenDead({ code }: MetaError): boolean {
  return code === 190 || code === 102;
}
