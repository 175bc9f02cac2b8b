/** What is known of one conversation when everything has come to rest. All texts are those of the conversation. */
export interface Facts {
  readonly name: string;
  /** Whether the messenger recognises a repeated send. */
  readonly isIdempotent: boolean;
  /** What clients wrote, by client, in the order of writing. */
  readonly clients: readonly (readonly Outbound[])[];
  /** What the person sees of it, edits applied. */
  readonly shown: readonly string[];
  /** The same in the order in which the messenger took it, as it was first. */
  readonly taken: readonly string[];
  /** What people and owners wrote, as the messenger has it. */
  readonly written: readonly string[];
  /** Of these, the ones whose order the service could know, in that order. */
  readonly ordered: readonly string[];
  /** What the receiver was told of it, in the order of the first time, with the ids of the messages. */
  readonly told: readonly { readonly text: string; readonly messageId: string }[];
}

/** A message that a client wrote. */
export interface Outbound {
  readonly text: string;
  readonly accepted: boolean;
  /** Ids under which the service stored it. */
  readonly ids: readonly string[];
  /** How often the service stored it as written by the owner in the messenger's app. */
  readonly echoes: number;
  /** What the receiver was told of the ids, in the order of the first time. */
  readonly statuses: readonly Status[];
  readonly edit: { readonly text: string; readonly accepted: boolean; readonly told: boolean } | null;
}

export interface Status {
  readonly status: string;
  readonly error: string | undefined;
  /** Its place among everything that the receiver was told. */
  readonly place: number;
}

/** A broken guarantee. */
export interface Violation {
  readonly conversation: string;
  readonly rule: Rule;
  readonly what: string;
  /** Time may mend it: something has not come yet. */
  readonly mayCome: boolean;
}

export type Rule =
  | "accepted is stored"
  | "accepted has an outcome"
  | "one outcome"
  | "sent once"
  | "unknown is an error"
  | "order at the messenger"
  | "order of statuses"
  | "edited"
  | "told"
  | "told once"
  | "order of what is told"
  | "told to its account"
  | "same id, same bytes"
  | "no job left"
  | "ends in order";

/** The text without what an edit added. */
export function originalOf(text: string): string {
  return text.replace(/ edited$/, "");
}
