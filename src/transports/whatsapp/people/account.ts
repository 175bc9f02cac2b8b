import type { AuthenticationCreds } from "baileys";
import type { Vault } from "../../../core/transport/connector.ts";
import { decodeJson, encodeJson } from "../keys/key-store.ts";
import { initAuthCreds } from "../library.ts";

const FAMILY = "account";
const ID = "credentials";

/** The identity of this device for WhatsApp. */
export interface Account {
  readonly creds: AuthenticationCreds;
  /** Stores changes; concurrent changes are combined. Resolves when all changes so far are stored. */
  save(): Promise<void>;
}

/** Whether the phone has signed this device's keys. A phone number alone may come from a pairing attempt. */
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
      // Nothing is stored before the link: an abandoned attempt is followed by one with new keys.
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
