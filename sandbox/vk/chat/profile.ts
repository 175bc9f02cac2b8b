import type { Community } from "../community.ts";
import type { User } from "../shape.ts";

/** VK's picture for people and communities without one. */
const emptyPhoto = "https://vk.com/images/camera_";
const photoSizes = ["50", "100", "200", "400"];

const photos = Object.fromEntries(photoSizes.map((size) => [`photo_${size}`, `${emptyPhoto}${size}.png`]));

/** A person with the default fields and the requested ones that are known. */
export function userShape(user: User, fields: readonly string[]): object {
  const { id, first_name, last_name, screen_name, deactivated } = user;
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
export function communityShape(community: Community, fields: readonly string[]): object {
  const { id, name, screenName } = community;
  const always = {
    photo_50: photos["photo_50"],
    photo_100: photos["photo_100"],
    photo_200: photos["photo_200"],
  };
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
