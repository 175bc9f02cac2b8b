import { describe, expect, test } from "vitest";
import { demo } from "../demo.ts";
import { hello, paths, withWapi } from "../test-kit.ts";

const product = { messaging_product: "whatsapp" };
const ann = [{ user: `+${demo.user}` }];
const known = { input: `+${demo.user}`, wa_id: demo.user };

describe("block_users", () => {
  const path = `${paths.number}/block_users`;

  test("people who wrote within 24 hours can be blocked and unblocked", () =>
    withWapi(async ({ admin, ann: write, ok, send }) => {
      await write("messages", { text: "hi" });
      expect(await ok(`POST ${path}`, { ...product, block_users: ann })).toEqual({
        ...product,
        block_users: { added_users: [known] },
      });
      expect(await ok(`GET ${path}`)).toMatchObject({ data: [{ ...product, wa_id: demo.user }] });
      await expect(write("messages", { text: "let me in" })).rejects.toThrow(/the business has blocked/);
      const id = await send(hello);
      const status = await admin(`GET /numbers/${demo.numberId}/users/${demo.user}/messages`);
      expect(JSON.stringify(status)).not.toContain(id);
      expect(await ok(`DELETE ${path}`, { ...product, block_users: ann })).toEqual({
        ...product,
        block_users: { removed_users: [known] },
      });
      expect(await ok(`GET ${path}`)).toEqual({ data: [] });
      await write("messages", { text: "thanks" });
    }));

  test("people who did not write are named in the error, with those that were blocked", () =>
    withWapi(async ({ ann: write, graph }) => {
      await write("messages", { text: "hi" });
      const block_users = [...ann, { user: "+15550001111" }];
      const { status, body } = await graph(`POST ${path}`, { ...product, block_users });
      expect([status, body]).toMatchObject([
        400,
        {
          error: { code: 139100 },
          block_users: {
            added_users: [known],
            failed_users: [{ input: "+15550001111", errors: [{ code: 131047 }] }],
          },
        },
      ]);
    }));
});

test("QR codes: written, listed, drawn, changed, removed", () =>
  withWapi(async ({ ok, refused }) => {
    const path = `${paths.number}/message_qrdls`;
    const first = await ok(`POST ${path}`, { prefilled_message: "Deals!", generate_qr_image: "SVG" });
    expect(first).toMatchObject({
      code: expect.stringMatching(/^[A-Z2-7]{14}$/),
      prefilled_message: "Deals!",
      deep_link_url: `https://wa.me/message/${first["code"]}`,
    });
    const picture = await fetch(String(first["qr_image_url"]));
    expect(picture.headers.get("content-type")).toBe("image/svg+xml");
    expect(await picture.text()).toMatch(/^<svg /);
    const second = await ok(`POST ${path}`, { prefilled_message: "More" });
    await ok(`POST ${path}`, { code: first["code"], prefilled_message: "Other deals" });
    expect(await ok(`GET ${path}`)).toMatchObject({
      data: [{ code: second["code"] }, { prefilled_message: "Other deals" }],
    });
    const one = await ok(`GET ${path}/${first["code"]}?fields=code,qr_image_url.format(PNG)`);
    expect(one).toMatchObject({ data: [{ qr_image_url: expect.stringMatching(/\.png$/) }] });
    expect(await ok(`DELETE ${path}/${first["code"]}`)).toEqual({ success: true });
    expect(await refused(`GET ${path}/${first["code"]}`)).toContain("does not exist");
    expect(await refused(`GET ${path}?fields=colour`)).toContain("nonexisting field (colour)");
  }));

test("settings: one feature at a time, omitted ones stay unchanged", () =>
  withWapi(async ({ ok, refused }) => {
    const path = `${paths.number}/settings`;
    expect(await ok(`GET ${path}`)).toMatchObject({ calling: { status: "DISABLED" } });
    await ok(`POST ${path}`, { calling: { status: "ENABLED" } });
    await ok(`POST ${path}`, { calling: { call_icon_visibility: "DEFAULT" } });
    expect(await ok(`GET ${path}`)).toMatchObject({
      calling: { status: "ENABLED", call_icon_visibility: "DEFAULT" },
    });
    const two = { calling: {}, storage_configuration: {} };
    expect(await refused(`POST ${path}`, two)).toContain("Exactly one of");
    expect(await refused(`POST ${path}`, { colour: {} })).toContain('Unexpected key "colour"');
  }));

test("one template by its id", () =>
  withWapi(async ({ ok, refused }) => {
    const list = await ok(`GET ${paths.templates}`);
    const [template] = list["data"] as unknown as readonly { readonly id: string; readonly name: string }[];
    expect(await ok(`GET ${paths.templates}/${template?.id}`)).toMatchObject({ name: template?.name });
    expect(await refused(`GET ${paths.templates}/1`)).toContain("does not exist");
  }));

describe("messages", () => {
  const to = { ...product, to: demo.user };

  test("a location request", () =>
    withWapi(async ({ ok, refused, ann: write }) => {
      await write("messages", { text: "hi" });
      const interactive = {
        type: "location_request_message",
        body: { text: "Where are you?" },
        action: { name: "send_location" },
      };
      await ok(`POST ${paths.messages}`, { ...to, type: "interactive", interactive });
      const withFooter = { ...interactive, footer: { text: "f" } };
      expect(
        await refused(`POST ${paths.messages}`, { ...to, type: "interactive", interactive: withFooter }),
      ).toContain("neither header nor footer");
      const wrong = { ...interactive, action: { name: "send_money" } };
      expect(
        await refused(`POST ${paths.messages}`, { ...to, type: "interactive", interactive: wrong }),
      ).toContain("SEND_LOCATION");
    }));

  test("contacts as text in a JSON body", () =>
    withWapi(async ({ admin, ok, ann: write }) => {
      await write("messages", { text: "hi" });
      const contacts = [{ name: { formatted_name: "Bob", first_name: "Bob" }, phones: [{ phone: "+1555" }] }];
      const opaque = { biz_opaque_callback_data: '{"deal":1}' };
      const text = { type: "contacts", contacts: JSON.stringify(contacts) };
      await ok(`POST ${paths.messages}`, { ...to, ...opaque, ...text });
      const seen = await admin(`GET /numbers/${demo.numberId}/users/${demo.user}/messages`);
      expect(seen["items"]).toMatchObject([{}, { type: "contacts", content: contacts }]);
    }));
});
