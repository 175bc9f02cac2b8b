import type { BudgetKey } from "../../core/inbound/callback/callback-budgets.ts";
import { isPublicAddress } from "../../platform/network/networks.ts";

/**
 * The address of the caller. Behind a proxy that is not in TRUSTED_PROXIES, all callers have the proxy's private
 * address. They are distinguished by the last entry of `x-forwarded-for`, which the proxy added; who forges it calls
 * from the private network.
 */
export function callerOf({
  ip,
  headers,
}: {
  readonly ip: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}): BudgetKey {
  const forwarded =
    String(headers["x-forwarded-for"] ?? "")
      .split(",")
      .at(-1)
      ?.trim() ?? "";
  return { kind: "caller", id: isPublicAddress(ip) ? ip : `${ip} ${forwarded.slice(-64)}` };
}
