import { older, removals } from "../retention.ts";

export const CHANNEL_RETENTION = removals({
  channel_log: older("channel_log", "at", "7 days"),
  channel_recordings: older("channel_recordings", "until", "1 hour"),
  channel_states: older("channel_states", "at", "30 days"),
});
