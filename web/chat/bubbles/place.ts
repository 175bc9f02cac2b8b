export interface Place {
  readonly latitude: number;
  readonly longitude: number;
  readonly name: string;
}

/** A place travels as text: `latitude,longitude`, and on the next line its name. Null for anything else. */
export function readPlace(text: string): Place | null {
  const [, latitude, longitude, name = ""] =
    /^\s*(-?\d+(?:\.\d+)?),\s*(-?\d+(?:\.\d+)?)(?:\n([\s\S]*))?$/.exec(text) ?? [];
  if (latitude === undefined || longitude === undefined) return null;
  return { latitude: Number(latitude), longitude: Number(longitude), name: name.trim() };
}

/** The place on a map of OpenStreetMap, opened only by whoever presses the link. */
export function mapLink({ latitude, longitude }: Place): string {
  const at = `${latitude}/${longitude}`;
  return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${at}`;
}

/** A poll travels as text: its title, and one line with a bullet for each option. Null for anything else. */
export function readPoll(
  text: string,
): { readonly title: string; readonly options: readonly string[] } | null {
  const [title = "", ...rest] = text.split("\n");
  const options = rest.map((line) => /^\s*•\s+(.+)$/.exec(line)?.[1]);
  const isPoll = title !== "" && options.length > 1 && options.every((option) => option !== undefined);
  return isPoll ? { title, options: options.filter((option) => option !== undefined) } : null;
}
