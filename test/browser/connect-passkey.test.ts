import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type AssertionQuirks, SoftwareAuthenticator } from "../../sandbox/whatsapp/passkey/authenticator.ts";
import { checkLook, closeWithTest, findProblems, openWindow, type Window } from "./kit/browser.ts";
import { openWithExtension } from "./kit/extension.ts";
import { openPopup } from "./kit/extension-popup.ts";
import { newPasskey, openSite } from "./kit/passkey.ts";
import { scanCode } from "./kit/scan.ts";
import { type BrowserStand, startBrowserStand } from "./kit/stand.ts";

let stand: BrowserStand;
beforeAll(async () => {
  stand = await startBrowserStand();
});
afterAll(() => stand?.close());

let people = 0;

interface Gated extends Window {
  readonly phone: string;
}

interface Passkey {
  readonly id: string;
  readonly publicKey: string;
}

/** The number of an account whose passkey is required. */
async function gatedPhone({ id, publicKey: public_key }: Passkey): Promise<string> {
  people += 1;
  const phone = `7999556${String(people).padStart(4, "0")}`;
  await stand.admin("whatsapp", "POST /people", { phone, name: "Ann" });
  await stand.admin("whatsapp", `POST /people/${phone}/passkeys`, { id, public_key });
  await stand.admin("whatsapp", `POST /people/${phone}/gates`, { passkey: "passkey" });
  return phone;
}

/** The page of a new link, and such an account. */
async function openGated(passkey: Passkey, { locale = "en-US" } = {}): Promise<Gated> {
  const phone = await gatedPhone(passkey);
  const window = await openWindow(stand.browser, { locale });
  closeWithTest(window);
  await window.page.goto(await stand.channelsLink({ transport: "whatsapp" }));
  return { ...window, phone };
}

const heading = (page: Page, name: string) => page.getByRole("heading", { name }).waitFor();
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** The phone scans the code on the page. */
function scan({ page, phone }: Pick<Gated, "page" | "phone">): Promise<void> {
  return scanCode(stand, page.locator("figure img"), phone);
}

/** What a press of the button copies. */
async function copied(page: Page, button: string): Promise<string> {
  await page.evaluate(
    `document.addEventListener("copy", () => { globalThis.copied = document.activeElement.value })`,
  );
  await press(page, button);
  return page.evaluate<string>("globalThis.copied");
}

async function requestOf(phone: string): Promise<{ challenge: string; rpId: string }> {
  const id = await channelOf(phone);
  const { data } = await stand.api<{ data: { request: { challenge: string; rpId: string } } }>(
    "GET",
    `/v2/channels/${id}/auth/passkey`,
  );
  return data.request;
}

/** The newest channel, which has no number yet. */
async function channelOf(phone: string): Promise<string> {
  const [row] = await stand.db.query<{ id: string }>(
    "select id from channels where phone = $1 or phone = '' order by created_at desc limit 1",
    [phone],
  );
  return row?.id ?? "";
}

test("the copied text runs on WhatsApp's site in a real browser, and its answer links the device", async () => {
  const passkey = newPasskey();
  const gated = await openGated(passkey);
  const { page, context, phone } = gated;
  await scan(gated);
  await heading(page, "Confirm with the passkey");
  await checkLook(page, "connect-passkey");
  const link = page.getByRole("link", { name: "Open WhatsApp’s site" });
  expect(await link.getAttribute("href")).toBe("https://web.whatsapp.com/");
  const snippet = await copied(page, "Copy the text");

  // Pasted on another site, and not confirmed by the person.
  const elsewhere = await context.newPage();
  await elsewhere.goto(stand.url);
  await elsewhere.evaluate(snippet);
  await elsewhere.getByText("This is not WhatsApp’s site").waitFor();
  const unconfirmed = await openSite(context, passkey, { confirms: false });
  await unconfirmed.evaluate(snippet);
  await unconfirmed.getByText("The passkey was not used").waitFor();

  const site = await openSite(context, passkey);
  await site.evaluate(snippet);
  const answer = await site.getByRole("dialog").getByRole("textbox").inputValue();
  await page.getByLabel("Answer").fill(answer);
  await press(page, "Continue");
  await heading(page, "Connected");
  const { items } = await stand.admin<{ items: { detail: string }[] }>(
    "whatsapp",
    `GET /events?event=passkey_accepted&phone=${phone}`,
  );
  expect(items.map(({ detail }) => detail)).toEqual(["proved"]);
});

test("with the browser extension, a press is enough", async () => {
  const passkey = newPasskey();
  const phone = await gatedPhone(passkey);
  let confirms = false;
  const { page, context } = await openWithExtension(stand, passkey, { confirms: () => confirms });
  await page.goto(await stand.channelsLink({ transport: "whatsapp" }));
  await scan({ page, phone });
  await heading(page, "Confirm with the passkey");
  await page.getByRole("button", { name: "Use the passkey" }).waitFor();
  await checkLook(page, "connect-passkey-extension");
  await press(page, "Use the passkey");
  await page.getByText("it was cancelled, or there is none").waitFor();
  // The extension closes the site's window after it has told the page.
  await expect.poll(() => context.pages().length).toBe(1);
  confirms = true;
  await press(page, "Use the passkey");
  await heading(page, "Connected");
  await expect.poll(() => context.pages().length).toBe(1);
});

describe("the extension's button", () => {
  const open = async (tab: string, allowed: readonly string[] = [], language: "en" | "ru" = "en") => {
    const window = await openWindow(stand.browser);
    closeWithTest(window, { faultless: true });
    await openPopup(window.page, { tab, allowed, language });
    return window.page;
  };

  test("allows a site after a question, and takes the permission back", async () => {
    const page = await open("https://crm.example/app/channels?ticket=1");
    await page.getByText("May https://crm.example ask for the passkey").waitFor();
    await page.getByText("only if you opened this page yourself").waitFor();
    expect(await findProblems(page, [360])).toEqual([]);
    await press(page, "Allow");
    await page.getByText("https://crm.example may ask for the passkey").waitFor();
    expect(await page.evaluate("[...granted]")).toEqual(["https://crm.example/*"]);
    await press(page, "Do not allow any more");
    await page.getByText("May https://crm.example ask").waitFor();
    expect(await page.evaluate("[...granted]")).toEqual([]);
  });

  test("asks in Russian", async () => {
    const page = await open("https://crm.example/", [], "ru");
    await page.getByText("Разрешить https://crm.example запрашивать").waitFor();
  });

  test.each(["http://crm.example/", "https://web.whatsapp.com/", "chrome://settings/", "file:///page.html"])(
    "allows nothing on %s",
    async (tab) => {
      const page = await open(tab);
      await page.getByText("Open the page that asks for the passkey").waitFor();
      expect(await page.getByRole("button").count()).toBe(0);
    },
  );
});

test("the person compares the codes, if the phone may have scanned another code", async () => {
  const authenticator = new SoftwareAuthenticator();
  const gated = await openGated(authenticator);
  const { page, phone } = gated;
  await scan(gated);
  await heading(page, "Confirm with the passkey");
  const first = await requestOf(phone);
  await stand.admin("whatsapp", `POST /people/${phone}/linking/requests`, {});
  await vi.waitUntil(async () => (await requestOf(phone)).challenge !== first.challenge);
  await page.getByLabel("Answer").fill(JSON.stringify(authenticator.answer(first)));
  await press(page, "Continue");
  await page.getByText("This answer belongs to an earlier request").waitFor();
  await page.getByLabel("Answer").fill(JSON.stringify(authenticator.answer(await requestOf(phone))));
  await press(page, "Continue");
  await heading(page, "Compare the codes");
  const { code } = await stand.admin<{ code: string }>("whatsapp", `GET /people/${phone}/linking`);
  await page.getByText(code, { exact: true }).waitFor();
  await checkLook(page, "connect-compare");
  await press(page, "The codes are the same");
  await page.getByText("WhatsApp is checking").waitFor();
  await stand.admin("whatsapp", `POST /people/${phone}/linking/comparisons`, { same: true });
  await heading(page, "Connected");
});

test("codes that differ end the linking, on the page and on the phone, in Russian", async () => {
  const authenticator = new SoftwareAuthenticator();
  const gated = await openGated(authenticator, { locale: "ru-RU" });
  const { page, phone } = gated;
  const compare = async () => {
    await scan(gated);
    await heading(page, "Подтвердите ключом доступа");
    const { challenge } = await requestOf(phone);
    await stand.admin("whatsapp", `POST /people/${phone}/linking/requests`, {});
    await vi.waitUntil(async () => (await requestOf(phone)).challenge !== challenge);
    await page.getByLabel("Ответ").fill(JSON.stringify(authenticator.answer(await requestOf(phone))));
    await press(page, "Продолжить");
    await heading(page, "Сравните коды");
  };
  await compare();
  await press(page, "Коды разные");
  await heading(page, "Отсканируйте код");
  await compare();
  await stand.admin("whatsapp", `POST /people/${phone}/linking/comparisons`, { same: false });
  await press(page, "Коды совпадают");
  await page.getByText("WhatsApp отклонил ключ доступа").waitFor();
  await heading(page, "Отсканируйте код");
  await scan(gated);
  await heading(page, "Подтвердите ключом доступа");
  await press(page, "Начать снова с нового кода");
  await heading(page, "Отсканируйте код");
});

/** What the person reads in each language, by what is wrong with the answer. */
const REFUSALS: readonly (readonly [answer: string | AssertionQuirks, en: string, ru: string])[] = [
  ["{nonsense", "This is not the whole answer", "Это не весь ответ"],
  ["{}", "This is not an answer of a passkey", "Это не ответ ключа доступа"],
  [{ origin: "https://crm.example" }, "The text was run on another site", "Текст выполнен на другом сайте"],
  [{ flags: 1 }, "without fingerprint, face or PIN", "без отпечатка, лица или PIN"],
  [{ id: "AAAA" }, "belongs to another WhatsApp account", "от другого аккаунта WhatsApp"],
  [{ spoilSignature: true }, "WhatsApp refused the passkey", "WhatsApp отклонил ключ доступа"],
];

test.each([
  { locale: "en-US", language: 1, title: "Confirm with the passkey", field: "Answer", go: "Continue" },
  { locale: "ru-RU", language: 2, title: "Подтвердите ключом доступа", field: "Ответ", go: "Продолжить" },
] as const)(
  "each refusal has its own text; only the messenger's leads to a new code: $locale",
  async ({ locale, language, title, field, go }) => {
    const authenticator = new SoftwareAuthenticator();
    const gated = await openGated(authenticator, { locale });
    const { page, phone } = gated;
    await scan(gated);
    await heading(page, title);
    const request = await requestOf(phone);
    for (const refusal of REFUSALS) {
      const [answer] = refusal;
      const text =
        typeof answer === "string" ? answer : JSON.stringify(authenticator.answer(request, answer));
      await page.getByLabel(field).fill(text);
      await press(page, go);
      await page.getByText(refusal[language]).waitFor();
    }
    await page.locator("figure img").waitFor();
    if (language === 1) await checkLook(page, "connect-passkey-refused");
  },
);

test("the time for the passkey is over", async () => {
  await stand.admin("whatsapp", "POST /settings", { passkey_ms: 1_000 });
  const gated = await openGated(new SoftwareAuthenticator());
  await scan(gated);
  await gated.page.getByText("The time for the passkey was over").waitFor();
  await heading(gated.page, "Scan this code");
  await stand.admin("whatsapp", "POST /settings", { passkey_ms: 600_000 });
});
