import { type Static, Type } from "typebox";
import { idOrNumber, idText } from "./entity.ts";

/** An employee as requests spell it. A phone that cannot be one is left out, as the interface does. */
export const userSchema = Type.Object({
  id: idOrNumber(200),
  name: Type.String({ maxLength: 200 }),
  phone: Type.Optional(Type.String()),
});

/** The same in answers. */
export const userAnswerSchema = Type.Object({ ...userSchema.properties, id: idText(200) });

/** An employee; `phone` is international, digits only. */
export type User = Static<typeof userSchema>;

/** What may be changed of an employee who exists; what is left out stays. */
export type UserChange = Pick<User, "id"> & Partial<User>;

/** Without a phone that is none. Pure. */
export function withSoundPhone<T extends { readonly phone?: string }>(user: T): T {
  if (user.phone === undefined || /^\d{8,15}$/.test(user.phone)) return user;
  const { phone: _none, ...rest } = user;
  return rest as T;
}
