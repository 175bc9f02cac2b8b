import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonSchema } from "../../../src/http/openapi/json-schema.ts";
import type { Operation } from "../../../src/http/openapi/operation.ts";
import { describeInterface } from "../../kit/interface.ts";
import { valid } from "../kit/arbitrary.ts";
import { type Answer, type Call, call, outcome } from "../kit/call.ts";
import { addPartner } from "../kit/partner.ts";
import { addAccount, startNode, type TestNode } from "../kit/service.ts";

/** A route of the interface, with what its body may be; null where it takes none. */
interface Route {
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly security: string;
  readonly body: JsonSchema | null;
}

const { paths } = await describeInterface();
const ROUTES: readonly Route[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => routeOf(method.toUpperCase(), path, operation)),
);

function routeOf(method: string, path: string, { security, requestBody }: Operation): Route {
  return {
    name: `${method} ${path}`,
    method: method as Route["method"],
    path: path.replace("{chat_type}", "whatsapp").replaceAll(/\{\w+\}/g, "x"),
    security: Object.keys(security[0] ?? {}).join(),
    body: requestBody?.content["application/json"]?.schema ?? null,
  };
}

const LOCKED = ROUTES.filter(({ security }) => security !== "");
/** Bodies of some routes are lists, and those of others are looked at one by one: they have faults of their own. */
const WITH_FIELDS = LOCKED.filter(({ body, path }) => body?.type === "object" && !isList(path));
function isList(path: string): boolean {
  return /^\/v[23]\/(users|contacts|deals|pipelines)(\/|$)/.test(path);
}

let node: TestNode;
let headers: Record<string, Record<string, string>>;

beforeAll(async () => {
  node = await startNode({ rateLimitPerMinute: 1_000_000 });
  const { access, api } = await addAccount(node.db);
  const partner = await addPartner(node);
  headers = {
    accessToken: { authorization: `Bearer ${access}` },
    apiKey: { authorization: `Bearer ${api}` },
    partner: partner.headers,
  };
});
afterAll(() => node.stop());

function send(
  { method, path, security }: Route,
  { headers: more, ...rest }: Call = {},
  suffix = "",
): Promise<Answer> {
  return call(node, method, path + suffix, { ...rest, headers: { ...headers[security], ...more } });
}

/** What each route answers to the same request. */
async function outcomesOf(routes: readonly Route[], request: Call = {}): Promise<Map<string, string>> {
  const answers = routes.map(async (route) => [route.name, outcome(await send(route, request))] as const);
  return new Map(await Promise.all(answers));
}

/** Every route whose answer is not as it should be, with the answer. */
async function failing(
  routes: readonly Route[],
  request: (route: Route) => Promise<Answer>,
  isRight: (answer: Answer, route: Route) => boolean,
): Promise<string[]> {
  expect(routes.length).toBeGreaterThan(0);
  const checked = await Promise.all(
    routes.map(async (route) => {
      const answer = await request(route);
      return isRight(answer, route) ? [] : [`${route.name}: ${outcome(answer)} ${answer.text.slice(0, 200)}`];
    }),
  );
  return checked.flat();
}

const JSON_TYPE = { "content-type": "application/json" };
/** Faults of how a body came, not of what is in it. */
const isBodyFault = ({ status, json }: Answer): boolean =>
  [413, 415].includes(status) || (json as { error?: string } | undefined)?.error === "INVALID_JSON";
const faultsOf = ({ json }: Answer): string[] =>
  (json as { data?: { fields?: (string | { field: string })[] } } | undefined)?.data?.fields?.map((each) =>
    typeof each === "string" ? each : each.field,
  ) ?? [];

test("the whole interface is checked", () => {
  expect(LOCKED.length).toBeGreaterThan(80);
  expect(WITH_FIELDS.length).toBeGreaterThan(20);
});

describe("1: paths", () => {
  test("a slash at the end never matters", async () => {
    const without = (route: Route) => call(node, route.method, `${route.path}/`);
    // The consent page reports that it was opened without an application's request.
    const open = ({ path }: Route) => (path === "/v2/oauth/authorize" ? 400 : 200);
    // Its key is in the path.
    const isLocked = ({ path, security }: Route) => security !== "" || path.startsWith("/counters/");
    const isKnown = ({ status }: Answer, route: Route) => status === (isLocked(route) ? 401 : open(route));
    expect(await failing(ROUTES, without, isKnown)).toEqual([]);
  });
});

describe("2: bodies", () => {
  const ignoring = LOCKED.filter(
    ({ method, body }) => method === "GET" || (method === "DELETE" && body === null),
  );

  test.each([
    ["[]", "application/json"],
    ["{nonsense", "application/json"],
    ["x=1", "text/plain"],
    ["[]", ""],
  ])("GET and DELETE ignore %j of type %j", async (raw, type) => {
    const plain = await outcomesOf(ignoring);
    const request = (route: Route) => send(route, { raw, headers: { "content-type": type } });
    const isSame = (answer: Answer, { name }: Route) => outcome(answer) === plain.get(name);
    expect(await failing(ignoring, request, isSame)).toEqual([]);
  });

  test("an empty JSON body equals none, and missing fields are then named", async () => {
    const writing = LOCKED.filter((route) => !ignoring.includes(route));
    const request = (route: Route) => send(route, { raw: "", headers: JSON_TYPE });
    const isRead = (answer: Answer, { body }: Route) => {
      const required = body?.type === "object" ? (body.required ?? []) : [];
      return !isBodyFault(answer) && required.every((name) => answer.text.includes(name));
    };
    expect(await failing(writing, request, isRead)).toEqual([]);
  });
});

test("3: null in an optional field means absent", async () => {
  const empty = await outcomesOf(WITH_FIELDS, { body: {} });
  const request = (route: Route) => {
    const names = Object.keys(route.body?.properties ?? {});
    return send(route, { body: Object.fromEntries(names.map((name) => [name, null])) });
  };
  const isSame = (answer: Answer, { name }: Route) => outcome(answer) === empty.get(name);
  expect(await failing(WITH_FIELDS, request, isSame)).toEqual([]);
});

describe("4: unknown fields", () => {
  test("in the query it is ignored", async () => {
    const reading = LOCKED.filter(({ method }) => method === "GET");
    const plain = await outcomesOf(reading);
    const request = (route: Route) => send(route, {}, "?unknown=1&more[]=2&a.b=");
    const isSame = (answer: Answer, { name }: Route) => outcome(answer) === plain.get(name);
    expect(await failing(reading, request, isSame)).toEqual([]);
  });

  test("in a body it is named on v2, and ignored on v3", async () => {
    const request = (route: Route) => send(route, { body: { unknown_field: 1 } });
    const isRight = (answer: Answer, { path }: Route) =>
      faultsOf(answer).includes("unknown_field") === path.startsWith("/v2/");
    expect(await failing(WITH_FIELDS, request, isRight)).toEqual([]);
  });
});

test("5: types are not coerced, and one response names every invalid field", async () => {
  const wrong = ({ type }: JsonSchema): unknown =>
    Array.isArray(type) ? true : type === "string" || type === undefined ? 2 : "2";
  const request = ({ body, ...route }: Route) => {
    const fields = Object.entries(body?.properties ?? {}).map(([name, schema]) => [name, wrong(schema)]);
    return send({ ...route, body }, { body: Object.fromEntries(fields) });
  };
  const isRight = (answer: Answer, { body }: Route) => {
    const names = Object.keys(body?.properties ?? {});
    return answer.status === 400 && names.every((name) => faultsOf(answer).includes(name));
  };
  expect(await failing(WITH_FIELDS, request, isRight)).toEqual([]);
});

describe("6: headers", () => {
  test("every response has its own id, authenticated or not", async () => {
    const seen = new Set<string>();
    const isRight = ({ headers: { "x-request-id": id } }: Answer) => {
      const isNew = typeof id === "string" && /^[0-9a-f]{32}$/.test(id) && !seen.has(id);
      seen.add(String(id));
      return isNew;
    };
    expect(await failing(ROUTES, (route) => call(node, route.method, route.path), isRight)).toEqual([]);
    expect(await failing(ROUTES, (route) => send(route), isRight)).toEqual([]);
  });

  test("every authenticated response has the limit and what is left of it", async () => {
    const isRight = ({ headers: { [LIMIT]: limit, [REMAINING]: left, [RESET]: reset } }: Answer) =>
      limit === "1000000" && Number(left) < 1_000_000 && Number(reset) % 60 === 0;
    expect(await failing(LOCKED, (route) => send(route), isRight)).toEqual([]);
    const tellsNothing = ({ headers: { [LIMIT]: limit } }: Answer) => limit === undefined;
    expect(await failing(LOCKED, (route) => call(node, route.method, route.path), tellsNothing)).toEqual([]);
  });
  const [LIMIT, REMAINING, RESET] = [
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
  ] as const;
});

describe("7: Idempotency-Key", () => {
  /** Where not every value that the description allows makes sense with the others. */
  const KNOWN = {
    grantType: ["client_credentials"],
    tokenExchangeData: [null],
    refreshTokenData: [null],
    authorizeCodeData: [null],
    transport: ["telegram"],
    startAt: ["2020-01-01T00:00:00Z"],
    endAt: ["2020-01-02T00:00:00Z"],
  };
  const posts = LOCKED.filter(({ method }) => method === "POST");

  // A key that is too long is seen where a key is, and before anything is done.
  test.each(posts.map((route) => [route.name, route] as const))("%s", async (_, route) => {
    const bodies = fc.sample(valid(route.body ?? {}, KNOWN), 300);
    const more = { "idempotency-key": "x".repeat(256) };
    const outcomes = new Set<string>();
    const code = route.path.startsWith("/v3/message") ? "INVALID_MESSAGE_DATA" : "VALIDATION_ERROR";
    const expected = `400 ${code} Idempotency-Key`;
    for (const body of bodies) {
      outcomes.add(outcome(await send(route, { headers: more, ...(route.body === null ? {} : { body }) })));
      if (outcomes.has(expected)) return;
    }
    expect([...outcomes]).toContain(expected);
  });
});
