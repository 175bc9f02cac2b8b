import type { Operation, Parameter } from "../operation.ts";

/** The request that the examples of an operation make: all of it is in the description. */
interface ExampleRequest {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Undefined: there is none. */
  readonly body: unknown;
}

interface Described {
  /** Upper case. */
  readonly method: string;
  /** With parameters as `{id}`. */
  readonly path: string;
  readonly operation: Operation;
}

/** For a shell with `BASE_URL` and the credentials as variables. Pure. */
export function curlOf({ method, path, operation }: Described): string {
  const { path: places, query, body } = requestOf(operation);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(places[name])));
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}"$BASE_URL${filled}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}"`,
    ...(CREDENTIALS[schemeOf(operation)] ?? []),
    ...(body === undefined ? [] : [`-H "Content-Type: application/json"`, `-d ${quoted(json(body))}`]),
  ];
  return lines.join(" \\\n  ");
}

const CREDENTIALS: Readonly<Record<string, readonly string[]>> = {
  accessToken: [`-H "Authorization: Bearer $ACCESS_TOKEN"`],
  apiKey: [`-H "Authorization: Bearer $API_KEY"`],
  partner: [`-u "$EMAIL:$PASSWORD"`],
};

function schemeOf({ security }: Operation): string {
  return security.flatMap((each) => Object.keys(each))[0] ?? "";
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** With the client of `clients/typescript` as `trunkline`; null for pages, which it does not have. Pure. */
export function typescriptOf({ operation }: Described): string | null {
  if (isPage(operation)) return null;
  const given = Object.entries(requestOf(operation)).filter(([, part]) => !isEmpty(part));
  const input = given.length === 0 ? "" : literal(Object.fromEntries(given), "");
  return `const answer = await trunkline.${operation.operationId}(${input});`;
}

/** For a person's browser. */
export function isPage({ responses }: Operation): boolean {
  return Object.values(responses).some(
    (answer) => "content" in answer && "text/html" in (answer.content ?? {}),
  );
}

function requestOf({ parameters = [], requestBody }: Operation): ExampleRequest {
  const examplesIn = (place: Parameter["in"]) =>
    Object.fromEntries(
      parameters
        .filter(({ in: at, example }) => at === place && example !== undefined)
        .map(({ name, example }) => [name, example]),
    );
  return {
    path: examplesIn("path"),
    query: examplesIn("query"),
    body: requestBody?.content["application/json"]?.example,
  };
}

function isEmpty(part: unknown): boolean {
  return part === undefined || (typeof part === "object" && part !== null && Object.keys(part).length === 0);
}

/** A value of JSON as an expression. */
function literal(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null || isEmpty(value)) return JSON.stringify(value);
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((each) => literal(each, inner))
    : Object.entries(value).map(([name, each]) => `${keyOf(name)}: ${literal(each, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join("")}${indent}${close}`;
}

function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** Indented JSON. */
export function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
