import type { Ask, Headers, Reply, Vendor } from '../vendor.ts';
import { showBalance } from './account.ts';
import { noPath, Refusal } from './errors.ts';
import { estimateTokens } from './estimate.ts';
import { KIMI_FAULT_OPTIONS, kimiFaults } from './faults.ts';
import { serveFormulas } from './formulas.ts';
import { listModels } from './models.ts';
import { serveResponses } from './responses.ts';
import { serveCaching } from './serve-caching.ts';
import { serveChat } from './serve-chat.ts';
import { serveFiles } from './serve-files.ts';
import { createKimiState, type KimiState } from './state.ts';
import type { KimiSwitches } from './switches.ts';

/** Moonshot's platform, as its documents and the people who measured it describe it. */
export function createKimi(): Vendor<KimiSwitches> {
  const state = createKimiState();
  return {
    name: 'kimi',
    prefix: '/kimi/v1',
    switches: state.switches,
    faults: kimiFaults(state, () => traceHeaders(state)),
    faultOptions: KIMI_FAULT_OPTIONS,
    reset() {
      state.reset();
    },
    async handle(ask, reply) {
      const headers = traceHeaders(state);
      try {
        await route(ask, reply, headers, state);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        await reply.json(error.status, error.body(), { ...headers, ...error.headers });
      }
    },
  };
}

async function route(ask: Ask, reply: Reply, headers: Headers, state: KimiState): Promise<void> {
  const account = state.accounts.open(ask.headers);
  const identified = Object.assign(headers, {
    'Msh-Uid': account.uid,
    'Msh-Gid': account.tier ?? 'enterprise',
  });
  const { path } = ask;
  switch (`${ask.method} ${path}`) {
    case 'POST /chat/completions':
      return serveChat(ask, reply, account, identified, state);
    case 'GET /models':
      return reply.json(200, listModels(state.switches), identified);
    case 'POST /tokenizers/estimate-token-count':
      return reply.json(200, estimateTokens(ask, account, state), identified);
    case 'GET /users/me/balance':
      return reply.json(200, showBalance(account), identified);
    case 'POST /responses':
      return reply.json(200, serveResponses(ask, state), identified);
  }
  if (path === '/files' || path.startsWith('/files/'))
    return serveFiles(ask, reply, account, identified, state);
  if (path === '/caching' || path.startsWith('/caching/'))
    return reply.json(200, serveCaching(ask, account, state), identified);
  if (path.startsWith('/formulas/')) return reply.json(200, serveFormulas(ask, state), identified);
  if (path === '/batches' || path.startsWith('/batches/'))
    throw new Refusal(403, 'permission_denied_error', 'The API you are accessing is not open');
  throw noPath();
}

function traceHeaders(state: KimiState): Headers {
  const id = state.nextId();
  return {
    'Msh-Request-Id': `req-${id}`,
    'x-trace-id': `trace-${id}`,
    'x-msh-trace-id': `msh-${id}`,
    'Server-Timing': 'inner; dur=1',
  };
}
