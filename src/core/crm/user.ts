import { type Static, Type } from "typebox";
import { idOrNumber, idText } from "./entity.ts";

/** An employee as spelled in requests. An invalid phone is dropped, as the interface requires. */
export const userSchema = Type.Object(
  {
    id: idOrNumber(200),
    name: Type.String({ maxLength: 200 }),
    phone: Type.Optional(Type.String()),
  },
  { title: "NewUser" },
);

/** The same in responses. */
export const userAnswerSchema = Type.Object({ ...userSchema.properties, id: idText(200) }, { title: "User" });

/** An employee; `phone` is international, digits only. */
export type User = Static<typeof userSchema>;

/** A change of an existing employee; omitted fields keep their value. */
export type UserChange = Pick<User, "id"> & Partial<User>;

/** Without an invalid phone. Pure. */
export function withSoundPhone<T extends { readonly phone?: string }>(user: T): T {
  if (user.phone === undefined || /^\d{8,15}$/.test(user.phone)) return user;
  const { phone: _none, ...rest } = user;
  return rest as T;
}
