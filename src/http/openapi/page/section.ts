import { answerOf } from "../answer.ts";
import type { OpenApiDocument } from "../document.ts";
import type { Operation } from "../operation.ts";
import type { Webhook } from "../webhooks.ts";
import type { Entry } from "./operation.ts";

/** A part of the interface, with a page of its own. */
export interface Section {
  /** In addresses. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly entries: readonly Entry[];
  readonly events: readonly (readonly [kind: string, webhook: Webhook])[];
}

/** All sections, in the order of the description. Pure. */
export function sectionsOf(document: OpenApiDocument): readonly Section[] {
  return document.tags.map(({ name, description }) => ({
    name,
    title: ABBREVIATIONS[name] ?? name.charAt(0).toUpperCase() + name.slice(1),
    description,
    entries: entriesOf(document, name),
    events: Object.entries(document.webhooks).filter(([, { post }]) => post.tags.some((tag) => tag === name)),
  }));
}

const ABBREVIATIONS: Readonly<Record<string, string>> = { crm: "CRM", oauth: "OAuth" };

function entriesOf(document: OpenApiDocument, tag: string): Entry[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
        answers: answersOf(document, operation),
      })),
  );
}

function answersOf(document: OpenApiDocument, { responses }: Operation): Entry["answers"] {
  return Object.entries(responses).map(([status, answer]) => [status, answerOf(document, answer)] as const);
}

/** An operation or an event in lists. */
export interface Listed {
  /** The anchor, which never changes. */
  readonly id: string;
  /** What the clients call it; for events the kind. */
  readonly label: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
}

/** Everything in a section, in the order of its page. Pure. */
export function listedIn({ entries, events }: Section): readonly Listed[] {
  return [
    ...entries.map(({ method, path, operation: { operationId, summary } }) => ({
      id: operationId,
      label: operationId,
      method,
      path,
      summary,
    })),
    ...events.map(([kind, { post }]) => ({
      id: post.operationId,
      label: kind,
      method: "",
      path: "",
      summary: post.summary,
    })),
  ];
}
