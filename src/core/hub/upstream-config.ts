import type { ScanPolicy } from './finding.ts';
import type { LoginMode } from './upstream-login.ts';

/** Ways to reach an upstream, as `mcpServers.NAME.type` names them. */
export const UPSTREAM_TRANSPORTS = ['stdio', 'http', 'streamable-http', 'sse', 'ws'] as const;
type ConfiguredTransport = (typeof UPSTREAM_TRANSPORTS)[number];

/** `bundled`: a server of this program, mounted in the daemon's process. */
export type UpstreamTransport = Exclude<ConfiguredTransport, 'streamable-http'> | 'bundled';

/** An entry of `mcpServers`, with its references resolved. */
export interface UpstreamConfig {
  readonly type: '' | ConfiguredTransport;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly disabled: boolean;
  readonly disabledTools: readonly string[];
  readonly shared: boolean;
  readonly scan: ScanPolicy;
  readonly sampling: 'deny' | 'client' | 'models';
  readonly protocol: 'auto' | 'legacy' | 'modern';
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly idleStopMs: number;
  readonly maxConcurrent: number;
  /** How a server at a URL that asks for a token gets one. */
  readonly login?: LoginMode;
  /** Of a client that is registered at its authorization server; empty: EX-AI registers itself. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** A private key in PEM, with which the client signs instead of sending a secret. */
  readonly clientKey?: string;
  /** Scopes to ask for; empty: those that the server names. */
  readonly scopes?: readonly string[];
  /** Where the browser is sent after the login; empty: the listener of the daemon. */
  readonly redirectUrl?: string;
  /** `url` is the address of Composio, whose session has the address of the server. */
  readonly composio?: { readonly userId: string; readonly toolkits: readonly string[] };
}

/** The transport of an entry; undefined where it names neither a command nor a URL, or both. */
export function transportOf({
  type,
  command,
  url,
}: Pick<UpstreamConfig, 'type' | 'command' | 'url'>): UpstreamTransport | undefined {
  if ((command === '') === (url === '')) return undefined;
  const isWs = /^wss?:/i.test(url);
  const transport = type === 'streamable-http' ? 'http' : type;
  if (command !== '') return transport === '' || transport === 'stdio' ? 'stdio' : undefined;
  if (transport === 'stdio') return undefined;
  if (transport === '') return isWs ? 'ws' : 'http';
  return (transport === 'ws') === isWs ? transport : undefined;
}
