/** What a crowd uses: the service under test, and the emulator's admin API. */
export interface CrowdStage {
  /** The service's address, also for callbacks of messengers. */
  readonly serviceUrl: () => string;
  /** Calls the service as the account, on `/v2` or `/v3`. Throws unless it succeeds. */
  api<T>(method: "GET" | "POST", path: string, body?: object): Promise<T>;
  /** Calls the emulator. Throws if it rejects the request. */
  admin<T = unknown>(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<T>;
}

/** `sandbox/<transport>/crowd.ts` exports one by default. */
export interface Messenger {
  /** Environment variables that lead the service to the emulator, from the emulator's entry in `GET /`. */
  settings(emulator: Readonly<Record<string, unknown>>): Readonly<Record<string, string>>;
  /** Without a public address, the service polls this messenger. */
  readonly polls?: true;
  gather(stage: CrowdStage): Promise<Crowd>;
}

/** A conversation of a person with a channel; compared by identity. */
export interface Chat {
  readonly channelId: string;
  readonly chatId: string;
}

/**
 * Actions at the messenger: `echo` is written by the channel's owner, `repeat` is reported again with the same id.
 */
export type Act = "write" | "echo" | "repeat";

/** An emulated messenger with channels, and people who write to all of them. */
export interface Crowd {
  readonly chatType: string;
  /** The actions supported in addition to `write`. */
  readonly acts: readonly Act[];
  /** Echoes are found by polling the chat, and may be reported after later messages. */
  readonly echoesComeLate?: true;
  /** A new account at the messenger; resolves with its channel once that is active. */
  addChannel(): Promise<string>;
  /** A new person; resolves with a chat for each channel, to which the channel may write. */
  addPerson(): Promise<readonly Chat[]>;
  /** Called before the first action. `calledBack`: the messenger calls the service, which does not poll. */
  begin(calledBack: boolean): Promise<unknown>;
  /** Resolves when the messenger has the message, independently of the service. */
  act(chat: Chat, act: Act, text: string): Promise<unknown>;
  /** Disturbs the messenger during the conversation; `dice` selects what, and how. */
  jolt(dice: number): Promise<unknown>;
  /** Ends all disturbances. */
  end(): Promise<unknown>;
  /** Texts of the conversation as displayed to the person. */
  seen(chat: Chat): Promise<readonly string[]>;
  /** Texts delivered to the service in a chat, in that order, if it may differ from that of `seen`. */
  readonly given?: (chat: Chat) => Promise<readonly string[]>;
  /** Texts of the channel in the order in which the messenger accepted them, if it may differ from that of `seen`. */
  readonly taken?: (chat: Chat) => Promise<readonly string[]>;
  /** What the emulator recorded about a conversation; written beside the logs of a run that failed. */
  readonly trace?: (chat: Chat) => Promise<unknown>;
}

/** The item of the list that the dice selects. */
export function pick<T>(list: readonly T[], dice: number): T {
  const one = list[dice % list.length];
  if (one === undefined) throw new Error("there is nothing to pick from");
  return one;
}
