/** What a crowd acts on: the service under test, and the emulator's admin API. */
export interface CrowdStage {
  /** Where the service is; messengers that call back find it there. */
  readonly serviceUrl: () => string;
  /** Asks the service as the account, on `/v2` or `/v3`. Throws when the answer is no success. */
  api<T>(method: "GET" | "POST", path: string, body?: object): Promise<T>;
  /** Asks the emulator. Throws when it refuses. */
  admin<T = unknown>(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<T>;
}

/** `sandbox/<transport>/crowd.ts` exports one by default. */
export interface Messenger {
  /** Environment variables that lead the service to the emulator, from the emulator's entry in `GET /`. */
  settings(emulator: Readonly<Record<string, unknown>>): Readonly<Record<string, string>>;
  /** A service without a public address asks this messenger for news. */
  readonly polls?: true;
  gather(stage: CrowdStage): Promise<Crowd>;
}

/** A conversation of a person with a channel; told apart by identity. */
export interface Chat {
  readonly channelId: string;
  readonly chatId: string;
}

/** What happens at the messenger: `echo` is written by the channel's owner, `repeat` comes again under the same id. */
export type Act = "write" | "echo" | "repeat";

/** An emulated messenger with channels, and people who write to all of them. */
export interface Crowd {
  readonly chatType: string;
  /** Those that this emulator can do besides `write`. */
  readonly acts: readonly Act[];
  /** What the owner writes elsewhere is found in the chat, and may be told after what was written later. */
  readonly echoesComeLate?: true;
  /** An account of its own at the messenger; resolves with its channel once that is active. */
  addChannel(): Promise<string>;
  /** A new person; resolves with a chat for each channel, in which the channel may write. */
  addPerson(): Promise<readonly Chat[]>;
  /** Before anybody writes. `calledBack`: the messenger calls the service, which does not ask by itself. */
  begin(calledBack: boolean): Promise<unknown>;
  /** Resolves when the messenger has it; whether the service has heard of it is another matter. */
  act(chat: Chat, act: Act, text: string): Promise<unknown>;
  /** Disturbs the messenger while people write; `dice` decides what is hit, and how. */
  jolt(dice: number): Promise<unknown>;
  /** Nothing is held back any more. */
  end(): Promise<unknown>;
  /** Texts of the conversation as the person sees it. */
  seen(chat: Chat): Promise<readonly string[]>;
  /** Texts that the service was given in a chat, in that order, where it may differ from that of `seen`. */
  readonly given?: (chat: Chat) => Promise<readonly string[]>;
  /** Texts of the channel in the order in which the messenger took them, where it may differ from that of `seen`. */
  readonly taken?: (chat: Chat) => Promise<readonly string[]>;
}

/** Which member of the list a throw of the dice hits. */
export function pick<T>(list: readonly T[], dice: number): T {
  const one = list[dice % list.length];
  if (one === undefined) throw new Error("there is nothing to pick from");
  return one;
}
