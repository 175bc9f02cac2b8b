import type { Config } from "../../config.ts";
import { cellUrl } from "../../core/cell.ts";
import { messageOf } from "../../platform/message-of.ts";
import { createOpenIdProvider } from "../../platform/network/openid.ts";
import { type Finding, ok, warn } from "./check.ts";

const NAME = "console sign-in";

/** Checks that the console's OpenID Connect provider responds with the metadata of its issuer. */
export async function checkProvider(
  { console: { provider, passwords }, allowNetworks, publicUrl, cell }: Config,
  network: boolean,
): Promise<Finding[]> {
  if (provider === null) return [];
  const address = `${provider.issuer}, redirect address ${cellUrl(publicUrl, cell)}/app/console`;
  if (!network) return [ok(NAME, `${address}; not tried, --network asks the provider`)];
  try {
    const { offersSignOut } = await createOpenIdProvider(provider, allowNetworks).metadata();
    return [ok(NAME, offersSignOut ? address : `${address}; a sign-out does not end the session there`)];
  } catch (error) {
    const others = passwords ? "passwords work meanwhile" : "links of `operator link` work meanwhile";
    const remedy = `Check OIDC_ISSUER, the firewall, and ALLOW_NETWORKS for a provider in a private network; ${others}`;
    return [warn(NAME, `${provider.issuer}: ${messageOf(error)}`, remedy)];
  }
}
