import { setTimeout as sleep } from "node:timers/promises";
import type { ChannelLink, Vault } from "../../core/transport/connector.ts";
import { createSerialQueue } from "../../platform/queue/serial-queue.ts";

const AGAIN_MS = 1_000;

/**
 * A vault that retries until the store responds or `signal` aborts. Libraries for personal accounts need it: they
 * treat a key that cannot be read or written as missing, and then lose the message that needs it. `messenger` is the
 * display name for the log.
 */
export function retryingVault(
  { vault, log }: Pick<ChannelLink, "vault" | "log">,
  messenger: string,
  signal: AbortSignal,
  againMs: number = AGAIN_MS,
): Vault {
  const inOrder = createSerialQueue();
  let isAway = false;
  const again = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        const answer = await ask();
        isAway = false;
        return answer;
      } catch (error) {
        if (signal.aborted) throw error;
        if (!isAway)
          log("warn", `${messenger}: session keys cannot be stored or read; incoming messages wait`, {
            error: String(error),
          });
        isAway = true;
        await sleep(againMs, undefined, { signal });
      }
    }
  };
  return {
    ...vault,
    read: (family, ids) => again(() => vault.read(family, ids)),
    readAll: (family) => again(() => vault.readAll(family)),
    // Writes are serialised, so that a retried write cannot overwrite a later one.
    write: (entries) => inOrder(() => again(() => vault.write(entries))),
    clear: () => inOrder(() => again(() => vault.clear())),
  };
}
