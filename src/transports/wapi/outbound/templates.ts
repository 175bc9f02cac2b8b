import type { TemplateMethods } from "../../../core/transport/connector.ts";
import {
  slotsOf,
  type Template,
  type TemplateComponent,
  type TemplateStatus,
} from "../../../core/transport/template.ts";
import { type Json, objectsIn, textIn } from "../../kit/json.ts";
import { GraphRefusal } from "../../meta/error.ts";
import type { Graph } from "../../meta/graph.ts";
import { listAll } from "../../meta/pages.ts";
import { toTransportError } from "../errors.ts";
import { graphOf, type WapiAccess } from "../linking/access.ts";

const FIELDS = "id,name,language,status,category,components,rejected_reason";

/** All templates of a business. Throws `GraphRefusal` or `TransportError`. */
export async function listTemplates(graph: Graph, wabaId: string, signal: AbortSignal): Promise<Template[]> {
  const items = await listAll(graph, `${wabaId}/message_templates`, { fields: FIELDS, signal });
  return items.flatMap(toTemplate);
}

/** Empty for a template that is being deleted or cannot be parsed. Pure. */
export function toTemplate(item: Json): Template[] {
  const [externalId, name, language] = ["id", "name", "language"].map((key) => textIn(item, key));
  const status = STATUSES[textIn(item, "status") ?? ""] ?? null;
  if (externalId === undefined || name === undefined || language === undefined || status === null) return [];
  const reason = reasonOf(textIn(item, "rejected_reason"));
  return [
    {
      externalId,
      name,
      language,
      category: textIn(item, "category") ?? "",
      status,
      ...(reason === undefined ? {} : { reason }),
      components: objectsIn(item, "components") as TemplateComponent[],
    },
  ];
}

/** Maps Meta's template statuses to the interface's five. */
const STATUSES: Readonly<Record<string, TemplateStatus>> = {
  APPROVED: "APPROVED",
  PENDING: "PENDING",
  IN_APPEAL: "PENDING",
  REJECTED: "REJECTED",
  PAUSED: "PAUSED",
  DISABLED: "DISABLED",
  LIMIT_EXCEEDED: "DISABLED",
  ARCHIVED: "DISABLED",
};

/**
 * The status that an event of `message_template_status_update` implies; null if the status does not change or the
 * template is gone.
 */
export function statusOfEvent(event: string | undefined): TemplateStatus | null {
  return event === "REINSTATED" ? "APPROVED" : (STATUSES[event ?? ""] ?? null);
}

export function reasonOf(reason: string | undefined): string | undefined {
  return reason === "NONE" ? undefined : reason;
}

/** The response to a creation contains only the id and the first status; the rest is taken from the request. */
export const templateMethods: TemplateMethods<WapiAccess> = {
  create: (access, draft, signal) =>
    asTransportError(async () => {
      const { name, language, category, components } = draft;
      const body = { name, language, category, ...formatOf(components), components };
      const path = `${access.credentials.waba_id}/message_templates`;
      const answer = await graphOf(access).call("POST", path, { body, signal });
      const status = STATUSES[textIn(answer, "status") ?? ""] ?? "PENDING";
      const externalId = textIn(answer, "id") ?? "";
      return { ...draft, category: textIn(answer, "category") ?? category, externalId, status };
    }),
  change: (access, template, change, signal) =>
    asTransportError(async () => {
      await graphOf(access).call("POST", template.externalId, { body: change, signal });
      // Meta only acknowledges the change; an approved template is reviewed again.
      return { ...template, ...change, status: "PENDING" as const };
    }),
  remove: (access, template, signal) =>
    asTransportError(async () => {
      const query = { name: template.name, hsm_id: template.externalId };
      const path = `${access.credentials.waba_id}/message_templates`;
      await graphOf(access).call("DELETE", path, { query, signal }).catch(unlessGone);
    }),
};

/** Meta expects numbered variables unless the format is declared as named. */
function formatOf(components: readonly TemplateComponent[]): object {
  const isNamed = slotsOf(components).some((slot) => slot.kind === "text" && !/^\d+$/.test(slot.variable));
  return isNamed ? { parameter_format: "NAMED" } : {};
}

async function asTransportError<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    throw error instanceof GraphRefusal ? toTransportError(error) : error;
  }
}

/** Meta has no specific error code for a missing template. */
function unlessGone(error: unknown): void {
  const words = error instanceof GraphRefusal ? `${error.error.message} ${error.error.details}` : "";
  if (!/(not|wasn.t) found|does(n.t| not) exist/i.test(words)) throw error;
}
