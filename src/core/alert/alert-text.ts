import type { Attention } from "../console/attention.ts";

/** A problem as a target is told of it. */
export interface Alert extends Omit<Attention, "since"> {
  readonly state: "open" | "ended";
  /** ISO 8601. */
  readonly since: string;
  /** One sentence. */
  readonly text: string;
  /** The page of the console that shows it. */
  readonly url: string;
}

type Told = Omit<Attention, "level" | "since">;

const SAY: Readonly<Record<Attention["kind"], (of: Told) => string>> = {
  no_node: ({ reason }) => `No node has the role "${reason}"`,
  upkeep_fails: ({ name }) => `Maintenance steps fail: ${name}`,
  older_node: ({ name }) => `Node ${name} still runs an earlier release`,
  disk_full: ({ name, count }) => `The disk of node ${name} is ${count} % full`,
  queue_grows: ({ name, count }) => `The queue "${name}" grows: ${count} wait`,
  channel_down: (of) => `Channel ${named(of)} is down${because(of)}`,
  sink_failing: ({ name, count }) => `The sink ${name} accepts no events of ${count} accounts`,
  receiver_paused: ({ name }) => `Webhooks to ${name} are paused`,
  sends_wait: (of) => `${of.count} chats wait for channel ${named(of)} although it is active`,
  receiver_failing: ({ name }) => `Webhooks to ${name} fail`,
  events_parked: ({ name, count }) => `${count} events could not be delivered to ${name}`,
  sink_parked: ({ name, count }) => `The sink ${name} has refused ${count} events`,
  reports_refused: (of) => `${of.count} reports of channel ${named(of)} could not be stored`,
  exports_fail: ({ count }) => `An export has failed ${count} times`,
  channel_restricted: (of) => `The messenger restricts channel ${named(of)}${because(of)}`,
  channel_stopped: (of) => `Sending of channel ${named(of)} is stopped`,
  channel_waits: (of) => `Channel ${named(of)} waits to be connected${because(of)}`,
};

function named({ name, subject, transport }: Told): string {
  return `${name || subject} (${transport})`;
}

function because({ reason }: Told): string {
  return reason === null ? "" : `: ${reason}`;
}

export function alertText(of: Told): string {
  return SAY[of.kind](of);
}

/** The page of the console that shows the problem. */
export function alertUrl(publicUrl: string, { kind, accountId, subject }: Told): string {
  const place = (() => {
    if (accountId === null) return "system";
    if (kind.startsWith("receiver_") || kind === "events_parked")
      return `webhooks/${accountId}?receiver=${subject}`;
    if (kind === "exports_fail") return "exports";
    return `channels/${accountId}/${subject}`;
  })();
  return `${publicUrl}/app/console#/${place}`;
}

/** The subject line of an e-mail. */
export function subjectOf(alerts: readonly Alert[]): string {
  const open = alerts.filter(({ state }) => state === "open");
  const [only] = alerts;
  if (alerts.length === 1 && only !== undefined)
    return `Trunkline: ${only.state === "ended" ? "over: " : ""}${oneLine(only.text)}`;
  const ended = alerts.length - open.length;
  return `Trunkline: ${[open.length > 0 ? `${open.length} problems` : "", ended > 0 ? `${ended} over` : ""].filter(Boolean).join(", ")}`;
}

/** The text of an e-mail. */
export function bodyOf(alerts: readonly Alert[]): string {
  return alerts
    .map(
      ({ state, text, since, url }) =>
        `${state === "ended" ? "Over: " : ""}${oneLine(text)}\nSince ${since.replace("T", " ").slice(0, 16)} UTC\n${url}\n`,
    )
    .join("\n");
}

/** Names come from tenants and messengers. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return text.replaceAll(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ").slice(0, 300);
}
