import type { ChannelTrigger } from "../../channel-status.ts";
import type { ChannelProfile, LinkState } from "../../transport/events.ts";
import type { PasskeyProblem, PasskeyPrompt } from "../../transport/login.ts";

/** Details of a state: the linked profile, or what a person needs for the next step. */
export interface LinkDetails {
  readonly profile?: ChannelProfile;
  readonly phoneUnavailable?: true;
  readonly qr?: string;
  readonly qrExpiresInMs?: number;
  readonly passwordHint?: string;
  readonly passkey?: PasskeyPrompt;
  readonly compare?: string;
  readonly problem?: PasskeyProblem;
  /** Why a link ended or was lost, in the messenger's or the connector's words. */
  readonly detail?: string;
}

/**
 * Converts a session's state to a trigger of the channel's status; null for a connection loss, which must last for
 * some time before it counts.
 */
export function triggerOf(state: LinkState): { trigger: ChannelTrigger; details: LinkDetails } | null {
  switch (state.status) {
    case "active":
      return {
        trigger: { kind: "linked", messengerId: state.profile.messengerId, linkedElsewhere: false },
        details: {
          profile: state.profile,
          ...(state.phoneUnavailable === true && { phoneUnavailable: true }),
        },
      };
    case "init":
      return { trigger: { kind: "progress", reason: state.reason }, details: detailsOf(state) };
    case "disabled":
      return {
        trigger: { kind: "ended", reason: state.reason },
        details: state.detail === undefined ? {} : { detail: state.detail },
      };
    case "lost":
      return null;
  }
}

function detailsOf(state: Extract<LinkState, { status: "init" }>): LinkDetails {
  switch (state.reason) {
    case "qr": {
      const { qr, expiresInMs: qrExpiresInMs, problem } = state;
      return {
        qr,
        ...(qrExpiresInMs === undefined ? {} : { qrExpiresInMs }),
        ...(problem === undefined ? {} : { problem }),
      };
    }
    case "wait_for_password":
      return state.hint === undefined ? {} : { passwordHint: state.hint };
    case "wait_for_passkey":
      return { passkey: state.passkey };
    case "wait_for_code":
      return state.compare === undefined ? {} : { compare: state.compare };
    case "sync":
      return {};
  }
}
