import { Drawing } from "../../kit/icon.tsx";

/** A pinned chat. */
export function Tack() {
  return <Drawing path="M5.5 1.5h5M6.5 1.5v5L4 9.5h8L9.5 6.5v-5M8 9.5v5" size={12} />;
}
