import type { Exchange } from "../http/exchange.ts";
import { answerJson } from "../http/exchange.ts";
import { AdminRouter } from "../http/route.ts";
import { Admin, part } from "./admin.ts";
import type { AskForCodes } from "./codes.ts";
import { serveFile } from "./files.ts";
import { Changes, serveLive } from "./live.ts";
import { phones } from "./registry.ts";
import { type Mounted, phoneRoutes } from "./routes.ts";
import { Switches } from "./switches.ts";

const LIVE = /^\/([a-z]+)\/live$/;
const FILE = /^\/([a-z]+)\/people\/([^/]+)\/chats\/([^/]+)\/messages\/([^/]+)\/files\/(\d+)$/;

/** The common API of all phones, below `/admin/phone`. */
export class PhoneApi {
  readonly #mounts: ReadonlyMap<string, Mounted>;
  readonly #routes: AdminRouter;
  readonly #changes = new Changes();

  constructor(setup: { readonly url: () => string; readonly askForCodes: AskForCodes }) {
    this.#mounts = new Map(
      [...phones].map(([name, phone]) => {
        const admin = new Admin(() => `${setup.url()}/admin/${name}`);
        return [name, { name, phone, admin, switches: new Switches(phone, admin) }];
      }),
    );
    this.#routes = new AdminRouter(phoneRoutes(this.#mounts, setup.askForCodes));
  }

  /** Call for every successful request to the admin API of an emulator. */
  noteChange(messenger: string): void {
    this.#changes.tell(messenger);
  }

  async serve(exchange: Exchange, path: string): Promise<void> {
    const [, liveOf = ""] = LIVE.exec(path) ?? [];
    const [, messenger = "", ...place] = FILE.exec(path) ?? [];
    const mounted = this.#mounts.get(liveOf) ?? this.#mounts.get(messenger);
    if (mounted === undefined || exchange.method !== "GET") return this.#routes.serve(exchange, path);
    if (liveOf !== "") return this.#serveLive(exchange, mounted);
    const [person = "", chat = "", message = "", index = ""] = place.map(decode);
    return serveFile(exchange, mounted, { person, chat, message, index: Number(index) });
  }

  #serveLive(exchange: Exchange, mounted: Mounted): Promise<void> {
    const people = new URLSearchParams(exchange.query).getAll("person").map(part);
    const { name: messenger, phone, admin } = mounted;
    return serveLive(exchange, { messenger, phone, admin, changes: this.#changes, people }).catch(
      (error: unknown) => answerJson(exchange, 502, { error: "unreachable", description: String(error) }),
    );
  }
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
