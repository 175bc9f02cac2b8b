import type { Status } from "../model.ts";
import { bubbleWords } from "../texts/texts.ts";

/** The status of an outgoing message: each has its own shape and name, in addition to its colour. */
export function Ticks({ status }: { readonly status: Exclude<Status, "inbound"> }) {
  const look = { read: "text-accent-text", error: "text-bad" };
  return (
    <svg
      class={`shrink-0 ${status === "read" || status === "error" ? look[status] : ""}`}
      width="18"
      height="12"
      viewBox="0 0 18 12"
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-linecap="round"
      stroke-linejoin="round"
      role="img"
      aria-label={bubbleWords.value[status]}
    >
      <Form status={status} />
    </svg>
  );
}

function Form({ status }: { readonly status: Exclude<Status, "inbound"> }) {
  switch (status) {
    case "queued":
      return <path d="M9 1a5 5 0 1 0 0 10A5 5 0 0 0 9 1ZM9 3.5V6l1.8 1" />;
    case "sent":
      return <path d="m5 6.5 3 3 6-7" />;
    case "delivered":
      return <path d="m1 6.5 3 3 6-7M8 9l.5.5 6-7" />;
    case "read":
      return (
        <>
          <circle cx="5.5" cy="6" r="4.5" fill="currentColor" stroke="none" />
          <circle cx="12.5" cy="6" r="4.5" fill="currentColor" stroke="none" />
          <path d="m3.5 6 1.4 1.5L7.5 4.5M10.5 6l1.4 1.5 2.6-3" stroke="var(--out)" stroke-width="1.4" />
        </>
      );
    case "error":
      return <path d="M9 1a5 5 0 1 0 0 10A5 5 0 0 0 9 1ZM9 3.5v3M9 8.6v.1" />;
  }
}
