import type { ForwardedFile } from "../composer/outbox.ts";
import { fileSize } from "../format.ts";
import type { Abilities, Message } from "../model.ts";
import { composerWords } from "../texts/texts.ts";

/** What of a message goes into another chat. */
export interface Forwarded {
  /** "" if there is none. */
  readonly text: string;
  readonly file: ForwardedFile | null;
}

/** Null: nothing of it can be forwarded, such as a call. Pure. */
export function forwardedOf({ wire, text, isDeleted, pending }: Message): Forwarded | null {
  if (isDeleted || pending !== null) return null;
  const { type, file } = wire;
  if (type === "text" || type === "geo" || type === "wapi_template")
    return text === "" ? null : { text, file: null };
  const isFile = type === "image" || type === "audio" || type === "video" || type === "document";
  if (!isFile || file === null || file.is_external || file.state !== "stored") return null;
  return { text, file: { ...file, messageId: wire.id } };
}

/** How it arrives there: in one message or two, or why it does not. */
export type ForwardPlan =
  | { readonly kind: "one" }
  | { readonly kind: "two" }
  | {
      readonly kind: "refused";
      readonly reason: "closed" | "kind" | "large" | "long";
      readonly limit: string;
    };

const refused = (reason: "closed" | "kind" | "large" | "long", limit = ""): ForwardPlan => ({
  kind: "refused",
  reason,
  limit,
});

/** By the content rules of the chat's messenger and the state of its channel. Pure. */
export function planOf({ text, file }: Forwarded, abilities: Abilities): ForwardPlan {
  if (!abilities.can_send || abilities.window?.is_open === false) return refused("closed");
  if (text.length > abilities.text.max_length)
    return refused("long", String(text.length - abilities.text.max_length));
  if (file === null) return { kind: "one" };
  const limits = abilities.media[file.kind];
  if (limits === undefined) return refused("kind");
  if ((file.size ?? 0) > limits.max_bytes) return refused("large", fileSize(limits.max_bytes));
  return text.length <= (limits.max_caption_length ?? 0) ? { kind: "one" } : { kind: "two" };
}

/** In words; null: nothing has to be said. */
export function faultIn(plan: ForwardPlan, { file }: Forwarded): string | null {
  if (plan.kind !== "refused") return null;
  const words = composerWords.value;
  const name = file?.name ?? "";
  switch (plan.reason) {
    case "closed":
      return words.closed;
    case "kind":
      return words.wrongKind(name);
    case "large":
      return words.tooLarge(name, plan.limit);
    case "long":
      return words.over(Number(plan.limit));
  }
}
