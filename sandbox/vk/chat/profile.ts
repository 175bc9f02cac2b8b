import { avatarUrl } from "../../avatar.ts";
import type { Community } from "../community.ts";
import type { User } from "../shape.ts";
import type { World } from "../world.ts";

const photoSizes = ["50", "100", "200", "400"];

/** VK's picture for people and communities without one. */
function photosOf(world: World): Readonly<Record<string, string>> {
  return Object.fromEntries(photoSizes.map((size) => [`photo_${size}`, avatarUrl(world.url(), size)]));
}

/** A person with the default fields and the requested ones that are known. */
export function userShape(world: World, user: User, fields: readonly string[]): object {
  const { id, first_name, last_name, screen_name, deactivated } = user;
  const photos = photosOf(world);
  const more: Readonly<Record<string, unknown>> = {
    ...photos,
    photo_200_orig: photos["photo_200"],
    photo_max: photos["photo_400"],
    photo_max_orig: photos["photo_400"],
    screen_name,
    domain: screen_name,
    sex: 0,
    online: 1,
    has_photo: 0,
    verified: 0,
    first_name_nom: first_name,
    last_name_nom: last_name,
  };
  const isOpen = deactivated === undefined;
  return {
    id,
    first_name: isOpen ? first_name : "DELETED",
    last_name: isOpen ? last_name : "",
    ...(deactivated && { deactivated }),
    ...(isOpen && { is_closed: false, can_access_closed: true }),
    ...pick(more, fields),
  };
}

/** A community; the first fields are always returned. */
export function communityShape(world: World, community: Community, fields: readonly string[]): object {
  const { id, name, screenName } = community;
  const { photo_50, photo_100, photo_200 } = photosOf(world);
  const always = { photo_50, photo_100, photo_200 };
  const more = {
    can_message: community.messagesEnabled ? 1 : 0,
    members_count: 1,
    description: "",
    verified: 0,
  };
  return { id, name, screen_name: screenName, is_closed: 0, type: "group", ...always, ...pick(more, fields) };
}

function pick(all: Readonly<Record<string, unknown>>, names: readonly string[]): object {
  const known = names.filter((name) => all[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, all[name]]));
}
