import { anyMethod, type GroupCall, groupMethod, type MethodTable } from "../call/call.ts";
import { badParam, VkError } from "../call/vk-error.ts";
import type { MediaObject, NewMedia } from "../upload/library.ts";
import { audioMessageFields, docFields, graffitiFields, photoFields } from "../upload/media.ts";
import type { Uploaded, UploadKind } from "../upload/upload-desk.ts";

const docKinds: readonly Exclude<UploadKind, "photo" | "chat_photo">[] = ["doc", "audio_message", "graffiti"];
const maxTitle = 255;

/** The methods that return upload URLs and save uploaded files. */
export const uploadMethods: MethodTable = {
  "photos.getMessagesUploadServer": groupMethod("photos", { peer_id: "integer" }, (call) => ({
    upload_url: openDesk(call, "photo"),
    album_id: -64,
    user_id: 0,
    group_id: call.community.id,
  })),
  "photos.saveMessagesPhoto": groupMethod(
    "photos",
    { photo: "text", server: "integer", hash: "text" },
    savePhoto,
  ),
  "docs.getMessagesUploadServer": groupMethod("docs", { type: "text", peer_id: "integer" }, (call) => ({
    upload_url: openDesk(call, call.params.oneOf("type", docKinds, "doc")),
  })),
  "docs.save": groupMethod(
    "docs",
    { file: "text", title: "text", tags: "text", return_tags: "flag" },
    saveDocument,
  ),
  "docs.getById": anyMethod({ docs: "texts", return_tags: "flag" }, ({ params, world, community }) => {
    const references = params.texts("docs");
    if (!references) throw badParam("docs is undefined");
    const found = references.map((name) => world.library.find(`doc${name}`, community ? -community.id : 0));
    return found.filter((media) => media?.type === "doc").map((media) => media?.object);
  }),
};

function openDesk({ params, community, world }: GroupCall, kind: UploadKind): string {
  const peerId = params.integer("peer_id") ?? 0;
  // Uploads without a recipient are allowed; those for a person who accepts no messages are not.
  if (peerId !== 0 && community.dialogs.get(peerId)?.allowed !== true) throw new VkError(901);
  return world.uploads.open(kind, community.id);
}

function savePhoto({ params, world, community }: GroupCall): unknown {
  const photo = params.needText("photo");
  const uploaded = world.uploads.takePhoto(photo, params.integer("server"), params.text("hash"));
  const { file, size } = own(uploaded, community.id, 129);
  if (!size) throw new VkError(129);
  const fields = photoFields(world.files, file, size, world.clock.now());
  return [keep({ world, community }, { type: "photo", fields, isPrivate: true }).object];
}

function saveDocument({ params, world, community }: GroupCall): unknown {
  const { file, kind, size } = own(world.uploads.takeDocument(params.needText("file")), community.id, 105);
  const title = params.text("title") ?? file.name;
  if ([...title].length > maxTitle) throw new VkError(1152);
  const date = world.clock.now();
  const fields =
    kind === "audio_message"
      ? audioMessageFields(world.files, file, 2)
      : kind === "graffiti"
        ? graffitiFields(world.files, file, size ?? { width: 1, height: 1 })
        : docFields(world.files, file, title, date);
  const media = keep({ world, community }, { type: kind, fields, isPrivate: kind !== "doc" });
  return { type: kind, [kind]: media.object };
}

/** Another community's upload is refused like a missing one. */
function own(uploaded: Uploaded, groupId: number, code: number): Uploaded {
  if (uploaded.groupId === groupId) return uploaded;
  throw new VkError(code);
}

function keep(
  { world, community }: Pick<GroupCall, "world" | "community">,
  media: Omit<NewMedia, "ownerId">,
): MediaObject {
  const added = world.library.add({ ...media, ownerId: -community.id });
  world.changed();
  return added;
}
