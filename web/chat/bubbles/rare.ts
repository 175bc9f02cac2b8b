export { Audio } from "./audio.tsx";
export { ContactCard, PlaceCard, Poll, SubjectCard } from "./cards.tsx";
