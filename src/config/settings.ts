import { hostname } from "node:os";
import ipaddr from "ipaddr.js";
import { createAddressCheck } from "../platform/network/networks.ts";
import { parseSecretKey } from "../platform/secret-key.ts";
import {
  duration,
  durations,
  flag,
  httpUrl,
  list,
  listenAddress,
  listOf,
  oneOf,
  postgresUrl,
  text,
  wholeNumber,
} from "./values.ts";

const ROLES = ["api", "sessions", "delivery", "jobs"] as const;

/** One setting of the service, used by the documentation, `--help` and the parser. */
export interface Setting<T> {
  readonly env: string;
  /** As written in the environment; null if there is none, see `help`. */
  readonly default: string | null;
  readonly help: string;
  readonly parse: (value: string) => T;
  /** Must never be displayed. */
  readonly sensitive: boolean;
}

function setting<T>(
  env: string,
  fallback: string | null,
  parse: (value: string) => T,
  help: string,
  options: { sensitive?: boolean } = {},
): Setting<T> {
  return { env, default: fallback, parse, help, sensitive: options.sensitive ?? false };
}

function networks(value: string): readonly string[] {
  const found = list(value);
  try {
    createAddressCheck(found);
  } catch {
    throw new Error("must be networks such as 10.0.0.0/8, fd00::/8, 10.0.0.0/8:8080 or !198.51.0.0/16");
  }
  return found;
}

/** Networks only, without ports and "!". */
function wholeNetworks(value: string): readonly string[] {
  const found = list(value);
  if (!found.every((network) => ipaddr.isValidCIDR(network)))
    throw new Error("must be networks such as 10.0.0.0/8,fd00::/8");
  return found;
}

function longSecret(value: string): string {
  if (value.length < 16) throw new Error("must have at least 16 characters");
  return value;
}

/** Requests with a user name in their address fail, and the error names the password. */
function alertUrl(value: string): string {
  const url = httpUrl(value);
  if (new URL(url).username !== "" || new URL(url).password !== "")
    throw new Error("must have no user name and no password");
  return url;
}

function address(value: string): string {
  if (!/^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(value)) throw new Error("must be an e-mail address");
  return value;
}

function addresses(value: string): readonly string[] {
  return list(value).map(address);
}

function smtpUrl(value: string): string {
  const url = URL.parse(value);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "")
    throw new Error("must be a URL such as smtp://user:password@mail.example:587");
  return value;
}

/** All settings except those of the transports, by their name in `Config`. */
export const SETTINGS = {
  host: setting("HOST", "127.0.0.1", text, "Address to listen on; 0.0.0.0 for all"),
  port: setting("PORT", "8080", wholeNumber(0, 65_535), "Port to listen on; 0 takes a free one"),
  metricsListen: setting(
    "METRICS_LISTEN",
    null,
    listenAddress,
    "Serve /metrics at this address, such as 127.0.0.1:9090, instead of at HOST:PORT",
  ),
  publicUrl: setting(
    "PUBLIC_URL",
    null,
    httpUrl,
    "Base URL of links and of the webhooks registered at messengers; default http://HOST:PORT",
  ),
  dataDir: setting("DATA_DIR", "./data", text, "Embedded database, files, generated key"),
  databaseUrl: setting(
    "DATABASE_URL",
    null,
    postgresUrl,
    "Use this PostgreSQL (15 or newer) instead of the embedded one; requires SECRET_KEY",
    { sensitive: true },
  ),
  databasePoolMax: setting(
    "DATABASE_POOL_MAX",
    "10",
    wholeNumber(2, 1_000),
    "Size of a node's connection pool; notifications and the lease use one connection each besides",
  ),
  secretKey: setting(
    "SECRET_KEY",
    null,
    parseSecretKey,
    "Encrypts credentials: 32 random bytes in base64 or hex (openssl rand -base64 32). Without DATABASE_URL, a missing key is generated in DATA_DIR",
    { sensitive: true },
  ),
  secretKeyOther: setting(
    "SECRET_KEY_OTHER",
    null,
    parseSecretKey,
    "During a key rotation: the second key, used only for decryption",
    { sensitive: true },
  ),
  roles: setting("ROLES", ROLES.join(","), listOf(...ROLES), "The roles of this node"),
  nodeName: setting("NODE_NAME", hostname(), text, "Name of this node in logs and in the list of nodes"),
  nodeLeaseMs: setting(
    "NODE_LEASE_MS",
    "3000",
    wholeNumber(1_000, 60_000),
    "How long a silent node keeps its channels before others take them over",
  ),
  sandbox: setting(
    "SANDBOX",
    null,
    flag,
    "1: start the emulated messengers beside the service and use them; 0: never. Default: on when HOST and PUBLIC_URL are loopback, neither DATABASE_URL nor a messenger's address is set, and NODE_ENV is not production",
  ),
  sandboxPort: setting("SANDBOX_PORT", "8090", wholeNumber(0, 65_535), "Port of the emulated messengers"),
  allowNetworks: setting(
    "ALLOW_NETWORKS",
    "",
    networks,
    "Private networks that webhooks and attachment links may reach: 10.0.0.0/8, or one port of it, 10.0.0.0/8:8080. !198.51.0.0/16 excludes a network",
  ),
  trustedProxies: setting(
    "TRUSTED_PROXIES",
    "127.0.0.0/8,::1/128",
    wholeNetworks,
    "Networks of the reverse proxies whose X-Forwarded-For header is trusted",
  ),
  rateLimitPerMinute: setting(
    "RATE_LIMIT_PER_MINUTE",
    "1000",
    wholeNumber(0, 1_000_000_000),
    "Requests per account and minute; 0: no limit",
  ),
  rateLimitWindowMinutes: setting(
    "RATE_LIMIT_WINDOW_MINUTES",
    "1",
    wholeNumber(1, 60),
    "Apply RATE_LIMIT_PER_MINUTE to a window of this many minutes instead of one",
  ),
  quotaAccounts: setting(
    "QUOTA_ACCOUNTS",
    "1000",
    wholeNumber(0, 1_000_000_000),
    "Accounts of one partner; 0: no limit, as with every quota",
  ),
  quotaChannels: setting("QUOTA_CHANNELS", "1000", wholeNumber(0, 1_000_000_000), "Channels of one account"),
  quotaUnlinkedChannels: setting(
    "QUOTA_UNLINKED_CHANNELS",
    "20",
    wholeNumber(0, 1_000_000_000),
    "Channels of one account that are not linked yet",
  ),
  quotaFileBytes: setting(
    "QUOTA_FILE_BYTES",
    "10737418240",
    wholeNumber(0, 1_000_000_000_000_000),
    "Bytes of stored files of one account",
  ),
  quotaWaitingSends: setting(
    "QUOTA_WAITING_SENDS",
    "100000",
    wholeNumber(0, 1_000_000_000),
    "Messages of one account that are waiting to be sent",
  ),
  quotaSubscriptions: setting(
    "QUOTA_SUBSCRIPTIONS",
    "1000",
    wholeNumber(0, 1_000_000_000),
    "Subscriptions of one account to single events",
  ),
  quotaEmployees: setting(
    "QUOTA_EMPLOYEES",
    "5000",
    wholeNumber(0, 1_000_000_000),
    "Employees of one account; they are listed in one response",
  ),
  quotaContacts: setting(
    "QUOTA_CONTACTS",
    "500000",
    wholeNumber(0, 1_000_000_000),
    "Contacts of one account that its CRM uploads",
  ),
  quotaDeals: setting(
    "QUOTA_DEALS",
    "1000000",
    wholeNumber(0, 1_000_000_000),
    "Deals of one account that its CRM uploads",
  ),
  quotaCrmBytes: setting(
    "QUOTA_CRM_BYTES",
    "1073741824",
    wholeNumber(0, 1_000_000_000_000_000),
    "Bytes of the contacts and deals of one account",
  ),
  quotaCannedAnswers: setting(
    "QUOTA_CANNED_ANSWERS",
    "300",
    wholeNumber(0, 1_000_000_000),
    "Canned answers of one account; they are listed in one response",
  ),
  quotaHistoryMessages: setting(
    "QUOTA_HISTORY_MESSAGES",
    "1000000",
    wholeNumber(0, 1_000_000_000),
    "Messages of one account imported from messengers' histories; an import ends when they are used up",
  ),
  streamsPerSession: setting(
    "STREAMS_PER_SESSION",
    "4",
    wholeNumber(1, 1_000_000),
    "Streams that one opened chat page may have on a node, and waiting requests that one opened connect page may have; beyond it the oldest ends",
  ),
  streamsPerAccount: setting(
    "STREAMS_PER_ACCOUNT",
    "1000",
    wholeNumber(1, 1_000_000),
    "The same for all pages of one account, at most half of STREAMS_PER_NODE; beyond it requests are rejected",
  ),
  streamsPerNode: setting(
    "STREAMS_PER_NODE",
    "4000",
    wholeNumber(4, 1_000_000),
    "The same for all pages of a node, at most a quarter of its file descriptors",
  ),
  pacing: setting("PACING", "on", flag, "off disables the pacing of sends, for tests against emulators"),
  callbacks: setting(
    "CALLBACKS",
    "auto",
    oneOf("auto", "on", "off"),
    "Whether messengers may call PUBLIC_URL; auto: when it is https with a public host name",
  ),
  logLevel: setting(
    "LOG_LEVEL",
    "info",
    oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent"),
    "Minimum level of log entries",
  ),
  logFormat: setting(
    "LOG_FORMAT",
    "auto",
    oneOf("auto", "json", "pretty"),
    "auto: readable lines on a terminal, JSON elsewhere",
  ),
  webhookSchedule: setting(
    "WEBHOOK_SCHEDULE",
    "5s,30s,2m,10m,30m,1h,3h,6h,12h",
    durations,
    "Delays between attempts of a failed webhook; the last delay repeats until three days have passed",
  ),
  webhookPauseAfter: setting(
    "WEBHOOK_PAUSE_AFTER",
    "3d",
    duration,
    "A receiver that has accepted nothing for this long is paused and a notice is shown; its webhooks are kept",
  ),
  webhookTimeoutSeconds: setting(
    "WEBHOOK_TIMEOUT_SECONDS",
    "30",
    wholeNumber(1, 300),
    "How long a receiver may take to respond",
  ),
  webhookMaxItems: setting(
    "WEBHOOK_MAX_ITEMS",
    "500",
    wholeNumber(1, 10_000),
    "Maximum number of events in one POST",
  ),
  webhookMaxBytes: setting(
    "WEBHOOK_MAX_BYTES",
    "98304",
    wholeNumber(1_024, 100_000_000),
    "Maximum number of bytes in one POST, unless a single event is larger",
  ),
  webhookContentType: setting(
    "WEBHOOK_CONTENT_TYPE",
    "application/json; charset=utf-8",
    text,
    "Content-Type of webhooks",
  ),
  s3Bucket: setting(
    "S3_BUCKET",
    null,
    text,
    "Keep files in this bucket of an S3-compatible store instead of DATA_DIR/files; requires the two keys",
  ),
  s3Endpoint: setting(
    "S3_ENDPOINT",
    null,
    httpUrl,
    "Address of that store; default https://s3.S3_REGION.amazonaws.com",
  ),
  s3Region: setting("S3_REGION", "us-east-1", text, "Region of the bucket"),
  s3Prefix: setting("S3_PREFIX", "", text, "Prefix of every object name, such as trunkline/"),
  s3AccessKeyId: setting("S3_ACCESS_KEY_ID", null, text, "Access key id for that store"),
  s3SecretAccessKey: setting("S3_SECRET_ACCESS_KEY", null, text, "Secret key that belongs to it", {
    sensitive: true,
  }),
  exportRetentionDays: setting(
    "EXPORT_RETENTION_DAYS",
    "7",
    wholeNumber(1, 36_500),
    "How long message exports are kept and their links are valid",
  ),
  auditRetentionDays: setting(
    "AUDIT_RETENTION_DAYS",
    "365",
    wholeNumber(1, 36_500),
    "How long the audit log is kept",
  ),
  messageRetentionDays: setting(
    "MESSAGE_RETENTION_DAYS",
    "0",
    wholeNumber(0, 36_500),
    "How long messages are kept, for the page of chats and for exports; 0: for ever, else at least 8",
  ),
  alertWebhookUrl: setting(
    "ALERT_WEBHOOK_URL",
    null,
    alertUrl,
    "Problems of the installation are posted to this address, signed with ALERT_WEBHOOK_SECRET",
    { sensitive: true },
  ),
  alertWebhookSecret: setting(
    "ALERT_WEBHOOK_SECRET",
    null,
    longSecret,
    "Signs the posts of ALERT_WEBHOOK_URL: 16 characters or more",
    { sensitive: true },
  ),
  alertEmailTo: setting(
    "ALERT_EMAIL_TO",
    "",
    addresses,
    "Problems of the installation are sent to these e-mail addresses; requires SMTP_URL and ALERT_EMAIL_FROM",
  ),
  alertEmailFrom: setting("ALERT_EMAIL_FROM", null, address, "Sender of these e-mails"),
  smtpUrl: setting(
    "SMTP_URL",
    null,
    smtpUrl,
    "Mail server: smtp://USER:PASSWORD@HOST:587, which uses STARTTLS if it is offered, or smtps://…:465",
    { sensitive: true },
  ),
  alertAfter: setting("ALERT_AFTER", "5m", duration, "A problem is reported once it has lasted this long"),
  alertEvery: setting(
    "ALERT_EVERY",
    "10m",
    duration,
    "The shortest time between two notifications; each contains all that has changed",
  ),
  inboundFileRetentionDays: setting(
    "INBOUND_FILE_RETENTION_DAYS",
    "30",
    wholeNumber(1, 36_500),
    "How long files from messengers are kept",
  ),
} as const;

type Settings = typeof SETTINGS;
/** The parsed values of the settings; a setting without a default may be undefined. */
export type SettingValues = {
  readonly [Name in keyof Settings]: ReturnType<Settings[Name]["parse"]> | undefined;
};
