import { hostname } from "node:os";
import ipaddr from "ipaddr.js";
import { parseBrokerAddress } from "../platform/broker/address.ts";
import { createAddressCheck } from "../platform/network/networks.ts";
import { parseSecretKey } from "../platform/secret-key.ts";
import { SAMPLERS } from "../platform/tracing/samplers.ts";
import { isLoopback } from "./emulators.ts";
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

/** Headers as `name=value,other=value`, percent-encoded. */
function otlpHeaders(value: string): string {
  const isPair = (pair: string): boolean => /^[^=\s]+=[^=]*=*$/.test(pair.trim());
  if (!value.split(",").every(isPair))
    throw new Error("must be headers such as authorization=Bearer%20TOKEN");
  return value;
}

function ratio(value: string): number {
  const number = Number(value);
  if (!/^(\d+\.?\d*|\.\d+)$/.test(value) || number > 1) throw new Error("must be a number from 0 to 1");
  return number;
}

/** The SDK discards all attributes if one of them is malformed. */
function resourceAttributes(value: string): string {
  const isPair = (pair: string): boolean => /^\s*([^=%\s]|%[\da-f]{2})+=([^=%]|%[\da-f]{2})*$/i.test(pair);
  if (!value.split(",").every(isPair))
    throw new Error("must be attributes such as deployment.environment.name=production,team=messaging");
  return value;
}

/** Requests with a user name in their address fail, and the error names the password. */
function plainUrl(value: string): string {
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

/** An exchange, the first words of subjects, or a topic. */
function sinkTarget(value: string): string {
  if (!/^[\w-]+(\.[\w-]+)*$/.test(value) || value.length > 200)
    throw new Error("must be a name of letters, digits, -, _ and single dots between them");
  return value;
}

function cellName(value: string): string {
  if (!/^[a-z][a-z0-9]{0,7}$/.test(value))
    throw new Error("must be a name of at most 8 lower-case letters and digits that begins with a letter");
  return value;
}

/** An OpenID Connect issuer; unlike other addresses it keeps a slash at its end, which belongs to its name. */
function issuerUrl(value: string): string {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "")
    throw new Error("must be a URL such as https://accounts.example");
  if (url.search !== "" || url.hash !== "" || url.pathname.includes("/.well-known/"))
    throw new Error("must be the issuer itself, without /.well-known/…, query and fragment");
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw new Error("must be https; http is for this machine only");
  return url.href;
}

function scopes(value: string): string {
  const found = list(value);
  if (!found.includes("openid")) throw new Error("must contain openid");
  return found.join(" ");
}

/** Who has the value in the claim of the roles has the role. */
export interface RoleRule {
  readonly value: string;
  readonly role: "operator" | "admin" | "viewer";
  /** Null: the whole installation. */
  readonly accountId: number | null;
}

const ROLE_RULE = /^(operator|admin|viewer)(?:@(\d{8}|[12]\d{9}))?\s*=\s*(.+)$/s;

function roleRules(value: string): readonly RoleRule[] {
  const parts = value.split(";").map((part) => part.trim());
  return parts.filter((part) => part !== "").map(roleRule);
}

function roleRule(part: string): RoleRule {
  const [, role, account, value = ""] = ROLE_RULE.exec(part) ?? [];
  if (role === undefined)
    throw new Error("must be rules such as operator=gateway-team; admin@10000001=shop-leads; viewer=support");
  const rule = { role, accountId: account === undefined ? null : Number(account), value } as RoleRule;
  if (role === "admin" && rule.accountId === null)
    throw new Error("must name the account of an admin, such as admin@10000001=shop-leads");
  if (role === "operator" && rule.accountId !== null)
    throw new Error("must not name an account for an operator, who has all");
  return rule;
}

function sessionTime(value: string): number {
  const ms = duration(value);
  if (ms < 300_000 || ms > 86_400_000) throw new Error("must be from 5m to 24h");
  return ms;
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
  cell: setting(
    "CELL",
    null,
    cellName,
    "Name of this cell, in an installation of several; addresses and tokens contain it, so that a load balancer can route them. It cannot be changed later",
  ),
  cellAddress: setting(
    "CELL_ADDRESS",
    null,
    httpUrl,
    "Where nodes of other cells reach those of this one, such as http://10.0.0.7:8080; for requests of accounts in other cells",
  ),
  directoryUrl: setting(
    "DIRECTORY_URL",
    null,
    postgresUrl,
    "PostgreSQL database of the directory, which all cells of an installation share: links of messenger accounts, partners and their applications; requires CELL",
    { sensitive: true },
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
  sinkUrl: setting(
    "SINK_URL",
    null,
    parseBrokerAddress,
    "Message broker that gets the events of all accounts: amqps://USER:PASSWORD@HOST:5671/VHOST (RabbitMQ), nats://USER:PASSWORD@HOST:4222 (NATS JetStream) or kafkas://USER:PASSWORD@HOST:9092 (Kafka)",
    { sensitive: true },
  ),
  sinkTarget: setting(
    "SINK_TARGET",
    "trunkline",
    sinkTarget,
    "Exchange (RabbitMQ), first words of the subjects (NATS) or topic (Kafka) to which the events go; it must exist",
  ),
  sinkEvents: setting(
    "SINK_EVENTS",
    "messages,statuses,reactions,channelsUpdates,templateStatus",
    list,
    "Kinds of events for the broker; any of both interfaces except requests to create something",
  ),
  alertWebhookUrl: setting(
    "ALERT_WEBHOOK_URL",
    null,
    plainUrl,
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
    "Mail server: smtp://USER:PASSWORD@HOST:587 with STARTTLS, or smtps://…:465",
    { sensitive: true },
  ),
  smtpTls: setting(
    "SMTP_TLS",
    "auto",
    oneOf("auto", "required", "optional"),
    "optional: mail also goes to an smtp:// server that offers no STARTTLS; auto: only if it is on this machine",
  ),
  alertAfter: setting("ALERT_AFTER", "5m", duration, "A problem is reported once it has lasted this long"),
  alertEvery: setting(
    "ALERT_EVERY",
    "10m",
    duration,
    "The shortest time between two notifications; each contains all that has changed",
  ),
  consolePasswords: setting(
    "CONSOLE_PASSWORDS",
    "on",
    flag,
    "off: people sign in to the console at OIDC_ISSUER only; links of `operator link` still work",
  ),
  oidcIssuer: setting(
    "OIDC_ISSUER",
    null,
    issuerUrl,
    "OpenID Connect provider for the console, such as https://accounts.example; redirect address: PUBLIC_URL/app/console",
  ),
  oidcClientId: setting("OIDC_CLIENT_ID", null, text, "Id under which the provider knows this installation"),
  oidcClientSecret: setting(
    "OIDC_CLIENT_SECRET",
    null,
    text,
    "Secret that belongs to it; without one it is a public client",
    { sensitive: true },
  ),
  oidcName: setting("OIDC_NAME", null, text, "Name of the provider on the button; default: its host"),
  oidcScopes: setting("OIDC_SCOPES", "openid profile email", scopes, "Scopes requested from the provider"),
  oidcRoleClaim: setting(
    "OIDC_ROLE_CLAIM",
    "roles",
    text,
    "Claim that decides about the role: its name, or a path such as realm_access.roles",
  ),
  oidcRoles: setting(
    "OIDC_ROLES",
    "",
    roleRules,
    "Roles by the values of that claim, such as operator=gateway-team; admin@10000001=shop-leads; viewer=support. The first that fits counts; nobody else may sign in",
  ),
  oidcSession: setting(
    "OIDC_SESSION",
    "12h",
    sessionTime,
    "How long a session lasts after a sign-in at the provider, 5m to 24h",
  ),
  otelEndpoint: setting(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    null,
    plainUrl,
    "Send traces of messages to this OpenTelemetry collector, such as http://127.0.0.1:4318: OTLP over HTTP, at /v1/traces",
  ),
  otelTracesEndpoint: setting(
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    null,
    plainUrl,
    "The same for traces alone, with the whole path",
  ),
  otelProtocol: setting(
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "http/protobuf",
    text,
    "With an endpoint, only http/protobuf",
  ),
  otelTracesProtocol: setting(
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    null,
    text,
    "The same for traces alone; default: OTEL_EXPORTER_OTLP_PROTOCOL",
  ),
  otelHeaders: setting(
    "OTEL_EXPORTER_OTLP_HEADERS",
    null,
    otlpHeaders,
    "Headers of requests to the collector: name=value,…, percent-encoded",
    { sensitive: true },
  ),
  otelTracesHeaders: setting(
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    null,
    otlpHeaders,
    "The same for traces alone",
    { sensitive: true },
  ),
  otelTracesExporter: setting(
    "OTEL_TRACES_EXPORTER",
    "otlp",
    oneOf("otlp", "none"),
    "none: no traces, whatever the endpoint",
  ),
  otelDisabled: setting("OTEL_SDK_DISABLED", "off", flag, "true: no traces, whatever the endpoint"),
  otelServiceName: setting("OTEL_SERVICE_NAME", "", text, "service.name of the spans; default: trunkline"),
  otelResourceAttributes: setting(
    "OTEL_RESOURCE_ATTRIBUTES",
    null,
    resourceAttributes,
    "Further attributes of this node in its traces: name=value,…, percent-encoded",
  ),
  otelSampler: setting(
    "OTEL_TRACES_SAMPLER",
    "parentbased_always_on",
    oneOf(...SAMPLERS),
    "Which messages are traced; traceidratio: those of OTEL_TRACES_SAMPLER_ARG. The same on all nodes",
  ),
  otelSamplerRatio: setting(
    "OTEL_TRACES_SAMPLER_ARG",
    "1",
    ratio,
    "Of the samplers with a ratio: the part of the messages, 0 to 1",
  ),
  otelQueueSize: setting(
    "OTEL_BSP_MAX_QUEUE_SIZE",
    "2048",
    wholeNumber(1, 1_000_000),
    "Spans that wait for the collector; beyond it new ones are dropped",
  ),
  otelDelayMs: setting(
    "OTEL_BSP_SCHEDULE_DELAY",
    "5000",
    wholeNumber(1, 3_600_000),
    "Milliseconds between two requests to the collector; full batches go at once",
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
