import { addressSearch } from "../kit/words.ts";

interface Owned {
  readonly owner_id?: string | undefined;
  readonly id?: string | undefined;
}

/** The page on vk.com of an object with an owner. `path` ends before the owner's id. */
export function page(path: string, { owner_id, id }: Owned): string | undefined {
  return owner_id === undefined || id === undefined ? undefined : `https://vk.com/${path}${owner_id}_${id}`;
}

/** The page of an object without an owner. */
export function single(path: string, id: string | undefined): string | undefined {
  return id === undefined ? undefined : `https://vk.com/${path}${id}`;
}

/** The search for addresses reads so much of a text; VK's own limit is lower. */
const MAX_CHARACTERS = 10_000;

/**
 * Whether an address stands in a text, which is read once. A page of VK has many: on other hosts of VK, and as a parameter
 * of the page that it was opened from. Pure.
 */
export function searchIn(text: string): (address: string | undefined) => boolean {
  const start = text.slice(0, MAX_CHARACTERS);
  const stands = addressSearch(start);
  return (address) => {
    if (address === undefined || start === "") return false;
    const path = /^https:\/\/vk\.com\/(.+)$/.exec(address)?.[1];
    return stands(address) || (path !== undefined && (has(start, `/${path}`) || has(start, `=${path}`)));
  };
}

/** Whether the form occurs, and is not the start of a longer one. */
function has(text: string, form: string): boolean {
  const at = text.indexOf(form);
  return at >= 0 && !/[\w%]/.test(text.charAt(at + form.length));
}
