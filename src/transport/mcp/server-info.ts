import type { Icon } from '#core/tools/content.ts';
import { SERVER_INFO_KEY } from '#mcp/meta-keys.ts';

/** What the server reports about itself, equal in all sessions. */
export interface ServerInfo {
  readonly info: object;
  readonly capabilities: object;
  /** For the model of the client: what this server is for. */
  readonly instructions: string;
  /** `_meta` of every modern result. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** The end of every modern result, as JSON without its opening brace. */
  readonly modernEnd: string;
}

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
};

export function createServerInfo(
  version: string,
  instructions: string,
  icons: readonly Icon[] = [],
): ServerInfo {
  const name = { name: 'exai', title: 'EX-AI', version };
  const info = icons.length > 0 ? { ...name, icons } : name;
  // Part of every result, so without the icon.
  const meta = { [SERVER_INFO_KEY]: name };
  const modernEnd = JSON.stringify({ resultType: 'complete', _meta: meta }).slice(1);
  return { info, capabilities: CAPABILITIES, instructions, meta, modernEnd };
}
