import type { Ask, Headers, Reply, Vendor } from '../vendor.ts';
import { showBalance } from './account.ts';
import { noPath, Refusal } from './errors.ts';
import { estimateTokens } from './estimate.ts';
import { KIMI_FAULT_OPTIONS, kimiFaults } from './faults.ts';
import { serveFormulas } from './formulas.ts';
import { listModels, type KimiPlan } from './models.ts';
import { serveResponses } from './responses.ts';
import { serveCaching } from './serve-caching.ts';
import { serveChat } from './serve-chat.ts';
import { serveFiles } from './serve-files.ts';
import { createKimiState, type KimiState } from './state.ts';
import type { KimiSwitches } from './switches.ts';

/** Moonshot's platform, as its documents and the people who measured it describe it. */
export function createKimi(): Vendor<KimiSwitches> {
  return createVendor('kimi', '/kimi/v1', 'platform');
}

/** Kimi's coding plan: a separate host, with its own keys and model ids and a list of clients. */
export function createKimiCoding(): Vendor<KimiSwitches> {
  return createVendor('kimi-coding', '/kimi/coding/v1', 'coding');
}

function createVendor(name: string, prefix: string, plan: KimiPlan): Vendor<KimiSwitches> {
  const state = createKimiState(plan);
  return {
    name,
    prefix,
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
  if (state.plan === 'coding') checkPlan(ask, state);
  switch (`${ask.method} ${path}`) {
    case 'POST /chat/completions':
      return serveChat(ask, reply, account, identified, state);
    case 'GET /models':
      return reply.json(200, listModels(state.switches, state.plan), identified);
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

/** Programs that the vendor's refusal names. */
const LISTED_CLIENTS = /^(?:kimicli|kimi-code|claude-cli|claude-code|roo-?code|kilo-?code)\b/i;

/** The plan has chats and the list of models alone. */
function checkPlan({ path, headers }: Ask, { switches }: KimiState): void {
  if (path !== '/chat/completions' && path !== '/models') throw noPath();
  const isListed = LISTED_CLIENTS.test(headers['user-agent'] ?? '');
  if (path === '/models' || isListed || switches.codingClients === 'any') return;
  throw new Refusal(
    403,
    'access_terminated_error',
    'Kimi For Coding is currently only available for Coding Agents such as Kimi CLI, Claude Code, Roo Code, Kilo Code, etc.',
  );
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
