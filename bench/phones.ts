import { setTimeout as sleep } from "node:timers/promises";
import { type Client, post, type Stand } from "./stand.ts";

/** How many phones are linked at the same time. */
const AT_ONCE = 20;
const PATIENCE_MS = 120_000;
const FIRST_PHONE = 79_000_000_000;

type EventName = "login" | "ready" | "refused";

/** What a linked device did, as the emulated WhatsApp saw it. */
export interface Noted {
  readonly phone: string;
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
}

/** The emulated WhatsApp with the phones that channels are linked to. */
export class Phones {
  readonly #admin: string;
  readonly #numbers: string[] = [];

  constructor({ whatsapp }: Stand) {
    this.#admin = whatsapp.admin;
  }

  /** Creates channels, links each to a phone of its own and resolves when all are active. */
  async link(api: Client, count: number): Promise<void> {
    let left = count;
    const linkNext = async (): Promise<void> => {
      while (left-- > 0) await this.#linkOne(api);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, linkNext));
  }

  /** Breaks the line of every linked device, and resolves when all are connected again. */
  async dropAll(): Promise<void> {
    const mark = await this.mark();
    await Promise.all(this.#numbers.map((phone) => this.#post(`/people/${phone}/devices/any/drops`, {})));
    await this.everyPhone("ready", mark);
  }

  /** The place in the list of events from which to count. */
  async mark(): Promise<number> {
    return (await this.#read("/events?limit=1")).last_seq;
  }

  /** The events of these names after a mark. */
  async events(names: readonly EventName[], after: number): Promise<readonly Noted[]> {
    const pages = names.map((name) => this.#read(`/events?event=${name}&after=${after}&limit=10000`));
    return (await Promise.all(pages)).flatMap(({ items }) => items);
  }

  /** The first event of this name of each phone after a mark, as soon as all have one. Throws when that takes too long. */
  async everyPhone(name: EventName, after: number): Promise<readonly Noted[]> {
    const first = new Map<string, Noted>();
    for (let last = after; first.size < this.#numbers.length; ) {
      const missing = this.#numbers.length - first.size;
      const range = `after=${last}&count=${missing}&timeout_ms=${PATIENCE_MS}&limit=10000`;
      const { complete, items } = await this.#read(`/events?event=${name}&${range}`);
      for (const noted of items) if (!first.has(noted.phone)) first.set(noted.phone, noted);
      last = items.at(-1)?.seq ?? last;
      if (!complete) throw new Error(`only ${first.size} of ${this.#numbers.length} phones: "${name}"`);
    }
    return [...first.values()];
  }

  /** By a code that is typed on the phone, which costs this process less than reading a picture. */
  async #linkOne(api: Client): Promise<void> {
    const phone = String(FIRST_PHONE + this.#numbers.length);
    this.#numbers.push(phone);
    await this.#post("/people", { phone, name: "Shop" });
    const transport = "whatsapp";
    const { data } = await api.post<{ data: { channel_id: string }[] }>("/v2/channels", {
      transport,
      credentials: {},
    });
    const path = `/v2/channels/${data[0]?.channel_id}`;
    await untilStatus(api, path, "init/qr");
    const answer = await api.post<{ data: { pairing_code: string }[] }>(`${path}/pairing-code`, {
      transport,
      pairing_phone: phone,
    });
    const code = answer.data[0]?.pairing_code;
    await this.#post(`/people/${phone}/codes`, { code, timeout_ms: PATIENCE_MS });
    await untilStatus(api, path, "active/null");
  }

  async #post(path: string, body: object): Promise<void> {
    await post(this.#admin + path, body);
  }

  async #read(path: string): Promise<{ complete: boolean; last_seq: number; items: readonly Noted[] }> {
    const answer = await fetch(this.#admin + path);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { complete: boolean; last_seq: number; items: readonly Noted[] };
  }
}

async function untilStatus(api: Client, path: string, wanted: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  let found = "";
  while (performance.now() < end) {
    const { data } = await api.get<{ data: { status: string; reason: string | null }[] }>(path);
    found = `${data[0]?.status}/${data[0]?.reason}`;
    if (found === wanted) return;
    await sleep(100);
  }
  throw new Error(`${path} is ${found} instead of ${wanted}`);
}
