import { badParam, VkError } from "./vk-error.ts";

/** The format of a parameter. Items of lists are separated by commas. */
export type ParamType = "integer" | "integers" | "text" | "texts" | "number" | "flag" | "json";

/** The parameters of a method by name. */
export type ParamTypes = Readonly<Record<string, ParamType>>;

/** Reads the parameters of a call, all of them text: VK accepts a query or a form. */
export class Params {
  readonly values: Readonly<Record<string, string>>;
  /** Unknown names, also inside JSON. VK ignores them; the record of calls shows them. */
  readonly unknown: string[] = [];

  constructor(values: Readonly<Record<string, string>>) {
    this.values = values;
  }

  /** Refuses values of a wrong type and records unknown names. */
  check(types: ParamTypes): void {
    for (const name of Object.keys(this.values)) {
      const type = types[name];
      if (type === undefined) this.unknown.push(name);
      else if (type === "integer") this.integer(name);
      else if (type === "integers") this.integers(name);
      else if (type === "number") this.number(name);
    }
  }

  /** Undefined if absent or empty, which VK does not distinguish. */
  text(name: string): string | undefined {
    const value = this.values[name];
    return value === undefined || value === "" ? undefined : value;
  }

  needText(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw badParam(`${name} is undefined`);
    return value;
  }

  integer(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const parsed = Number(value);
    if (/^-?\d+$/.test(value.trim()) && Number.isSafeInteger(parsed)) return parsed;
    throw badParam(`${name} not integer`);
  }

  needInteger(name: string): number {
    const value = this.integer(name);
    if (value === undefined) throw badParam(`${name} is undefined`);
    return value;
  }

  number(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const parsed = Number(value);
    if (Number.isFinite(parsed)) return parsed;
    throw badParam(`${name} not float`);
  }

  flag(name: string): boolean {
    const value = this.text(name);
    return value !== undefined && value !== "0" && value !== "false";
  }

  texts(name: string): string[] | undefined {
    return this.text(name)
      ?.split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  }

  integers(name: string): number[] | undefined {
    return this.texts(name)?.map((item) => {
      if (/^-?\d+$/.test(item)) return Number(item);
      throw badParam(`${name} not integer`);
    });
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const value = this.text(name);
    if (value === undefined) return fallback;
    const found = allowed.find((candidate) => candidate === value);
    if (found) return found;
    throw badParam(`${name} should be one of ${allowed.join(", ")}`);
  }

  /** JSON in a parameter; undefined if absent. */
  json(name: string): unknown {
    const value = this.text(name);
    if (value === undefined) return undefined;
    try {
      return JSON.parse(value);
    } catch {
      throw badParam(`${name} contains incorrect JSON`);
    }
  }

  /** The parameters shown in errors, without the token. */
  toRequestParams(method: string): { readonly key: string; readonly value: string }[] {
    const own = Object.entries(this.values).map(([key, value]) => ({ key, value }));
    return [{ key: "method", value: method }, { key: "oauth", value: "1" }, ...own];
  }
}

/** Versions before 5.131 are no longer supported; a missing version counts as an old one. */
export function checkVersion(version: string | undefined): void {
  const [, major, minor] = /^(\d+)\.(\d+)$/.exec(version ?? "") ?? [];
  if (Number(major) === 5 && Number(minor) >= 131) return;
  throw new VkError(
    8,
    'versions below 5.131 are deprecated. Version param should be passed as "v". "version" param is invalid and ' +
      "not supported. For more information go to https://vk.com/dev/constant_version_updates",
  );
}
