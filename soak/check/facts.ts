/** Everything known about one conversation after all activity has ended. All texts are those of the conversation. */
export interface Facts {
  readonly name: string;
  /** Whether the messenger deduplicates sends. */
  readonly isIdempotent: boolean;
  /** Messages of clients, by client, in the order of writing. */
  readonly clients: readonly (readonly Outbound[])[];
  /** Messages as the person sees them, with edits applied. */
  readonly shown: readonly string[];
  /** The same messages unedited, in the order in which the messenger accepted them. */
  readonly taken: readonly string[];
  /** Messages of people and owners, as the messenger has them. */
  readonly written: readonly string[];
  /** Those of them whose order the service could know, in that order. */
  readonly ordered: readonly string[];
  /** Messages that the receiver got, in the order of first arrival, with their ids. */
  readonly told: readonly { readonly text: string; readonly messageId: string }[];
}

/** A message of a client. */
export interface Outbound {
  readonly text: string;
  readonly accepted: boolean;
  /** How often its client requested it. */
  readonly requests: number;
  /** Ids under which the service stored it. */
  readonly ids: readonly string[];
  /** How often the service stored it as an echo. */
  readonly echoes: number;
  /** Statuses of these ids that the receiver got, in the order of first arrival. */
  readonly statuses: readonly Status[];
  readonly edit: { readonly text: string; readonly accepted: boolean; readonly told: boolean } | null;
}

export interface Status {
  readonly status: string;
  readonly error: string | undefined;
  /** Its position among all items of the receiver. */
  readonly place: number;
}

/** A broken guarantee. */
export interface Violation {
  readonly conversation: string;
  readonly rule: Rule;
  readonly what: string;
  /** May resolve itself: something has not arrived yet. */
  readonly mayCome: boolean;
}

export type Rule =
  | "accepted is stored"
  | "accepted has an outcome"
  | "one outcome"
  | "sent once"
  | "sent once per request"
  | "arrived is stored"
  | "echoed once"
  | "unknown is an error"
  | "order at the messenger"
  | "order of statuses"
  | "edited"
  | "told"
  | "told once"
  | "order of what is told"
  | "told to its account"
  | "told is stored"
  | "same id, same bytes"
  | "no job left"
  | "ends in order";

/** The text without the suffix of an edit. */
export function originalOf(text: string): string {
  return text.replace(/ edited$/, "");
}
