import { serveSessions } from "../../core/transport/isolation/serve-sessions.ts";
import { openSession } from "./session.ts";

serveSessions((link) => openSession(link));
