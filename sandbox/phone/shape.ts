/** The data exchanged by the sandbox and its phone page, in one format for all messengers. Types only, because the page imports them. */

/** A text for people. */
export interface Words {
  readonly en: string;
  readonly ru: string;
  readonly es: string;
  readonly "pt-BR": string;
}

/** The kind of a message on the page, independent of the messenger. */
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

/** A kind of message that a person can write. `kind` is the messenger's own name. */
export interface Kind {
  readonly kind: string;
  readonly look: Look;
  /** Required if several kinds have the same look. */
  readonly title?: Words;
  /** Whether it may have a caption; texts always are one. */
  readonly caption?: boolean;
}

/** Actions in a conversation besides writing. */
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

/** A fault that can be injected. */
export interface TroubleFacts {
  readonly name: string;
  readonly title: Words;
  /** `once` happens once; `switch` lasts until it is switched off. */
  readonly lasts: "once" | "switch";
}

export interface Trouble extends TroubleFacts {
  readonly on: boolean;
  /** How many calls it has affected; null if not counted. */
  readonly hits: number | null;
}

/** A messenger and the abilities of its phone. */
export interface PhoneFacts {
  readonly name: string;
  readonly title: Words;
  /** Colour of the app's header: `#rrggbb`, dark enough for white text. */
  readonly colour: string;
  /** Whether a channel is the account of one of these people, not of a business that they write to. */
  readonly personal: boolean;
  readonly kinds: readonly Kind[];
  readonly acts: readonly ActName[];
  /** Possible reactions; empty if reactions are not supported. */
  readonly reactions: readonly string[];
  /** Whether messages can quote each other. */
  readonly quotes: boolean;
  /** How this account can be linked as a channel. */
  readonly link: readonly ("scan" | "code" | "password")[];
  readonly groups: boolean;
}

export interface Person {
  readonly id: string;
  readonly name: string;
  /** A phone number or username. */
  readonly detail: string;
  /** Clients that are linked to this person's account. */
  readonly devices: readonly Device[];
  /** Whether the account requires a password after a login. */
  readonly hasPassword: boolean;
}

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly online: boolean;
}

/** A conversation in a person's list. */
export interface Chat {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly kind: "business" | "person" | "group";
  /** Of the first chats of a list that was asked for with `newest`. */
  readonly newest?: Newest;
}

/** What a list shows of a conversation. */
export interface Newest {
  /** The newest message; null: there is none. */
  readonly message: Pick<Message, "mine" | "at" | "look" | "text" | "deleted"> | null;
  /** The number of messages from others. */
  readonly received: number;
}

export interface Button {
  readonly text: string;
  /** Identifies the button in `press`. */
  readonly key: string;
  /** An address that it opens without notifying the messenger. */
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
  /** Written by the owner of the phone. */
  readonly mine: boolean;
  /** The author. */
  readonly author: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly look: Look;
  /** The messenger's own name, for kinds without a look. */
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
  /** The status of the person's own message, as displayed by the messenger. */
  readonly state: "sent" | "delivered" | "read" | "failed" | null;
}

export interface Conversation {
  readonly messages: readonly Message[];
  /** The number of messages from others. */
  readonly received: number;
  /** The keyboard below the input field. */
  readonly keyboard: readonly (readonly Button[])[];
  readonly blocked: boolean;
  /** The person has to press `start` first. */
  readonly unstarted: boolean;
}

/** A message to write, with the fields of its look. */
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

/** A frame of the traffic, as recorded by the emulator. */
export interface Frame {
  /** `<log> <seq>`: unique within a messenger. */
  readonly id: string;
  /** The sender: `gateway` for a call, `messenger` for a report; `note` is a remark of the emulator. */
  readonly from: "gateway" | "messenger" | "note";
  readonly at: number | null;
  readonly title: string;
  /** The result: a status or an error; empty if there is none. */
  readonly result: string;
  readonly failed: boolean;
  /** Repeats for as long as a client is connected: polls, signs of life, confirmations. */
  readonly routine: boolean;
  /** As JSON, with secrets replaced by `…`. */
  readonly body: unknown;
}

/** A code that waits to be scanned, as shown by a gateway. */
export interface WaitingCode {
  readonly id: string;
  readonly messenger: string;
  /** For example the id of the channel. */
  readonly label: string;
}
