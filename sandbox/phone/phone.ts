import type { Admin, Json, Request } from "./admin.ts";
import type {
  ActName,
  Chat,
  Conversation,
  FileFacts,
  Message,
  Outgoing,
  Person,
  PhoneFacts,
  TroubleFacts,
} from "./shape.ts";

/** A person and a conversation; both ids are from `people` and `chats`. */
export interface Seat {
  readonly person: string;
  readonly chat: string;
}

/** The arguments of an action, for example the message that it refers to. */
export interface Given extends Partial<Outgoing> {
  readonly message?: string;
  readonly emoji?: string;
  /** Of a button. */
  readonly key?: string;
}

/** Where the bytes of a file are: an address, or a route that returns `{mime_type, base64}`. */
export interface FileSource extends FileFacts {
  readonly source: { readonly url: string } | { readonly route: string };
}

/** A message with fields that the page does not get. */
export interface StoredMessage extends Omit<Message, "files"> {
  readonly files: readonly FileSource[];
}

export interface StoredConversation extends Omit<Conversation, "messages" | "received"> {
  readonly messages: readonly StoredMessage[];
}

/** A trouble is a fault that is added and removed, or a request and another one that undoes it. */
export interface TroubleSetup extends TroubleFacts {
  /** The body of `POST /faults`; active until it is removed. */
  readonly fault?: (seat: Seat) => object;
  readonly begin?: (seat: Seat, admin: Admin) => Request | Promise<Request>;
  readonly end?: (seat: Seat, admin: Admin) => Request | Promise<Request>;
}

/** A list of events below the emulator's admin address. */
export interface Log {
  readonly name: string;
  readonly from: "gateway" | "messenger" | "note";
  /** Whether an entry repeats for as long as a client is connected, as polls do. */
  readonly isRoutine?: (entry: Json) => boolean;
}

/**
 * The phone of one messenger: the default export of `sandbox/<messenger>/phone.ts`. Facts and routes are data; the
 * two functions convert the messenger's own structures to the common one.
 */
export interface Phone extends Omit<PhoneFacts, "name" | "acts" | "link" | "groups"> {
  readonly acts: Partial<Readonly<Record<ActName, (seat: Seat, given: Given) => Request>>>;
  readonly logs: readonly Log[];
  readonly troubles: readonly TroubleSetup[];
  readonly people: (admin: Admin) => Promise<readonly Person[]>;
  readonly chats: (admin: Admin, person: string) => Promise<readonly Chat[]>;
  readonly conversation: (admin: Admin, seat: Seat) => Promise<StoredConversation>;
  /** Which messages of a person the gateway has taken, where the messenger's app shows this as "delivered". */
  readonly taken?: (admin: Admin) => Promise<(message: string) => boolean>;
  readonly addPerson: (given: { readonly name: string; readonly phone: string }) => Request;
  /** `account`: the participating business, if any. */
  readonly addGroup?: (
    admin: Admin,
    group: { readonly title: string; readonly people: readonly string[]; readonly account: string },
  ) => Promise<unknown>;
  readonly linking?: Linking;
  /** A person's inbox, as a list that can be waited for. */
  readonly inbox?: (person: string) => string;
}

/** How a person's account is linked to a client. */
export interface Linking {
  readonly scan: (person: string, qr: string) => Request;
  readonly code?: (person: string, code: string) => Request;
  /** Null removes the password. */
  readonly password?: (person: string, password: string | null) => Request;
  readonly unlink: (person: string, device: string) => Request;
}
