import type { ProxyRoute } from "../../../platform/network/proxy/proxy.ts";
import type {
  FileResume,
  MarkedChat,
  OutboundContent,
  OutboundFile,
  OutboundMessage,
  ReactionTarget,
} from "../connector.ts";
import type { ChatMark } from "../definition.ts";
import type { FileRef, MessageRef } from "../events.ts";
import type { GroupChange, NewGroup } from "../groups.ts";
import type { LoginStep } from "../login.ts";

/** What a worker needs to open a session: the parts of the link that are data. */
export interface Opening {
  readonly channelId: string;
  readonly credentials: unknown;
  readonly settings: unknown;
  readonly proxy: ProxyRoute | null;
  readonly callbackUrl: string | null;
  readonly callbackSecret: string;
  readonly appCallbackUrl: string | null;
  readonly codes: { readonly claim: string; readonly invitation: string };
}

/** A file to send; its bytes stay in the parent and are read through `handle`. */
export type RemoteFile = Omit<OutboundFile, "open" | "offer"> & { readonly handle: string };
export type RemoteContent =
  | Exclude<OutboundContent, { type: "file" }>
  | { readonly type: "file"; readonly file: RemoteFile; readonly caption?: string };
export type RemoteMessage = Omit<OutboundMessage, "content"> & { readonly content: RemoteContent };
export type RemoteGroupChange =
  | Exclude<GroupChange, { kind: "picture" }>
  | { readonly kind: "picture"; readonly picture: RemoteFile | null };
export type RemoteChange = { readonly text: string } | { readonly file: RemoteFile };

/** Calls of a session in its worker. `at` is the time of the call, by the machine's clock. */
export type SessionCall =
  | { readonly method: "send"; readonly at: number; readonly message: RemoteMessage }
  | { readonly method: "edit"; readonly at: number; readonly ref: MessageRef; readonly change: RemoteChange }
  | { readonly method: "remove"; readonly at: number; readonly ref: MessageRef }
  | {
      readonly method: "react";
      readonly at: number;
      readonly target: ReactionTarget;
      readonly emoji: string | null;
    }
  | {
      readonly method: "mark";
      readonly at: number;
      readonly chat: MarkedChat;
      readonly mark: ChatMark;
    }
  | { readonly method: "findPerson"; readonly at: number; readonly phone: string }
  | { readonly method: "createGroup"; readonly at: number; readonly request: NewGroup }
  | { readonly method: "readGroup"; readonly at: number; readonly chatId: string }
  | {
      readonly method: "changeGroup";
      readonly at: number;
      readonly chatId: string;
      readonly change: RemoteGroupChange;
    }
  | { readonly method: "openFile"; readonly file: FileRef; readonly resume?: FileResume }
  | { readonly method: "answer"; readonly step: LoginStep }
  | { readonly method: "reprocess"; readonly payload: unknown }
  | { readonly method: "logout" };

/** An inbound file; its bytes are read through `stream`. */
export interface RemoteOpenedFile {
  readonly stream: number;
  readonly mimeType?: string;
  readonly size?: number;
  readonly name?: string;
  readonly from?: number;
  readonly validator?: string;
}
