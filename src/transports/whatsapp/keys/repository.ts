import type { SignalKeyStore, SignalRepositoryWithLIDStore, SocketConfig } from "baileys";
import type { Journal } from "../inbound/journal.ts";
import { addTransactionCapability, DEFAULT_CONNECTION_CONFIG } from "../library.ts";
import type { KeyedMutex } from "./keyed-mutex.ts";

type Make = SocketConfig["makeSignalRepository"];

export interface RepositoryParts {
  readonly keys: SignalKeyStore;
  readonly journal: Journal;
  /** Shared by all connections of an account, because an earlier one may still be active. */
  readonly turns: KeyedMutex;
}

/**
 * Creates the library's repository of Signal sessions with two additional guarantees. First, a session is stored
 * before its ciphertext is sent. The library sends within a transaction and stores at its end; after a crash or a
 * lost connection in between, it would use the same key twice, and phones silently drop the second text. Second, a
 * session advances by one text at a time. The library reads and writes it concurrently for sends and receives, and
 * one of the updates would be lost.
 */
export function repositoryMaker({ keys, journal, turns }: RepositoryParts): Make {
  return (auth, logger, toLid) => {
    const { makeSignalRepository, transactionOpts } = DEFAULT_CONNECTION_CONFIG;
    const own = addTransactionCapability(keys, logger, transactionOpts);
    return inTurns(journal.guard(makeSignalRepository({ ...auth, keys: own }, logger, toLid), own), turns);
  };
}

function inTurns(repository: SignalRepositoryWithLIDStore, turns: KeyedMutex): SignalRepositoryWithLIDStore {
  const inOrder = async <T>(jid: string, work: () => Promise<T>): Promise<T> =>
    turns.take(await personOf(repository, jid), work);
  return {
    ...repository,
    encryptMessage: (options) => inOrder(options.jid, () => repository.encryptMessage(options)),
    decryptMessage: (options) => inOrder(options.jid, () => repository.decryptMessage(options)),
    injectE2ESession: (options) => inOrder(options.jid, () => repository.injectE2ESession(options)),
    migrateSession: (from, to) => inOrder(to, () => repository.migrateSession(from, to)),
  };
}

/** Sessions belong to the hidden address if it is known, whichever address a message uses. */
async function personOf({ lidMapping }: SignalRepositoryWithLIDStore, jid: string): Promise<string> {
  const isHidden = jid.endsWith("lid");
  const hidden = isHidden ? null : await lidMapping.getLIDForPN(jid).catch(() => null);
  return (hidden ?? jid).split(/[:@]/)[0] ?? jid;
}
