import type { ChatType, MediaKind } from "./definition.ts";

/** Everything a messenger can tell us. One union: a new kind of fact fails to compile until core handles it. */
export type TransportEvent =
  | { readonly kind: "message"; readonly message: InboundMessage }
  | { readonly kind: "edited"; readonly ref: MessageRef; readonly body: MessageBody; readonly at: Date }
  | { readonly kind: "deleted"; readonly ref: MessageRef; readonly at: Date }
  | {
      readonly kind: "receipt";
      readonly ref: MessageRef;
      readonly status: "sent" | "delivered" | "read";
      readonly at: Date;
    }
  /** The messenger gave a chat another id (a Telegram group that became a supergroup, a LID that got a number). */
  | {
      readonly kind: "moved";
      readonly chatType: ChatType;
      readonly chatId: string;
      readonly newChatId: string;
    }
  | { readonly kind: "link"; readonly state: LinkState };

/** A message as the messenger names it. Together with the channel it is unique, so replays are harmless. */
export interface MessageRef {
  readonly chatType: ChatType;
  readonly chatId: string;
  readonly externalId: string;
}

export interface InboundMessage extends MessageRef {
  /** `echo`: written by the channel's owner elsewhere, e.g. on the phone. */
  readonly direction: "in" | "echo";
  /** When the messenger says it was sent. */
  readonly sentAt: Date;
  /** The chat's name and the person's identifiers, as far as the messenger tells them. */
  readonly contact: Contact;
  /** Who wrote in a group. */
  readonly sender?: { readonly id: string; readonly name: string };
  readonly body: MessageBody;
  /** A button of ours that was pressed, with its payload. */
  readonly pressed?: { readonly text: string; readonly payload?: string };
  /** The post that this is a comment on. */
  readonly post?: CommentedPost;
  /** The message answered to; `body` serves when we never stored it. */
  readonly quoted?: { readonly externalId: string; readonly body?: MessageBody };
}

export interface Contact {
  readonly name: string;
  readonly username?: string;
  /** International, digits only. */
  readonly phone?: string;
  readonly avatar?: FileRef;
}

/** A post of the channel's owner in a social network, with what else its messenger tells of it. */
export interface CommentedPost {
  readonly id: string;
  readonly src: string;
  readonly author: string;
  readonly description: string;
  readonly [more: string]: string | number;
}

export type MessageBody =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "media"; readonly media: MediaKind; readonly file: FileRef; readonly text: string }
  | { readonly type: "geo"; readonly latitude: number; readonly longitude: number; readonly text: string }
  | { readonly type: "vcard"; readonly vcard: string }
  | { readonly type: "missing_call" }
  /** `what` names the kind for a person, e.g. "poll". */
  | { readonly type: "unsupported"; readonly what: string };

/** A file the session can open later by `token`; core decides when to fetch it. `size` in bytes. */
export interface FileRef {
  readonly token: string;
  readonly name?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

/** Who the channel is in the messenger. */
export interface ChannelProfile {
  readonly messengerId: string;
  readonly name: string;
  readonly username?: string;
  readonly phone?: string;
  readonly url?: string;
}

/** What a session says of its connection. Closed list; `lost` is announced only when it lasts. */
export type LinkState =
  | { readonly status: "active"; readonly profile: ChannelProfile }
  | { readonly status: "init"; readonly reason: "qr"; readonly qr: string }
  | { readonly status: "init"; readonly reason: "wait_for_password" | "wait_for_code" | "sync" }
  | {
      readonly status: "disabled";
      readonly reason: "unauthorized" | "qridle" | "openelsewhere" | "foreignphone" | "blocked" | "rejected";
    }
  | { readonly status: "lost"; readonly detail: string };
