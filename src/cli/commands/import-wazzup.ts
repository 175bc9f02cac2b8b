import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { TextDecoder } from "node:util";
import type { Core } from "../../core/core.ts";
import type { TakenChannel } from "../../core/takeover/channels.ts";
import type { DumpSettings, DumpSource } from "../../core/takeover/messages.ts";
import { Original } from "../../core/takeover/original.ts";
import { type LeftOut, PARTS, type PartReport, TakeoverReport } from "../../core/takeover/report.ts";
import { type TakenAccount, takeAccount } from "../../core/takeover/takeover.ts";
import { type Switched, switchWebhooks } from "../../core/takeover/webhooks.ts";
import { commandLine } from "../../platform/command-line.ts";
import { isUuid } from "../../platform/ids.ts";
import { parseProxy } from "../../platform/network/proxy/proxy.ts";
import { isHttpUrl } from "../../platform/network/safe-fetch.ts";
import { accountId, type Command, CommandFailed, needed, UsageError } from "../command.ts";
import { table, titledTable } from "../table.ts";
import { requireAccount } from "../with-account.ts";
import { withCore } from "../with-core.ts";

type Options = Readonly<Record<string, string | undefined>>;

const V3_URL = "https://api.wazzup24.com";
const V2_URL = "https://tech.wazzup24.com";
/** A third of what the original allows: the account's CRM goes on using the rest. */
const REQUESTS_PER_MINUTE = 300;

const ACCESS = {
  account: { value: "ID", help: "The account here", required: true },
  "api-key": {
    value: "KEY",
    help: "The API key there; default: the variable WAZZUP_API_KEY, which ps does not show",
  },
  token: {
    value: "TOKEN",
    help: "The client access token there, for what only v2 has: dumps of messages, v2 webhooks, canned answers; default: WAZZUP_TOKEN",
  },
  "v3-url": { value: "URL", help: `Where its /v3 is; default ${V3_URL}` },
  "v2-url": { value: "URL", help: `Where its /v2 is; default ${V2_URL}` },
  proxy: { value: "URL", help: "Proxy for all requests there; default: the first of the setting PROXY" },
  "requests-per-minute": {
    value: "N",
    help: `The most that is asked there a minute; default ${REQUESTS_PER_MINUTE} of the 1000 that the account has`,
  },
} as const;

export const importWazzup: Command = {
  name: "import wazzup",
  summary: "Take an account of Wazzup over into one of ours; changes nothing there, and can be repeated",
  args: [],
  options: {
    ...ACCESS,
    "dry-run": { help: "Store nothing; show what would be taken over, and what is in the way" },
    replace: {
      help: "Where a user, contact, deal or pipeline is here with other content, take the one from there",
    },
    dump: { value: "FILE", help: "A dump of messages (CSV) that was made there" },
    "dump-channel": { value: "ID", help: "The channel of all rows of the dump, if they do not name it" },
    from: {
      value: "TIME",
      help: "Without --dump: have dumps made there of messages since then, such as 2020-01-01",
    },
    to: { value: "TIME", help: "With --from: until then; default: now" },
    encoding: {
      value: "NAME",
      help: "Of the dump, such as windows-1251; default: UTF-8, or UTF-16 with a mark",
    },
    "utc-offset": { value: "+HH:MM", help: "Of times in the dump that have no zone; default +00:00" },
    strict: { help: "End at the first row of the dump that cannot be stored; default: leave it out" },
    files: {
      help: "Also store the files of imported messages here; default: the messages link to where they are",
    },
    "left-out": {
      value: "FILE",
      help: "Write everything that is left out to this file, one JSON object a line",
    },
  },
  async run({ options, switches, print, progress }) {
    const scope = { accountId: accountId(needed(options["account"])) };
    const dump = dumpOf(options, switches);
    const access = accessOf(options);
    const list = openList(options["left-out"]);
    try {
      const isDryRun = switches.includes("dry-run");
      const result = await withCore(async (core, place) => {
        await requireAccount(place, scope.accountId);
        const report = new TakeoverReport(list.add);
        const original = originalOf(core, access, progress);
        const parts = {
          core,
          scope,
          original,
          report,
          isDryRun,
          replaces: switches.includes("replace"),
          progress,
        };
        const files = switches.includes("files") ? join(place.config.dataDir, "tmp") : null;
        return { ...(await takeAccount(parts, dump, files)), report };
      });
      print(jsonOf(result, isDryRun), () =>
        shown(result, { isDryRun, hasDump: dump !== null, hasFiles: switches.includes("files") }),
      );
    } finally {
      list.close();
    }
  },
};

export const importWazzupSwitch: Command = {
  name: "import wazzup switch",
  summary:
    "Send webhooks from here to the addresses set at Wazzup; with --turn-off-original, no longer from there",
  args: [],
  options: {
    ...ACCESS,
    "crm-key": {
      value: "KEY",
      help: "What the CRM expects as Authorization: Bearer, which is not told there; default: WAZZUP_CRM_KEY, or none",
    },
    "turn-off-original": {
      help: "Then remove the addresses there: the CRM gets everything from here alone. The only step that changes anything there",
    },
  },
  async run({ options, switches, print, progress }) {
    const scope = { accountId: accountId(needed(options["account"])) };
    const access = accessOf(options);
    const request = {
      crmKey: options["crm-key"] ?? process.env["WAZZUP_CRM_KEY"] ?? null,
      turnsOffOriginal: switches.includes("turn-off-original"),
    };
    const switched = await withCore(async (core, place) => {
      await requireAccount(place, scope.accountId);
      return switchWebhooks(core, scope, { original: originalOf(core, access, progress), request });
    });
    print(switched, () => shownSwitch(switched));
  },
};

type Access = Pick<
  ConstructorParameters<typeof Original>[0],
  "apiKey" | "token" | "v2Url" | "v3Url" | "requestsPerMinute"
> & { readonly proxyUrl: string | null };

function accessOf(options: Options): Access {
  const apiKey = options["api-key"] ?? process.env["WAZZUP_API_KEY"] ?? "";
  if (apiKey === "")
    throw new UsageError("--api-key missing: the API key there, or the variable WAZZUP_API_KEY");
  const token = options["token"] ?? process.env["WAZZUP_TOKEN"] ?? "";
  const perMinute = Number(options["requests-per-minute"] ?? REQUESTS_PER_MINUTE);
  if (!Number.isInteger(perMinute) || perMinute < 1)
    throw new UsageError("--requests-per-minute must be a number above 0");
  const pool = (process.env["PROXY"] ?? "").split(",").map((url) => url.trim());
  const proxyUrl = options["proxy"] ?? pool[0] ?? "";
  if (proxyUrl !== "" && !["socks5", "http", "https"].includes(parseProxy(proxyUrl)?.scheme ?? ""))
    throw new UsageError(
      "--proxy must be a proxy such as socks5://user:password@host:1080 or http://host:8080",
    );
  return {
    apiKey: headerValue("--api-key", apiKey),
    token: token === "" ? null : headerValue("--token", token),
    v3Url: baseUrl("v3-url", options["v3-url"] ?? V3_URL),
    v2Url: baseUrl("v2-url", options["v2-url"] ?? options["v3-url"] ?? V2_URL),
    requestsPerMinute: perMinute,
    proxyUrl: proxyUrl === "" ? null : proxyUrl,
  };
}

function headerValue(name: string, value: string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw new UsageError(`${name} has a space or another character that no key has`);
}

function baseUrl(name: string, text: string): string {
  if (!isHttpUrl(text) || new URL(text).search !== "")
    throw new UsageError(`--${name} must be a URL such as ${V3_URL}, not "${text}"`);
  return text.replace(/\/+(v[23]\/*)?$/, "");
}

function originalOf(core: Core, { proxyUrl, ...access }: Access, progress: (line: string) => void): Original {
  return new Original({
    ...access,
    proxy: proxyUrl === null ? null : { url: proxyUrl, allowNetworks: null },
    allowNetworks: core.settings.allowNetworks,
    onPause: progress,
  });
}

function dumpOf(
  options: Options,
  switches: readonly string[],
): { readonly source: DumpSource; readonly settings: DumpSettings } | null {
  const { dump: path, from, to, encoding = null } = options;
  const channelId = options["dump-channel"] ?? null;
  if (path !== undefined && from !== undefined) throw new UsageError("--dump and --from exclude each other");
  if (path === undefined && channelId !== null) throw new UsageError("--dump-channel needs --dump");
  if (from === undefined && to !== undefined) throw new UsageError("--to needs --from");
  if (path !== undefined) refuseUnreadable(path);
  if (channelId !== null && !isUuid(channelId))
    throw new UsageError(`"${channelId}" is not a channel: it is a uuid`);
  const settings = {
    encoding: encoding === null ? null : checkedEncoding(encoding),
    utcOffsetMinutes: offsetOf(options["utc-offset"] ?? "+00:00"),
    isStrict: switches.includes("strict"),
  };
  if (path !== undefined) return { source: { path, channelId: channelId?.toLowerCase() ?? null }, settings };
  if (from === undefined) return null;
  const period = { from: timeOf("from", from), to: to === undefined ? new Date() : timeOf("to", to) };
  if (period.from >= period.to) throw new UsageError("--from must be before --to");
  return { source: period, settings };
}

/** Before anything is asked or stored. */
function refuseUnreadable(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandFailed(`There is no file ${path}`);
  if (found.isDirectory()) throw new CommandFailed(`${path} is a directory, not a file`);
  if (found.isFile() && found.size === 0) throw new CommandFailed(`The file ${path} is empty`);
}

function checkedEncoding(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new UsageError(
      `--encoding: "${label}" is unknown; known are utf-8, utf-16le, windows-1251 and others`,
    );
  }
}

function offsetOf(text: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):([0-5]\d)$/.exec(text) ?? [];
  const value = Number(hours) * 60 + Number(minutes);
  if (sign === undefined || value > 14 * 60) throw new UsageError("--utc-offset must be such as +03:00");
  return sign === "-" ? -value : value;
}

function timeOf(name: string, text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new UsageError(`--${name} must be a time such as 2020-01-01 or 2020-01-01T00:00:00Z`);
  return time;
}

/** The file of everything that is left out; nothing without a name. */
function openList(path: string | undefined): { add(left: LeftOut): void; close(): void } {
  if (path === undefined) return { add: () => undefined, close: () => undefined };
  const file = openSync(path, "w", 0o600);
  return {
    add: (left) => void writeSync(file, `${JSON.stringify(left)}\n`),
    close: () => closeSync(file),
  };
}

type Result = TakenAccount & { readonly report: TakeoverReport };

function jsonOf({ channels, webhooks, report }: Result, isDryRun: boolean): object {
  const parts = [...report.parts].map(([part, { leftOut, ...counts }]) => [
    part,
    { ...counts, leftOut: Object.fromEntries(leftOut) },
  ]);
  return { isDryRun, parts: Object.fromEntries(parts), channels, webhooks };
}

interface Shown {
  readonly isDryRun: boolean;
  readonly hasDump: boolean;
  readonly hasFiles: boolean;
}

function shown({ channels, webhooks, report }: Result, { isDryRun, hasDump, hasFiles }: Shown): string {
  const parts = PARTS.filter((part) => (part === "messages" ? hasDump : part !== "files" || hasFiles));
  return [
    ...(isDryRun ? ["This was a dry run: nothing was stored.", ""] : []),
    titledTable(
      ["", "there", isDryRun ? "would be added" : "added", "replaced", "here already", "left out"],
      parts.map((part) => rowOf(part, report.of(part))),
      "",
    ),
    ...parts.flatMap((part) => remarksOn(part, report.of(part))),
    ...toLink(channels, isDryRun),
    "",
    ...onWebhooks(webhooks),
    ...(hasDump
      ? []
      : [
          "",
          "Messages: none were asked for. Name a dump with --dump, or have dumps made with --from and --token.",
        ]),
  ].join("\n");
}

function rowOf(name: string, part: PartReport): string[] {
  const { read, added, changed, same, leftOut } = part;
  const left = [...leftOut.values()].reduce((sum, count) => sum + count, 0);
  return [name, ...[read, added, changed, same, left].map(String)];
}

function remarksOn(name: string, { leftOut, examples, missing }: PartReport): string[] {
  const reasons = [...leftOut].flatMap(([reason, count]) => {
    const subjects = examples.filter((left) => left.reason === reason).map(({ subject }) => subject);
    const more = count > subjects.length ? " and others" : "";
    return [`  ${count}: ${reason} (${subjects.join(", ")}${more})`];
  });
  if (missing !== null) reasons.push(`  not taken over, or not to the end: ${missing}`);
  return reasons.length === 0 ? [] : ["", `${name}:`, ...reasons];
}

function toLink(channels: readonly TakenChannel[], isDryRun: boolean): string[] {
  const here = channels.filter(({ outcome }) => outcome === "adopted" || outcome === "known");
  const open = here.filter(({ link, outcome }) => link !== null || (isDryRun && outcome === "adopted"));
  if (open.length === 0)
    return here.length === 0 ? [] : ["", "All channels are linked, or are being linked."];
  return [
    "",
    "These channels must be linked again. They keep their ids. Whoever opens a link can link the channel, once:",
    titledTable(
      ["channel", "transport", "phone or name", "link"],
      open.map(({ id, transport, phone, username, name, link }) => [
        id,
        transport,
        phone || username || name || "-",
        link ?? "after the import",
      ]),
      "",
    ),
  ];
}

function onWebhooks(webhooks: TakenAccount["webhooks"]): string[] {
  const addresses = [webhooks?.webhooksUri ?? "", ...(webhooks?.v2 ?? []).map(({ url }) => url)].filter(
    (url) => url !== "",
  );
  if (webhooks === null) return ["Webhooks: the settings there cannot be read with this key."];
  if (addresses.length === 0) return ["Webhooks: no address is set there."];
  return [
    `Webhooks still come from there alone, to ${[...new Set(addresses)].join(", ")}.`,
    `"${commandLine("import wazzup switch")}" sends them from here.`,
  ];
}

function shownSwitch({ webhooks: { webhooksUri, v2 }, unknownEvents, isOriginalOff }: Switched): string {
  const subscriptions = (v2 ?? []).map(({ event, url }) => [`v2 ${event}`, url]);
  return [
    "Webhooks are sent from here to:",
    table([...(webhooksUri === "" ? [] : [["v3", webhooksUri]]), ...subscriptions]),
    ...(unknownEvents.length === 0
      ? []
      : [`Left out, because this service has no such events: ${unknownEvents.join(", ")}`]),
    ...(v2 === null
      ? ["Subscriptions of v2 were not read: they need the client access token (--token)."]
      : []),
    isOriginalOff
      ? "Wazzup sends no webhooks any more."
      : "Wazzup still sends them too. --turn-off-original ends that.",
  ].join("\n");
}
