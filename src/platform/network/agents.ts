import { Agent } from "undici";

/**
 * undici looks at every connection of an origin to find a free one, and again whenever one closes. With thousands of
 * long polls of one messenger, closing them would block the process for half a minute.
 */
const CLIENTS_PER_AGENT = 256;
const MAX_AGENTS = 64;

/**
 * Returns a function that assigns an agent to an HTTP client. Each agent serves a limited number of clients, which
 * share their idle connections; when many were assigned, agents are reused.
 */
export function agentsWith(options: Agent.Options): () => Agent {
  const agents: Agent[] = [];
  let assigned = 0;
  return () => {
    const place = Math.floor(assigned++ / CLIENTS_PER_AGENT) % MAX_AGENTS;
    const agent = agents[place] ?? new Agent(options);
    agents[place] = agent;
    return agent;
  };
}
