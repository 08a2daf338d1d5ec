import type { Upstream } from '#core/hub/upstream.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { asSentence } from '#core/messages/sentence.ts';
import type { ServerConnection } from '#tools/search/manage-connections.ts';
import { waitingTools } from './waiting-tools.ts';

/** The connection to a server, as tools show it. */
export function toConnection(upstream: Upstream): ServerConnection {
  const state = upstream.state();
  const because = 'because' in state ? asSentence(baseRenderer.reason(state.because)) : '';
  const isNeeded = state.is !== 'disabled' && upstream.login?.() === 'needed';
  const problem = isNeeded ? `${because || NEEDED} ${howToLogIn(upstream)}` : because;
  const quarantined = waitingTools(upstream).length;
  return {
    server: upstream.name,
    state: state.is,
    problem,
    tools: upstream.tools()?.length,
    ...(quarantined > 0 && { quarantined }),
  };
}

const NEEDED = 'It needs a login.';

function howToLogIn({ name }: Upstream): string {
  return `The owner logs in with: exai servers login ${name}`;
}
