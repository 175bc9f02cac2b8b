import { type TSchema, Type } from "typebox";
import type { TransportRegistry } from "../../../core/transport/registry.ts";

const none = Type.Object({}, { additionalProperties: false, title: "NoCredentials" });

/** For the description: the credentials of each transport. Without them a person connects the channel. */
export function credentialsByTransport(registry: TransportRegistry): TSchema[] {
  return [...registry.values()]
    .filter(({ definition }) => definition.connect !== "page")
    .map(({ definition: { id, credentials } }) => {
      const name = pascalCase(id);
      const isEmpty = Object.keys(credentials.properties).length === 0;
      const own = { ...credentials, title: `${name}Credentials` };
      return Type.Unsafe({
        if: { properties: { transport: { const: id } }, required: ["transport"] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: {
          title: `New${name}Channel`,
          properties: { credentials: isEmpty ? none : { anyOf: [own, none] } },
        },
      });
    });
}

/** For the description: the credentials of any transport. */
export function anyCredentials(registry: TransportRegistry): TSchema {
  const all = [...registry.values()].map(({ definition: { id, credentials } }) => ({
    ...credentials,
    title: `${pascalCase(id)}Credentials`,
  }));
  const given = all.filter(({ properties }) => Object.keys(properties).length > 0);
  return Type.Unsafe({
    anyOf: [none, ...given],
    description: "Those of the channel's transport; empty if a person connects the channel",
  });
}

function pascalCase(id: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1);
}
