/** One set on a 16 px grid, drawn with strokes in the text's colour. */
const PATHS = {
  alert: "M8 1.8 15 14H1L8 1.8ZM8 6v4M8 11.8v.4",
  attach: "M13 7.5 8 12.5a3.2 3.2 0 0 1-4.5-4.5l5.5-5.5a2.1 2.1 0 0 1 3 3L6.5 11a1 1 0 0 1-1.5-1.5l4.5-4.5",
  back: "M10 3 5 8l5 5",
  check: "M3 8.5 6.5 12 13 4.5",
  chevron: "M6 3l5 5-5 5",
  clock: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM8 4.5V8l2.5 1.5",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5h8v8h-8ZM10.5 5.5v-3h-8v8h3",
  down: "M3 6l5 5 5-5",
  edit: "M10.5 3 13 5.5 5.5 13H3v-2.5L10.5 3Z",
  external: "M6.5 3H3v10h10V9.5M9 3h4v4M13 3 7.5 8.5",
  eye: "M1 8s2.5-4.5 7-4.5S15 8 15 8s-2.5 4.5-7 4.5S1 8 1 8ZM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4Z",
  file: "M3.5 1.5h6l3 3v10h-9ZM9.5 1.5v3h3",
  help: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM6.2 6.2a1.9 1.9 0 1 1 2.6 1.9c-.5.2-.8.5-.8 1.1M8 11.4v.1",
  info: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM8 7v4.5M8 4.5v.4",
  keyboard: "M1.5 4h13v8.5h-13ZM4 6.5h.5M7 6.5h.5M10 6.5h.5M12 6.5h.3M4.5 10h7",
  link: "M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5 7.5 13A3 3 0 0 1 3 8.5L4.5 7",
  minus: "M2.5 8h11",
  more: "M8 3.2v.1M8 8v.1M8 12.8v.1",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  phone: "M3 2h3l1.2 3.2-1.6 1.2a8 8 0 0 0 4 4l1.2-1.6L14 10v3a1 1 0 0 1-1 1A11 11 0 0 1 2 3a1 1 0 0 1 1-1Z",
  pin: "M8 14.5S3 9.5 3 6a5 5 0 0 1 10 0c0 3.5-5 8.5-5 8.5ZM8 4.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Z",
  play: "M5 3l8 5-8 5Z",
  plus: "M8 2.5v11M2.5 8h11",
  reply: "M6 4 2 8l4 4M2 8h7a5 5 0 0 1 5 5",
  retry: "M13 8a5 5 0 1 1-1.5-3.5M13 2v3h-3",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.5 10.5 14 14",
  send: "M2 8 14 2.5 9.5 14 7.5 9 2 8Z",
  slash: "M2.5 2.5h11v11h-11ZM9.5 5l-3 6",
  template: "M2.5 2.5h11v11h-11ZM5 5.5h6M5 8h6M5 10.5h3",
  trash: "M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.6 9h5.8l.6-9",
  user: "M8 2.5a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6ZM2.5 14a5.5 5.5 0 0 1 11 0",
} as const;
export type IconName = keyof typeof PATHS;

/** Decorative: its control has a text or a name. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return <Drawing path={PATHS[name]} size={size} />;
}

/** A decorative drawing on the same grid. */
export function Drawing({ path, size }: { readonly path: string; readonly size: number }) {
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
      <path d={path} />
    </svg>
  );
}
