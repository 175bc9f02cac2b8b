import { type Html, html } from "../../../platform/foreign/html.ts";
import type { Answer } from "../answer.ts";
import type { Operation, Parameter } from "../operation.ts";
import { fieldList, parameterList } from "./fields.ts";
import { answerFigure, codeFigure } from "./figure.ts";
import { paragraphs, prose } from "./prose.ts";
import { curlOf, json, typescriptOf } from "./request.ts";

type StatusAndAnswer = readonly [status: string, answer: Answer];

export interface Entry {
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly answers: readonly StatusAndAnswer[];
}

/** One route: its purpose, its input and its responses; beside them a request and its response. */
export function operationSection(entry: Entry): Html {
  const { method, path, operation, answers } = entry;
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  const isHeader = ({ in: place }: Parameter) => place === "header";
  const places = parameters.filter((each) => !isHeader(each));
  const headers = parameters.filter(isHeader);
  const body = requestBody?.content["application/json"]?.schema;
  const successes = answers.filter(([status]) => status < "400");
  const failures = answers.filter(([status]) => status >= "400");
  return html`<section class="operation" id="${operationId}"><div class="text">
<h2><a class="anchor" href="#${operationId}">${summary}</a></h2>
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code><code class="dim">${operationId}</code></p>
${description === `${summary}.` ? html`` : paragraphs(description)}
${places.length === 0 ? html`` : html`<h3>Parameters</h3>${parameterList(places)}`}
${body === undefined ? html`` : html`<h3>Body</h3>${fieldList(body, true)}`}
${successes.map(successOf)}
${headers.length === 0 ? html`` : html`<details><summary>Headers</summary>${parameterList(headers)}</details>`}
${failures.length === 0 ? html`` : html`<details><summary>Errors</summary>${failures.map(failureOf)}</details>`}
</div><div class="examples">${examplesOf(entry)}</div></section>`;
}

function examplesOf(entry: Entry): Html {
  const { summary } = entry.operation;
  const typescript = typescriptOf(entry);
  const [curl, client] = [
    codeFigure({ language: "curl", label: summary, isOnly: typescript === null }, curlOf(entry)),
    typescript === null ? html`` : codeFigure({ language: "TypeScript", label: summary }, typescript),
  ];
  const answers = entry.answers.flatMap(([status, { content }]) => {
    const example = content?.["application/json"]?.example;
    return status >= "400" || example === undefined ? [] : [answerFigure(`Answer ${status}`, json(example))];
  });
  return html`${curl}${client}${answers}`;
}

function successOf([status, { description, content }]: StatusAndAnswer): Html {
  const [{ schema } = { schema: {} }] = Object.values(content ?? {});
  const fields = fieldList(schema);
  const folded =
    fields.html === "" ? html`` : html`<details><summary>Fields of the answer</summary>${fields}</details>`;
  return html`<h3>Answer ${status}</h3><p>${prose(description)}</p>${folded}`;
}

function failureOf([status, { description }]: StatusAndAnswer): Html {
  const lines = description.split("\n").map((line) => html`<li>${prose(line.replace(/^- /, ""))}</li>`);
  return html`<h4>${status}</h4><ul>${lines}</ul>`;
}
