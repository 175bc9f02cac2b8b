import { Type } from "typebox";
import type { StoredTemplate } from "../../../core/template/templates.ts";
import { templateComponent } from "../../template-page.ts";

/** A template as answers carry it. */
export const templateAnswer = Type.Object({
  template_id: Type.String({ description: "What template.id takes" }),
  name: Type.String(),
  title: Type.String(),
  category: Type.String(),
  language: Type.String(),
  status: Type.String({ description: "APPROVED, PENDING, REJECTED, PAUSED or DISABLED" }),
  reason: Type.Optional(Type.String({ description: "Why it was refused" })),
  components: Type.Array(templateComponent),
  channels: Type.Array(Type.String({ description: "Channels that can send it" })),
});

/** In the interface's spelling. */
export function templateFields(template: StoredTemplate) {
  const { id, name, category, language, status, reason, components, channelIds } = template;
  return {
    template_id: id,
    name,
    title: name,
    category,
    language,
    status,
    ...(reason === undefined ? {} : { reason }),
    components: [...components],
    channels: [...channelIds],
  };
}
