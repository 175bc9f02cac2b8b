import { createServer, type Server } from "node:http";
import { Client, MessageType } from "@great-detail/whatsapp";
import type {
  CloudAPIErrorResponse,
  CloudAPIMarkReadResponse,
  CloudAPIRequest,
  CloudAPIResponse,
} from "@whatsapp-cloudapi/types/cloudapi";
import type { WebhookPayload } from "@whatsapp-cloudapi/types/webhook";
import { describe, expect, test } from "vitest";
import { demo } from "../demo.ts";
import { paths, withReceiver, withWapi } from "../test-kit.ts";

/**
 * A third-party client with only its address changed. With its own default version it loses the version on the
 * way (ky resolves against the last slash) and makes calls without one, which the platform serves too.
 */
function openClient(base: string, graphVersion = "v23.0/"): Client {
  const request = { headers: { Authorization: `Bearer ${demo.token}` }, retry: 0 };
  return new Client({ baseUrl: base, graphVersion, request });
}

const ids = { phoneNumberID: demo.numberId, to: demo.user };

describe("@great-detail/whatsapp works unchanged", () => {
  test("texts, buttons, reading, and invalid calls", () =>
    withWapi(async ({ admin, ann, base }) => {
      const client = openClient(base);
      const { message } = await ann("messages", { text: "hi" });
      const { messages, contacts } = await client.message
        .createMessage({ ...ids, type: MessageType.Text, text: { body: "Hello" } })
        .json();
      expect(contacts).toEqual([{ input: demo.user, wa_id: demo.user }]);
      expect(messages[0]?.id).toMatch(/^wamid\./);
      await client.message.createMessage({
        ...ids,
        type: MessageType.Interactive,
        interactive: {
          type: "button",
          body: { text: "?" },
          action: { buttons: [{ type: "reply", reply: { id: "y", title: "Yes" } }] },
        },
      });
      const read = {
        phoneNumberID: demo.numberId,
        status: "read",
        message_id: String(message?.["id"]),
      } as const;
      expect(await client.message.createStatus(read).json()).toEqual({ success: true });
      const sent = await admin(`GET /numbers/${demo.numberId}/sent?count=3`);
      expect(sent["items"]).toMatchObject([{ type: "text" }, { type: "interactive" }, { type: "read" }]);
      const calls = await admin("GET /calls?edge=messages");
      expect(calls["items"]).toMatchObject([
        { version: "v23.0" },
        { version: "v23.0" },
        { version: "v23.0" },
      ]);
      const unversioned = openClient(base, "v23.0");
      await unversioned.message.createMessage({ ...ids, type: MessageType.Text, text: { body: "Hello" } });
      const wrong = client.message.createMessage({ ...ids, type: MessageType.Text, text: { body: "" } });
      await expect(wrong).rejects.toMatchObject({ response: { status: 400 } });
    }));

  test("a file in both directions", () =>
    withWapi(async ({ base }) => {
      const client = openClient(base);
      const { phoneNumberID } = ids;
      const file = new File([Buffer.from("%PDF-1.4 hello")], "offer.pdf", { type: "application/pdf" });
      const upload = { phoneNumberID, file, filename: "offer.pdf", mimeType: "application/pdf" };
      const { id: mediaID } = await client.media.upload(upload).json();
      const info = await client.media.getURL({ mediaID, phoneNumberID }).json();
      expect(info).toMatchObject({
        messaging_product: "whatsapp",
        mime_type: "application/pdf",
        file_size: "14",
      });
      const request = { headers: { Authorization: `Bearer ${demo.token}` } };
      const download = await client.media.download({ mediaURL: info.url, request });
      expect(await download.text()).toBe("%PDF-1.4 hello");
      await client.message.createMessage({
        ...ids,
        type: MessageType.Document,
        document: { id: mediaID, filename: "offer.pdf" },
      });
      expect(await client.media.delete({ mediaID, phoneNumberID }).json()).toEqual({ success: true });
    }));

  test("numbers, the account and templates", () =>
    withWapi(async ({ admin, base }) => {
      const client = openClient(base);
      const number = await client.phoneNumbers
        .getPhoneNumber({ phoneNumberID: demo.numberId, fields: ["id", "verified_name", "quality_rating"] })
        .json();
      expect(number).toEqual({ id: demo.numberId, verified_name: "Lucky Shrub", quality_rating: "GREEN" });
      const list = await client.phoneNumbers.listPhoneNumbers({ businessAccountID: demo.wabaId }).json();
      expect(list).toMatchObject({ data: [{ id: demo.numberId, display_phone_number: "+1 555-078-3881" }] });
      expect(await client.whatsappBusinessAccount.get(demo.wabaId).json()).toMatchObject({
        name: "Lucky Shrub",
      });
      const made = await client.template
        .create(demo.wabaId, {
          name: "news",
          language: "en_US",
          category: "UTILITY",
          parameter_format: "POSITIONAL",
          components: [{ type: "BODY", text: "Hello there" }],
        })
        .json();
      await admin(`POST /templates/${made.id}/moderations`, { event: "APPROVED" });
      const { data } = await client.template.list(demo.wabaId, { status: "APPROVED" }).json();
      expect(data.map(({ name }) => name)).toEqual(["order_confirmation", "news"]);
      expect(await client.template.delete(demo.wabaId, { name: "news" }).json()).toEqual({ success: true });
    }));

  test("its webhook accepts the verification and the signed callbacks", () =>
    withReceiver(
      async ({ ann, base, ok }) => {
        const client = openClient(base);
        const taken = Promise.withResolvers<unknown>();
        const server = serveWith(client, taken);
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        const address = server.address();
        const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`;
        try {
          await client.subscribedApps.createSubscription({ businessAccountID: demo.wabaId });
          const override = { override_callback_uri: url, verify_token: "theirs" };
          await ok(`POST ${paths.subscribedApps}`, override);
          const { data } = await client.subscribedApps
            .listSubscriptions({ businessAccountID: demo.wabaId })
            .json();
          expect(data).toMatchObject([{ whatsapp_business_api_data: { id: demo.appId } }]);
          await ann("messages", { text: "Grüße" });
          expect(await taken.promise).toMatchObject([{ text: { body: "Grüße" } }]);
        } finally {
          server.closeAllConnections();
          server.close();
        }
      },
      { subscribe: false },
    ));
});

/** An endpoint that uses the client's own webhook functions. */
function serveWith({ webhook }: Client, taken: PromiseWithResolvers<unknown>): Server {
  return createServer(async (request, response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const query = Object.fromEntries(new URL(request.url ?? "/", "http://here").searchParams);
      const body = Buffer.concat(chunks).toString();
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      const incoming = { method: request.method ?? "", query, body, headers };
      if (request.method === "GET") {
        const registration = await webhook.register(incoming);
        response.end(registration.verifyToken === "theirs" ? registration.accept() : "");
        return;
      }
      const event = await webhook.eventNotification(incoming);
      await event.verifySignature(demo.appSecret);
      const [change] = event.eventNotification.entry[0]?.changes ?? [];
      taken.resolve(change?.field === "messages" ? change.value.messages : undefined);
      response.end();
    } catch (error) {
      taken.reject(error);
      response.writeHead(500).end();
    }
  });
}

describe("the types of @whatsapp-cloudapi/types match", () => {
  const common = { messaging_product: "whatsapp", to: demo.user } as const;
  const requests: readonly CloudAPIRequest[] = [
    { ...common, type: "text", text: { body: "Hello", preview_url: false } },
    { ...common, type: "location", location: { latitude: 1, longitude: 2, name: "A", address: "B" } },
    { ...common, type: "reaction", reaction: { message_id: "wamid.X", emoji: "👍" } },
    { ...common, type: "document", document: { link: "https://example.com/a.pdf", filename: "a.pdf" } },
    { ...common, type: "contacts", contacts: [{ name: { formatted_name: "A B", first_name: "A" } }] },
    {
      ...common,
      type: "template",
      template: {
        name: "order_confirmation",
        language: { code: "en_US" },
        components: [
          {
            type: "body",
            parameters: [
              { type: "text", text: "a" },
              { type: "text", text: "b" },
            ],
          },
        ],
      },
    },
    {
      ...common,
      type: "interactive",
      interactive: {
        type: "button",
        body: { text: "?" },
        action: { buttons: [{ type: "reply", reply: { id: "a", title: "A" } }] },
      },
    },
    {
      ...common,
      type: "interactive",
      interactive: {
        type: "list",
        body: { text: "?" },
        action: { button: "Choose", sections: [{ title: "S", rows: [{ id: "a", title: "A" }] }] },
      },
    },
    {
      ...common,
      type: "interactive",
      interactive: {
        type: "cta_url",
        body: { text: "?" },
        action: { name: "cta_url", parameters: { display_text: "Open", url: "https://example.com/" } },
      },
    },
  ];

  test.each(requests.map((request) => [request.type, request] as const))("request: %s", (_type, request) =>
    withWapi(async ({ ok }) => {
      const answer = (await ok(`POST ${paths.messages}`, request)) as unknown as CloudAPIResponse;
      expect(answer.messaging_product).toBe("whatsapp");
      expect(answer.contacts[0]?.wa_id).toBe(demo.user);
      expect(answer.messages[0]?.id).toMatch(/^wamid\./);
    }),
  );

  test("responses and callbacks", () =>
    withReceiver(async ({ ann, graph, ok }, receiver) => {
      const { message } = await ann("messages", { text: "hi" });
      const read = { messaging_product: "whatsapp", status: "read", message_id: message?.["id"] };
      const done = (await ok(`POST ${paths.messages}`, read)) as unknown as CloudAPIMarkReadResponse;
      expect(done.success).toBe(true);
      const { body } = await graph(`POST ${paths.messages}`, {});
      expect((body as unknown as CloudAPIErrorResponse).error.code).toBe(100);
      await receiver.reach(1);
      const payload = receiver.items[0]?.body as unknown as WebhookPayload;
      const [text] = payload.entry[0]?.changes[0]?.value.messages ?? [];
      expect(text?.type === "text" && text.text.body).toBe("hi");
    }));
});
