import type { ChannelLink } from "../../core/transport/connector.ts";
import type { LinkState } from "../../core/transport/events.ts";

/** Tells core each change of the link once. Rejects when core cannot store it; the next call tries again. */
export type Announce = (state: LinkState) => Promise<void>;

/** After `disabled` nothing follows: a channel with a dead token is opened anew. */
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
