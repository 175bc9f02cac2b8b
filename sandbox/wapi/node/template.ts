import { type NodeType, selectFields } from "../../meta/fields.ts";
import { badParam, noSuchObject, userError } from "../../meta/graph-error.ts";
import { page } from "../../meta/paging.ts";
import type { Param } from "../../meta/param.ts";
import type { Waba } from "../account/account.ts";
import { needScope } from "../call/auth.ts";
import type { EdgeTable, GraphCall } from "../call/call.ts";
import { moderate } from "../template/moderation.ts";
import { type Template, type TemplateCategory, templateCategories } from "../template/template.ts";
import { readComponents } from "../template/template-rules.ts";
import { newId, type World } from "../world.ts";

const dayMs = 24 * 60 * 60 * 1000;

const type: NodeType = {
  name: "WhatsAppBusinessHSM",
  defaults: ["name", "parameter_format", "components", "language", "status", "category", "id"],
};

/** The edges of a template. */
export const templateEdges: EdgeTable<Template> = {
  "GET ": ({ caller, param }, template) => {
    needScope(caller, "whatsapp_business_management");
    return describeTemplate(template, param.text("fields"));
  },
  "POST ": editTemplate,
};

/** The template in lists. */
export function describeTemplate(template: Template, fields?: string): Readonly<Record<string, unknown>> {
  const all = {
    name: template.name,
    parameter_format: template.parameterFormat,
    components: template.components,
    language: template.language,
    status: template.status,
    category: template.category,
    previous_category: undefined,
    rejected_reason: template.rejectedReason,
    quality_score: { score: template.quality },
    message_send_ttl_seconds: undefined,
    id: template.id,
  };
  return selectFields(type, all, fields);
}

/** `GET /{account}/message_templates` */
export function listTemplates({ world, caller, param, version }: GraphCall, waba: Waba): unknown {
  needScope(caller, "whatsapp_business_management");
  const filters = ["name", "name_or_content", "content", "language", "status", "category", "quality_score"];
  param.only("fields", "limit", "after", "before", "summary", ...filters);
  const found = world.templatesOf(waba).filter((template) => fits(template, param));
  const data = found.map((template) => describeTemplate(template, param.text("fields")));
  return page(data, param, `${world.url()}/${version}/${waba.id}/message_templates`);
}

/** `GET /{account}/message_templates/{id}` */
export function readTemplateOf({ world, caller, param, target, method }: GraphCall, waba: Waba): unknown {
  needScope(caller, "whatsapp_business_management");
  const template = world.templates.get(target);
  if (template?.wabaId !== waba.id) throw noSuchObject(method, target);
  return describeTemplate(template, param.text("fields"));
}

function fits(template: Template, param: Param): boolean {
  const text = JSON.stringify(template.components);
  const part = param.text("name_or_content");
  return (
    isAmong(param, "name", template.name) &&
    isAmong(param, "language", template.language) &&
    isAmong(param, "status", template.status) &&
    isAmong(param, "category", template.category) &&
    isAmong(param, "quality_score", template.quality) &&
    text.includes(param.text("content") ?? "") &&
    (part === undefined || template.name.includes(part) || text.includes(part))
  );
}

/** A value, or a list of values in JSON. */
function isAmong(param: Param, name: string, value: string): boolean {
  const wanted = param.values[name];
  if (wanted === undefined) return true;
  return Array.isArray(wanted) ? wanted.includes(value) : wanted === value;
}

/** `POST /{account}/message_templates` */
export function createTemplate({ world, caller, param }: GraphCall, waba: Waba): unknown {
  needScope(caller, "whatsapp_business_management");
  const template = readTemplate(world, waba, param);
  world.templates.set(template.id, template);
  world.changed();
  const { id, status, category } = template;
  const review = world.settings.templateReview;
  if (review !== "manual")
    moderate(world, template, { event: review === "approve" ? "APPROVED" : "REJECTED" });
  return { id, status, category };
}

/** Parses a new template in Meta's format, also of those created in WhatsApp Manager. */
export function readTemplate(world: World, waba: Waba, param: Param): Template {
  param.only(
    "name",
    "language",
    "category",
    "components",
    "parameter_format",
    "allow_category_change",
    "message_send_ttl_seconds",
  );
  const name = param.needText("name", { max: 512 });
  if (!/^[a-z0-9_]+$/.test(name)) {
    throw userError(
      2388037,
      "Invalid Template Name",
      "The template name can only have lowercase letters, digits and underscores.",
    );
  }
  const language = param.needText("language");
  if (!/^[a-z]{2,3}(_[A-Z]{2})?$/.test(language))
    throw badParam(`Param language is not supported: ${language}`);
  const category = readCategory(param);
  const format =
    (param.text("parameter_format") ?? "POSITIONAL").toUpperCase() === "NAMED" ? "NAMED" : "POSITIONAL";
  const components = readComponents(param.needList("components"), { format, category });
  checkFree(world, waba, name, language);
  return {
    id: newId(),
    wabaId: waba.id,
    name,
    language,
    category,
    components,
    parameterFormat: format,
    status: "PENDING",
    rejectedReason: "NONE",
    quality: "UNKNOWN",
    lastEditMs: Number.NEGATIVE_INFINITY,
  };
}

/** Upper or lower case, as in Meta's examples. */
function readCategory(param: Param): TemplateCategory {
  const given = param.needText("category");
  const category = templateCategories.find((name) => name === given.toUpperCase());
  if (category) return category;
  throw badParam(`Param category must be one of {${templateCategories.join(", ")}} - got "${given}".`);
}

function checkFree(world: World, waba: Waba, name: string, language: string): void {
  const exists = world
    .templatesOf(waba)
    .some((template) => template.name === name && template.language === language);
  if (exists) {
    throw userError(
      2388024,
      "Content in This Language Already Exists",
      `There is already ${language} content for this template. You can create a new template and try again.`,
    );
  }
  const deletedMs = world.deletedTemplates.get(`${waba.id} ${name}`);
  if (deletedMs === undefined || world.clock.nowMs() - deletedMs > 30 * dayMs) return;
  throw userError(
    2388023,
    "Message Template Language Is Being Deleted",
    `New ${language} content can't be added while the existing ${language} content is being deleted. ` +
      "Try again in 4 weeks or consider creating a new message template.",
  );
}

/** `POST /{template}`: an approved template can be edited once a day, and is reviewed again. */
function editTemplate({ world, caller, param }: GraphCall, template: Template): unknown {
  needScope(caller, "whatsapp_business_management");
  param.only("category", "components", "name", "language", "message_send_ttl_seconds", "parameter_format");
  if (!["APPROVED", "REJECTED", "PAUSED"].includes(template.status)) {
    throw userError(
      2388025,
      "Message Template Can't Be Edited",
      "Only templates with an approved, rejected or paused status can be edited.",
    );
  }
  const nowMs = world.clock.nowMs();
  if (template.status === "APPROVED" && nowMs - template.lastEditMs < dayMs) {
    throw userError(2388045, "Edit Limit Reached", "An approved template can be edited once in 24 hours.");
  }
  const components = param.list("components");
  if (components)
    template.components = readComponents(components, {
      format: template.parameterFormat,
      category: template.category,
    });
  if (param.has("category")) template.category = newCategory(template, param);
  template.status = "PENDING";
  template.lastEditMs = nowMs;
  world.changed();
  return { success: true };
}

function newCategory(template: Template, param: Param): TemplateCategory {
  const category = readCategory(param);
  if (category === template.category || template.status !== "APPROVED") return category;
  throw userError(
    2388026,
    "Category Can't Be Edited",
    "The category of an approved template can't be changed.",
  );
}

/** `DELETE /{account}/message_templates?name=[&hsm_id=]`: in all languages, or only the one with the id. */
export function deleteTemplates({ world, caller, param }: GraphCall, waba: Waba): unknown {
  needScope(caller, "whatsapp_business_management");
  param.only("name", "hsm_id");
  const name = param.needText("name");
  const id = param.text("hsm_id");
  const found = world
    .templatesOf(waba)
    .filter((template) => template.name === name && (id === undefined || template.id === id));
  if (found.length === 0) {
    throw userError(2593002, "Message Template Not Found", `Message template "${name}" wasn't found.`);
  }
  for (const template of found) {
    world.templates.delete(template.id);
    if (template.status === "APPROVED") {
      world.deletedTemplates.set(`${waba.id} ${name}`, world.clock.nowMs());
    }
  }
  world.changed();
  return { success: true };
}
