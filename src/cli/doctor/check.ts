/** The result of one check. `remedy` states what to do if the status is not "ok". */
export interface Finding {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly remedy?: string;
}

export function ok(name: string, detail: string): Finding {
  return { name, status: "ok", detail };
}

export function warn(name: string, detail: string, remedy: string): Finding {
  return { name, status: "warn", detail, remedy };
}

export function fail(name: string, detail: string, remedy: string): Finding {
  return { name, status: "fail", detail, remedy };
}
