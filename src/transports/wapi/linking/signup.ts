import { isJson, objectIn, objectsIn, textIn } from "../../kit/json.ts";
import { exchangeCode } from "../../meta/token.ts";
import { graphWith, type WapiLink } from "./access.ts";
import { type ListedNumber, listNumbers } from "./account.ts";

/** A number that the owner granted access to, with its business. */
export interface OfferedNumber extends ListedNumber {
  readonly wabaId: string;
}

/** Whether the operator has configured a Meta app for Embedded Signup. */
export function hasSignup({ settings }: Pick<WapiLink, "settings">): boolean {
  return settings.appId !== "" && settings.appSecret !== "" && settings.configId !== "";
}

/** The URL of Embedded Signup. Meta redirects the person back with a code (page "Embedded Signup"). */
export function dialogUrl(
  { settings }: Pick<WapiLink, "settings">,
  { returnUrl, state }: { readonly returnUrl: string; readonly state: string },
): string {
  const query = new URLSearchParams({
    client_id: settings.appId,
    config_id: settings.configId,
    redirect_uri: returnUrl,
    state,
    response_type: "code",
    override_default_response_type: "true",
    extras: JSON.stringify({ setup: {}, sessionInfoVersion: "3" }),
  });
  return `${settings.dialogUrl.replace(/\/+$/, "")}/${settings.graphVersion}/dialog/oauth?${query}`;
}

/** Exchanges a person's code for a token; null if Meta returns none. Throws `GraphRefusal` or `TransportError`. */
export async function tokenFor(
  link: WapiLink,
  answer: { readonly code: string; readonly returnUrl: string },
): Promise<string | null> {
  const found = await exchangeCode(graphWith(link, null), link.settings, answer, link.signal);
  return found?.token ?? null;
}

/** The numbers of all businesses that the token grants access to. */
export async function offeredNumbers(link: WapiLink, token: string): Promise<OfferedNumber[]> {
  const { appId, appSecret } = link.settings;
  const answer = await graphWith(link, `${appId}|${appSecret}`).call("GET", "debug_token", {
    query: { input_token: token },
    signal: link.signal,
  });
  const graph = graphWith(link, token);
  const offered = wabaIdsOf(objectIn(answer, "data")).map(async (wabaId) =>
    (await listNumbers(graph, wabaId, link.signal)).map((number) => ({ ...number, wabaId })),
  );
  return (await Promise.all(offered)).flat();
}

/** The ids of the businesses, which are listed with the granted permissions. */
function wabaIdsOf(data: unknown): string[] {
  const ids = objectsIn(data, "granular_scopes")
    .filter((scope) => textIn(scope, "scope")?.startsWith("whatsapp_business_"))
    .flatMap((scope) => (Array.isArray(scope["target_ids"]) ? scope["target_ids"] : []))
    .map(String);
  return [...new Set(ids)];
}

/**
 * Registers a newly added number, which cannot send before that, with a PIN that becomes its second factor. Returns
 * the PIN, or null if the number was already registered.
 */
export async function register(link: WapiLink, token: string, number: OfferedNumber): Promise<string | null> {
  if (number.status !== "PENDING") return null;
  const pin = String(100_000 + ((crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % 900_000));
  const body = { messaging_product: "whatsapp", pin };
  await graphWith(link, token).call("POST", `${number.id}/register`, { body, signal: link.signal });
  return pin;
}

/** Parses the offer that is stored while the person chooses a number. */
export function readOffer(stored: string | null): { token: string; numbers: OfferedNumber[] } | null {
  const offer: unknown = stored === null ? null : JSON.parse(stored);
  const token = textIn(offer, "token");
  if (!isJson(offer) || token === undefined) return null;
  return { token, numbers: objectsIn(offer, "numbers") as unknown as OfferedNumber[] };
}
