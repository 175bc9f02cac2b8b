/** The appearance requested by the embedding page: `theme=light|dark` and `accent=RRGGBB`. */
export function applyAppearance(search: string, root: HTMLElement): void {
  const query = new URLSearchParams(search);
  setTheme(query.get("theme"), root);
  const accent = /^#?([0-9a-f]{6})$/i.exec(query.get("accent") ?? "")?.[1];
  if (accent === undefined) return;
  root.style.setProperty("--accent", `#${accent}`);
  root.style.setProperty("--accent-ink", inkOn(accent));
  root.style.setProperty("--accent-text", "var(--ink)");
}

/** `light` or `dark`; anything else: as the browser prefers. */
export function setTheme(theme: unknown, root: HTMLElement): void {
  if (theme === "light" || theme === "dark") root.dataset["theme"] = theme;
  else delete root.dataset["theme"];
}

/** Black or white, whichever is more readable on the colour `RRGGBB` (WCAG contrast ratio). */
export function inkOn(rgb: string): "#000000" | "#ffffff" {
  const luminance = [0, 2, 4]
    .map((start) => Number.parseInt(rgb.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, index) => sum + part * (WEIGHTS[index] ?? 0), 0);
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? "#000000" : "#ffffff";
}

const WEIGHTS = [0.2126, 0.7152, 0.0722];
