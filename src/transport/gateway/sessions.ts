import type { Exchange } from '../http/endpoint.ts';

/** The session of a request is its connection: limits and turns go by it. */
export function createSessions(newSession: () => string): (exchange: Exchange) => string {
  const known = new WeakMap<object, string>();
  return ({ request: { socket } }) => {
    const session = known.get(socket);
    if (session !== undefined) return session;
    const fresh = newSession();
    known.set(socket, fresh);
    return fresh;
  };
}
