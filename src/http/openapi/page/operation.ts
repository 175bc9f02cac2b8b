import { type Html, html } from "../../../platform/foreign/html.ts";
import type { Answer } from "../answer.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { Operation, Parameter } from "../operation.ts";
import { exampleOf } from "./example.ts";
import { fieldTable, typeName } from "./fields.ts";
import { paragraphs, prose } from "./prose.ts";

type StatusAndAnswer = readonly [status: string, answer: Answer];

export interface Entry {
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly answers: readonly StatusAndAnswer[];
}

/** One route: its purpose, its input and its responses. */
export function operationSection(entry: Entry): Html {
  const { method, path, operation, answers } = entry;
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  const body = requestBody?.content["application/json"]?.schema;
  const successes = answers.filter(([status]) => status < "400");
  const failures = answers.filter(([status]) => status >= "400");
  return html`<section class="operation" id="${operationId}" data-search="${`${method} ${path} ${summary} ${operationId}`.toLowerCase()}">
<h3><a class="anchor" href="#${operationId}"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></a></h3>
<p class="summary">${summary}</p>
${description === `${summary}.` ? html`` : paragraphs(description)}
${parametersTable(parameters)}
${body === undefined ? html`` : html`<h4>Body</h4>${fieldTable(body)}`}
<h4>Example</h4>
<pre><code>${curlOf(entry, body)}</code></pre>
${successes.map(successOf)}
${failures.length === 0 ? html`` : html`<details><summary>Errors</summary>${failures.map(failureOf)}</details>`}
</section>`;
}

function parametersTable(parameters: readonly Parameter[]): Html {
  if (parameters.length === 0) return html``;
  const rows = parameters.map(
    ({ name, in: place, required, description = "", schema }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td class="type">${typeName(schema)}<br><small>in ${place}</small></td><td>${required ? html`<em class="required">required</em>` : html``} ${prose(description)}</td></tr>`,
  );
  return html`<h4>Parameters</h4><table class="fields"><tbody>${rows}</tbody></table>`;
}

const HEADERS: Readonly<Record<string, string>> = {
  accessToken: `-H "Authorization: Bearer $ACCESS_TOKEN"`,
  apiKey: `-H "Authorization: Bearer $API_KEY"`,
  partner: `-u "$EMAIL:$PASSWORD"`,
};

function curlOf({ method, path, operation }: Entry, body: JsonSchema | undefined): string {
  const [scheme = ""] = operation.security.flatMap((each) => Object.keys(each));
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}"$BASE_URL${path}${queryOf(operation)}"`,
    ...(HEADERS[scheme] === undefined ? [] : [HEADERS[scheme]]),
    ...(body === undefined
      ? []
      : [`-H "Content-Type: application/json"`, `-d '${JSON.stringify(exampleOf(body), null, 2)}'`]),
  ];
  return lines.join(" \\\n  ");
}

/** The required query parameters. */
function queryOf({ parameters = [] }: Operation): string {
  const needed = parameters.filter(({ in: place, required }) => place === "query" && required);
  const pairs = needed.map(
    ({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(schema, name)))}`,
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function successOf([status, { description, content }]: StatusAndAnswer): Html {
  const [[type, { schema }] = ["", { schema: {} }]] = Object.entries(content ?? {});
  const example =
    type === "text/plain" || type === "text/html" || content === undefined
      ? html``
      : html`<pre><code>${JSON.stringify(exampleOf(schema), null, 2)}</code></pre>`;
  return html`<h4>Answer <span class="status">${status}</span></h4><p>${prose(description)}</p>${fieldTable(schema)}${example}`;
}

function failureOf([status, { description }]: StatusAndAnswer): Html {
  const lines = description.split("\n").map((line) => html`<li>${prose(line.replace(/^- /, ""))}</li>`);
  return html`<h5><span class="status">${status}</span></h5><ul>${lines}</ul>`;
}
