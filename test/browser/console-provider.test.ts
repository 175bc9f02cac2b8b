import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOpenIdProvider, type TestProvider } from "../kit/openid-provider.ts";
import { checkLook, closeWithTest, openWindow } from "./kit/browser.ts";
import { type BrowserStand, startBrowserStand } from "./kit/stand.ts";

let provider: TestProvider;
let stand: BrowserStand;

beforeAll(async () => {
  provider = await startOpenIdProvider({
    people: {
      ann: { preferred_username: "ann", roles: ["gateway-team"] },
      ben: { preferred_username: "ben", roles: ["cooks"] },
    },
  });
  stand = await startBrowserStand({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_NAME: "Corp",
    OIDC_ROLES: "operator=gateway-team",
  });
  await provider.serve(stand.url);
});
afterAll(async () => {
  await stand?.close();
  await provider?.stop();
});

async function giveName(page: Page, name: string): Promise<void> {
  await page.getByLabel("Name at the provider").fill(name);
  await page.getByRole("button", { name: "Go on" }).click();
}
const start = (page: Page) => page.getByRole("button", { name: "Sign in with Corp" }).click();

test("sign-in at the provider: back at the same place, with the role, and out of both; refused without a role", async () => {
  const window = await openWindow(stand.browser, { width: 1280 });
  closeWithTest(window);
  const { page } = window;
  await page.goto(`${stand.url}/app/console#/system/people`);
  await page.getByText("or with a password").waitFor();
  await checkLook(page, "console-provider");
  await start(page);
  await giveName(page, "ann");
  await page.getByRole("heading", { name: "System", level: 1 }).waitFor();
  // Neither code nor state stay in the address or the history.
  expect(page.url()).toBe(`${stand.url}/app/console#/system/people`);
  await page.getByText("signs in at the provider").waitFor();
  await page.getByRole("link", { name: "ann", exact: true }).click();
  await page.getByText("You sign in at the provider of this installation").waitFor();
  expect(await page.getByLabel("New password").count()).toBe(0);

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await start(page);
  // The session at the provider has ended too: it asks again.
  await giveName(page, "ben");
  await page.getByText('nothing in the claim "roles" gives you a role').waitFor();
  await checkLook(page, "console-provider-refused");
  expect(page.url()).toBe(`${stand.url}/app/console`);
  await page.reload();
  await page.getByText("or with a password").waitFor();
});
