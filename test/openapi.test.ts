import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { FastifySchema } from "fastify";
import Schema from "typebox/schema";
import { describe, expect, test } from "vitest";
import { ERRORS } from "../src/core/errors.ts";
import { scopeOfRoute } from "../src/http/limit/admission.ts";
import { answerOf, codesOf } from "../src/http/openapi/answer.ts";
import type { OpenApiDocument } from "../src/http/openapi/document.ts";
import { GLOSSARY } from "../src/http/openapi/glossary.ts";
import type { JsonSchema } from "../src/http/openapi/json-schema.ts";
import type { Operation } from "../src/http/openapi/operation.ts";
import { exampleOf } from "../src/http/openapi/page/example.ts";
import { docsPages } from "../src/http/openapi/page/page.ts";
import { typescriptOf } from "../src/http/openapi/page/request.ts";
import { compileSerializer, compileValidator } from "../src/http/schema/schema-compilers.ts";
import { breakingChanges } from "./kit/breaking-changes.ts";
import { plainText } from "./kit/html-text.ts";
import { allRoutes, describeInterface, servedDescription, withoutReferences } from "./kit/interface.ts";
import { jsonText } from "./kit/json-text.ts";

const FILE = new URL("../docs/openapi.json", import.meta.url);

const document: OpenApiDocument = await describeInterface();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): [string, Operation] => [
    `${method.toUpperCase()} ${path}`,
    operation,
  ]),
);

/** `npm run docs` writes the files that this test compares; changes that break clients only if allowed. */
test("docs/openapi.json describes the interface as it is", async () => {
  const current = jsonText(await servedDescription());
  if (process.env["UPDATE_DOCS"] === "1") {
    const before = JSON.parse(readFileSync(FILE, "utf8"));
    if (process.env["BREAKING_CHANGES"] !== "allowed")
      expect(
        breakingChanges(inPlace(before), inPlace(await servedDescription())),
        "BREAKING_CHANGES=allowed npm run docs writes it",
      ).toEqual([]);
    writeFileSync(FILE, current);
  }
  expect(readFileSync(FILE, "utf8")).toBe(current);
});

test("no client breaks by what has changed since the file was written", async () => {
  const [before, now] = [JSON.parse(readFileSync(FILE, "utf8")), await servedDescription()];
  expect(breakingChanges(inPlace(before), inPlace(now))).toEqual([]);
});

/** Each shape where it is used: a renamed shape breaks no client. */
function inPlace(described: OpenApiDocument): OpenApiDocument {
  return { ...described, paths: withoutReferences(described, described.paths) };
}

test("the version is the package's", () => {
  const file = new URL("../package.json", import.meta.url);
  expect(document.info.version).toBe(JSON.parse(readFileSync(file, "utf8")).version);
});

test("every route has an id of its own, a sentence on what it does and a group that is described", () => {
  const ids = operations.map(([, { operationId }]) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const groups = new Set(document.tags.map(({ name }) => name));
  const lacking = operations.filter(
    ([, { operationId, summary, tags }]) =>
      !/^[a-z]\w+$/.test(operationId) || summary === "" || !tags.some((tag) => groups.has(tag)),
  );
  expect(lacking.map(([name]) => name)).toEqual([]);
});

test("applications need a scope for every route of accounts, except webhooks, which accept both", () => {
  const open = operations.filter(([name, { security }]) => {
    const [, path = ""] = name.split(" ");
    const route = path.replaceAll(/\{(\w+)\}/g, ":$1");
    return "accessToken" in (security[0] ?? {}) && scopeOfRoute(route) === null;
  });
  expect(open.map(([name]) => name).filter((name) => !name.includes(" /v2/webhooks"))).toEqual([]);
});

/** The service compiles a schema when it is first used. */
test("the schemas of every route compile", async () => {
  let compiled = 0;
  for (const { method, url, schema = {} } of await allRoutes()) {
    const compile = (
      name: string,
      part: unknown,
      compiler: typeof compileValidator | typeof compileSerializer,
    ) => {
      const route = { schema: part as FastifySchema, method: String(method), url };
      expect(() => compiler(route), `${method} ${url}: ${name}`).not.toThrow();
      compiled++;
    };
    const { params, querystring, body, response = {} } = schema;
    for (const [name, part] of Object.entries({ params, querystring, body }))
      if (part !== undefined) compile(name, part, compileValidator);
    for (const [status, part] of Object.entries(response as object)) compile(status, part, compileSerializer);
  }
  expect(compiled).toBeGreaterThan(operations.length);
});

test("every list of a body has a maximum: its items are counted before they are checked", () => {
  const lacking = operations.flatMap(([name, { requestBody }]) =>
    listsWithout(requestBody?.content["application/json"]?.schema ?? {}, name),
  );
  expect(lacking).toEqual([]);
});

function listsWithout({ items, maxItems, properties = {}, anyOf = [] }: JsonSchema, path: string): string[] {
  return [
    ...(items !== undefined && maxItems === undefined ? [path] : []),
    ...(items === undefined ? [] : listsWithout(items, `${path}[]`)),
    ...anyOf.flatMap((each) => listsWithout(each, path)),
    ...Object.entries(properties).flatMap(([name, field]) => listsWithout(field, `${path}.${name}`)),
  ];
}

test("every field of every request and answer is described", () => {
  const lacking = operations.flatMap(([name, { parameters = [], requestBody, responses }]) => [
    ...parameters
      .filter(({ description = "" }) => description === "")
      .map((parameter) => `${name}: ${parameter.in} ${parameter.name}`),
    ...fieldsWithout(requestBody?.content["application/json"]?.schema ?? {}, `${name}: body`),
    ...Object.entries(responses)
      .filter(([status]) => status < "400")
      .flatMap(([status, answer]) =>
        Object.values(answerOf(document, answer).content ?? {}).flatMap(({ schema }) =>
          fieldsWithout(schema, `${name}: ${status}`),
        ),
      ),
  ]);
  const events = Object.entries(document.webhooks).flatMap(([kind, { post }]) =>
    fieldsWithout(post.requestBody.content["application/json"].schema, kind),
  );
  expect(events).toEqual([]);
  expect(lacking, "say what it means at the route, or in src/http/openapi/glossary.ts").toEqual([]);
});

function fieldsWithout(schema: JsonSchema, path: string): string[] {
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
      ...((field.description ?? "") === "" ? [`${path}.${name}`] : []),
      ...fieldsWithout(field, `${path}.${name}`),
    ]),
    ...(schema.items === undefined ? [] : fieldsWithout(schema.items, `${path}[]`)),
    ...(schema.anyOf ?? []).flatMap((each) => fieldsWithout(each, path)),
  ];
}

test("every error answer has its codes, under the status that they have", () => {
  const statuses = new Map<string, number>(Object.entries(ERRORS).map(([code, [status]]) => [code, status]));
  for (const [name, { responses }] of operations) {
    for (const [status, described] of Object.entries(responses)) {
      if (status < "400" || /^GET \/(healthz|readyz)$/.test(name)) continue;
      const answer = answerOf(document, described);
      // Pages show errors to people.
      if ("text/html" in (answer.content ?? {})) continue;
      const codes = codesOf(answer);
      expect(codes, name).not.toEqual([]);
      expect(
        codes.map((code) => statuses.get(code)),
        name,
      ).toEqual(codes.map(() => Number(status)));
      for (const code of codes) expect(answer.description).toContain(`\`${code}\``);
    }
  }
});

test("every error that can be thrown is told of some route, of the interface or of a page", async () => {
  const told = new Set(
    [document, await describeInterface("/app/openapi.json")].flatMap((described) =>
      Object.values(described.paths)
        .flatMap((methods) => Object.values(methods))
        .flatMap(({ responses }) => Object.values(responses))
        .flatMap((answer) => codesOf(answerOf(described, answer))),
    ),
  );
  const ofNoRoute = ["METHOD_NOT_ALLOWED"];
  expect(Object.keys(ERRORS).filter((code) => !told.has(code) && !ofNoRoute.includes(code))).toEqual([]);
});

test("the glossary has nothing that no field needs", () => {
  const used = new Set<string>();
  JSON.stringify(document, (key, value) => {
    if (key === "description") used.add(value);
    return value;
  });
  expect(Object.entries(GLOSSARY).filter(([, description]) => !used.has(description))).toEqual([]);
});

test.each(operations)("the example of %s could be sent", (_name, { requestBody }) => {
  const schema = requestBody?.content["application/json"]?.schema ?? {};
  const validator = Schema.Compile(schema as Record<string, unknown>);
  const example = requestBody === undefined ? {} : exampleOf(schema);
  expect([
    example,
    validator.Errors(example)[1].map(({ instancePath, message }) => instancePath + message),
  ]).toEqual([example, []]);
});

describe("the pages", () => {
  const pages = docsPages(document);
  const pageOf = (name: string): string => pages.get(name)?.() ?? "";
  const listed = [
    ...operations.map(([, { operationId, tags }]) => [operationId, tags[0] ?? ""] as const),
    ...Object.values(document.webhooks).map(({ post }) => [post.operationId, post.tags[0]] as const),
  ];

  test("have every route and event once, in the page of its section, and links to it on all", () => {
    const texts = new Map([...pages].map(([name, page]) => [name, page()]));
    for (const [id, section] of listed) {
      for (const [name, text] of texts) {
        const sections = text.match(new RegExp(`<section class="operation" id="${id}"`, "g")) ?? [];
        expect(sections.length, `${id} on ${name}`).toBe(name === section ? 1 : 0);
        expect(text, `${id} on ${name}`).toContain(
          `href="${name === section ? "" : `/docs/${section}`}#${id}"`,
        );
      }
    }
  });

  test("keep the addresses of the former single page: its anchors are on the overview, and lead on", () => {
    const overview = pageOf("");
    for (const [id, section] of listed)
      expect(overview).toContain(`<li id="${id}"><a href="/docs/${section}#${id}"`);
    for (const { name } of document.tags)
      expect(overview).toContain(`<h2 id="${name}" class="moved"><a href="/docs/${name}"`);
  });

  test.each([...pages.keys()])("need nothing from anywhere else: /docs/%s", (name) => {
    expect(pageOf(name)).not.toMatch(/\s(src|srcset|style|on\w+)=/);
    expect([...pageOf(name).matchAll(/<link|<img|<iframe|@import|url\(/g)]).toEqual([]);
  });

  test("show what is written in them and run nothing of it", () => {
    const harmful = `<script>alert("x")</script>`;
    const [path = ""] = Object.keys(document.paths);
    const [method = ""] = Object.keys(document.paths[path] ?? {});
    const operation = document.paths[path]?.[method] as Operation;
    const paths = { [path]: { [method]: { ...operation, summary: harmful, operationId: harmful } } };
    for (const page of docsPages({ ...document, paths }).values()) expect(page()).not.toContain(harmful);
  });

  test("have an example for each operation that a type of the client takes", {
    timeout: 120_000,
  }, async () => {
    const examples = operations.flatMap(([name, operation]) => {
      const [method = "", path = ""] = name.split(" ");
      const code = typescriptOf({ method, path, operation });
      return code === null ? [] : [`async function ${operation.operationId}() {\n${code}\nreturn answer;\n}`];
    });
    expect(examples.length).toBe(operations.length - 1);
    const [, setUp = ""] = /<figure class="typescript">.*?<code>(.*?)<\/code>/s.exec(pageOf("")) ?? [];
    // What does not fit must be an error, or the compiler says so.
    const wrong = "// @ts-expect-error\nvoid trunkline.sendMessage({ body: { text: 1 } });";
    expect(await typeErrors([plainText(setUp), ...examples, wrong].join("\n"))).toBe("");
  });
});

/** What the compiler says of a program that uses the client. */
async function typeErrors(source: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-examples-"));
  const root = new URL("..", import.meta.url).pathname;
  const config = {
    extends: join(root, "clients/typescript/tsconfig.json"),
    compilerOptions: {
      noEmit: true,
      module: "preserve",
      rootDir: "/",
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
      paths: { "@trunkline/client": [join(root, "clients/typescript/src/index.ts")] },
    },
    include: ["examples.ts"],
  };
  writeFileSync(join(directory, "examples.ts"), source);
  writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(root, "node_modules/.bin/tsc");
  const { stdout } = await promisify(execFile)(compiler, ["--checkers", "1", "-p", directory]).catch(
    (error: { stdout: string }) => error,
  );
  rmSync(directory, { recursive: true });
  return stdout;
}
