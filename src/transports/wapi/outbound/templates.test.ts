import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TransportError } from "../../../core/transport/errors.ts";
import type { FakeApi } from "../../kit/testing.ts";
import { graphOf } from "../linking/access.ts";
import { linkTo, ok, refuse, startFakeGraph, TEMPLATE, WABA_ID, type WapiTestLink } from "../testing.ts";
import { listTemplates, templateMethods, toTemplate } from "./templates.ts";

const never = new AbortController().signal;
const LIST = `GET /${WABA_ID}/message_templates`;
const CREATE = `POST /${WABA_ID}/message_templates`;
const REMOVE = `DELETE /${WABA_ID}/message_templates`;
let graph: FakeApi;
let link: WapiTestLink;

beforeEach(async () => {
  graph = await startFakeGraph();
  link = linkTo(graph.url);
});
afterEach(async () => {
  await link.dispose();
  expect(await graph.finish()).toEqual([]);
});

const item = (more: object = {}) => ({
  id: TEMPLATE.externalId,
  name: TEMPLATE.name,
  language: TEMPLATE.language,
  status: "APPROVED",
  category: "UTILITY",
  components: TEMPLATE.components,
  ...more,
});

describe("the list", () => {
  it("reads all pages", async () => {
    const paging = { cursors: { before: "a", after: "b" }, next: "https://graph.facebook.com/…" };
    graph.on(LIST, ok({ data: [item()], paging }), ok({ data: [item({ id: 7, name: "other" })] }));
    const found = await listTemplates(graphOf(link), WABA_ID, never);
    expect(found).toEqual([TEMPLATE, { ...TEMPLATE, externalId: "7", name: "other" }]);
    expect((await graph.request(LIST, 2)).query).toMatchObject({ after: "b" });
  });

  it("ends if the cursor does not change", async () => {
    const paging = { cursors: { after: "b" }, next: "https://graph.facebook.com/…" };
    graph.on(LIST, ok({ data: [item()], paging }), ok({ data: [item()], paging }));
    expect(await listTemplates(graphOf(link), WABA_ID, never)).toEqual([TEMPLATE]);
  });

  it.each([
    ["IN_APPEAL", "PENDING"],
    ["LIMIT_EXCEEDED", "DISABLED"],
    ["ARCHIVED", "DISABLED"],
    ["PAUSED", "PAUSED"],
  ])("%s is %s", (status, expected) => {
    expect(toTemplate(item({ status }))).toMatchObject([{ status: expected }]);
  });

  it.each(["PENDING_DELETION", "DELETED", undefined])("skips %s", (status) => {
    expect(toTemplate(item({ status }))).toEqual([]);
  });

  it("includes the reason of a rejection", () => {
    expect(toTemplate(item({ status: "REJECTED", rejected_reason: "SCAM" }))).toMatchObject([
      { reason: "SCAM" },
    ]);
    expect(toTemplate(item({ rejected_reason: "NONE" }))[0]).not.toHaveProperty("reason");
  });
});

describe("changes", () => {
  const { externalId, name, language, category, components } = TEMPLATE;
  const draft = { name, language, category, components };

  it("creates a template", async () => {
    graph.on(CREATE, ok({ id: externalId, status: "PENDING", category: "MARKETING" }));
    expect(await templateMethods.create(link, draft, never)).toEqual({
      ...TEMPLATE,
      category: "MARKETING",
      status: "PENDING",
    });
    expect((await graph.request(CREATE)).body).toEqual(draft);
  });

  it("declares named variables", async () => {
    graph.on(CREATE, ok({ id: externalId, status: "PENDING", category }));
    const named = { ...draft, components: [{ type: "BODY", text: "Hi {{first_name}}, hello" }] };
    await templateMethods.create(link, named, never);
    expect((await graph.request(CREATE)).body).toEqual({ ...named, parameter_format: "NAMED" });
  });

  it("reports Meta's text when it refuses", async () => {
    graph.on(CREATE, refuse(100, "Invalid parameter", "Variables cannot be at the end"));
    const error: unknown = await templateMethods
      .create(link, draft, never)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ retry: "never", data: expect.stringContaining("Variables cannot be") });
  });

  it("changes a template", async () => {
    graph.on(`POST /${externalId}`, ok({ success: true }));
    const change = { components: [{ type: "BODY", text: "Bye" }] };
    expect(await templateMethods.change(link, TEMPLATE, change, never)).toEqual({
      ...TEMPLATE,
      ...change,
      status: "PENDING",
    });
    expect((await graph.request(`POST /${externalId}`)).body).toEqual(change);
  });

  it("deletes a template, also one that is already gone", async () => {
    const gone = refuse(100, "Invalid parameter", 'Message template "order_confirmation" wasn\'t found.');
    graph.on(REMOVE, ok({ success: true }), gone);
    await templateMethods.remove(link, TEMPLATE, never);
    await templateMethods.remove(link, TEMPLATE, never);
    expect((await graph.request(REMOVE)).query).toEqual({ name, hsm_id: externalId });
    graph.on(REMOVE, refuse(190, "Expired"));
    await expect(templateMethods.remove(link, TEMPLATE, never)).rejects.toThrow(TransportError);
  });
});
