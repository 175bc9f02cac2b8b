import type { Step } from "../../walk/contract.ts";
import type { Crm } from "../../walk/crm.ts";
import { person, reinit, SHOP, scan } from "../../walk/personal.ts";
import type { Stage } from "../../walk/stage.ts";
import { type AssertionQuirks, SoftwareAuthenticator } from "./authenticator.ts";

interface Ways {
  /** Requests a pairing code and enters it on the phone. */
  enterCode(): Promise<string>;
}

/** Links the account of `SHOP` while its passkey is required, by both ways, and once more without it. */
export function passkeySteps(stage: Stage, crm: Crm, { enterCode }: Ways): Step[] {
  const authenticator = new SoftwareAuthenticator();
  const answer = async (quirks?: AssertionQuirks): Promise<string> =>
    give(stage, crm, authenticator.answer(await requestOf(stage, crm), quirks));
  return [
    {
      name: "the passkey is asked for after the QR code",
      run: async () => {
        const { id, publicKey: public_key } = authenticator;
        await person(stage, SHOP, "passkeys", { id, public_key });
        await person(stage, SHOP, "gates", { passkey: "passkey" });
        await unlink(stage, crm);
        await scan(stage, crm, SHOP);
        return crm.status("init", "wait_for_passkey");
      },
    },
    {
      name: "a passkey used on another site is refused",
      run: async () => {
        const refused = await answer({ origin: "https://crm.example" });
        if (refused !== "400 PASSKEY_REFUSED wrong_site") throw new Error(refused);
        return refused;
      },
    },
    { name: "the passkey links the device", run: async () => linked(crm, await answer()) },
    {
      name: "the passkey is asked for after a pairing code",
      run: async () => {
        await unlink(stage, crm);
        await crm.status("init", "qr");
        await enterCode();
        return crm.status("init", "wait_for_passkey");
      },
    },
    {
      name: "a passkey that WhatsApp refuses leads to a new QR code, with the reason",
      run: async () => {
        crm.forgetStatus();
        const refused = await answer({ spoilSignature: true });
        if (refused !== "400 PASSKEY_REFUSED refused") throw new Error(refused);
        await crm.status("init", "qr");
        const { json } = await stage.api("GET", pathOf(crm));
        const { problem } = (json as { data?: { problem?: string } }).data ?? {};
        if (problem !== "refused") throw new Error(JSON.stringify(json));
        return refused;
      },
    },
    {
      name: "the passkey links the device by a pairing code",
      run: async () => {
        // A new session may request a code at once.
        await unlink(stage, crm);
        await crm.status("init", "qr");
        await enterCode();
        await crm.status("init", "wait_for_passkey");
        return linked(crm, await answer());
      },
    },
    {
      name: "linked again without the passkey, since it is not required any more",
      run: async () => {
        await person(stage, SHOP, "gates", { passkey: "none" });
        await unlink(stage, crm);
        await scan(stage, crm, SHOP);
        await crm.status("active", null);
        if (stage.wasTold(({ item }) => item["reason"] === "wait_for_passkey"))
          throw new Error("the passkey was asked for");
        return "not asked for";
      },
    },
  ];
}

/** Unlinks the device on the phone, if there is one, and shows a new code. */
async function unlink(stage: Stage, crm: Crm): Promise<void> {
  const { items } = await stage.admin<{ items: unknown[] }>("GET", `/people/${SHOP}/devices`);
  if (items.length > 0) {
    await stage.admin("DELETE", `/people/${SHOP}/devices/any`);
    await crm.status("disabled", "unauthorized");
  }
  await reinit(stage, crm);
}

async function requestOf(stage: Stage, crm: Crm): Promise<{ challenge: string; rpId: string }> {
  const { status, json } = await stage.api("GET", pathOf(crm));
  const { request } = (json as { data?: { request?: { challenge: string; rpId: string } } }).data ?? {};
  if (request === undefined) throw new Error(`${status} ${JSON.stringify(json)}`);
  return request;
}

/** The service's response to the answer of a passkey. */
async function give(stage: Stage, crm: Crm, passkey_response: object): Promise<string> {
  const body = { transport: "whatsapp", passkey_response };
  const { status, json } = await stage.api("POST", pathOf(crm), body);
  const { error, data } = json as { error?: string; data?: { reason?: string } | null };
  return [status, error, data?.reason].filter(Boolean).join(" ");
}

async function linked(crm: Crm, answer: string): Promise<string> {
  if (answer !== "200") throw new Error(answer);
  return crm.status("active", null);
}

const pathOf = ({ channelId }: Crm): string => `/v2/channels/${channelId}/auth/passkey`;
