import type { JsonSchema } from "./json-schema.ts";

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Content;
}

export interface Header {
  readonly description: string;
  readonly schema: JsonSchema;
}

export type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;

export interface Reference {
  readonly $ref: string;
}

/** The location of shared responses. */
export const ANSWERS = "#/components/responses/";

/** The response itself, whether inline or shared. */
export function answerOf(
  { components }: { readonly components: { readonly responses: Readonly<Record<string, Answer>> } },
  answer: Answer | Reference,
): Answer {
  if (!("$ref" in answer)) return answer;
  const found = components.responses[answer.$ref.slice(ANSWERS.length)];
  if (found === undefined) throw new Error(`There is no ${answer.$ref}`);
  return found;
}

/** The codes of an error response. */
export function codesOf({ content }: Answer): readonly string[] {
  const codes = content?.["application/json"]?.schema.properties?.["error"]?.enum ?? [];
  return codes.map(String);
}
