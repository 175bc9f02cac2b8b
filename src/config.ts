import { join, resolve } from "node:path";
import { isLoopback, unsafeEmulatorTrust } from "./config/emulators.ts";
import { type Environment, given } from "./config/environment.ts";
import { describeExits, readExits } from "./config/exits.ts";
import { type RoleRule, SETTINGS, type Setting, type SettingValues } from "./config/settings.ts";
import type { ListenAddress } from "./config/values.ts";
import type { TransportDefinition } from "./core/transport/definition.ts";
import type { BrokerAddress } from "./platform/broker/address.ts";
import { messageOf } from "./platform/message-of.ts";
import { createAddressCheck } from "./platform/network/networks.ts";
import type { ProviderOptions } from "./platform/network/openid.ts";
import type { S3Options } from "./platform/s3/client.ts";
import { loadSecretKey } from "./platform/secret-key.ts";
import type { SamplerName } from "./platform/tracing/samplers.ts";

type Optional =
  | "cell"
  | "cellAddress"
  | "directoryUrl"
  | "databaseUrl"
  | "metricsListen"
  | "secretKey"
  | "secretKeyOther";
type Bucket = Extract<keyof SettingValues, `s3${string}`>;
type SignIn = Extract<keyof SettingValues, `oidc${string}` | "consolePasswords">;
type Sinking = Extract<keyof SettingValues, `sink${string}`>;
type Tracing = Extract<keyof SettingValues, `otel${string}`>;
type Alerting = Extract<keyof SettingValues, `alert${string}` | `smtp${string}`>;
type Given = { readonly [Name in keyof SettingValues]-?: NonNullable<SettingValues[Name]> };

/** Leaves connections of the embedded server to the service's other uses and to commands. */
const EMBEDDED_MAX_POOL = 40;

/** Reachable in evaluation mode: everything that runs on the developer's machine, such as a CRM under development. */
const LOOPBACK = ["127.0.0.0/8", "::1/128"];

/** All settings, parsed and validated, with every "auto" resolved. `dataDir` is absolute. */
export interface Config
  extends Omit<Given, Optional | Bucket | Alerting | SignIn | Sinking | Tracing | "callbacks" | "logFormat"> {
  /** The name of this cell; null in an installation without names. */
  readonly cell: string | null;
  /** Where other cells reach this one; null: nowhere. */
  readonly cellAddress: string | null;
  /** The directory of an installation of several cells; null: there is none. */
  readonly directoryUrl: string | null;
  readonly databaseUrl: string | undefined;
  /** Null: `/metrics` is at HOST:PORT, beside the interface. */
  readonly metricsListen: ListenAddress | null;
  /** In the form of `parseSecretKey`; see `resolveSecretKeys`. */
  readonly secretKey: string | undefined;
  /** A second key, in the same format, during a rotation. */
  readonly secretKeyOther: string | undefined;
  /** The bucket for files; null: files are kept in DATA_DIR/files. */
  readonly s3: S3Options | null;
  /** The broker that gets all events; null: none. */
  readonly sink: SinkSettings | null;
  readonly alerts: Alerts;
  readonly console: ConsoleAccess;
  /** Null: no traces. */
  readonly traces: TraceSettings | null;
  /** PUBLIC_URL was set, not derived from HOST and PORT. */
  readonly publicUrlGiven: boolean;
  /** Messengers may call `publicUrl`. */
  readonly callbacks: boolean;
  readonly logPretty: boolean;
  /** HOST and PUBLIC_URL are both loopback addresses: the service is not reachable from outside. */
  readonly loopback: boolean;
  /** NODE_ENV is "production". */
  readonly production: boolean;
  /** Settings of each transport, by its id. */
  readonly transportSettings: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The operator's proxies of each transport, by its id, as URLs. */
  readonly exits: Readonly<Record<string, readonly string[]>>;
}

export interface SinkSettings {
  readonly address: BrokerAddress;
  readonly target: string;
  readonly events: readonly string[];
}

/** Where problems are reported; null: not there. */
export interface Alerts {
  readonly webhook: { readonly url: string; readonly secret: string } | null;
  readonly email: {
    readonly smtpUrl: string;
    /** Whether mail is sent only over TLS. */
    readonly requireTls: boolean;
    readonly from: string;
    readonly to: readonly string[];
  } | null;
  readonly afterMs: number;
  readonly everyMs: number;
}

/** Where and which traces of messages are sent. */
export interface TraceSettings {
  /** `…/v1/traces`. */
  readonly url: string;
  /** Empty: the default. */
  readonly serviceName: string;
  readonly sampler: SamplerName;
  readonly ratio: number;
  readonly maxQueueSize: number;
  readonly delayMs: number;
}

/** How people sign in to the console. */
interface ConsoleAccess {
  readonly passwords: boolean;
  /** Null: there is no provider. */
  readonly provider: Provider | null;
}

interface Provider extends ProviderOptions {
  readonly name: string;
  readonly roleClaim: string;
  readonly roles: readonly RoleRule[];
  readonly sessionMs: number;
}

/** Reports all invalid settings at once. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`Faulty settings:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

/** Reads the settings of the service and of the transports from an environment. Throws `ConfigError`. */
export function readConfig(env: Environment, definitions: readonly TransportDefinition[]): Config {
  const problems: string[] = [];
  const values = readSettings(env, problems);
  if (
    values.databaseUrl !== undefined &&
    values.secretKey === undefined &&
    given(env, "SECRET_KEY") === undefined
  )
    problems.push(
      "SECRET_KEY is required with DATABASE_URL: all nodes must have the same one. `openssl rand -base64 32` makes one",
    );
  if (values.databaseUrl === undefined && (values.databasePoolMax ?? 0) > EMBEDDED_MAX_POOL)
    problems.push(
      `DATABASE_POOL_MAX must be at most ${EMBEDDED_MAX_POOL} with the embedded PostgreSQL; DATABASE_URL uses another`,
    );
  if (values.directoryUrl !== undefined && values.cell === undefined)
    problems.push("CELL is required with DIRECTORY_URL: the directory knows each cell by its name");
  const s3 = readBucket(values, problems);
  const alerts = readAlerts(values, problems);
  const console = readConsole(values, problems);
  const traces = readTraces(values, problems);
  const transportSettings = readTransportSettings(env, definitions);
  const exits = readExits(env, definitions, problems);
  problems.push(...faultyAddresses(env, definitions));
  // Complete except for invalid settings: every setting with a default has a value, and the others are set here.
  const known = values as Given;
  const publicUrl = values.publicUrl ?? localUrl(known.host, known.port);
  const loopback =
    isLoopback(known.host) &&
    (values.publicUrl === undefined || isLoopback(new URL(values.publicUrl).hostname));
  const production = env["NODE_ENV"] === "production";
  const sandbox =
    values.sandbox ??
    (loopback && !production && values.databaseUrl === undefined && !hasAddress(env, definitions));
  if (!sandbox) problems.push(...unsafeEmulatorTrust(env, definitions, loopback));
  if (problems.length > 0) throw new ConfigError(problems);

  return Object.freeze({
    ...known,
    cell: values.cell ?? null,
    cellAddress: values.cellAddress ?? null,
    directoryUrl: values.directoryUrl ?? null,
    databaseUrl: values.databaseUrl,
    metricsListen: values.metricsListen ?? null,
    s3,
    sink: readSink(known),
    alerts,
    console,
    traces,
    secretKey: values.secretKey,
    secretKeyOther: values.secretKeyOther,
    dataDir: resolve(known.dataDir),
    publicUrl,
    publicUrlGiven: values.publicUrl !== undefined,
    callbacks: known.callbacks === "auto" ? isPublicUrl(publicUrl) : known.callbacks === "on",
    logPretty: known.logFormat === "auto" ? process.stdout.isTTY === true : known.logFormat === "pretty",
    production,
    sandbox,
    loopback,
    allowNetworks:
      sandbox && loopback && !production ? [...known.allowNetworks, ...LOOPBACK] : known.allowNetworks,
    transportSettings,
    exits,
  });
}

/** The configuration once the port is known: PORT may be 0, and PUBLIC_URL derived from it. */
export function withListeningPort(config: Config, port: number): Config {
  const publicUrl = config.publicUrlGiven ? config.publicUrl : localUrl(config.host, port);
  return Object.freeze({ ...config, port, publicUrl });
}

/** SECRET_KEY, or the key in DATA_DIR/secret.key, which is generated if it does not exist; and SECRET_KEY_OTHER. */
export async function resolveSecretKeys(
  config: Pick<Config, "secretKey" | "secretKeyOther" | "dataDir">,
): Promise<{ readonly secretKey: string; readonly otherKey: string | undefined }> {
  const secretKey = config.secretKey ?? (await loadSecretKey(join(config.dataDir, "secret.key")));
  return { secretKey, otherKey: config.secretKeyOther };
}

export interface SettingDescription {
  readonly env: string;
  readonly default: string | null;
  readonly help: string;
  readonly sensitive: boolean;
}

/** All settings, for the documentation and `--help`. */
export function describeSettings(definitions: readonly TransportDefinition[]): SettingDescription[] {
  const own = Object.values<Setting<unknown>>(SETTINGS).map(({ parse: _, ...description }) => description);
  const theirs = definitions.flatMap(({ settings }) =>
    Object.values(settings).map(({ env, default: fallback, help, sensitive = false }) => ({
      env,
      default: fallback,
      help,
      sensitive,
    })),
  );
  return [...own, ...describeExits(definitions), ...theirs];
}

/** The effective settings of this process; for secrets, only whether they are set. */
export function effectiveSettings(env: Environment, definitions: readonly TransportDefinition[]) {
  return describeSettings(definitions).map(({ env: name, default: fallback, help, sensitive }) => {
    const set = given(env, name);
    const value = set ?? fallback ?? "";
    const origin = set === undefined ? ("default" as const) : ("environment" as const);
    return { name, value: sensitive && value !== "" ? "•••" : value, origin, help };
  });
}

function readSettings(env: Environment, problems: string[]): SettingValues {
  const entries = Object.entries<Setting<unknown>>(SETTINGS).map(([name, setting]) => {
    const value = given(env, setting.env) ?? setting.default;
    try {
      return [name, value === null ? undefined : setting.parse(value)];
    } catch (error) {
      const shown = setting.sensitive ? "" : `, not "${value}"`;
      problems.push(`${setting.env} ${messageOf(error)}${shown}`);
      return [name, undefined];
    }
  });
  return Object.fromEntries(entries) as SettingValues;
}

function readBucket(values: SettingValues, problems: string[]): S3Options | null {
  const { s3Bucket: bucket, s3AccessKeyId, s3SecretAccessKey, s3Region: region = "" } = values;
  if (bucket === undefined) return null;
  if (s3AccessKeyId === undefined) problems.push("S3_ACCESS_KEY_ID is required with S3_BUCKET");
  if (s3SecretAccessKey === undefined) problems.push("S3_SECRET_ACCESS_KEY is required with S3_BUCKET");
  return {
    bucket,
    region,
    endpoint: values.s3Endpoint ?? `https://s3.${region}.amazonaws.com`,
    prefix: values.s3Prefix ?? "",
    accessKeyId: s3AccessKeyId ?? "",
    secretAccessKey: s3SecretAccessKey ?? "",
  };
}

function readSink({ sinkUrl, sinkTarget: target, sinkEvents: events }: SettingValues): SinkSettings | null {
  return sinkUrl === undefined || target === undefined || events === undefined
    ? null
    : { address: sinkUrl, target, events };
}

function readTransportSettings(env: Environment, definitions: readonly TransportDefinition[]) {
  return Object.freeze(
    Object.fromEntries(
      definitions.map(({ id, settings }) => [
        id,
        Object.freeze(
          Object.fromEntries(
            Object.entries(settings).map(([name, setting]) => [
              name,
              given(env, setting.env) ?? setting.default,
            ]),
          ),
        ),
      ]),
    ),
  );
}

/** A messenger's address must have the same kind of scheme as its default. */
function faultyAddresses(env: Environment, definitions: readonly TransportDefinition[]): string[] {
  const settings = definitions.flatMap((definition) => Object.values(definition.settings));
  return settings.flatMap(({ address, env: name, default: fallback }) => {
    const value = given(env, name) ?? fallback;
    if (address !== true || kindOfAddress(value) === kindOfAddress(fallback)) return [];
    return [`${name} must be an address such as ${fallback}, not "${value}"`];
  });
}

/** "http:" for http and https, "ws:" for ws and wss. */
function kindOfAddress(address: string): string | undefined {
  const { protocol, hostname } = URL.parse(address) ?? {};
  return hostname ? protocol?.replace(/^(http|ws)s:$/, "$1:") : undefined;
}

function hasAddress(env: Environment, definitions: readonly TransportDefinition[]): boolean {
  const settings = definitions.flatMap((definition) => Object.values(definition.settings));
  return settings.some(({ address, env: name }) => address === true && given(env, name) !== undefined);
}

function localUrl(host: string, port: number): string {
  const name = /^(0\.0\.0\.0|::|\*)$/.test(host) ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Whether a messenger on the internet could call it. */
function isPublicUrl(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  if (protocol !== "https:") return false;
  const host = hostname.replace(/^\[|\]$/g, "");
  if (/^[\d.]+$/.test(host) || host.includes(":")) return createAddressCheck([])(host);
  return host.includes(".") && !/(^|\.)(localhost|local|internal|lan|home|test|example|invalid)$/i.test(host);
}

/** Where problems are reported; both ways are optional, and complete or missing. */
function readAlerts(values: SettingValues, problems: string[]): Alerts {
  const { alertWebhookUrl: url, alertWebhookSecret: secret, alertEmailFrom: from, smtpUrl } = values;
  const to = values.alertEmailTo ?? [];
  if ((url === undefined) !== (secret === undefined))
    problems.push("ALERT_WEBHOOK_URL and ALERT_WEBHOOK_SECRET must be set together");
  if (to.length > 0 && (from === undefined || smtpUrl === undefined))
    problems.push("ALERT_EMAIL_TO requires SMTP_URL and ALERT_EMAIL_FROM");
  return {
    webhook: url === undefined || secret === undefined ? null : { url, secret },
    email:
      to.length === 0 || from === undefined || smtpUrl === undefined
        ? null
        : { smtpUrl, requireTls: requiresTls(smtpUrl, values.smtpTls), from, to },
    afterMs: values.alertAfter ?? 0,
    everyMs: values.alertEvery ?? 0,
  };
}

/** By default everywhere but on this machine: mails name channels, and the connection carries a password. */
function requiresTls(smtpUrl: string, wanted: "auto" | "required" | "optional" = "auto"): boolean {
  return wanted === "auto" ? !isLoopback(new URL(smtpUrl).hostname) : wanted === "required";
}

/** How people sign in to the console. */
function readConsole(values: SettingValues, problems: string[]): ConsoleAccess {
  const { consolePasswords: passwords = true, oidcIssuer: issuer, oidcClientId: clientId } = values;
  const { oidcRoles: roles = [] } = values;
  if (issuer === undefined) {
    if (clientId !== undefined) problems.push("OIDC_CLIENT_ID requires OIDC_ISSUER");
    if (!passwords) problems.push("CONSOLE_PASSWORDS=off requires OIDC_ISSUER: nobody could sign in");
    return { passwords, provider: null };
  }
  if (clientId === undefined) problems.push("OIDC_CLIENT_ID is required with OIDC_ISSUER");
  if (values.oidcRoles?.length === 0)
    problems.push("OIDC_ROLES is required with OIDC_ISSUER: without it nobody may sign in");
  return {
    passwords,
    provider: {
      issuer,
      clientId: clientId ?? "",
      clientSecret: values.oidcClientSecret ?? null,
      name: values.oidcName ?? new URL(issuer).host,
      scopes: values.oidcScopes ?? "",
      roleClaim: values.oidcRoleClaim ?? "",
      roles,
      sessionMs: values.oidcSession ?? 0,
    },
  };
}

/** Other programs of the environment may use the same variables with another protocol, so that matters only with an endpoint. */
function readTraces(values: SettingValues, problems: string[]): TraceSettings | null {
  const { otelEndpoint: base, otelTracesEndpoint: url = base && `${base}/v1/traces` } = values;
  if (url === undefined || values.otelDisabled === true || values.otelTracesExporter === "none") return null;
  const protocol = values.otelTracesProtocol ?? values.otelProtocol;
  if (protocol !== "http/protobuf")
    problems.push(
      `OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, not "${protocol}"; OTEL_TRACES_EXPORTER=none sends no traces`,
    );
  return {
    url,
    serviceName: values.otelServiceName ?? "",
    sampler: values.otelSampler ?? "parentbased_always_on",
    ratio: values.otelSamplerRatio ?? 1,
    maxQueueSize: values.otelQueueSize ?? 0,
    delayMs: values.otelDelayMs ?? 0,
  };
}
