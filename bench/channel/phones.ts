import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, post } from "../kit/stand.ts";

/** How many phones are linked concurrently. */
const AT_ONCE = 20;
const PATIENCE_MS = 120_000;
const FIRST_PHONE = 79_000_000_000;

type EventName = "login" | "ready" | "refused" | "connected" | "opened";

/** An event of a linked device, as recorded by the emulated messenger. */
export interface Noted {
  readonly phone: string;
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  /** For a QR code: its content. */
  readonly detail?: string | null;
  /** For a login: the code that was sent. */
  readonly code?: string;
}

/** The emulated messenger with the phones whose accounts are linked. */
export class Phones {
  readonly #fleet: Fleet;
  readonly #api: EmulatorApi;
  readonly #numbers: string[] = [];

  constructor(fleet: Fleet, admin: string) {
    this.#fleet = fleet;
    this.#api = { admin, read: (path) => read(admin + path), post: (path, body) => post(admin + path, body) };
  }

  /** Creates channels, links each to a separate phone and resolves when all are active. */
  async link(api: Client, count: number): Promise<void> {
    let left = count;
    const linkNext = async (): Promise<void> => {
      while (left-- > 0) await this.#linkOne(api);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, linkNext));
  }

  /** Breaks the connection of every linked device, and resolves when all are connected again. */
  async dropAll(): Promise<void> {
    const mark = await this.mark();
    const { line } = this.#fleet;
    await Promise.all(this.#numbers.map((phone) => this.#api.post(`/people/${phone}/${line}/any/drops`, {})));
    await this.allBack(mark);
  }

  /** The position in the list of events from which to count. */
  async mark(): Promise<number> {
    return (await this.#api.read("/events?limit=1")).last_seq;
  }

  /** When each phone's account was first connected after a mark. */
  allBack(after: number): Promise<readonly Noted[]> {
    return this.#everyPhone(this.#fleet.ready, after);
  }

  /** Attempts to connect after a mark, including refused ones. */
  async attempts(after: number): Promise<readonly Noted[]> {
    const pages = this.#fleet.attempts.map((name) =>
      this.#api.read(`/events?event=${name}&after=${after}&limit=10000`),
    );
    return (await Promise.all(pages)).flatMap(({ items }) => items);
  }

  /** The first event of this name of each phone after a mark, once all have one. Throws after a time limit. */
  async #everyPhone(name: EventName, after: number): Promise<readonly Noted[]> {
    const first = new Map<string, Noted>();
    for (let last = after; first.size < this.#numbers.length; ) {
      const missing = this.#numbers.length - first.size;
      const range = `after=${last}&count=${missing}&timeout_ms=${PATIENCE_MS}&limit=10000`;
      const { complete, items } = await this.#api.read(`/events?event=${name}&${range}`);
      for (const noted of items) if (!first.has(noted.phone)) first.set(noted.phone, noted);
      last = items.at(-1)?.seq ?? last;
      if (!complete) throw new Error(`only ${first.size} of ${this.#numbers.length} phones: "${name}"`);
    }
    return [...first.values()];
  }

  async #linkOne(api: Client): Promise<void> {
    const phone = String(FIRST_PHONE + this.#numbers.length);
    this.#numbers.push(phone);
    await this.#api.post("/people", { phone, name: "Shop", ...this.#fleet.person() });
    const { transport } = this.#fleet;
    const { data } = await api.post<{ data: { channel_id: string }[] }>("/v2/channels", {
      transport,
      credentials: {},
    });
    const path = `/v2/channels/${data[0]?.channel_id}`;
    await untilStatus(api, path, "init/qr");
    await this.#fleet.link({ api, path, phone, emulator: this.#api });
    await untilStatus(api, path, "active/null");
  }
}

interface Page {
  readonly complete: boolean;
  readonly last_seq: number;
  readonly items: readonly Noted[];
}

interface EmulatorApi {
  readonly admin: string;
  read(path: string): Promise<Page>;
  post(path: string, body: object): Promise<unknown>;
}

interface Linking {
  readonly api: Client;
  /** The path of the channel, which shows a QR code. */
  readonly path: string;
  readonly phone: string;
  readonly emulator: EmulatorApi;
}

/** Personal accounts at one messenger. */
export interface Fleet {
  readonly transport: string;
  /** The emulator's name of the event when a connection is served. */
  readonly ready: EventName;
  /** The emulator's names of attempts to connect. */
  readonly attempts: readonly EventName[];
  /** The emulator's name of a person's connections in its admin API. */
  readonly line: "devices" | "sessions";
  /** Per session after the first. */
  readonly goalMegabytes: number;
  /** Further fields of a person. */
  person(): object;
  link(linking: Linking): Promise<void>;
}

const whatsapp: Fleet = {
  transport: "whatsapp",
  ready: "ready",
  attempts: ["login", "refused"],
  line: "devices",
  goalMegabytes: 1.5,
  person: () => ({}),
  /** With a code typed on the phone, which costs this process less than decoding a picture. */
  async link({ api, path, phone, emulator }) {
    const asked = { transport: "whatsapp", pairing_phone: phone };
    const answer = await api.post<{ data: { pairing_code: string }[] }>(`${path}/pairing-code`, asked);
    const code = answer.data[0]?.pairing_code;
    await emulator.post(`/people/${phone}/codes`, { code, timeout_ms: PATIENCE_MS });
  },
};

const scanned = new Set<string>();
const max: Fleet = {
  transport: "max",
  ready: "login",
  attempts: ["login", "refused"],
  line: "sessions",
  goalMegabytes: 0.3,
  person: () => ({ user_id: randomInt(100_000_000, 2 ** 40) }),
  /** Any phone may scan any code: each channel shows a different one. */
  async link({ phone, emulator }) {
    const { items } = await emulator.read("/events?event=qr&limit=10000");
    const fresh = items.find(({ detail }) => detail != null && !scanned.has(detail));
    if (fresh?.detail == null) throw new Error("no code is shown");
    scanned.add(fresh.detail);
    await emulator.post(`/people/${phone}/scans`, { qr: fresh.detail });
  },
};

const tgapi: Fleet = {
  transport: "tgapi",
  ready: "connected",
  attempts: ["opened"],
  line: "sessions",
  goalMegabytes: 1,
  person: () => ({ first_name: "Shop" }),
  async link({ api, path, phone, emulator }) {
    await api.post(`${path}/pairing-code`, { transport: "tgapi", pairing_phone: phone });
    await untilStatus(api, path, "init/wait_for_code");
    const { items } = await emulator.read(`/people/${phone}/codes`);
    await api.post(`${path}/auth/2fa`, { transport: "tgapi", two_factor_code: items.at(-1)?.code });
  },
};

export const FLEETS: readonly Fleet[] = [whatsapp, max, tgapi];

async function read(url: string): Promise<Page> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Page;
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
