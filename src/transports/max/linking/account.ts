import { randomUUID } from "node:crypto";
import type { ChannelLink, Vault } from "../../../core/transport/connector.ts";
import { fields, text } from "../../../platform/foreign/foreign-json.ts";
import { parsed } from "../../kit/json.ts";

const FAMILY = "account";
const ID = "session";

/** The identity of this session for MAX. */
export interface Account {
  /** Created once per channel: MAX may treat another id as a new device, and end the session. */
  readonly deviceId: string;
  /** Null while the channel is not linked. */
  readonly token: string | null;
}

const stored = fields({ deviceId: text, token: text });

/** Loads the account. A channel without one gets a device id, which is stored before it is used. */
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

/** The person whose account the channel was linked to; kept after the token is deleted. */
export interface Owner {
  readonly id: string;
  readonly phone?: string;
}

const owner = fields({ id: text, phone: text });

/**
 * Whether the account belongs to the channel's owner, who is the person of the first login. MAX may assign another id
 * to a person who returns with the same number, so either a matching id or a matching number is sufficient.
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
