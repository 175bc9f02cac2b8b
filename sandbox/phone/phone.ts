import type { Admin } from "./admin.ts";
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

/** A request of an emulator's admin API, e.g. `["POST /people/1/reads", {chat: "2"}]`. */
export type Request = readonly [route: string, body?: object];

/** Who sits before which conversation; both ids are those that `people` and `chats` gave. */
export interface Seat {
  readonly person: string;
  readonly chat: string;
}

/** What comes with an act, e.g. the message that it is about. */
export interface Given extends Partial<Outgoing> {
  readonly message?: string;
  readonly emoji?: string;
  /** Of a button. */
  readonly key?: string;
}

/** Where the bytes of a file are: an address, or a route that answers `{mime_type, base64}`. */
export interface FileSource extends FileFacts {
  readonly source: { readonly url: string } | { readonly route: string };
}

/** A message with what the page is not told. */
export interface StoredMessage extends Omit<Message, "files"> {
  readonly files: readonly FileSource[];
}

export interface StoredConversation extends Omit<Conversation, "messages"> {
  readonly messages: readonly StoredMessage[];
}

/** A trouble is a fault that is put in and taken out again, or a request and another one that undoes it. */
export interface TroubleSetup extends TroubleFacts {
  /** The body of `POST /faults`; hits until it is taken out. */
  readonly fault?: (seat: Seat) => object;
  readonly begin?: (seat: Seat, admin: Admin) => Request | Promise<Request>;
  readonly end?: (seat: Seat, admin: Admin) => Request | Promise<Request>;
}

/** A list of what happened, below the emulator's admin address. */
export interface Log {
  readonly name: string;
  readonly from: "gateway" | "messenger" | "note";
}

/**
 * The phone of one messenger: its default export in `sandbox/<messenger>/phone.ts`. Facts and routes are data; the two
 * functions that read turn the messenger's own shapes into the common one.
 */
export interface Phone extends Omit<PhoneFacts, "name" | "acts" | "link" | "groups"> {
  readonly acts: Partial<Readonly<Record<ActName, (seat: Seat, given: Given) => Request>>>;
  readonly logs: readonly Log[];
  readonly troubles: readonly TroubleSetup[];
  readonly people: (admin: Admin) => Promise<readonly Person[]>;
  readonly chats: (admin: Admin, person: string) => Promise<readonly Chat[]>;
  readonly conversation: (admin: Admin, seat: Seat) => Promise<StoredConversation>;
  readonly addPerson: (given: { readonly name: string; readonly phone: string }) => Request;
  /** `account`: the business that takes part, where there is one. */
  readonly addGroup?: (
    admin: Admin,
    group: { readonly title: string; readonly people: readonly string[]; readonly account: string },
  ) => Promise<unknown>;
  readonly linking?: Linking;
  /** What a person's phone shows, as a list that can be waited for. */
  readonly inbox?: (person: string) => string;
}

/** How the account of a person is linked to a client. */
export interface Linking {
  readonly scan: (person: string, qr: string) => Request;
  readonly code?: (person: string, code: string) => Request;
  /** Null takes the password away. */
  readonly password?: (person: string, password: string | null) => Request;
  readonly unlink: (person: string, device: string) => Request;
}
