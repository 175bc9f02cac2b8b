/** The parts of the official client that tests use; it has no types. */
declare module "viber-bot" {
  import type { RequestListener } from "node:http";

  interface UserProfile {
    readonly id: string;
    readonly name: string;
    readonly country: string | null;
  }

  interface Message {
    readonly token: string;
    readonly trackingData: object;
    readonly url?: string;
    readonly text?: string | null;
  }

  interface Response {
    readonly userProfile: UserProfile;
    send(messages: object | readonly object[], trackingData?: object): Promise<readonly unknown[]>;
  }

  type Finish = (message: object, trackingData?: object) => void;

  export class Bot {
    constructor(configuration: {
      authToken: string;
      name: string;
      avatar: string;
      registerToEvents?: readonly string[];
    });
    /** The client has a fixed address of the platform; tests replace it. */
    readonly _client: { _url: string };
    getBotProfile(): Promise<{
      readonly id: string;
      readonly name: string;
      readonly subscribers_count: number;
    }>;
    getUserDetails(user: { readonly id: string }): Promise<UserProfile>;
    getOnlineStatus(
      ids: readonly string[],
    ): Promise<{ readonly users: readonly { readonly online_status: number }[] }>;
    setWebhook(url: string): Promise<{ readonly event_types: readonly string[] }>;
    sendMessage(user: { readonly id: string }, messages: object): Promise<readonly unknown[]>;
    middleware(): RequestListener;
    onTextMessage(pattern: RegExp, callback: (message: Message, response: Response) => void): void;
    onConversationStarted(
      callback: (
        user: UserProfile,
        isSubscribed: boolean,
        context: string | undefined,
        finish: Finish,
      ) => void,
    ): void;
    on(event: "message", callback: (message: Message, response: Response) => void): void;
    on(event: "subscribed", callback: (response: Response) => void): void;
    on(event: "unsubscribed", callback: (userId: string) => void): void;
    on(event: "delivered" | "seen", callback: (event: { readonly message_token: string }) => void): void;
  }

  export const Message: {
    readonly Text: new (text: string, keyboard?: object) => object;
    readonly Picture: new (url: string, text?: string) => object;
    readonly Video: new (url: string, size: number) => object;
    readonly File: new (url: string, size: number, name: string) => object;
    readonly Contact: new (name: string, phone: string) => object;
    readonly Location: new (latitude: number, longitude: number) => object;
    readonly Url: new (url: string) => object;
    readonly Sticker: new (id: number) => object;
    readonly RichMedia: new (cards: object) => object;
    readonly Keyboard: new (keyboard: object) => object;
  };
}
