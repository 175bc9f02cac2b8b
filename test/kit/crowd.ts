import { vi } from "vitest";
import { readQr } from "../../sandbox/qr-reader.ts";
import { must, type Stand } from "./stand.ts";
import type { WhatsappStand } from "./whatsapp.ts";

/** A conversation of a person with a channel. */
export interface Chat {
  readonly channelId: string;
  readonly chatId: string;
}

/** What happens at the messenger: `repeat` is what somebody wrote, once more under the same id. */
export type Act = "write" | "echo" | "repeat";

/** Something that disturbs the messenger while people write. */
export interface Jolt {
  /** After so many acts. */
  readonly after: number;
  /** What is hit, and how. */
  readonly dice: number;
}

/** An emulated messenger with some channels, and the same people in each of them. */
export interface Crowd {
  readonly chatType: "telegram" | "whatsapp";
  /** Those of the run that has begun. */
  readonly chats: readonly Chat[];
  /** What its emulator can do. */
  readonly acts: readonly Act[];
  /** Before anybody writes. */
  begin(): Promise<unknown>;
  /** Resolves when the messenger has it; whether the service has heard of it is another matter. */
  act(chat: Chat, act: Act, text: string): Promise<unknown>;
  jolt(jolt: Jolt): Promise<unknown>;
  /** Nothing is held back any more. */
  end(): Promise<unknown>;
  /** Texts that the service was given in a chat, in the order in which the messenger gave them. */
  given(chat: Chat): Promise<string[]>;
  /** The conversation as the person sees it. */
  seen(chat: Chat): Promise<string[]>;
  /** What the channel wrote, in the order in which the messenger took it: a phone may ask for a message again. */
  taken(chat: Chat): Promise<string[]>;
}

type Json = Record<string, unknown>;
type Admin = <T = Json>(route: string, body?: object) => Promise<T>;

const isOut = (text: string): boolean => text.includes(" out ");

/** Two bots, whose updates get lost on their way and come again, and who are told to wait now and then. */
export async function telegramCrowd(stand: Stand, people: number): Promise<Crowd> {
  const { admin } = stand.telegram;
  const first = await stand.addChannel(people);
  const second = await stand.addChannel(0);
  const bots = new Map([first, second].map(({ id, bot }) => [id, bot]));
  for (const person of first.people) await admin(`POST /bots/${second.bot.id}/users/${person}/start`);
  const botId = ({ channelId }: Chat): number => bots.get(channelId)?.id ?? 0;
  const chats = chatsOf([...bots.keys()], first.people);
  const seen = async (chat: Chat): Promise<string[]> => {
    const path = `/bots/${botId(chat)}/chats/${chat.chatId}/messages`;
    const { items } = await admin<{ items: { text?: string }[] }>(`GET ${path}`);
    return items.flatMap(({ text }) => (text === undefined ? [] : [text]));
  };
  return {
    chatType: "telegram",
    chats,
    acts: ["write"],
    begin: () => admin("DELETE /faults"),
    act: (chat, _, text) => admin(`POST /bots/${botId(chat)}/users/${chat.chatId}/messages`, { text }),
    async jolt({ dice }) {
      const chat = pick(chats, dice);
      await admin("POST /faults", { bot_id: botId(chat), method: "getUpdates", drop: "after" });
      if (dice % 3 > 0) return;
      const where = { bot_id: botId(chat), chat_id: Number(chat.chatId), method: "sendMessage" };
      await admin("POST /faults", { ...where, retry_after: 1 });
    },
    end: () => admin("DELETE /faults"),
    given: async (chat) => (await seen(chat)).filter((text) => !isOut(text)),
    seen,
    taken: async (chat) => (await seen(chat)).filter(isOut),
  };
}

const wapiAdmin = (stand: Stand): Admin => adminAt(stand.telegram.url.replace("/telegram", "/admin/wapi"));

/** What a service needs to know of an app of its own at the emulated business platform. */
export async function wapiSettings(stand: Stand) {
  const secret = "secretOfTheAppInThisTest";
  const { id } = await wapiAdmin(stand)<{ id: string }>("POST /apps", { secret });
  const url = stand.telegram.url.replace("/telegram", "/wapi");
  return { GRAPH_API_URL: url, META_DIALOG_URL: url, WAPI_APP_ID: id, WAPI_APP_SECRET: secret };
}

/** Two numbers of one app; callbacks are held, and come in batches, in another order, twice, and once more later. */
export async function wapiCrowd(stand: Stand, people: number): Promise<Crowd> {
  const admin = wapiAdmin(stand);
  const { items: apps } = await admin<{ items: { id: string }[] }>("GET /apps");
  const numbers = new Map<string, string>();
  const persons = Array.from({ length: people }, (_, index) => String(16_505_550_000 + index));
  for (const id of persons) await admin("POST /users", { id, phone: id, name: `Person ${id}` });
  for (const name of ["Shop", "Bakery"]) {
    const { id: wabaId } = await admin("POST /wabas", { name });
    const { id: numberId } = await admin("POST /numbers", { waba_id: wabaId, on_biz_app: true });
    const { token } = await admin("POST /tokens", { app_id: apps[0]?.id, waba_ids: [wabaId] });
    const credentials = { phone_number_id: numberId, waba_id: wabaId, access_token: token };
    numbers.set(await createChannel(stand, "wapi", credentials), String(numberId));
  }
  for (const id of numbers.keys()) await untilActive(stand, id);
  const chats = chatsOf([...numbers.keys()], persons);
  const seat = ({ channelId, chatId }: Chat): string => `/numbers/${numbers.get(channelId)}/users/${chatId}`;
  // Only who has written within 24 hours is reached without a template.
  for (const chat of chats) await admin(`POST ${seat(chat)}/messages`, { text: "Hello" });
  await admin("POST /settings", { deliveries: 2 });
  const seen = async (chat: Chat): Promise<string[]> => {
    const path = `${seat(chat)}/messages`;
    const { items } = await admin<{ items: { content?: { body?: string } }[] }>(`GET ${path}`);
    return items.flatMap(({ content }) => content?.body ?? []);
  };
  const release = async (dice: number, keepHolding: boolean): Promise<void> => {
    const { items } = await admin<{ items: { number: number }[] }>("GET /callbacks/holds");
    const order = shuffled(
      items.map(({ number }) => number),
      dice,
    );
    await admin("POST /callbacks/releases", {
      batch: dice % 2 === 0,
      pick: order,
      keep_holding: keepHolding,
    });
  };
  return {
    chatType: "whatsapp",
    chats,
    acts: ["write", "echo"],
    begin: () => admin("POST /callbacks/holds"),
    act: (chat, act, text) =>
      act === "echo"
        ? admin(`POST /numbers/${numbers.get(chat.channelId)}/echoes`, { user_id: chat.chatId, text })
        : admin(`POST ${seat(chat)}/messages`, { text }),
    async jolt({ dice }) {
      await release(dice, true);
      const { items } = await admin<{ items: { seq: number }[] }>("GET /callbacks?limit=50");
      await admin(`POST /callbacks/${pick(items, dice).seq}/repeats`, { times: 1 + (dice % 2) });
    },
    async end() {
      await release(0, false);
      // What came between the look and the release.
      const { holding } = await admin<{ holding: boolean }>("GET /callbacks/holds");
      if (holding) await admin("POST /callbacks/releases", { batch: true });
    },
    async given(chat) {
      const { items } = await admin<{ items: Callback[] }>("GET /callbacks?status=200&limit=10000");
      const all = items
        .flatMap(({ body }) => textsIn(body))
        .filter(({ numberId }) => numberId === numbers.get(chat.channelId));
      const own = all.filter(({ person }) => person === chat.chatId);
      return [...new Map(own.map(({ id, text }) => [id, text])).values()];
    },
    seen,
    taken: async (chat) => (await seen(chat)).filter(isOut),
  };
}

interface Callback {
  readonly body: { readonly entry: readonly { readonly changes: readonly { readonly value: Value }[] }[] };
}
interface Value {
  readonly metadata?: { readonly phone_number_id: string };
  readonly messages?: readonly Told[];
  readonly message_echoes?: readonly Told[];
}
interface Told {
  readonly id: string;
  readonly from: string;
  readonly to?: string;
  readonly text?: { readonly body: string };
}

/** Texts of people and echoes in the body of a callback, in order. */
function textsIn({ entry }: Callback["body"]) {
  return entry
    .flatMap(({ changes }) => changes.map(({ value }) => value))
    .flatMap(({ metadata, messages = [], message_echoes: echoes = [] }) =>
      [...messages, ...echoes].map(({ id, from, to, text }) => ({
        numberId: metadata?.phone_number_id,
        person: to ?? from,
        id,
        text: text?.body ?? "",
      })),
    );
}

/**
 * Two phones, whose linked devices lose their line, or hear nothing for a while and then all at once. Each run has new
 * people, of whom neither side has heard before; some of them write under their hidden ids. Ids are repeated, and two
 * people may use the same.
 */
export async function whatsappCrowd(stand: Stand, whatsapp: WhatsappStand, people: number): Promise<Crowd> {
  const { admin } = whatsapp;
  const phones = new Map<string, string>();
  for (const name of ["Shop", "Bakery"]) {
    const phone = await whatsapp.addPerson(name);
    const id = await createChannel(stand, "whatsapp", {});
    await admin(`POST /people/${phone}/scans`, { qr: readQr(await qrOf(stand, id)) });
    await untilActive(stand, id);
    phones.set(id, phone);
  }
  let chats: readonly Chat[] = [];
  const hidden = new Set<string>();
  const phoneOf = ({ channelId }: Chat): string => phones.get(channelId) ?? "";
  const written = new Map<Chat, { message_id: string; text: string }>();
  const write = (chat: Chat, content: { message_id: string; text: string }): Promise<Json> =>
    admin(`POST /people/${chat.chatId}/messages`, {
      to: phoneOf(chat),
      addressing: hidden.has(chat.chatId) ? "lid" : "pn",
      ...content,
    });
  const conversation = async (chat: Chat): Promise<{ message_id: string; text: string }[]> => {
    const path = `/people/${chat.chatId}/chats/${phoneOf(chat)}/messages`;
    return (await admin<{ items: { message_id: string; text: string }[] }>(`GET ${path}`)).items;
  };
  const seen = async (chat: Chat): Promise<string[]> => (await conversation(chat)).map(({ text }) => text);
  const counts = new Map<Chat, number>();
  /** Whose line is held. */
  let silent: string | null = null;
  /** Who loses the line again and again waits longer and longer to come back: it is lost in every third run only. */
  let runs = 0;
  const dropped = new Set<string>();
  return {
    chatType: "whatsapp",
    get chats() {
      return chats;
    },
    acts: ["write", "echo", "repeat"],
    async begin() {
      runs++;
      dropped.clear();
      const persons: string[] = [];
      for (let left = people; left > 0; left--) persons.push(await whatsapp.addPerson(`Person ${left}`));
      hidden.add(persons[0] ?? "");
      chats = chatsOf([...phones.keys()], persons);
    },
    async act(chat, act, text) {
      if (act === "echo") return admin(`POST /people/${phoneOf(chat)}/messages`, { to: chat.chatId, text });
      const before = written.get(chat);
      if (act === "repeat" && before !== undefined) return write(chat, before);
      // The same in each chat.
      const count = (counts.get(chat) ?? 0) + 1;
      counts.set(chat, count);
      const content = { message_id: `3EB0${String(count).padStart(18, "0")}`, text };
      written.set(chat, content);
      return write(chat, content);
    },
    async jolt({ dice }) {
      const steady = [...phones.values()].filter((phone) => !dropped.has(phone));
      if (steady.length === 0) return;
      const phone = silent ?? pick(steady, dice);
      const line = `/people/${phone}/devices/any`;
      if (runs % 3 === 1) {
        dropped.add(phone);
        await admin(`POST ${line}/drops`);
        return;
      }
      await admin(`POST ${line}/${silent === null ? "freezes" : "thaws"}`);
      silent = silent === null ? phone : null;
    },
    async end() {
      if (silent !== null) await admin(`POST /people/${silent}/devices/any/thaws`);
      silent = null;
    },
    given: async (chat) => (await seen(chat)).filter((text) => !isOut(text)),
    seen,
    async taken(chat) {
      const texts = new Map((await conversation(chat)).map(({ message_id: id, text }) => [id, text]));
      const path = `/sent?from=${phoneOf(chat)}&chat=${chat.chatId}&limit=10000`;
      const { items } = await admin<{ items: { message_id: string }[] }>(`GET ${path}`);
      const ids = new Set(items.map(({ message_id: id }) => id));
      return [...ids].map((id) => texts.get(id) ?? `${id} is not shown`);
    },
  };
}

async function qrOf(stand: Stand, channelId: string): Promise<string> {
  const codes = (): { channelId: string; qr?: string }[] =>
    stand.receiver.posts.flatMap(({ body }) => JSON.parse(body).channelsUpdates ?? []);
  const find = () => codes().findLast((update) => update.channelId === channelId && update.qr !== undefined);
  await stand.receiver.until(() => find() !== undefined);
  return find()?.qr ?? "";
}

function adminAt(base: string): Admin {
  return async <T>(route: string, body?: object): Promise<T> => {
    const [method = "GET", path = ""] = route.split(" ");
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const answer = await fetch(base + path, init);
    if (!answer.ok) throw new Error(`${route}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
}

async function createChannel(stand: Stand, transport: string, credentials: object): Promise<string> {
  const { json } = await must(stand.call("POST", "/v2/channels", { transport, credentials }));
  return (json as { data: { channel_id: string }[] }).data[0]?.channel_id ?? "";
}

function untilActive(stand: Stand, id: string): Promise<unknown> {
  return vi.waitUntil(
    async () =>
      JSON.stringify((await stand.call("GET", `/v2/channels/${id}`)).json).includes('"status":"active"'),
    { interval: 50 },
  );
}

function chatsOf(channels: readonly string[], people: readonly string[]): Chat[] {
  return channels.flatMap((channelId) => people.map((chatId) => ({ channelId, chatId })));
}

function pick<T>(list: readonly T[], dice: number): T {
  const one = list[dice % list.length];
  if (one === undefined) throw new Error("there is nothing to pick from");
  return one;
}

/** In an order of their own for each `dice`; 0 leaves them as they are. */
function shuffled(numbers: readonly number[], dice: number): number[] {
  const place = (number: number): number => (number * dice) % 97;
  return numbers.toSorted((a, b) => place(a) - place(b));
}
