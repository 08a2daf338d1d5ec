import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startSubject, type Subject } from '../mcp-call/subject.ts';
import { MODEL } from './asks.ts';
import type { Target } from './load-protocol.ts';

/** A gateway in a process of its own, and how it is asked. One process may be asked in two ways. */
export interface Contender {
  readonly name: ContenderName;
  readonly title: string;
  readonly subject: Subject;
  readonly target: Target;
  /** Costs ten times as much as the others: it is asked less often. */
  readonly weight: 'light' | 'heavy';
}

export type ContenderName = 'floor' | 'ours' | 'ours-messages' | 'portkey' | 'router';

/** Starts gateways in front of one vendor, and stops whatever was started. */
export interface Stage {
  floor(): Promise<Contender>;
  /** Both gateway dialects of one daemon. */
  ours(): Promise<readonly [Contender, Contender]>;
  portkey(): Promise<Contender>;
  router(): Promise<Contender>;
  clear(): Promise<void>;
}

const BUILT = resolve('bench/gateway/built');
const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: { exai: string } };
export const PROGRAM = resolve(bin.exai);
const KEY = 'sk-0123456789abcdef';
/** More than are ever asked at once, so that nobody stands in a queue of ours. */
const PLENTY = '4000';

/** As a user has it, but for limits and the address of the vendor. */
export const daemonEnv = (vendorUrl: string): Record<string, string> => ({
  KIMI_API_KEY: KEY,
  KIMI_API_URL: `${vendorUrl}/v1`,
  EXAI_LIMITS_GLOBAL: PLENTY,
  EXAI_LIMITS_KIMI: PLENTY,
  EXAI_LIMITS_SESSION: PLENTY,
  EXAI_LIMITS_CONNECTIONS: PLENTY,
});

export function createStage(vendorUrl: string): Stage {
  const started: Subject[] = [];
  const start = async (args: readonly string[], env?: Record<string, string>) => {
    const subject = await startSubject(args, env);
    started.push(subject);
    return subject;
  };
  return {
    async floor() {
      const subject = await start([resolve(BUILT, 'floor.js'), vendorUrl]);
      const target: Target = { port: subject.port, dialect: 'openai', headers: {} };
      return { name: 'floor', title: 'node:http and undici', subject, target, weight: 'light' };
    },
    async ours() {
      const subject = await start([PROGRAM, 'serve', '--port', '0'], daemonEnv(vendorUrl));
      const shared = { subject, weight: 'light' } as const;
      return [
        { ...shared, name: 'ours', title: 'EX-AI', target: openAiTarget(subject) },
        {
          ...shared,
          name: 'ours-messages',
          title: 'EX-AI, /v1/messages',
          target: anthropicTarget(subject),
        },
      ];
    },
    async portkey() {
      const subject = await start([resolve(BUILT, 'peer.js'), 'portkey']);
      const headers = {
        authorization: `Bearer ${KEY}`,
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `${vendorUrl}/v1`,
      };
      const target: Target = { port: subject.port, dialect: 'openai', headers };
      return { name: 'portkey', title: 'Portkey', subject, target, weight: 'heavy' };
    },
    async router() {
      const settings = JSON.stringify(routerSettings(vendorUrl));
      const subject = await start([resolve(BUILT, 'peer.js'), 'router', settings]);
      const target: Target = { port: subject.port, dialect: 'anthropic', headers: {} };
      const title = 'claude-code-router, /v1/messages';
      return { name: 'router', title, subject, target, weight: 'heavy' };
    },
    async clear() {
      for (const subject of started.splice(0)) await subject.stop();
    },
  };
}

export const openAiTarget = ({ port }: Subject): Target => ({
  port,
  dialect: 'openai',
  headers: { authorization: 'Bearer local' },
});

export const anthropicTarget = ({ port }: Subject): Target => ({
  port,
  dialect: 'anthropic',
  headers: { 'x-api-key': 'local', 'anthropic-version': '2023-06-01' },
});

function routerSettings(vendorUrl: string): object {
  const provider = {
    name: 'vendor',
    api_base_url: `${vendorUrl}/v1/chat/completions`,
    api_key: KEY,
    models: [MODEL],
  };
  return { Providers: [provider], Router: { default: `vendor,${MODEL}` } };
}
