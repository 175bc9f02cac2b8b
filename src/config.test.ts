import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { ConfigError, describeSettings, readConfig, resolveSecretKeys, withListeningPort } from "./config.ts";
import type { TransportDefinition } from "./core/transport/definition.ts";

const definition = {
  id: "pigeon",
  label: "Pigeon",
  connect: "credentials",
  credentials: Type.Object({}),
  settings: {
    apiUrl: {
      env: "PIGEON_API_URL",
      default: "https://api.pigeon.example",
      help: "Where it is",
      address: true,
    },
    secret: { env: "PIGEON_SECRET", default: "", help: "A secret", sensitive: true },
    rootKey: { env: "PIGEON_ROOT_KEY", default: "", help: "A key", emulatorOnly: true },
  },
} as unknown as TransportDefinition;

const read = (env: Record<string, string> = {}) => readConfig(env, [definition]);
const KEY = "j7LEYB1-k6X2CzjZF0ziql0Ba5-Dx-QtePEJWrY8DtQ";

test("files go to a bucket when one is named", () => {
  const keys = { S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "key" };
  expect(read(keys).s3).toBeNull();
  expect(read({ ...keys, S3_BUCKET: "shop" }).s3).toEqual({
    bucket: "shop",
    region: "us-east-1",
    endpoint: "https://s3.us-east-1.amazonaws.com",
    prefix: "",
    accessKeyId: "id",
    secretAccessKey: "key",
  });
  const own = { S3_ENDPOINT: "http://minio:9000/", S3_REGION: "eu", S3_PREFIX: "a/" };
  expect(read({ ...keys, ...own, S3_BUCKET: "shop" }).s3).toMatchObject({
    endpoint: "http://minio:9000",
    region: "eu",
    prefix: "a/",
  });
  expect(() => read({ S3_BUCKET: "shop" })).toThrow(/S3_ACCESS_KEY_ID is required.*S3_SECRET_ACCESS_KEY is/s);
});

test("traces go to a collector when there is one", () => {
  expect(read().traces).toBeNull();
  const at = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };
  expect(read(at).traces).toEqual({
    url: "http://collector:4318/v1/traces",
    serviceName: "",
    sampler: "parentbased_always_on",
    ratio: 1,
    maxQueueSize: 2048,
    delayMs: 5000,
  });
  const own = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/otlp",
    OTEL_SERVICE_NAME: "gateway",
  };
  const sampled = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" };
  expect(read({ ...at, ...own, ...sampled }).traces).toMatchObject({
    url: "https://traces.example/otlp",
    serviceName: "gateway",
    sampler: "traceidratio",
    ratio: 0.25,
  });
  expect(read({ ...at, OTEL_SDK_DISABLED: "true" }).traces).toBeNull();
  expect(read({ ...at, OTEL_TRACES_EXPORTER: "none" }).traces).toBeNull();
  expect(read({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }).traces).toBeNull();
});

test.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, not"],
  [{ OTEL_TRACES_SAMPLER: "jaeger_remote" }, "OTEL_TRACES_SAMPLER must be one of always_on,"],
  [{ OTEL_TRACES_SAMPLER_ARG: "10%" }, "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1"],
  [{ OTEL_TRACES_SAMPLER_ARG: "2" }, "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1"],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" },
    "OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL",
  ],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://a:b@c" }, "OTEL_EXPORTER_OTLP_ENDPOINT must have no user name"],
  [{ OTEL_EXPORTER_OTLP_HEADERS: "secret-key" }, "OTEL_EXPORTER_OTLP_HEADERS must be headers such as"],
  [{ OTEL_RESOURCE_ATTRIBUTES: "team" }, "OTEL_RESOURCE_ATTRIBUTES must be attributes such as"],
])("traces with %o", (env, problem) => {
  const at = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };
  expect(() => read({ ...at, ...env })).toThrow(problem);
  expect(() => read({ ...at, ...env })).not.toThrow("secret-key");
});

test("defaults", () => {
  expect(read()).toMatchObject({
    host: "127.0.0.1",
    port: 8080,
    publicUrl: "http://127.0.0.1:8080",
    dataDir: join(process.cwd(), "data"),
    databaseUrl: undefined,
    roles: ["api", "sessions", "delivery", "jobs"],
    sandbox: true,
    sandboxPort: 8090,
    allowNetworks: ["127.0.0.0/8", "::1/128"],
    rateLimitPerMinute: 1000,
    rateLimitWindowMinutes: 1,
    trustedProxies: ["127.0.0.0/8", "::1/128"],
    pacing: true,
    callbacks: false,
    nodeLeaseMs: 3000,
    webhookSchedule: [5e3, 30e3, 120e3, 600e3, 1800e3, 3600e3, 10_800e3, 21_600e3, 43_200e3],
    webhookPauseAfter: 3 * 86_400_000,
    webhookTimeoutSeconds: 30,
    webhookMaxItems: 500,
    webhookMaxBytes: 98304,
    transportSettings: { pigeon: { apiUrl: "https://api.pigeon.example", secret: "", rootKey: "" } },
  });
});

test.each(["B", "2b", "a-b", "ninechars", "ä"])("a cell cannot be named %s", (name) => {
  expect(() => read({ CELL: name })).toThrow(`CELL must be a name of at most 8 lower-case letters`);
});

test.each<[Record<string, string>, object]>([
  [{ PORT: "9000", HOST: "0.0.0.0" }, { publicUrl: "http://localhost:9000" }],
  [{ HOST: "::1" }, { publicUrl: "http://[::1]:8080" }],
  [{ PUBLIC_URL: "https://gw.example.com/" }, { publicUrl: "https://gw.example.com", callbacks: true }],
  [{ PUBLIC_URL: "https://gw.example.com/a/" }, { publicUrl: "https://gw.example.com/a" }],
  [{ PUBLIC_URL: "http://gw.example.com" }, { callbacks: false }],
  [{ PUBLIC_URL: "https://gw.local" }, { callbacks: false }],
  [{ PUBLIC_URL: "https://192.168.1.5" }, { callbacks: false }],
  [{ PUBLIC_URL: "https://gateway" }, { callbacks: false }],
  [{ PUBLIC_URL: "http://gw.local", CALLBACKS: "on" }, { callbacks: true }],
  [{ DATABASE_URL: "postgres://u:p@h/db", SECRET_KEY: KEY }, { sandbox: false }],
  [{ DATABASE_URL: "postgres://u:p@h/db", SECRET_KEY: KEY, SANDBOX: "1" }, { sandbox: true }],
  [
    { PIGEON_API_URL: "https://p" },
    { sandbox: false, transportSettings: { pigeon: { apiUrl: "https://p", secret: "", rootKey: "" } } },
  ],
  [{ PIGEON_SECRET: "x" }, { sandbox: true }],
  [{ NODE_ENV: "production" }, { sandbox: false, production: true }],
  [
    { NODE_ENV: "production", SANDBOX: "1" },
    { sandbox: true, allowNetworks: [] },
  ],
  [{ SANDBOX: "0" }, { sandbox: false }],
  [{ PACING: "off" }, { pacing: false }],
  [{}, { cell: null }],
  [{ CELL: "b2" }, { cell: "b2" }],
  [{ WEBHOOK_PAUSE_AFTER: "12h" }, { webhookPauseAfter: 12 * 3_600_000 }],
  [{ ROLES: "api, jobs" }, { roles: ["api", "jobs"] }],
  [{ ALLOW_NETWORKS: "10.0.0.0/8 fd00::/8", SANDBOX: "0" }, { allowNetworks: ["10.0.0.0/8", "fd00::/8"] }],
  [
    { ALLOW_NETWORKS: "10.0.0.0/8:8080 !8.8.8.8/32", SANDBOX: "0" },
    { allowNetworks: ["10.0.0.0/8:8080", "!8.8.8.8/32"] },
  ],
  [{ ALLOW_NETWORKS: "10.0.0.0/8" }, { allowNetworks: ["10.0.0.0/8", "127.0.0.0/8", "::1/128"] }],
  [
    { PORT: "", LOG_LEVEL: " " },
    { port: 8080, logLevel: "info" },
  ],
  [{ DATABASEURL: "nonsense" }, { databaseUrl: undefined }],
  [{ LOG_FORMAT: "json" }, { logPretty: false }],
  [{}, { metricsListen: null }],
  [{ METRICS_LISTEN: "9090" }, { metricsListen: { host: "127.0.0.1", port: 9090 } }],
  [{ METRICS_LISTEN: "10.0.0.5:9090" }, { metricsListen: { host: "10.0.0.5", port: 9090 } }],
  [{ METRICS_LISTEN: "[::1]:0" }, { metricsListen: { host: "::1", port: 0 } }],
])("%j", (env, expected) => {
  expect(read(env)).toMatchObject(expected);
});

test.each<[Record<string, string>, boolean]>([
  [{ HOST: "127.0.0.1" }, true],
  [{ HOST: "127.1.2.3" }, true],
  [{ HOST: "localhost", PUBLIC_URL: "http://gw.localhost:8080" }, true],
  [{ HOST: "::1", PUBLIC_URL: "http://[::1]:8080" }, true],
  [{ HOST: "0.0.0.0" }, false],
  [{ HOST: "::" }, false],
  [{ HOST: "192.168.1.5" }, false],
  [{ HOST: "127.0.0.1.example.com" }, false],
  [{ PUBLIC_URL: "https://gw.example.com" }, false],
  [{ PUBLIC_URL: "http://localhost.example.com" }, false],
  [{ HOST: "0.0.0.0", PUBLIC_URL: "http://localhost:8080" }, false],
])("%j: what is for trying out is on: %s", (env, expected) => {
  const config = read(env);
  expect(config).toMatchObject({ sandbox: expected, loopback: expected });
  expect(config.allowNetworks.length > 0).toBe(expected);
});

test("a sandbox that others can reach does not open this machine to tenants", () => {
  expect(read({ HOST: "0.0.0.0", SANDBOX: "1" })).toMatchObject({ sandbox: true, allowNetworks: [] });
});

test.each<[Record<string, string>, boolean]>([
  [{}, true],
  [{ HOST: "0.0.0.0", SANDBOX: "1" }, true],
  [{ PIGEON_API_URL: "http://127.0.0.1:9" }, true],
  [{ PIGEON_API_URL: "http://127.0.0.1:9", NODE_ENV: "production" }, true],
  [{ SANDBOX: "0" }, false],
  [{ NODE_ENV: "production" }, false],
  [{ HOST: "0.0.0.0" }, false],
  [{ PIGEON_API_URL: "https://pigeon.example" }, false],
  [{ PIGEON_API_URL: "http://127.0.0.1:9", PUBLIC_URL: "https://gw.example.com" }, false],
])("with %j the key of an emulator is taken: %s", (env, expected) => {
  const attempt = () => read({ ...env, PIGEON_ROOT_KEY: "ab" });
  if (expected) expect(attempt().transportSettings["pigeon"]).toMatchObject({ rootKey: "ab" });
  else
    expect(attempt).toThrow(/PIGEON_ROOT_KEY is for an emulator.* HOST, PUBLIC_URL, PIGEON_API_URL are all/);
});

test("all faults are named at once, and no secret is shown", () => {
  const faulty = {
    PORT: "80x",
    PUBLIC_URL: "gw.example.com",
    ROLES: "api,cook",
    ALLOW_NETWORKS: "10.0.0.0",
    METRICS_LISTEN: "::1",
    TRUSTED_PROXIES: "10.0.0.0/8:80",
    WEBHOOK_SCHEDULE: "5s,soon",
    WEBHOOK_PAUSE_AFTER: "3d,4d",
    SANDBOX: "maybe",
    PIGEON_API_URL: "pigeon.example",
    DATABASE_URL: "mysql://u:hushhush@h/db",
    SECRET_KEY: "hushhush",
  };
  const error = (() => {
    try {
      return read(faulty);
    } catch (caught) {
      return caught;
    }
  })();
  expect(error).toBeInstanceOf(ConfigError);
  const { message, problems } = error as ConfigError;
  expect(problems).toHaveLength(Object.keys(faulty).length);
  for (const name of Object.keys(faulty)) expect(message).toContain(name);
  expect(message).toContain('PORT must be a whole number from 0 to 65535, not "80x"');
  expect(message).not.toContain("hushhush");
});

test("a database of one's own needs a key", () => {
  expect(() => read({ DATABASE_URL: "postgres://h/db" })).toThrow(/SECRET_KEY is required/);
});

const TORN = [
  "postgres://u:hush#hush@h/db",
  "postgres://u:hush/hush@h/db",
  "postgres://u:hush%hush@h/db",
  "postgres://u:a?hush@h/db",
];
test.each(TORN)("a password that tears the address apart is explained, not printed: %s", (url) => {
  const refusal = caught(() => read({ DATABASE_URL: url, SECRET_KEY: KEY }));
  expect(refusal.message).toMatch(/DATABASE_URL must look like .*%23 for #/);
  expect(refusal.message).not.toContain("hush");
});

test.each([
  "postgres://u:a%23b%40c@h/db",
  "postgresql://h/db",
  "postgres:///db?host=/run/postgresql",
  "postgres://h/db?sslmode=verify-full",
])("an address of PostgreSQL: %s", (url) => {
  expect(read({ DATABASE_URL: url, SECRET_KEY: KEY })).toMatchObject({ databaseUrl: url });
});

function caught(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}

test("an alert's address with a password is refused, and not printed", () => {
  const alerts = { ALERT_WEBHOOK_SECRET: "sixteen characters" };
  for (const url of ["https://u:hush@ops.example/a", "https://:hush@ops.example"]) {
    const refusal = caught(() => read({ ...alerts, ALERT_WEBHOOK_URL: url }));
    expect(refusal.message).toMatch(/ALERT_WEBHOOK_URL must have no user name and no password/);
    expect(refusal.message).not.toContain("hush");
  }
  const url = "https://ops.example/a";
  expect(read({ ...alerts, ALERT_WEBHOOK_URL: url })).toMatchObject({ alerts: { webhook: { url } } });
});

test("the embedded database has few connections", () => {
  expect(read({ DATABASE_POOL_MAX: "40" })).toMatchObject({ databasePoolMax: 40 });
  expect(() => read({ DATABASE_POOL_MAX: "41" })).toThrow(/DATABASE_POOL_MAX must be at most 40/);
  const own = { DATABASE_URL: "postgres://h/db", SECRET_KEY: KEY };
  expect(read({ ...own, DATABASE_POOL_MAX: "41" })).toMatchObject({ databasePoolMax: 41 });
});

test("the port that was taken goes into a public address that was not given", () => {
  expect(withListeningPort(read({ PORT: "0" }), 4711)).toMatchObject({
    port: 4711,
    publicUrl: "http://127.0.0.1:4711",
  });
  const given = read({ PORT: "0", PUBLIC_URL: "https://gw.example.com" });
  expect(withListeningPort(given, 4711).publicUrl).toBe("https://gw.example.com");
});

test("descriptions cover every setting", () => {
  const rows = describeSettings([definition]);
  expect(new Set(rows.map(({ env }) => env)).size).toBe(rows.length);
  expect(rows).toContainEqual({ env: "PIGEON_SECRET", default: "", help: "A secret", sensitive: true });
  expect(rows.find(({ env }) => env === "SECRET_KEY")).toMatchObject({ sensitive: true, default: null });
  for (const { help } of rows) expect(help).not.toBe("");
});

test("the key is generated once, readable for its owner alone", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "key-"));
  const none = { secretKey: undefined, secretKeyOther: undefined };
  const keys = await Promise.all(Array.from({ length: 5 }, () => resolveSecretKeys({ ...none, dataDir })));
  expect(new Set(keys.map(({ secretKey }) => secretKey)).size).toBe(1);
  expect(keys[0]?.secretKey).toHaveLength(43);
  expect(statSync(join(dataDir, "secret.key")).mode & 0o777).toBe(0o600);
  const given = { secretKey: KEY, secretKeyOther: "other", dataDir };
  expect(await resolveSecretKeys(given)).toEqual({ secretKey: KEY, otherKey: "other" });
  writeFileSync(join(dataDir, "secret.key"), "");
  await expect(resolveSecretKeys({ ...none, dataDir })).rejects.toThrow(/no usable key/);
  rmSync(dataDir, { recursive: true });
});

test.each([
  ["https://p.example", "http://127.0.0.1:9", true],
  ["https://p.example", "ws://127.0.0.1:9", false],
  ["wss://p.example/ws", "ws://127.0.0.1:9/ws", true],
  ["wss://p.example/ws", "wss://q.example/ws", true],
  ["wss://p.example/ws", "https://q.example", false],
])("a messenger at %s may be at %s: %s", (usual, other, may) => {
  const apiUrl = { env: "PIGEON_API_URL", default: usual, help: "Where it is", address: true };
  const pigeon = { ...definition, settings: { apiUrl } } as unknown as TransportDefinition;
  const attempt = () => readConfig({ PIGEON_API_URL: other }, [pigeon]);
  if (may) expect(attempt).not.toThrow();
  else expect(attempt).toThrow(/PIGEON_API_URL must be an address such as/);
});

const OIDC = { OIDC_ISSUER: "https://id.example/", OIDC_CLIENT_ID: "gw", OIDC_ROLES: "operator=a" };

test("the provider of the console", () => {
  expect(read().console).toEqual({ passwords: true, provider: null });
  const OIDC_ROLES =
    "operator=CN=ops,DC=corp ; admin@10000001 = Shop leads; viewer@1417000001=support;viewer=all=x;";
  expect(read({ ...OIDC, OIDC_ROLES, OIDC_SESSION: "1h", CONSOLE_PASSWORDS: "off" }).console).toEqual({
    passwords: false,
    provider: {
      issuer: "https://id.example/",
      clientId: "gw",
      clientSecret: null,
      name: "id.example",
      scopes: "openid profile email",
      roleClaim: "roles",
      roles: [
        { role: "operator", accountId: null, value: "CN=ops,DC=corp" },
        { role: "admin", accountId: 10_000_001, value: "Shop leads" },
        { role: "viewer", accountId: 1_417_000_001, value: "support" },
        { role: "viewer", accountId: null, value: "all=x" },
      ],
      sessionMs: 3_600_000,
    },
  });
});

test.each([
  [{ OIDC_CLIENT_ID: "" }, "OIDC_CLIENT_ID is required with OIDC_ISSUER"],
  [{ OIDC_ISSUER: "" }, "OIDC_CLIENT_ID requires OIDC_ISSUER"],
  [{ OIDC_ISSUER: "http://id.example" }, "OIDC_ISSUER must be https; http is for this machine only"],
  [{ OIDC_ISSUER: "https://u@id.example" }, "OIDC_ISSUER must be a URL"],
  [
    { OIDC_ISSUER: "https://id.example/.well-known/openid-configuration" },
    "OIDC_ISSUER must be the issuer itself",
  ],
  [{ OIDC_ROLES: "" }, "OIDC_ROLES is required with OIDC_ISSUER"],
  [{ OIDC_ROLES: "king=a" }, "OIDC_ROLES must be rules such as"],
  [{ OIDC_ROLES: "admin=a" }, "OIDC_ROLES must name the account of an admin"],
  [{ OIDC_ROLES: "operator@10000001=a" }, "OIDC_ROLES must not name an account for an operator"],
  [{ OIDC_SCOPES: "profile" }, "OIDC_SCOPES must contain openid"],
  [{ OIDC_SESSION: "2d" }, "OIDC_SESSION must be from 5m to 24h"],
  [{ OIDC_ISSUER: "", OIDC_CLIENT_ID: "", CONSOLE_PASSWORDS: "off" }, "CONSOLE_PASSWORDS=off requires"],
])("a faulty provider of the console: %j", (env, problem) => {
  expect(() => read({ ...OIDC, ...env })).toThrow(problem);
});

test.each([
  ["smtp://mail.example:587", undefined, true],
  ["smtp://127.0.0.1:25", undefined, false],
  ["smtp://mail.example:587", "optional", false],
  ["smtp://localhost", "required", true],
])("mail to %s with SMTP_TLS=%s requires TLS: %s", (SMTP_URL, tls, requireTls) => {
  const env = { SMTP_URL, ALERT_EMAIL_TO: "a@b.example", ALERT_EMAIL_FROM: "c@b.example" };
  const { alerts } = read({ ...env, ...(tls === undefined ? {} : { SMTP_TLS: tls }) });
  expect(alerts.email?.requireTls).toBe(requireTls);
});
