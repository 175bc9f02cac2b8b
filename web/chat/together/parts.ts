// What the page's other parts load of this folder, as one script: together it compresses better.
export { AssigneeLine, ChatMenu } from "./chat-menu.tsx";
export { EntryRow } from "./entry-row.tsx";
export { MoreFilters, NoneFits, OlderChats } from "./more-filters.tsx";
export { WriteSwitch } from "./note-composer.tsx";
export { notePresence } from "./presence.ts";
export { WorkMarks } from "./work-marks.tsx";
