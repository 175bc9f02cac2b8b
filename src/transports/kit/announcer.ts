import type { ChannelLink } from "../../core/transport/connector.ts";
import type { LinkState } from "../../core/transport/events.ts";

/** Reports each change of the link state to core once. Rejects when core cannot store it; the next call retries. */
export type Announce = (state: LinkState) => Promise<void>;

/** Reports nothing after `disabled`: a channel with a dead token is opened again as a new session. */
export function createAnnouncer(link: Pick<ChannelLink, "emit" | "signal">): Announce {
  let current: LinkState["status"] | undefined;
  return async (state) => {
    if (state.status === current || current === "disabled" || link.signal.aborted) return;
    const previous = current;
    current = state.status;
    try {
      await link.emit({ kind: "link", state });
    } catch (error) {
      current = previous;
      throw error;
    }
  };
}
