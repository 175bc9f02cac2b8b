import { setTimeout as sleep } from "node:timers/promises";
import type { ChannelLink, Vault } from "../../core/transport/connector.ts";
import { createOrder } from "../../platform/in-order.ts";

const AGAIN_MS = 1_000;

/**
 * A vault that asks again until the store answers, or `signal` fires. Libraries of personal accounts need it: what they
 * cannot read or write they take for missing, and lose the message that was to be read with it. `messenger` names it in
 * the log.
 */
export function patientVault(
  { vault, log }: Pick<ChannelLink, "vault" | "log">,
  messenger: string,
  signal: AbortSignal,
  againMs: number = AGAIN_MS,
): Vault {
  const inOrder = createOrder();
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
          log("warn", `${messenger}: keys cannot be stored or read; what comes waits`, {
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
    // What is written again must not undo what was written since.
    write: (entries) => inOrder(() => again(() => vault.write(entries))),
  };
}
