import { isUrl } from '#core/net/is-url.ts';
import type { ServerSettings } from './server-entry.ts';

/** Programs that pass on an MCP server at a URL. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

export interface OwnAddress {
  /** The ports at which this EX-AI listens, or would listen. */
  readonly ports: ReadonlySet<number>;
}

/**
 * Whether an entry is EX-AI itself: behind itself it would call itself. Its shim is known by the
 * program and its argument, its endpoint by the port, also behind a program such as mcp-remote.
 */
export function isExaiItself(settings: ServerSettings, { ports }: OwnAddress): boolean {
  const { command = '', args = [], url } = settings;
  const words = [command, ...args];
  const isOwnProgram = words.some((word) => OWN_PROGRAM.test(word));
  if (isOwnProgram && (args.includes('stdio') || args.includes('servers'))) return true;
  if (words.some((word) => PREDECESSOR.test(word))) return true;
  return [...(url === undefined ? [] : [url]), ...args].some((text) => isOwnUrl(text, ports));
}

const OWN_PROGRAM =
  /(?:^|[\\/])(?:exai(?:\.(?:cjs|cmd|exe))?|exai-\d[\w.-]*\.tgz)$|^exai(?:@[\w.-]+)?$/i;
/** The shim of the first EX-AI, in Python. */
const PREDECESSOR = /(?:^|[\\/])run_ws_shim\.py$/;

function isOwnUrl(text: string, ports: ReadonlySet<number>): boolean {
  if (!/^(?:https?|wss?):\/\//i.test(text) || !isUrl(text)) return false;
  const { hostname, port, protocol } = new URL(text);
  const usual = protocol === 'https:' || protocol === 'wss:' ? 443 : 80;
  return LOOPBACK.test(hostname) && ports.has(port === '' ? usual : Number(port));
}
