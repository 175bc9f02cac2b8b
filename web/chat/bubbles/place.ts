import { beginning } from "../../kit/pieces.ts";

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
  readonly name: string;
}

/** A location is stored as text: `latitude,longitude`, and its name on the next line. Null for other texts. */
export function readPlace(text: string): Place | null {
  const [, latitude, longitude, name = ""] =
    /^\s*(-?\d+(?:\.\d+)?),\s*(-?\d+(?:\.\d+)?)(?:\n([\s\S]*))?$/.exec(text) ?? [];
  if (latitude === undefined || longitude === undefined) return null;
  return { latitude: Number(latitude), longitude: Number(longitude), name: beginning(name.trim()) };
}

/** The location on OpenStreetMap, opened only when the link is pressed. */
export function mapLink({ latitude, longitude }: Place): string {
  const at = `${latitude}/${longitude}`;
  return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${at}`;
}

/** More than any messenger allows; a longer list is shown as text. */
const MAX_OPTIONS = 100;

/** A poll is stored as text: its title, and one line with a bullet per option. Null for other texts. */
export function readPoll(
  text: string,
): { readonly title: string; readonly options: readonly string[] } | null {
  const [title = "", ...rest] = text.split("\n", MAX_OPTIONS + 2);
  if (rest.length > MAX_OPTIONS) return null;
  const options = rest.map((line) => /^\s*•\s+(.+)$/.exec(line)?.[1]);
  const isPoll = title !== "" && options.length > 1 && options.every((option) => option !== undefined);
  if (!isPoll) return null;
  return { title: beginning(title), options: options.map((option) => beginning(option ?? "")) };
}
