import type { SignalKeyStore, SignalRepositoryWithLIDStore, SocketConfig } from "baileys";
import type { Journal } from "./journal.ts";
import { addTransactionCapability, DEFAULT_CONNECTION_CONFIG } from "./library.ts";
import type { Turns } from "./turns.ts";

type Make = SocketConfig["makeSignalRepository"];

export interface RepositoryParts {
  readonly keys: SignalKeyStore;
  readonly journal: Journal;
  /** Shared by all connections of an account: an earlier one may still be at work. */
  readonly turns: Turns;
}

/**
 * Makes the library's repository of Signal sessions, with two promises that it does not keep by itself. A session is
 * stored before what it encrypted leaves: the library would send within a transaction and store at its end, so that a
 * crash or a line lost in between made it use the same key twice, and a phone drops the second text without a word. And
 * one text at a time moves a session on: the library would read and write it at once for what comes and what goes, and
 * one of both was undone.
 */
export function repositoryMaker({ keys, journal, turns }: RepositoryParts): Make {
  return (auth, logger, toLid) => {
    const { makeSignalRepository, transactionOpts } = DEFAULT_CONNECTION_CONFIG;
    const own = addTransactionCapability(keys, logger, transactionOpts);
    return inTurns(journal.guard(makeSignalRepository({ ...auth, keys: own }, logger, toLid), own), turns);
  };
}

function inTurns(repository: SignalRepositoryWithLIDStore, turns: Turns): SignalRepositoryWithLIDStore {
  const turn = async <T>(jid: string, work: () => Promise<T>): Promise<T> =>
    turns.take(await personOf(repository, jid), work);
  return {
    ...repository,
    encryptMessage: (options) => turn(options.jid, () => repository.encryptMessage(options)),
    decryptMessage: (options) => turn(options.jid, () => repository.decryptMessage(options)),
    injectE2ESession: (options) => turn(options.jid, () => repository.injectE2ESession(options)),
    migrateSession: (from, to) => turn(to, () => repository.migrateSession(from, to)),
  };
}

/** Sessions belong to the hidden address where it is known, whichever address a text names. */
async function personOf({ lidMapping }: SignalRepositoryWithLIDStore, jid: string): Promise<string> {
  const isHidden = jid.endsWith("lid");
  const hidden = isHidden ? null : await lidMapping.getLIDForPN(jid).catch(() => null);
  return (hidden ?? jid).split(/[:@]/)[0] ?? jid;
}
