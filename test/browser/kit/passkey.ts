import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { BrowserContext, Page } from "playwright-core";

/** The site's own policy is of this kind: no inline scripts or styles, no HTML as text. */
const POLICY = "default-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";

/** A passkey of whatsapp.com with its private key, for the browser's virtual authenticator. */
export interface BrowserPasskey {
  /** Base64url. */
  readonly id: string;
  /** SubjectPublicKeyInfo, base64url. */
  readonly publicKey: string;
  readonly privateKey: Buffer;
}

export function newPasskey(): BrowserPasskey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    id: randomBytes(20).toString("base64url"),
    publicKey: publicKey.export({ format: "der", type: "spki" }).toString("base64url"),
    privateKey: privateKey.export({ format: "der", type: "pkcs8" }),
  };
}

/** From now on, this address shows an empty page of WhatsApp's site in this context. */
export async function emulateSite(context: BrowserContext): Promise<void> {
  await context.route("https://web.whatsapp.com/**", (route) =>
    route.fulfill({
      contentType: "text/html",
      headers: { "content-security-policy": POLICY },
      body: "<!doctype html><title>WhatsApp</title>",
    }),
  );
}

/** A window of WhatsApp's site, in a browser with this passkey; `confirms`: the person confirms its use. */
export async function openSite(
  context: BrowserContext,
  passkey: BrowserPasskey,
  { confirms = true } = {},
): Promise<Page> {
  await emulateSite(context);
  const page = await context.newPage();
  await storePasskey(page, passkey, { confirms });
  await page.goto("https://web.whatsapp.com/");
  return page;
}

/** Gives the page a virtual authenticator with this passkey. */
export async function storePasskey(
  page: Page,
  { id, privateKey }: BrowserPasskey,
  { confirms = true } = {},
): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable", { enableUI: false });
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: confirms,
      automaticPresenceSimulation: true,
    },
  });
  await devtools.send("WebAuthn.addCredential", {
    authenticatorId,
    credential: {
      credentialId: Buffer.from(id, "base64url").toString("base64"),
      isResidentCredential: true,
      rpId: "whatsapp.com",
      userHandle: Buffer.from("person").toString("base64"),
      signCount: 0,
      privateKey: privateKey.toString("base64"),
    },
  });
}
