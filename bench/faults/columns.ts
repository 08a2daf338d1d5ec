import { resolve } from 'node:path';
import { anthropicTarget, openAiTarget, PROGRAM } from '../gateway/contenders.ts';
import { MODEL } from '../gateway/asks.ts';
import type { Target } from '../gateway/load-protocol.ts';
import { gatewayFile, hasGateways } from '../gateway/require-gateways.ts';
import { startSubject, type Subject } from '../mcp-call/subject.ts';

/** The vendors of one gateway. */
export interface Urls {
  readonly first: string;
  readonly backup: string;
}

/** A gateway in the table, and how it is asked. */
export interface Column {
  readonly title: string;
  readonly who: 'ours' | 'peer';
  /** Whether it remembers a vendor's failures, so that each fault needs a new one. */
  readonly memory: 'remembers' | 'forgets';
  start(urls: Urls): Promise<Subject>;
  target(subject: Subject, urls: Urls): Target;
}

const BUILT = resolve('bench/faults/built');
const FIRST_TOKEN_MS = 3000;
const IDLE_MS = 1500;
const KEY = 'sk-0123456789abcdef';

const startOurs = ({ first, backup }: Urls): Promise<Subject> =>
  startSubject([PROGRAM, 'serve', '--port', '0'], {
    KIMI_API_KEY: KEY,
    KIMI_API_URL: `${first}/v1`,
    GLM_API_KEY: 'bench0123456789.secret',
    GLM_API_URL: `${backup}/api/paas/v4`,
    EXAI_TIMEOUTS_FIRST_TOKEN_MS: String(FIRST_TOKEN_MS),
    EXAI_TIMEOUTS_IDLE_MS: String(IDLE_MS),
  });

function ours(title: string, target: (subject: Subject) => Target): Column {
  return { title, who: 'ours', memory: 'remembers', start: startOurs, target };
}

const startPortkey = (): Promise<Subject> => startSubject([resolve(BUILT, 'peer.js'), 'portkey']);

/** The backup after the first, and three seconds for each. */
function portkeyTarget({ port }: Subject, { first, backup }: Urls): Target {
  const targets = [first, backup].map((url) => ({
    provider: 'openai',
    api_key: KEY,
    custom_host: `${url}/v1`,
    request_timeout: FIRST_TOKEN_MS,
  }));
  const config = JSON.stringify({ strategy: { mode: 'fallback' }, targets });
  return { port, dialect: 'openai', headers: { 'x-portkey-config': config } };
}

function startRouter({ first, backup }: Urls): Promise<Subject> {
  const provider = (name: string, url: string) => ({
    name,
    api_base_url: `${url}/v1/chat/completions`,
    api_key: KEY,
    models: [MODEL],
  });
  const settings = {
    API_TIMEOUT_MS: FIRST_TOKEN_MS,
    Providers: [provider('first', first), provider('backup', backup)],
    Router: { default: `first,${MODEL}` },
    fallback: { default: [`backup,${MODEL}`] },
  };
  return startSubject([resolve(BUILT, 'peer.js'), 'router', JSON.stringify(settings)]);
}

export function allColumns(): readonly Column[] {
  const own = [
    ours('EX-AI', openAiTarget),
    ours('EX-AI, x-exai-continue: false', (subject) => {
      const target = openAiTarget(subject);
      return { ...target, headers: { ...target.headers, 'x-exai-continue': 'false' } };
    }),
    ours('EX-AI, /v1/messages', anthropicTarget),
  ];
  return hasGateways() ? [...own, ...peers()] : own;
}

function peers(): Column[] {
  const portkey = gatewayFile('@portkey-ai/gateway', '.').version;
  const router = gatewayFile('@musistudio/claude-code-router', '.').version;
  return [
    {
      title: `Portkey ${portkey}`,
      who: 'peer',
      memory: 'forgets',
      start: startPortkey,
      target: portkeyTarget,
    },
    {
      title: `claude-code-router ${router}, /v1/messages`,
      who: 'peer',
      memory: 'forgets',
      start: startRouter,
      target: ({ port }) => ({ port, dialect: 'anthropic', headers: {} }),
    },
  ];
}
