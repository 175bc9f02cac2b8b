import type { tl } from "@mtcute/core";
import type { Vault } from "../../../core/transport/connector.ts";
import type { LinkState } from "../../../core/transport/events.ts";
import { settleWithin } from "../../kit/settle-within.ts";
import { pauseFor } from "../connected.ts";
import { type Client, createClient } from "../library/client.ts";
import { VaultStorage } from "../library/vault-storage.ts";
import { ask } from "../line.ts";
import type { TgapiLink } from "../link.ts";
import { PeerBook } from "../people/peer-book.ts";
import type { Timing } from "../timing.ts";
import { linkedEntry } from "./account.ts";
import { Login, type LoginEnd } from "./login.ts";

/** State key of the account that the channel was linked to; kept after the keys are deleted. */
export const ACCOUNT = "account";

export interface LinkingParts {
  readonly link: TgapiLink;
  readonly vault: Vault;
  readonly timing: Timing;
  readonly firstDc: number;
  readonly signal: AbortSignal;
  tell(state: LinkState): Promise<void>;
  /** Called with the login that handles the person's steps; null when it ends. */
  awaits(login: Login | null): void;
}

/** Makes one attempt to link an account. Resolves with false if the owner has to act. */
export async function linkAccount(parts: LinkingParts): Promise<boolean> {
  const { link, timing, tell, awaits } = parts;
  const over = new AbortController();
  const signal = AbortSignal.any([parts.signal, over.signal]);
  const storage = await VaultStorage.load({
    vault: parts.vault,
    isLinked: false,
    firstDc: parts.firstDc,
    received: async () => undefined,
    keyRefused: () => undefined,
  });
  const client = createLoginClient(parts, storage, signal);
  const pause = (ms: number): Promise<void> => pauseFor(ms, signal);
  const login = new Login({ link, timing, client, signal, tell, pause });
  awaits(login);
  try {
    const end = await login.run();
    awaits(null);
    return await take(parts, { end, client, storage, signal });
  } finally {
    awaits(null);
    over.abort(new Error("The attempt to link has ended"));
    await settleWithin(client.destroy(), 2_000);
  }
}

function createLoginClient(
  { link, timing, vault }: LinkingParts,
  storage: VaultStorage,
  signal: AbortSignal,
): Client {
  const nothing = (): void => undefined;
  const client = createClient({
    link,
    timing,
    storage,
    book: new PeerBook(vault),
    socket: { permitConnect: () => link.permitConnect(), mayWrite: () => link.mayAct(), signal },
    broken: nothing,
    ended: nothing,
    differences: null,
  });
  client.onError.add((error) => {
    if (!signal.aborted) link.log("info", "Telegram: connection error", { error: String(error) });
  });
  return client;
}

interface Attempt {
  readonly end: LoginEnd;
  readonly client: Client;
  readonly storage: VaultStorage;
  readonly signal: AbortSignal;
}

async function take({ link, vault, timing, tell }: LinkingParts, attempt: Attempt): Promise<boolean> {
  const { end, client, storage, signal } = attempt;
  if (end.kind === "rejected") {
    await tellRejected(link, tell, end.detail);
    return false;
  }
  if (end.kind === "idle") {
    await tell({ status: "disabled", reason: "qridle" });
    return false;
  }
  const line = { client, callMs: timing.callMs, signal };
  const userId = String(end.user.id);
  const known = await link.state.get(ACCOUNT);
  if (known !== null && known !== userId) {
    await ask(line, { _: "auth.logOut" }, signal);
    await tell({ status: "disabled", reason: "foreignphone" });
    return false;
  }
  await client.notifyLoggedIn(end.user);
  await vault.write([...storage.entries(await client.getPrimaryDcId()), linkedEntry(userId)]);
  await link.state.set(ACCOUNT, userId);
  await tell({ status: "init", reason: "sync" });
  await vault.write(placeEntries(await ask(line, { _: "updates.getState" }, signal)));
  return true;
}

/** The start position in the account's updates, in the library's format: no later update is missed. */
function placeEntries({ pts, qts, date, seq }: tl.updates.RawState): Parameters<Vault["write"]>[0] {
  const place = { updates_pts: pts, updates_qts: qts, updates_date: date, updates_seq: seq };
  return Object.entries(place).map(([id, number]) => {
    const value = Buffer.alloc(4);
    value.writeInt32LE(number);
    return { family: "value", id, value };
  });
}

export async function tellRejected(
  link: TgapiLink,
  tell: LinkingParts["tell"],
  detail: string,
): Promise<void> {
  const words = "Telegram rejects this installation: check TGAPI_API_ID and TGAPI_API_HASH";
  link.log("warn", words, { detail });
  await tell({ status: "disabled", reason: "rejected" });
}
