import type { Readable } from "node:stream";
import { PassThrough } from "node:stream";
import type { Dispatcher } from "undici";
import type { TransportRequest } from "../../../platform/network/http-client.ts";
import { forwardExits, healthKey } from "../../../platform/network/proxy/exit-health.ts";
import type { ProxyRoute } from "../../../platform/network/proxy/proxy.ts";
import { isStale, serveWorker, type WorkerHost } from "../../../platform/workers/serve.ts";
import type { ChannelLink, MessageChange, OutboundFile, OutboundMessage, Session } from "../connector.ts";
import { aboutMessage, currentMessage } from "../current-message.ts";
import { LoginRefused, TransportError } from "../errors.ts";
import type { GroupChange, GroupMethods } from "../groups.ts";
import { logExchange } from "../log-exchange.ts";
import { sampleText } from "../sample.ts";
import { errorCodec } from "./errors.ts";
import type {
  Opening,
  RemoteChange,
  RemoteFile,
  RemoteGroupChange,
  RemoteMessage,
  RemoteOpenedFile,
  SessionCall,
} from "./protocol.ts";

interface Hosted {
  readonly end: AbortController;
  readonly session: Promise<Session>;
  readonly proxy: ProxyRoute | null;
}

/** The program of a worker: opens sessions for its parent, with links that call back to it. */
export function serveSessions(open: (link: ChannelLink<never, never>) => Promise<Session>): void {
  const hosted = new Map<string, Hosted>();
  forwardExits((route, failure, target) => {
    const key = healthKey(route);
    // Any session of this proxy: the parent counts by proxy.
    for (const [tenant, { proxy }] of hosted)
      if (proxy != null && healthKey(proxy) === key)
        return host.peer.notify("exit", { tenant, failure, target });
  });
  const host = serveWorker({
    errors: errorCodec,
    async handle(method, params, signal) {
      const { tenant } = params as { tenant: string };
      switch (method) {
        case "open": {
          const end = new AbortController();
          const { opening } = params as unknown as { opening: Opening };
          const opened = Promise.withResolvers<Session>();
          // Before it opens: it may connect at once.
          hosted.set(tenant, { end, session: opened.promise, proxy: opening.proxy });
          opened.resolve(
            open(createRemoteLink(host, tenant, opening, end.signal) as ChannelLink<never, never>),
          );
          await opened.promise;
          return undefined;
        }
        case "call": {
          const { call, messageId } = params as unknown as { call: SessionCall; messageId?: string };
          const session = await sessionOf(hosted, tenant);
          return aboutMessage(messageId, () => answer(host, tenant, session, call, signal));
        }
        case "close":
          return close(hosted, tenant);
        default:
          throw new Error(`A worker cannot do "${method}"`);
      }
    },
  });
}

function sessionOf(hosted: Map<string, Hosted>, tenant: string): Promise<Session> {
  const found = hosted.get(tenant);
  if (found !== undefined) return found.session;
  throw new TransportError("UNKNOWN_ERROR", "The session is not open at the moment", { retry: "later" });
}

async function close(hosted: Map<string, Hosted>, tenant: string): Promise<void> {
  const found = hosted.get(tenant);
  hosted.delete(tenant);
  if (found === undefined) return;
  found.end.abort();
  await (await found.session).close();
}

async function answer(
  host: WorkerHost,
  tenant: string,
  session: Session,
  call: SessionCall,
  signal: AbortSignal,
): Promise<unknown> {
  // The call was delayed because one of the two processes was suspended, so it must not be executed any more.
  if ("at" in call && isStale(call.at))
    throw new TransportError("UNKNOWN_ERROR", "The request arrived too late to be executed", {
      retry: "later",
    });
  switch (call.method) {
    case "send":
      return session.send(localMessage(host, tenant, call.message), signal);
    case "edit":
      return session.edit?.(call.ref, localChange(host, tenant, call.change), signal);
    case "remove":
      return session.remove?.(call.ref, signal);
    case "react":
      return session.react?.(call.target, call.emoji, signal);
    case "mark":
      return session.mark?.(call.chat, call.mark, signal);
    case "findPerson":
      return session.findPerson?.(call.phone, signal);
    case "createGroup":
      return groupsOf(session).create(call.request, signal);
    case "readGroup":
      return groupsOf(session).read(call.chatId, signal);
    case "changeGroup":
      return groupsOf(session).change(call.chatId, localGroupChange(host, tenant, call.change), signal);
    case "openFile": {
      const opened = await session.openFile?.(call.file, signal, call.resume);
      if (opened === undefined) throw new TransportError("GENERAL_ERROR", "There is no file");
      const { stream, ...about } = opened;
      return { ...about, stream: host.peer.lend(stream) } satisfies RemoteOpenedFile;
    }
    case "answer":
      return session.answer?.(call.step) ?? refuseStep();
    case "reprocess":
      if (session.reprocess === undefined) throw new Error("The session keeps no dead letters");
      return session.reprocess(call.payload);
    case "logout":
      return session.logout?.();
  }
}

function refuseStep(): never {
  throw new LoginRefused("not_expected", "This step is not part of the login");
}

function groupsOf({ groups }: Session): GroupMethods {
  if (groups === undefined) throw new Error("The session has no groups");
  return groups;
}

function localGroupChange(host: WorkerHost, tenant: string, change: RemoteGroupChange): GroupChange {
  if (change.kind !== "picture") return change;
  const { picture } = change;
  return { kind: "picture", picture: picture === null ? null : localFile(host, tenant, picture) };
}

function localMessage(
  host: WorkerHost,
  tenant: string,
  { content, ...rest }: RemoteMessage,
): OutboundMessage {
  if (content.type !== "file") return { ...rest, content };
  return { ...rest, content: { ...content, file: localFile(host, tenant, content.file) } };
}

function localChange(host: WorkerHost, tenant: string, change: RemoteChange): MessageChange {
  return "text" in change ? change : { file: localFile(host, tenant, change.file) };
}

function localFile(host: WorkerHost, tenant: string, { handle, ...about }: RemoteFile): OutboundFile {
  return { ...about, open: () => openRemotely(host, tenant, handle) };
}

function openRemotely({ peer }: WorkerHost, tenant: string, handle: string): Readable {
  const through = new PassThrough();
  peer.call<number>("file", { tenant, handle }).then(
    (number) => {
      const source = peer.borrow(number);
      if (through.destroyed) return void source.destroy();
      source.once("error", (error) => through.destroy(error));
      through.once("close", () => source.destroy());
      source.pipe(through);
    },
    (error: Error) => through.destroy(error),
  );
  return through;
}

function createRemoteLink(
  host: WorkerHost,
  tenant: string,
  opening: Opening,
  signal: AbortSignal,
): ChannelLink {
  const ask = <T>(method: string, params: object): Promise<T> =>
    host.peer.call<T>(method, { ...params, tenant });
  const log: ChannelLink["log"] = (level, message, details) =>
    host.peer.notify("log", {
      tenant,
      level,
      message,
      details: details === undefined ? undefined : plain(details),
      messageId: currentMessage(),
    });
  let credentials = opening.credentials;
  return {
    ...opening,
    messengerId: null,
    get credentials() {
      return credentials;
    },
    async renewCredentials(next) {
      await ask("credentials.renew", { next });
      credentials = next;
    },
    signal,
    log,
    mayAct: () => !signal.aborted && host.isParentAlive(),
    permitConnect: () => ask("permitConnect", {}),
    emit: (event) => ask("emit", { event }),
    history: () => ask("history", {}),
    deadLetter: (payload, reason) => ask("deadLetter", { payload, reason }),
    // Objects of a library cannot be transferred.
    reportUnknown: (kind, sample) =>
      ask("reportUnknown", { kind, sample: JSON.parse(sampleText(sample)) as unknown }),
    state: { get: (key) => ask("state.get", { key }), set: (key, value) => ask("state.set", { key, value }) },
    vault: {
      read: (family, ids) => ask("vault.read", { family, ids }),
      readAll: (family) => ask("vault.readAll", { family }),
      write: (entries) => ask("vault.write", { entries }),
      clear: () => ask("vault.clear", {}),
    },
    request: createRequest(host, opening.proxy, { signal, log }),
  };
}

/** Loads the client at the first request: it uses the memory of many sessions, and most sessions never need it. */
function createRequest(
  host: WorkerHost,
  proxy: ProxyRoute | null,
  { signal, log }: Pick<ChannelLink, "signal" | "log">,
): TransportRequest {
  const load = async (): Promise<TransportRequest> => {
    const { createHttpClient } = await import("../../../platform/network/http-client.ts");
    const dispatcher = proxy === null ? null : await createDispatcher(proxy);
    return createHttpClient({
      ...(dispatcher === null ? {} : { dispatcher }),
      // The channel's log in the parent redacts exchanges.
      redact: (text) => text,
      maySend: () => !signal.aborted && host.isParentAlive(),
      onExchange(exchange) {
        if (!signal.aborted) logExchange(log, exchange);
      },
    });
  };
  let client: Promise<TransportRequest> | undefined;
  return async (request) => {
    client ??= load();
    return (await client)(request);
  };
}

/** The certificate authorities of the operator are set for the whole process. */
async function createDispatcher(proxy: ProxyRoute): Promise<Dispatcher> {
  const { proxyDispatcher } = await import("../../../platform/network/proxy/proxy-dispatcher.ts");
  return proxyDispatcher(proxy, { hosts: [], allowNetworks: null, authorities: "" });
}

/** Only plain values can be transferred. */
function plain(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(details, (_key, value) => (typeof value === "bigint" ? String(value) : value)),
  );
}
