import type { AuthenticationCreds } from "baileys";
import type { Vault } from "../../core/transport/connector.ts";
import { decodeJson, encodeJson } from "./key-store.ts";
import { initAuthCreds } from "./library.ts";

const FAMILY = "account";
const ID = "credentials";

/** What proves to WhatsApp who this device is. */
export interface Account {
  readonly creds: AuthenticationCreds;
  /** Stores what has changed; many changes in a row are stored once. Resolves when all so far are stored. */
  save(): Promise<void>;
}

/** Linked: the phone has signed this device's keys. A number alone comes from an attempt to pair by code. */
export function isLinked({ account }: Pick<AuthenticationCreds, "account">): boolean {
  return account != null;
}

/** The stored account, or a new one that is not linked yet. */
export async function loadAccount(vault: Vault): Promise<Account> {
  const stored = (await vault.read(FAMILY, [ID])).get(ID);
  return createAccount(
    vault,
    stored === undefined ? initAuthCreds() : (decodeJson(stored) as AuthenticationCreds),
  );
}

export function freshAccount(vault: Vault): Account {
  return createAccount(vault, initAuthCreds());
}

function createAccount(vault: Vault, creds: AuthenticationCreds): Account {
  let writing: Promise<void> | null = null;
  let again: Promise<void> | null = null;
  const write = (): Promise<void> => vault.write([{ family: FAMILY, id: ID, value: encodeJson(creds) }]);
  return {
    creds,
    async save() {
      // Before the link there is nothing worth keeping: an abandoned attempt starts from new keys.
      if (!isLinked(creds)) return;
      if (writing === null) {
        writing = write().finally(() => {
          writing = null;
        });
        return writing;
      }
      again ??= writing
        .catch(() => undefined)
        .then(() => {
          again = null;
          return this.save();
        });
      return again;
    },
  };
}
