import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Socket } from "socket.io";
import { authenticate, type Identity } from "../../core/account/authenticate.ts";
import type { Core } from "../../core/core.ts";
import { MAX_USER_ID_LENGTH } from "../../core/crm/entity.ts";
import { LiveCounters } from "../../core/crm/live-counters.ts";
import type { Unanswered } from "../../core/crm/unanswered.ts";
import { AccountElsewhere, AppError } from "../../core/errors.ts";
import type { Places } from "../limit/places.ts";

/** Bytes of what a client sends: a key and an id. */
const MAX_MESSAGE_BYTES = 2_048;
/** From the connection until the client has named the employee. */
const PATIENCE_MS = 10_000;
/** How often the keys of connected clients are checked. */
const CHECK_INTERVAL_MS = 10_000;
/** Clients of a node that have not named an employee yet, from all addresses. */
const MAX_UNKNOWN = 500;

/** The way in of socket.io: it gets the requests of one path, and no other. */
export interface Door {
  handle(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): Promise<void>;
}

interface DoorOptions {
  readonly path: string;
  readonly places: Places;
}

/**
 * Starts the library, which takes requests from a server of its own that never listens: attached to the service's server
 * it would replace that server's listeners.
 */
export async function openDoor(core: Core, { path, places }: DoorOptions): Promise<Door> {
  const { Server } = await import("socket.io");
  const inner = createServer();
  const io = new Server(inner, {
    path,
    serveClient: false,
    cors: { origin: "*" },
    maxHttpBufferSize: MAX_MESSAGE_BYTES,
    connectTimeout: PATIENCE_MS,
    perMessageDeflate: false,
    httpCompression: false,
    allowRequest: (_request, decide) => decide(null, io.engine.clientsCount - clients.size < MAX_UNKNOWN),
  });
  const clients = new Map<Socket, Client>();
  const counters = new LiveCounters(core);
  io.on("connection", (socket) => {
    const timer = setTimeout(() => socket.disconnect(true), PATIENCE_MS).unref();
    socket.once("counterConnecting", (told: unknown) => {
      clearTimeout(timer);
      admit(core, { socket, told, places, counters }).then(
        (client) => {
          if (client === null || !socket.connected) {
            client?.leave();
            socket.disconnect(true);
          } else {
            clients.set(socket, client);
            client.begin();
          }
        },
        (error: unknown) => {
          if (!(error instanceof AppError))
            core.log.debug({ err: error }, "a client of counters was not admitted");
          socket.disconnect(true);
        },
      );
    });
    socket.on("disconnect", () => {
      clearTimeout(timer);
      clients.get(socket)?.leave();
      clients.delete(socket);
      // A client may leave the namespace and keep the connection, which would count as unknown for ever.
      socket.conn.close();
    });
  });
  let isChecking = false;
  const check = setInterval(async () => {
    if (isChecking) return;
    isChecking = true;
    await Promise.all([...clients].map(([socket, { key }]) => endUnlessValid(core, socket, key)));
    isChecking = false;
  }, CHECK_INTERVAL_MS).unref();
  return {
    handle: (request, response) => void inner.emit("request", request, response),
    upgrade: (request, socket, head) => void inner.emit("upgrade", request, socket, head),
    async close() {
      clearInterval(check);
      counters.close();
      await io.close();
    },
  };
}

interface Client {
  readonly key: string;
  readonly accountId: number;
  begin(): void;
  leave(): void;
}

interface Arrival {
  readonly socket: Socket;
  readonly told: unknown;
  readonly places: Places;
  readonly counters: LiveCounters;
}

/** Null: what the client sent is not in order, or its key is not valid here. Throws if there is no place for it. */
async function admit(core: Core, { socket, told, places, counters }: Arrival): Promise<Client | null> {
  const asked = askedFor(told);
  if (asked === null) return null;
  const { key, userId } = asked;
  const identity = await identify(core, key);
  if (identity === null) return null;
  const { accountId } = identity;
  const free = places.take({
    owner: `${accountId} ${userId}`,
    group: String(accountId),
    end: () => socket.disconnect(true),
  });
  let unfollow = (): void => undefined;
  return {
    key,
    accountId,
    begin() {
      const tell = ({ counter, type }: Unanswered) =>
        socket.emit("counterUpdate", { counter, counterV2: counter, type });
      unfollow = counters.follow({ accountId, userId, tell });
    },
    leave() {
      unfollow();
      free();
    },
  };
}

/** The key and the employee of a `counterConnecting`; null: it is something else. */
function askedFor(told: unknown): { readonly key: string; readonly userId: string } | null {
  const { type, apiKey, userId } = (told ?? {}) as Readonly<Record<string, unknown>>;
  const id = typeof userId === "number" && Number.isSafeInteger(userId) ? String(userId) : userId;
  if (type !== "api_v3" || typeof apiKey !== "string" || typeof id !== "string") return null;
  return id === "" || id.length > MAX_USER_ID_LENGTH || id.includes("\0")
    ? null
    : { key: apiKey, userId: id };
}

/** Throws `AccountElsewhere` if the account works in another cell. */
async function identify(core: Core, key: string): Promise<Identity | null> {
  const identity = await authenticate(core, key);
  if (identity === null || identity.kind !== "api") return null;
  await core.moves.refuseElsewhere(identity.accountId);
  return identity;
}

/** Ends a client whose key was revoked, or whose account has moved to another cell. Never throws. */
async function endUnlessValid(core: Core, socket: Socket, key: string): Promise<void> {
  const isValid = await identify(core, key).then(
    (identity) => identity !== null,
    // The database may be away for a moment.
    (error: unknown) => !(error instanceof AccountElsewhere),
  );
  if (!isValid) socket.disconnect(true);
}
