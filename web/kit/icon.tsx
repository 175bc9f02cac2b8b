/** One set on a 16 px grid, drawn with strokes of the text's colour. */
const PATHS = {
  alert: "M8 1.8 15 14H1L8 1.8ZM8 6v4M8 11.8v.4",
  back: "M10 3 5 8l5 5",
  check: "M3 8.5 6.5 12 13 4.5",
  chevron: "M6 3l5 5-5 5",
  clock: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM8 4.5V8l2.5 1.5",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5h8v8h-8ZM10.5 5.5v-3h-8v8h3",
  external: "M6.5 3H3v10h10V9.5M9 3h4v4M13 3 7.5 8.5",
  eye: "M1 8s2.5-4.5 7-4.5S15 8 15 8s-2.5 4.5-7 4.5S1 8 1 8ZM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4Z",
  info: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM8 7v4.5M8 4.5v.4",
  link: "M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5 7.5 13A3 3 0 0 1 3 8.5L4.5 7",
  more: "M8 3.2v.1M8 8v.1M8 12.8v.1",
  plus: "M8 2.5v11M2.5 8h11",
  retry: "M13 8a5 5 0 1 1-1.5-3.5M13 2v3h-3",
  send: "M2 8 14 2.5 9.5 14 7.5 9 2 8Z",
} as const;
export type IconName = keyof typeof PATHS;

/** Decorative: the control that holds it has a text or a name of its own. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      class="shrink-0"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
