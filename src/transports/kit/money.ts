/** An amount with its currency. `total` is in the smallest units of the currency; Telegram Stars (XTR) have none. */
export function amountOf(total: number | undefined, currency: string | undefined): string | undefined {
  if (total === undefined || currency === undefined) return undefined;
  const digits = currency === "XTR" ? 0 : digitsOf(currency);
  return `${(total / 10 ** digits).toFixed(digits)} ${currency}`;
}

function digitsOf(currency: string): number {
  try {
    const format = new Intl.NumberFormat("en", { style: "currency", currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}
