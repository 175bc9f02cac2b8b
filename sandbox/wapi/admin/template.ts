import { invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { Param } from "../../meta/param.ts";
import type { Waba } from "../account/account.ts";
import { describeTemplate, readTemplate } from "../node/template.ts";
import { moderate, moderationEvents } from "../template/moderation.ts";
import { type Template, templateCategories } from "../template/template.ts";
import type { World } from "../world.ts";
import { tellAccount } from "./account.ts";
import { asAdmin } from "./refusal.ts";

/** Templates created in WhatsApp Manager, and Meta's decisions about templates. */
export function templateRoutes(world: World): AdminRoute[] {
  const wabaOf = ({ params }: AdminCall) => world.waba(params.needText("waba_id"));
  return [
    ["POST", "/wabas/{waba_id}/templates", (call) => addTemplate(world, wabaOf(call), call.body)],
    ["GET", "/wabas/{waba_id}/templates", (call) => ({ items: world.templatesOf(wabaOf(call)) })],
    ["POST", "/templates/{template_id}/moderations", (call) => moderateTemplate(world, call)],
    ["POST", "/templates/{template_id}/qualities", (call) => rateTemplate(world, call)],
    ["POST", "/templates/{template_id}/categories", (call) => recategorize(world, call)],
  ];
}

/** A template created in WhatsApp Manager, in Meta's format, optionally with a `status`. */
async function addTemplate(world: World, waba: Waba, body: AdminCall["body"]): Promise<unknown> {
  const names = ["name", "language", "category", "components", "parameter_format"];
  const given = Object.fromEntries(
    names.filter((name) => body.has(name)).map((name) => [name, body.raw(name)]),
  );
  const values = { language: "en_US", category: "UTILITY", ...given };
  const template = await asAdmin(() => readTemplate(world, waba, new Param(values)));
  const status = body.text("status") ?? "APPROVED";
  template.status = moderationEvents[status] ?? template.status;
  world.templates.set(template.id, template);
  world.changed();
  return describeTemplate(template);
}

function templateOf(world: World, { params }: AdminCall): Template {
  return world.template(params.needText("template_id"));
}

function moderateTemplate(world: World, call: AdminCall): unknown {
  const { body } = call;
  const event = body.needText("event");
  if (!Object.hasOwn(moderationEvents, event))
    throw invalid("event", Object.keys(moderationEvents).join(", "));
  const reason = body.text("reason");
  const title = body.text("title");
  const description = body.text("description");
  const callbacks = moderate(world, templateOf(world, call), {
    event,
    ...(reason !== undefined && { reason }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  });
  return { callbacks };
}

function rateTemplate(world: World, call: AdminCall): unknown {
  const template = templateOf(world, call);
  const score = call.body.needText("quality");
  if (score !== "GREEN" && score !== "YELLOW" && score !== "RED" && score !== "UNKNOWN") {
    throw invalid("quality", "GREEN, YELLOW, RED or UNKNOWN");
  }
  const previous = template.quality;
  template.quality = score;
  return tellAccount(world, world.waba(template.wabaId), "message_template_quality_update", {
    previous_quality_score: previous,
    new_quality_score: score,
    message_template_id: Number(template.id),
    message_template_name: template.name,
    message_template_language: template.language,
  });
}

/** Meta moves a template to another category. */
function recategorize(world: World, call: AdminCall): unknown {
  const template = templateOf(world, call);
  const text = call.body.needText("category");
  const category = templateCategories.find((candidate) => candidate === text);
  if (!category) throw invalid("category", templateCategories.join(", "));
  const previous = template.category;
  template.category = category;
  return tellAccount(world, world.waba(template.wabaId), "template_category_update", {
    message_template_id: Number(template.id),
    message_template_name: template.name,
    message_template_language: template.language,
    previous_category: previous,
    new_category: category,
    correct_category: category,
  });
}
