import { afterEach, beforeEach, expect, it } from "vitest";
import { TEST_CALLBACK_SECRET } from "../../../core/transport/conformance.ts";
import type { ApiReply, FakeApi } from "../../kit/testing.ts";
import { GraphRefusal } from "../../meta/error.ts";
import {
  CREDENTIALS,
  linkTo,
  ok,
  refuse,
  settingsFor,
  startFakeGraph,
  WABA_ID,
  type WapiTestLink,
} from "../testing.ts";
import { graphOf, type WapiCredentials } from "./access.ts";
import { subscribe } from "./subscription.ts";

const READ = `GET /${WABA_ID}/subscribed_apps`;
const WRITE = `POST /${WABA_ID}/subscribed_apps`;
const APP_ID = "4321";
const OUR_URL = "https://gate.example/in/wapi";
const OVERRIDE = { override_callback_uri: OUR_URL, verify_token: TEST_CALLBACK_SECRET };
const DONE = ok({ success: true });
const UNREACHED = refuse(2200, "Callback verification failed");
const UNSUBSCRIBED = refuse(100, "Before override the current callback uri, your app must be subscribed");
const never = new AbortController().signal;

let graph: FakeApi;
let link: WapiTestLink;

beforeEach(async () => {
  graph = await startFakeGraph();
});
afterEach(async () => {
  await link.dispose();
  expect(await graph.finish()).toEqual([]);
});

const subscription = (id: string, url?: string): object => ({
  whatsapp_business_api_data: { id, link: `https://www.facebook.com/games/?app_id=${id}`, name: "Gate" },
  ...(url === undefined ? {} : { override_callback_uri: url }),
});

/** Subscribes with this state at Meta, and returns the write requests made and Meta's refusal of the URL. */
async function written(
  present: readonly object[],
  replies: ApiReply[],
  more: Options = {},
): Promise<Written> {
  graph.on(READ, ok({ data: present }));
  graph.on(WRITE, ...replies);
  const { appId = APP_ID, credentials = CREDENTIALS } = more;
  link = { ...linkTo(graph.url, credentials), settings: settingsFor(graph.url, { appId }) };
  const refusal = await subscribe(graphOf(link), link, never);
  const bodies = graph.requests.filter(({ call }) => call === WRITE).map(({ body }) => body);
  return { bodies, refusal };
}
interface Written {
  readonly bodies: unknown[];
  readonly refusal: GraphRefusal | null;
}
interface Options {
  readonly appId?: string;
  readonly credentials?: WapiCredentials;
}

const OWN_APP = { credentials: { ...CREDENTIALS, app_secret: "own secret" } };
const NO_APP = { appId: "" };
it.each<[string, readonly object[], Options, unknown[]]>([
  ["subscribes a new app first", [], {}, [{}, OVERRIDE]],
  ["ignores the subscriptions of other apps", [subscription("1", OUR_URL)], {}, [{}, OVERRIDE]],
  ["adds the URL to a subscription", [subscription("1"), subscription(APP_ID)], {}, [OVERRIDE]],
  ["replaces another URL", [subscription(APP_ID, "https://old.example/")], {}, [OVERRIDE]],
  ["does nothing the second time", [subscription("1"), subscription(APP_ID, OUR_URL)], {}, []],
  ["recognises an owner's own app by our URL", [subscription("1", OUR_URL)], OWN_APP, []],
  ["subscribes an unknown app", [], NO_APP, [{}, OVERRIDE]],
  ["keeps the subscription of an unknown app", [subscription("1")], NO_APP, [OVERRIDE]],
])("%s", async (_name, present, options, expected) => {
  expect(
    await written(
      present,
      expected.map(() => DONE),
      options,
    ),
  ).toEqual({ bodies: expected, refusal: null });
});

it("subscribes an unknown app that turns out not to be subscribed", async () => {
  const replies = [UNSUBSCRIBED, DONE, DONE];
  const bodies = [OVERRIDE, {}, OVERRIDE];
  expect(await written([subscription("1")], replies, NO_APP)).toEqual({ bodies, refusal: null });
});

it.each<[string, readonly object[], ApiReply[], Options, unknown[]]>([
  ["of a known app", [], [DONE, UNREACHED], {}, [{}, OVERRIDE]],
  [
    "of an unknown app",
    [subscription("1")],
    [UNSUBSCRIBED, DONE, UNREACHED],
    NO_APP,
    [OVERRIDE, {}, OVERRIDE],
  ],
])("keeps the URL %s if Meta rejects ours", async (_name, present, replies, options, bodies) => {
  const refusal = expect.objectContaining({ error: expect.objectContaining({ code: 2200 }) });
  expect(await written(present, replies, options)).toEqual({ bodies, refusal });
});

it.each([
  ["a dead token", refuse(190, "Expired", undefined, 401)],
  ["too many requests", refuse(4, "Application request limit reached")],
  ["a temporary failure", refuse(2, "Service temporarily unavailable")],
])("%s is not a rejection of the URL", async (_name, reply) => {
  await expect(written([subscription(APP_ID)], [reply])).rejects.toThrow(GraphRefusal);
});
