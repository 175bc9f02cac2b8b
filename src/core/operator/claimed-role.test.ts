import { expect, test } from "vitest";
import type { RoleRule } from "../base.ts";
import { claimedName, claimedStanding } from "./claimed-role.ts";

const RULES: readonly RoleRule[] = [
  { role: "operator", accountId: null, value: "ops" },
  { role: "admin", accountId: 10_000_001, value: "shop" },
  { role: "viewer", accountId: null, value: "Staff of Acme, all" },
];

test.each([
  ["roles", { roles: ["x", "shop"] }, "admin 10000001"],
  ["roles", { roles: "ops" }, "operator null"],
  // The first rule, not the first value.
  ["roles", { roles: ["shop", "ops"] }, "operator null"],
  ["roles", { roles: ["Staff of Acme, all"] }, "viewer null"],
  ["roles", { roles: ["OPS"] }, null],
  ["roles", { roles: [["ops"]] }, null],
  ["roles", { roles: { ops: true } }, null],
  ["roles", { roles: "ops shop" }, null],
  ["roles", {}, null],
  ["roles", { roles: null }, null],
  ["realm_access.roles", { realm_access: { roles: ["ops"] } }, "operator null"],
  ["realm_access.roles", { realm_access: "roles" }, null],
  ["https://crm.example/roles", { "https://crm.example/roles": ["ops"] }, "operator null"],
  ["roles.constructor.name", { roles: ["Function"] }, null],
  ["__proto__.x", {}, null],
])("claim %s of %j: %s", (roleClaim, claims, expected) => {
  const standing = claimedStanding(claims, { roleClaim, roles: RULES });
  expect(standing && `${standing.role} ${standing.accountId}`).toBe(expected);
});

test.each([
  [{ email: "Ann@Corp.example", email_verified: true }, "operator"],
  [{ email: "ann@corp.example", email_verified: false }, undefined],
  [{ email: "ann@corp.example" }, undefined],
  [{ email: "ann@corp.example", email_verified: "true" }, undefined],
])("an e-mail address counts if it is verified: %j", (claims, role) => {
  const roles = [{ role: "operator", accountId: null, value: "ann@corp.example" }] as const;
  expect(claimedStanding(claims, { roleClaim: "email", roles })?.role).toBe(role);
});

test.each([
  [{ preferred_username: "Ann", email: "a@b.example" }, "ann"],
  [{ preferred_username: " ", email: "A@b.example" }, "a@b.example"],
  [{ preferred_username: 7 }, "sub-1"],
  [{ preferred_username: "Ann Lee <x>\u202e" }, "ann_lee__x__"],
  [{ preferred_username: "é".repeat(200) }, "é".repeat(80)],
])("name of %j: %s", (claims, expected) => {
  expect(claimedName(claims, "sub-1")).toBe(expected);
});
