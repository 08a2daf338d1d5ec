import type { Icon } from '#core/content.ts';
import { SERVER_INFO_KEY } from '#mcp/meta-keys.ts';

/** What this server says of itself, in every session the same. */
export interface ServerFacts {
  readonly info: object;
  readonly capabilities: object;
  /** For the model on the other side: what this server is good for. */
  readonly instructions: string;
  /** `_meta` of every modern result. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** What every modern result ends with, as JSON without its opening brace. */
  readonly modernEnd: string;
}

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
};

export function createServerFacts(
  version: string,
  instructions: string,
  icons: readonly Icon[] = [],
): ServerFacts {
  const name = { name: 'exai', title: 'EX-AI', version };
  const info = icons.length > 0 ? { ...name, icons } : name;
  // With every result: the picture is for who asks who we are.
  const meta = { [SERVER_INFO_KEY]: name };
  const modernEnd = JSON.stringify({ resultType: 'complete', _meta: meta }).slice(1);
  return { info, capabilities: CAPABILITIES, instructions, meta, modernEnd };
}
