import { connectByKeys } from "./page.ts";
import type { Stage } from "./stage.ts";
import type { Told } from "./webhooks.ts";

/** A chat as addressed by a client program. */
export interface Recipient {
  readonly chat_type: string;
  readonly chat_id?: string;
  readonly username?: string;
  readonly phone?: string;
}

interface Checked {
  readonly phone: string;
  readonly exists: boolean | null;
}

interface Restricted {
  readonly kind: string;
  readonly until: string | null;
}

/** In ascending order: a later status implies the earlier ones, reported or not. */
const RISING = ["sent", "delivered", "read"];
export type Expected = "sent" | "delivered" | "read" | "error";

/** The CRM's side of one channel. */
export class Crm {
  readonly #stage: Stage;
  readonly #recipient: Recipient;
  channelId = "";
  #heardIn = "";

  constructor(stage: Stage, recipient: Recipient) {
    this.#stage = stage;
    this.#recipient = recipient;
  }

  /** Creates the channel and returns the service's response. */
  async createChannel(transport: string, credentials: object): Promise<Readonly<Record<string, unknown>>> {
    const { status, json } = await this.#stage.api("POST", "/v2/channels", { transport, credentials });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(json)}`);
    const [channel] = (json as { data: { channel_id: string }[] }).data;
    if (channel === undefined) throw new Error(`no channel in ${JSON.stringify(json)}`);
    this.channelId = channel.channel_id;
    return channel;
  }

  /** Links a channel as a person does, with credentials on the page of this link. */
  async connectOnPage(link: string, transport: string, credentials: object): Promise<void> {
    this.channelId = await connectByKeys(link, transport, credentials);
  }

  /** Waits for the channel's next status; `reason` null if it has none. */
  async status(status: string, reason: string | null, patienceMs?: number): Promise<string> {
    const name = reason === null ? status : `${status} / ${reason}`;
    const fits = ({ kind, item }: Told): boolean =>
      kind === "channel.status_update" &&
      item["channel_id"] === this.channelId &&
      item["status"] === status &&
      item["reason"] === reason;
    await this.#stage.told(`the channel is ${name}`, fits, patienceMs);
    return name;
  }

  /** Waits until the channel is reported with this restriction, or without; returns its end, "open", or "ended". */
  async restricted(kind: string, isRestricted = true): Promise<string> {
    const found = ({ item }: Told) =>
      (item["restrictions"] as readonly Restricted[] | undefined)?.find((each) => each.kind === kind);
    const told = await this.#stage.told(
      `the channel is ${isRestricted ? "" : "no longer "}restricted: ${kind}`,
      (each) =>
        each.kind === "channel.status_update" &&
        each.item["channel_id"] === this.channelId &&
        each.item["status"] === "active" &&
        each.item["restrictions"] !== undefined &&
        (found(each) !== undefined) === isRestricted,
    );
    const restriction = found(told);
    return restriction === undefined ? "ended" : (restriction.until ?? "open");
  }

  /** Asks which numbers have an account; resolves with the answers at once and by events, by number. */
  async checkPhones(phones: readonly string[]): Promise<ReadonlyMap<string, boolean | null>> {
    const path = `/v2/channels/${this.channelId}/phones/check`;
    const { status, json } = await this.#stage.api("POST", path, { phones });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(json)}`);
    const { data } = json as { data: { check_id: string; phones: Checked[]; waiting: number } };
    const results = new Map(data.phones.map(({ phone, exists }) => [phone, exists]));
    for (let { waiting } = data; waiting > 0; waiting--) {
      const { item } = await this.#stage.told(
        "a checked number",
        (each) => each.kind === "phones.checked" && each.item["check_id"] === data.check_id,
      );
      for (const { phone, exists } of item["phones"] as Checked[]) results.set(phone, exists);
    }
    return results;
  }

  /** Discards the status webhooks received so far. */
  forgetStatus(): void {
    this.#stage.forget(({ kind }) => kind.startsWith("channel."));
  }

  /**
   * Polls the channel until it has this status. If several causes act at once, a webhook may report a state in
   * between.
   */
  async isNow(status: string, reason: string | null): Promise<string> {
    const name = reason === null ? status : `${status} / ${reason}`;
    await this.#stage.until(`the channel is ${name}`, async () => {
      const { json } = await this.#stage.api("GET", `/v2/channels/${this.channelId}`);
      const [channel] = (json as { data: { status: string; reason: string | null }[] }).data;
      return channel?.status === status && channel.reason === reason;
    });
    return name;
  }

  /** Sends a message; resolves with its id. `to` selects another chat. */
  async send(content: object, to: Recipient = this.#recipient): Promise<string> {
    const body = { channel_id: this.channelId, recipient: to, ...content };
    const { status, json } = await this.#stage.api("POST", "/v2/messages", body);
    const id = (json as { data?: { request_id?: string } }).data?.request_id;
    if (status !== 200 || id === undefined) throw new Error(`${status} ${JSON.stringify(json)}`);
    return id;
  }

  /** Waits until a message has this status or a higher one; returns it, or the error code. */
  async become(
    messageId: string,
    expected: Expected,
    { code, patienceMs }: { readonly code?: string; readonly patienceMs?: number } = {},
  ): Promise<string> {
    const { item } = await this.#stage.told(
      `${messageId} is ${expected}`,
      ({ kind, item }) =>
        kind === "statuses" &&
        item["messageId"] === messageId &&
        (item["status"] === "error" || reaches(String(item["status"]), expected)),
      patienceMs,
    );
    const error = item["error"] as { readonly error: string; readonly description?: string } | undefined;
    if (error === undefined) return String(item["status"]);
    if (expected !== "error" || (code !== undefined && error.error !== code))
      throw new Error(`${error.error}: ${error.description}`);
    return error.error;
  }

  /** Waits for the outcome of a message: the error code, or a status. */
  async outcome(messageId: string): Promise<string> {
    const { item } = await this.#stage.told(
      `what became of ${messageId}`,
      ({ kind, item }) => kind === "statuses" && item["messageId"] === messageId,
    );
    const error = item["error"] as { readonly error: string } | undefined;
    return error?.error ?? String(item["status"]);
  }

  /** Waits for a message webhook with these field values. */
  async hears(fields: Readonly<Record<string, unknown>>): Promise<Told["item"]> {
    const { item } = await this.#stage.told(`a message ${JSON.stringify(fields)}`, this.#isMessage(fields));
    this.#heardIn = `${item["chatType"]}/${encodeURIComponent(String(item["chatId"]))}`;
    return item;
  }

  /** Marks the chat of the message heard last; returns the HTTP status. */
  async mark(mark: "read" | "typing"): Promise<string> {
    const body = { channel_id: this.channelId };
    const { status, json } = await this.#stage.api("POST", `/v2/chats/${this.#heardIn}/${mark}`, body);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(json)}`);
    return String(status);
  }

  /** Whether there is another such webhook. */
  hasHeard(fields: Readonly<Record<string, unknown>>): boolean {
    return this.#stage.wasTold(this.#isMessage(fields));
  }

  /** Waits for a group update with these fields; `action`: with a member that has it. */
  async hearsOfGroup(event: string, fields: Readonly<Record<string, unknown>>): Promise<Told["item"]> {
    const fits = ({ kind, item }: Told): boolean => {
      const members = (item["members"] ?? []) as readonly { readonly action: string }[];
      return (
        kind === event &&
        item["channel_id"] === this.channelId &&
        Object.entries(fields).every(([name, value]) =>
          name === "action" ? members.some(({ action }) => action === value) : item[name] === value,
        )
      );
    };
    return (await this.#stage.told(`${event} ${JSON.stringify(fields)}`, fits)).item;
  }

  /** Whether there is another such update. */
  hasHeardOfGroup(): boolean {
    return this.#stage.wasTold(({ kind }) => kind.startsWith("group_chat."));
  }

  #isMessage(fields: Readonly<Record<string, unknown>>) {
    return ({ kind, item }: Told): boolean =>
      kind === "messages" &&
      item["channelId"] === this.channelId &&
      Object.entries(fields).every(([name, value]) => item[name] === value);
  }

  /** Sets the channel's reaction, or removes it (null); returns a summary of the response. */
  async react(messageId: string, emoji: string | null): Promise<string> {
    const method = emoji === null ? "DELETE" : "PUT";
    const path = `/v2/messages/${messageId}/reaction`;
    const { status, json } = await this.#stage.api(method, path, emoji === null ? undefined : { emoji });
    const error = (json as { error?: string }).error;
    if (error !== undefined) throw new Error(`${status} ${error}`);
    return String(status);
  }

  /** Waits for a reaction to this message (null: a removed one), of the channel itself or of a person. */
  async hearsReaction(messageId: string, emoji: string | null, by: "us" | "person"): Promise<Told["item"]> {
    const fits = ({ kind, item }: Told): boolean =>
      kind === "reactions" &&
      item["messageId"] === messageId &&
      plain(item["emoji"]) === plain(emoji) &&
      (item["from"] === "us") === (by === "us");
    return (await this.#stage.told(`${by} reacted with ${emoji} to ${messageId}`, fits)).item;
  }

  /** `PATCH` and `DELETE /v2/messages/{id}`; returns a summary of the response. */
  async change(method: "PATCH" | "DELETE", messageId: string, body?: object): Promise<string> {
    const { status, json } = await this.#stage.api(method, `/v2/messages/${messageId}`, body);
    const error = (json as { error?: string }).error;
    if (error !== undefined) throw new Error(`${status} ${error}`);
    return String(status);
  }
}

/** Messengers leave out the selector of an emoji's form. */
function plain(emoji: unknown): unknown {
  return typeof emoji === "string" ? emoji.replaceAll("\uFE0F", "") : emoji;
}

function reaches(status: string, expected: Expected): boolean {
  return RISING.includes(expected) && RISING.indexOf(status) >= RISING.indexOf(expected);
}
