/** Dispatched by an element whose content the reader has extended: lists must not scroll away from it. */
export const EXTENDED = "extended";
