import { randomUUID } from "node:crypto";
import type { ChannelLink, Vault } from "../../core/transport/connector.ts";
import { fields, text } from "../../platform/foreign-json.ts";
import { parsed } from "../kit/json.ts";

const FAMILY = "account";
const ID = "session";

/** What proves to MAX who this session is. */
export interface Account {
  /** Made once per channel: MAX may take another one for a new device, and end the session. */
  readonly deviceId: string;
  /** Null while the channel is not linked. */
  readonly token: string | null;
}

const stored = fields({ deviceId: text, token: text });

/** The account as it was stored last; a channel that has none yet gets its device's id, stored before it is used. */
export async function loadAccount(vault: Vault): Promise<Account> {
  const bytes = (await vault.read(FAMILY, [ID])).get(ID);
  const { deviceId, token } =
    (bytes === undefined ? undefined : stored(parsed(Buffer.from(bytes).toString()))) ?? {};
  if (deviceId !== undefined) return { deviceId, token: token ?? null };
  const account: Account = { deviceId: randomUUID(), token: null };
  await saveAccount(vault, account);
  return account;
}

export async function saveAccount(vault: Vault, account: Account): Promise<void> {
  const value = Buffer.from(JSON.stringify(account));
  await vault.write([{ family: FAMILY, id: ID, value }]);
}

const PERSON = "person";

/** Whose account the channel was linked to; it outlives the token. */
export interface Owner {
  readonly id: string;
  readonly phone?: string;
}

const owner = fields({ id: text, phone: text });

/**
 * Whether the channel may be this person's: it is theirs from the first login on. MAX gives a person who comes back with
 * the same number another id, perhaps; either one is enough.
 */
export async function isOwner({ state }: Pick<ChannelLink, "state">, person: Owner): Promise<boolean> {
  const known = await state.get(PERSON);
  const { id, phone } = (known === null ? undefined : owner(parsed(known))) ?? {};
  if (id === undefined) {
    await state.set(PERSON, JSON.stringify(person));
    return true;
  }
  return id === person.id || (phone !== undefined && phone === person.phone);
}
