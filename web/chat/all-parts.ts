import { togetherParts } from "./later.ts";

/** Preloads the parts that `loadAhead` has not, apart from it, so that their list is not in the opening of the page. */
export function loadParts(): Promise<unknown> {
  return Promise.allSettled([
    togetherParts(),
    import("./alerts/ring.ts"),
    import("./alerts/ask.tsx"),
    import("./commands.ts"),
    import("./bubbles/peaks.ts"),
    import("./bubbles/rare.ts"),
    import("./canned/answer-dialog.tsx"),
    import("./card/card.tsx"),
    import("./composer/buttons-dialog.tsx"),
    import("./composer/template-dialog.tsx"),
    import("./details.tsx"),
    import("./emoji/emoji-picker.tsx"),
    import("./help.tsx"),
    import("./list/new-chat.tsx"),
    import("./sticker/animation.ts"),
    import("./sticker/sticker.tsx"),
    import("./sticker/still.tsx"),
    import("./thread/found.tsx"),
    import("./thread/viewer.tsx"),
    import("./writing/export-dialog.tsx"),
    import("./writing/find-bar.tsx"),
    import("./writing/forward-dialog.tsx"),
    import("./writing/gallery.tsx"),
    import("./writing/voice-recorder.tsx"),
  ]);
}
