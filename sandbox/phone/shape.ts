/** What the sandbox and its phone page tell each other: one shape for all messengers. Types alone: the page has them too. */

/** A text for people. */
export interface Words {
  readonly en: string;
  readonly ru: string;
}

/** What a message is to whoever looks at it, whatever the messenger calls it. */
export type Look =
  | "text"
  | "image"
  | "video"
  | "round"
  | "audio"
  | "voice"
  | "file"
  | "sticker"
  | "contact"
  | "place"
  | "poll"
  | "call"
  | "link"
  | "system"
  | "other";

/** Something that a person can write. `kind` is the messenger's own name for it. */
export interface Kind {
  readonly kind: string;
  readonly look: Look;
  /** Needed where several kinds have one look. */
  readonly title?: Words;
  /** Whether it may have a text beside it; texts always do. */
  readonly caption?: boolean;
}

/** What people can do in a conversation besides writing. */
export type ActName =
  | "send"
  | "edit"
  | "delete"
  | "react"
  | "press"
  | "read"
  | "typing"
  | "call"
  | "start"
  | "block"
  | "unblock";

/** Something that can be made to go wrong. */
export interface TroubleFacts {
  readonly name: string;
  readonly title: Words;
  /** `once` happens; `switch` lasts until it is switched off. */
  readonly lasts: "once" | "switch";
}

export interface Trouble extends TroubleFacts {
  readonly on: boolean;
  /** How many calls it has hit; null where nobody counts. */
  readonly hits: number | null;
}

/** A messenger, and what its phone can do. */
export interface PhoneFacts {
  readonly name: string;
  readonly title: Words;
  /** Of the app's upper edge: `#rrggbb`, dark enough for white letters. */
  readonly colour: string;
  /** Whether a channel is the account of one of these people, not of a business that they write to. */
  readonly personal: boolean;
  readonly kinds: readonly Kind[];
  readonly acts: readonly ActName[];
  /** What a person may react with; empty where reactions are not known. */
  readonly reactions: readonly string[];
  /** Whether a message may answer another. */
  readonly quotes: boolean;
  /** How a channel gets hold of this account. */
  readonly link: readonly ("scan" | "code" | "password")[];
  readonly groups: boolean;
}

export interface Person {
  readonly id: string;
  readonly name: string;
  /** A phone number or a user name. */
  readonly detail: string;
  /** Clients that are linked to this person's account. */
  readonly devices: readonly Device[];
  /** Whether the account asks for a password after a login. */
  readonly hasPassword: boolean;
}

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly online: boolean;
}

/** A conversation as it stands in somebody's list. */
export interface Chat {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly kind: "business" | "person" | "group";
}

export interface Button {
  readonly text: string;
  /** What finds it again: handed back with `press`. */
  readonly key: string;
  /** An address that it opens, and that the messenger is not told of. */
  readonly url?: string;
}

/** A file of a message; its bytes are at `…/messages/{id}/files/{index}`. */
export interface FileFacts {
  readonly mime: string;
  readonly name: string;
  readonly size: number | null;
}

export interface Message {
  readonly id: string;
  /** Written by the person whose phone it is. */
  readonly mine: boolean;
  /** Who wrote it. */
  readonly author: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly look: Look;
  /** The messenger's own word, for what has no look of its own. */
  readonly kind: string;
  readonly text: string;
  readonly files: readonly FileFacts[];
  readonly place?: { readonly latitude: number; readonly longitude: number; readonly title: string };
  readonly contact?: { readonly name: string; readonly phone: string };
  readonly quote?: { readonly id: string; readonly text: string };
  readonly buttons: readonly (readonly Button[])[];
  readonly reactions: readonly string[];
  readonly edited: boolean;
  readonly deleted: boolean;
  /** How far a message of this person came, as far as the messenger shows it. */
  readonly state: "sent" | "read" | "failed" | null;
}

export interface Conversation {
  readonly messages: readonly Message[];
  /** The keyboard under the input field. */
  readonly keyboard: readonly (readonly Button[])[];
  readonly blocked: boolean;
  /** Nothing can be written before `start`. */
  readonly unstarted: boolean;
}

/** What is written; only the fields of its look are there. */
export interface Outgoing {
  readonly kind: string;
  readonly text?: string;
  readonly reply_to?: string;
  readonly file?: { readonly base64: string; readonly name: string; readonly mime_type: string };
  readonly name?: string;
  readonly phone?: string;
  readonly latitude?: number;
  readonly longitude?: number;
  readonly title?: string;
  readonly question?: string;
  readonly options?: readonly string[];
}

/** Something that went over the wire, as the emulator noted it. */
export interface Frame {
  /** `<log> <seq>`: unique in a messenger. */
  readonly id: string;
  /** Who spoke: the gateway called, the messenger told it something; `note` is the emulator's own remark. */
  readonly from: "gateway" | "messenger" | "note";
  readonly at: number | null;
  readonly title: string;
  /** How it ended: a status or an error; empty where nothing is said. */
  readonly result: string;
  readonly failed: boolean;
  /** As JSON; keys and passwords are replaced by `…`. */
  readonly body: unknown;
}

/** A code that waits to be scanned, as a gateway shows it at this moment. */
export interface WaitingCode {
  readonly id: string;
  readonly messenger: string;
  /** e.g. the id of the channel. */
  readonly label: string;
}
