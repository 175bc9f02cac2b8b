import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { checkLook, closeWithTest, findProblems, holdAnswer, openWindow, untilToast } from "./kit/browser.ts";
import { agreeToConnect } from "./kit/chat.ts";
import { type BrowserStand, startBrowserStand } from "./kit/stand.ts";

let stand: BrowserStand;
beforeAll(async () => {
  stand = await startBrowserStand({ PACING: "off" });
  await stand.api("PATCH", "/v3/webhooks", {
    webhooksUri: `${stand.sandbox}/inbox/phone`,
    subscriptions: { messagesAndStatuses: true, channelsUpdates: true },
  });
});
afterAll(() => stand?.close());

/** Opens the phone in a new window; `place` is the part after the `#`. */
async function open(place: string, options: { locale?: string; width?: number } = {}): Promise<Page> {
  const window = await openWindow(stand.browser, { width: 1280, ...options });
  closeWithTest(window, { faultless: true });
  await window.page.goto(`${stand.sandbox}/phone#${place}`);
  return window.page;
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const inChat = (page: Page) => page.getByRole("log");

async function write(page: Page, text: string): Promise<void> {
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill(text);
  await field.press("Enter");
  await inChat(page).getByText(text, { exact: true }).waitFor();
}

interface Told {
  readonly channelId: string;
  readonly chatType: string;
  readonly chatId: string;
  readonly text?: string;
  readonly type: string;
}

/** The message that the gateway reported to the CRM. */
async function told(what: string, fits: (message: Told) => boolean): Promise<Told> {
  return vi
    .waitUntil(
      async () => {
        const answer = await fetch(`${stand.sandbox}/inbox/phone`);
        const { items } = (await answer.json()) as { items: { body: { messages?: Told[] } }[] };
        return items.flatMap(({ body }) => body.messages ?? []).find(fits);
      },
      { timeout: 90_000, interval: 100 },
    )
    .catch((error: unknown) => {
      throw new Error(`the gateway did not tell of ${what}`, { cause: error });
    });
}

/** The CRM replies in the chat of a message. */
function answer(to: Told, content: object): Promise<unknown> {
  return stand.api("POST", "/v2/messages", {
    channel_id: to.channelId,
    recipient: { chat_type: to.chatType, chat_id: to.chatId },
    ...content,
  });
}

async function createChannel(transport: string, credentials: object): Promise<void> {
  await stand.api("POST", "/v2/channels", { transport, credentials });
  await channelIsActive(transport);
}

async function channelIsActive(transport: string): Promise<void> {
  await vi.waitUntil(
    async () => {
      const { data } = await stand.api<{ data: Record<string, string>[] }>("GET", "/v2/channels");
      return data.some((each) => each["transport"] === transport && each["status"] === "active");
    },
    { timeout: 90_000, interval: 100 },
  );
}

/** Signs in at the messenger in the window that the connect page opens. */
async function connectByDialog(transport: string, name: string, agree: string): Promise<void> {
  const { page, context } = await openWindow(stand.browser);
  await page.goto(await stand.channelsLink({ transport }));
  const [away] = await Promise.all([context.waitForEvent("page"), button(page, name).click()]);
  await away.getByRole("button", { name: agree }).click();
  await agreeToConnect(away);
  await channelIsActive(transport);
  await context.close();
}

/** The connect page of a personal account, with its QR code shown. */
async function connectPage(transport: string): Promise<Page> {
  const window = await openWindow(stand.browser);
  const { page } = window;
  closeWithTest(window);
  await page.goto(await stand.channelsLink({ transport }));
  await page.getByRole("img", { name: "QR code to scan" }).waitFor();
  return page;
}

/** Links the person's account with a click on the only waiting code. */
async function linkByClick(page: Page): Promise<void> {
  await button(page, "Linked devices").click();
  const scan = button(page, /^Scan the code of/).first();
  await untilToast(page, /^Scanned$/, () => scan.click());
}

/** Eight pixels square. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGOYueouVsQwtCQAEuOIAXT/OKsAAAAASUVORK5CYII=",
  "base64",
);

const SHOP = "79995550001";
const ANN = "79995550002";

/** For each of the ten messengers, how its channel is created and where the phone can write to it. */
const MESSENGERS: Readonly<
  Record<string, { readonly place: string; readonly connect: () => Promise<void> }>
> = {
  // The first start has connected the demo bot to the demo account.
  telegram: {
    place: "telegram+111/2000002",
    connect: () => {
      const token = "2000002:phone-trunkline-sandbox-token-0000000000";
      return stand
        .admin("telegram", "POST /bots", { token, name: "Shop", can_read_all_group_messages: true })
        .then(() => stand.admin("telegram", "POST /bots/2000002/users/111/start", {}))
        .then(() => createChannel("telegram", { telegram_token: token }));
    },
  },
  maxbot: {
    place: "maxbot+123456789/555000001",
    connect: () =>
      createChannel("maxbot", { access_token: "f9LHodD0cOLdemoTrunklineSandboxMaxBotToken0000000000" }),
  },
  viber: {
    place: "viber+111/pa%3A75346594275468546724",
    connect: () =>
      createChannel("viber", { viber_token: "4453b6ac1s345678-e02c5f12174805f9-demotrunklinesand" }),
  },
  vk: {
    place: "vk+111/200000001",
    connect: connectVk,
  },
  avito: {
    place: "avito+141906442/u2i-demoTrunklineSandbox00",
    connect: async () => {
      const { code } = await stand.admin<{ code: string }>("avito", "POST /codes", {});
      await createChannel("avito", { code });
    },
  },
  instagram: {
    place: "instagram+111/17841400000000001",
    connect: () => connectByDialog("instagram", "Continue with Instagram", "Allow"),
  },
  wapi: {
    place: "wapi+16505551234/3000000000001",
    connect: () => connectByDialog("wapi", "Continue with Meta", "Continue"),
  },
  whatsapp: { place: `whatsapp+${ANN}/${SHOP}`, connect: () => linkPersonal("whatsapp") },
  tgapi: { place: `tgapi+${ANN}/${SHOP}`, connect: () => linkPersonal("tgapi") },
  max: { place: `max+${ANN}/${SHOP}`, connect: () => linkPersonal("max") },
};

async function connectVk(): Promise<void> {
  const { page, context } = await openWindow(stand.browser);
  await page.goto(await stand.channelsLink({ transport: "vk" }));
  await page.getByText("Or connect with keys of your own").click();
  await page
    .getByLabel("Community key", { exact: true })
    .fill("vk1.a.demo-trunkline-sandbox-community-key-0000000000");
  await button(page, "Connect").click();
  await channelIsActive("vk");
  await context.close();
}

async function linkPersonal(transport: string): Promise<void> {
  const name = transport === "tgapi" ? "first_name" : "name";
  await stand.admin(transport, "POST /people", { phone: SHOP, [name]: "Shop" });
  await stand.admin(transport, "POST /people", { phone: ANN, [name]: "Ann" });
  const connect = await connectPage(transport);
  const phone = await open(`${transport}+${SHOP}`);
  await linkByClick(phone);
  await connect.getByRole("heading", { name: "Connected" }).waitFor();
}

test("the page lists the ten messengers, and shows its own address", async () => {
  const page = await open("");
  const names = page.getByRole("navigation", { name: "Messengers" }).getByRole("button");
  await names.first().waitFor();
  expect(await names.count()).toBe(Object.keys(MESSENGERS).length);
  expect(stand.service.output()).toContain(`${stand.sandbox}/phone#telegram+111/1000001`);
  await button(page, /Trunkline demo/).waitFor();
  await checkLook(page, "phone-chats");
});

test.each(Object.entries(MESSENGERS))(
  "%s: the customer writes, the gateway receives it, and its reply appears on the phone",
  async (name, { place, connect }) => {
    await connect();
    const page = await open(place);
    const text = `Hello over ${name}`;
    await inChat(page).waitFor();
    await write(page, text);
    const message = await told(text, (each) => each.text === text);
    await answer(message, { text: `Good day over ${name}` });
    await inChat(page).getByText(`Good day over ${name}`).waitFor();
    // The traffic shows the requests, without keys.
    await page.getByRole("list", { name: "What the messenger saw" }).getByRole("listitem").first().waitFor();
    expect(await page.getByRole("complementary").count()).toBe(0);
  },
);

describe("a conversation with all kinds of content", () => {
  let files: Server;
  let pictureUrl = "";
  beforeAll(async () => {
    files = createServer((_request, response) => {
      response.setHeader("content-type", "image/png");
      response.end(PICTURE);
    });
    await new Promise<void>((resolve) => files.listen(0, "127.0.0.1", resolve));
    pictureUrl = `http://127.0.0.1:${(files.address() as AddressInfo).port}/lamp.png`;
  });
  afterAll(() => void files.close());

  const KINDS: Readonly<Record<string, readonly (readonly [item: string, type: string])[]>> = {
    telegram: [
      ["Photo", "image"],
      ["Video", "video"],
      ["File", "document"],
      ["Voice message", "audio"],
      ["Place", "geo"],
      ["Contact", "vcard"],
    ],
    whatsapp: [
      ["Photo", "image"],
      ["Video", "video"],
      ["File", "document"],
      ["Voice message", "audio"],
      ["Place", "geo"],
      ["Contact", "vcard"],
    ],
    instagram: [
      ["Photo", "image"],
      ["Video", "video"],
      ["Voice message", "audio"],
      ["File", "document"],
    ],
  };
  test.each(Object.entries(KINDS))(
    "%s: every kind arrives, and the replies are shown",
    async (name, kinds) => {
      const page = await open(MESSENGERS[name]?.place ?? "");
      await write(page, `Before ${name}`);
      const from = await told("a text", (each) => each.text === `Before ${name}`);
      const seen = new Set<unknown>();
      for (const [item, type] of kinds) {
        await button(page, "Send something else").click();
        await page.getByRole("menuitem", { name: item, exact: true }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByRole("button", { name: "Send", exact: true }).click();
        await dialog.waitFor({ state: "hidden" });
        const message = await told(
          `${item} on ${name}`,
          (each) =>
            each.channelId === from.channelId && each.type === type && !seen.has(JSON.stringify(each)),
        );
        seen.add(JSON.stringify(message));
      }
      const pictures = inChat(page).getByRole("img", { name: "Picture" });
      const before = await pictures.count();
      await answer(from, { attachment: { url: pictureUrl, mimetype: "image/png" } });
      await answer(from, { text: `After ${name}` });
      await inChat(page).getByText(`After ${name}`).waitFor();
      await expect.poll(() => pictures.count()).toBe(before + 1);
      const width = "[...document.querySelectorAll('[role=log] img')].at(-1).naturalWidth";
      await expect.poll(() => page.evaluate(width)).toBe(8);
      await checkLook(page, `phone-${name}`);
    },
  );

  test("a button press, a reply with a quote, an edit and a deletion, with the keyboard only", async () => {
    const page = await open(MESSENGERS["telegram"]?.place ?? "");
    await write(page, "Which colours are there?");
    const from = await told("the question", (each) => each.text === "Which colours are there?");
    await answer(from, {
      text: "Two of them",
      keyboard: { reply_markup: "reply", buttons: [[{ text: "Red" }, { text: "Blue" }]] },
    });
    await inChat(page).getByText("Two of them").waitFor();
    await button(page, "Red").press("Enter");
    await told("the press", (each) => each.text === "Red");

    const field = page.getByRole("textbox", { name: "Message" });
    await field.focus();
    const sent = await holdAnswer(page, "POST", "**/admin/phone/**/send");
    await page.keyboard.type("The blue one");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Or");
    await sent.release();
    await inChat(page).getByText("The blue one").waitFor();
    // Text typed before the response arrived belongs to the next message.
    expect(await field.inputValue()).toBe("Or");
    await field.fill("");
    const actions = page
      .getByRole("listitem")
      .filter({ hasText: "The blue one" })
      .getByRole("button", { name: "Actions on this message" });
    await actions.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Edit" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => field.inputValue()).toBe("The blue one");
    await field.fill("The red one");
    await page.keyboard.press("Enter");
    await inChat(page).getByText("edited").waitFor();
    await told("the edit", (each) => each.text === "The red one");
  });
});

test("the list of chats marks what was not read; own messages have ticks; people are found", async () => {
  for (const name of ["Vera", "Gleb", "Dina", "Egor", "Zoya", "Ira"])
    await stand.admin("telegram", "POST /users", { first_name: name });
  const page = await open("telegram+111");
  const chat = button(page, /Trunkline demo/);
  await chat.click();
  await inChat(page).waitFor();
  await write(page, "Are you open on Sunday?");
  await inChat(page).getByRole("img", { name: "sent" }).last().waitFor();
  await page.getByRole("button", { name: "Back to the chats" }).click();
  await chat.getByText("You: Are you open on Sunday?").waitFor();
  expect(await chat.getByText(/unread/).count()).toBe(0);
  await fetch(`${stand.sandbox}/telegram/bot1000001:demo-trunkline-sandbox-token-0000000000/sendMessage`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ chat_id: 111, text: "From ten to four" }),
  });
  await chat.getByText("1 unread").waitFor();
  await chat.getByText("From ten to four").waitFor();
  await checkLook(page, "phone-list");
  await chat.click();
  await inChat(page).getByText("From ten to four").waitFor();
  await page.getByRole("button", { name: "Back to the chats" }).click();
  await chat.getByText("1 unread").waitFor({ state: "detached" });

  const search = page.getByRole("searchbox", { name: "Find a person" });
  await search.fill("zo");
  await button(page, /Zoya/).waitFor();
  expect(await button(page, /Vera/).count()).toBe(0);
  await search.fill("zebra");
  await page.getByText("Nobody here has this name, phone or username.").waitFor();

  // Polls of the bot are hidden until they are asked for.
  const wire = page.getByRole("list", { name: "What the messenger saw" });
  await wire.getByText("sendMessage").first().waitFor();
  await page.getByText(/^\d+ hidden$/).waitFor();
  expect(await wire.getByText("getUpdates").count()).toBe(0);
  await page.getByRole("checkbox", { name: "Show polling and confirmations" }).check();
  await wire.getByText("getUpdates").first().waitFor();
});

test.each([768, 1280])("the phone and another part stand side by side at %d px", async (width) => {
  const page = await open("telegram+111/1000001", { width });
  const phone = page.getByRole("region", { name: /^Phone of/ });
  await phone.waitFor();
  await page.getByRole("navigation", { name: "Messengers" }).waitFor();
  if (width === 768) await button(page, "Wire").click();
  await page.getByRole("heading", { name: "What the messenger saw" }).waitFor();
  const [left, right] = [await phone.boundingBox(), await page.locator("#wire").boundingBox()];
  expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThan(right?.x ?? 0);
  expect(await page.getByRole("navigation", { name: "Messengers" }).isVisible()).toBe(width === 1280);
});

test.each([
  ["es-ES", "es", "Mensaje", "Bot de Telegram"],
  ["pt-BR", "pt-BR", "Mensagem", "Bot do Telegram"],
])("the page is in the language of the browser: %s", async (locale, lang, field, bot) => {
  const page = await open("telegram+111/1000001", { locale });
  await page.getByRole("textbox", { name: field, exact: true }).waitFor();
  await button(page, bot).waitFor();
  expect(await page.getAttribute("html", "lang")).toBe(lang);
  await checkLook(page, `phone-${lang}`);
});

test("two phones show the same group", async () => {
  const page = await open("telegram+111");
  await button(page, "Add a person").click();
  await page.getByRole("dialog").getByLabel("Name").fill("Boris");
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  await page.getByRole("region", { name: "Phone of Boris" }).waitFor();
  await button(page, "New group").click();
  await page.getByRole("dialog").getByLabel("Title of the group").fill("Neighbours");
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  await page.getByRole("button", { name: /Neighbours/ }).click();
  await button(page, "Second phone").click();
  const [boris, ann] = ["Boris", "Ann"].map((name) => page.getByRole("region", { name: `Phone of ${name}` }));
  await boris?.getByRole("textbox", { name: "Message" }).fill("Good evening");
  await page.keyboard.press("Enter");
  await ann?.getByText("Good evening").waitFor();
  await ann?.getByRole("textbox", { name: "Message" }).fill("And to you");
  await page.keyboard.press("Enter");
  await boris?.getByText("And to you").waitFor();
  await checkLook(page, "phone-group");
});

test("an employee's chat page and a customer's phone show the same conversation", async () => {
  const page = await open(MESSENGERS["telegram"]?.place ?? "");
  const agent = await openWindow(stand.browser, { width: 1280 });
  closeWithTest(agent);
  await write(page, "Can you deliver it on Monday?");
  const from = await told("the question", (each) => each.text === "Can you deliver it on Monday?");
  await answer(from, { text: "Yes, between ten and noon. Where to?" });
  await inChat(page).getByText("Where to?").waitFor();
  await write(page, "To the warehouse, please");
  const { data } = await stand.api<{ data: { link: string } }>("POST", "/v2/iframe-links/chats", {
    user_id: "olga",
    author_name: "Olga",
    scope: "global",
  });
  await agent.page.goto(data.link);
  await agent.page.getByText("To the warehouse, please").first().click();
  await agent.page.getByText("Yes, between ten and noon. Where to?").first().waitFor();
  expect(agent.problems).toEqual([]);
  if (process.env["SCREENSHOTS"] === "1") await sideBySide(agent.page, page);
});

/** The picture of the README: both windows in one image. */
async function sideBySide(chat: Page, phone: Page): Promise<void> {
  await chat.setViewportSize({ width: 900, height: 680 });
  await phone.setViewportSize({ width: 1280, height: 800 });
  await chat.locator("[aria-busy=true]").waitFor({ state: "detached" });
  const device = phone.getByRole("region", { name: /^Phone of/ });
  const [left, right] = [await chat.screenshot(), await device.screenshot()].map((each) =>
    each.toString("base64"),
  );
  const { page, context } = await openWindow(stand.browser, { width: 1360 });
  await page.setContent(
    `<body style="margin:0;padding:24px;display:flex;gap:24px;align-items:center;background:#dfe3ea"><img style="border-radius:12px" src="data:image/png;base64,${left}"><img style="border-radius:36px" src="data:image/png;base64,${right}">`,
  );
  await page.screenshot({
    path: new URL("../../docs/images/chat-and-phone.png", import.meta.url).pathname,
    fullPage: true,
  });
  await context.close();
}

test("a fault is turned on, appears in the traffic, and is turned off", async () => {
  const page = await open(MESSENGERS["telegram"]?.place ?? "");
  await write(page, "Before the trouble");
  const from = await told("a text", (each) => each.text === "Before the trouble");
  const limit = page.getByRole("switch", { name: "Too many requests (429)" });
  await Promise.all([page.waitForResponse("**/troubles/limit"), limit.check()]);
  // The connector's pending request for updates waits up to 50 s: a message causes the next call.
  await answer(from, { text: "Through the trouble" });
  await page.getByText(/hit \d+ calls?/).waitFor();
  const wire = page.getByRole("list", { name: "What the messenger saw" });
  const refused = wire.getByRole("listitem").filter({ hasText: /sendMessage.*429/ });
  await refused.first().waitFor();
  await refused.first().locator("summary").click();
  await wire.getByText("Too Many Requests").first().waitFor();
  expect(await wire.textContent()).not.toContain("demo-trunkline-sandbox-token");
  await checkLook(page, "phone-trouble");
  await limit.uncheck();
  await inChat(page).getByText("Through the trouble").waitFor();
});

test("WhatsApp is linked by a pairing code entered on the phone, and unlinked there", async () => {
  const phone = "79995550011";
  await stand.admin("whatsapp", "POST /people", { phone, name: "Olga" });
  const connect = await connectPage("whatsapp");
  await button(connect, "Enter a code instead").click();
  await connect.getByLabel("Phone number").fill(phone);
  await button(connect, "Get a code").click();
  const code = (await connect.locator("output").textContent()) ?? "";

  const page = await open(`whatsapp+${phone}`);
  await button(page, "Linked devices").click();
  await checkLook(page, "phone-linking");
  await page.getByLabel("Code that the connect page shows").fill(code);
  await page.getByRole("dialog").getByRole("button", { name: "Link", exact: true }).click();
  await connect.getByRole("heading", { name: "Connected" }).waitFor();
  await page.getByText("online", { exact: true }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Unlink" }).click();
  await page.getByText("No device is linked to this phone.").waitFor();
});

test("Telegram asks for the password that was set on the phone, in Russian", async () => {
  const phone = "79995550012";
  await stand.admin("tgapi", "POST /people", { phone, first_name: "Вера" });
  const connect = await connectPage("tgapi");
  const page = await open(`tgapi+${phone}`, { locale: "ru-RU" });
  await button(page, "Связанные устройства").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Пароль двухэтапной проверки", { exact: true }).fill("верный пароль");
  await dialog.getByRole("button", { name: "Задать пароль" }).click();
  await dialog.getByText("Двухэтапная проверка включена.").waitFor();
  await dialog
    .getByRole("button", { name: /^Сканировать код:/ })
    .first()
    .click();
  await connect.getByLabel("Two-step verification password", { exact: true }).fill("wrong");
  await button(connect, "Continue").click();
  await connect.getByText(/Wrong password/).waitFor();
  await connect.getByLabel("Two-step verification password", { exact: true }).fill("верный пароль");
  await button(connect, "Continue").click();
  await connect.getByRole("heading", { name: "Connected" }).waitFor();
  expect(await page.getAttribute("html", "lang")).toBe("ru");
});

describe("the interface's documentation", () => {
  async function openDocs(path: string, options: { width?: number; javaScriptEnabled?: boolean } = {}) {
    const window = await openWindow(stand.browser, { width: 1280, ...options });
    closeWithTest(window, { faultless: true });
    await window.page.goto(stand.url + path);
    return window.page;
  }
  const code = (page: Page, id: string, text: string | RegExp) =>
    page.locator(`#${id} figure code`).getByText(text);

  test("finds an operation by its name, and shows its example in the chosen language, by keyboard", async () => {
    const page = await openDocs("/docs");
    await checkLook(page, "docs-overview");
    await page.keyboard.press("/");
    await page.keyboard.type("nothing like that");
    await page.getByText("No operation has all these words.").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.type("sendmessage");
    await page.getByText("1 operation", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/messages#sendMessage");
    await code(page, "sendMessage", /^curl -X POST/).waitFor();
    await page.getByRole("radio", { name: "curl" }).press("ArrowRight");
    await code(page, "sendMessage", /await trunkline\.sendMessage/).waitFor();
    expect(await code(page, "sendMessage", /^curl -X POST/).isVisible()).toBe(false);
    await checkLook(page, "docs-section");
    // The choice holds on other pages. There is no other example of pages for people.
    await page.getByRole("link", { name: "OAuth" }).press("Enter");
    await page.waitForURL("**/docs/oauth");
    await code(page, "issueToken", /await trunkline/).waitFor();
    await code(page, "authorizeApplication", /^curl/).waitFor();
  });

  test("leads from the addresses of the former single page to the operation", async () => {
    const page = await openDocs("/docs#on_message_add");
    await page.waitForURL("**/docs/events#on_message_add");
    await page.goto(`${stand.url}/docs#crm`);
    await page.waitForURL("**/docs/crm");
  });

  test.each([true, false])("is read on a narrow screen; with scripts: %s", async (javaScriptEnabled) => {
    const page = await openDocs("/docs/messages", { width: 360, javaScriptEnabled });
    const [menu, removal] = [button(page, "Menu"), page.getByRole("link", { name: "removeMessage" })];
    expect(await removal.isVisible()).toBe(false);
    await menu.press("Enter");
    await removal.waitFor();
    await page.keyboard.press("Escape");
    await removal.waitFor({ state: "hidden" });
    await menu.press("Enter");
    await removal.press("Enter");
    await page.waitForURL("**/docs/messages#removeMessage");
    if (javaScriptEnabled) await removal.waitFor({ state: "hidden" });
    else await page.keyboard.press("Escape");
    await page.getByRole("radio", { name: "TypeScript" }).press("Space");
    await code(page, "removeMessage", /await trunkline/).waitFor();
    expect(await page.getByRole("searchbox").count()).toBe(0);
  });
});

test("the page reports an unreachable sandbox, and continues when it is back", async () => {
  const window = await openWindow(stand.browser, { width: 1280 });
  const { page, problems } = window;
  closeWithTest(window);
  await page.route("**/admin/phone", (route) => route.abort());
  await page.goto(`${stand.sandbox}/phone`);
  await page.getByText("The sandbox does not respond.").waitFor();
  expect(await findProblems(page)).toEqual([]);
  await page.unroute("**/admin/phone");
  await button(page, "Try again").click();
  await button(page, /Trunkline demo/).waitFor();
  problems.splice(0);
});
