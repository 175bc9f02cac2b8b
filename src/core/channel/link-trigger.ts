import type { ChannelProfile, LinkState } from "../transport/events.ts";
import type { ChannelTrigger } from "./status.ts";

/** What a session says, as a trigger of the channel's status; null for a loss, which has to last before it counts. */
export function triggerOf(
  state: LinkState,
): { trigger: ChannelTrigger; details: { profile?: ChannelProfile; qr?: string } } | null {
  switch (state.status) {
    case "active":
      return {
        trigger: { kind: "linked", messengerId: state.profile.messengerId, linkedElsewhere: false },
        details: { profile: state.profile },
      };
    case "init":
      return {
        trigger: { kind: "progress", reason: state.reason },
        details: state.reason === "qr" ? { qr: state.qr } : {},
      };
    case "disabled":
      return { trigger: { kind: "ended", reason: state.reason }, details: {} };
    case "lost":
      return null;
  }
}
