export { Audio } from "./audio.tsx";
export { ContactCard, External, PlaceCard, Poll, SubjectCard, TemplateBody } from "./cards.tsx";
export { Coming } from "./coming.tsx";
