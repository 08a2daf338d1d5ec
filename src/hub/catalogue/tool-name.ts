import { hash } from 'node:crypto';

/** Clients add `mcp__exai__` to it, and many of them accept 64 characters. */
export const MAX_TOOL_NAME_CHARS = 53;

const PREFIX = 'mcp__';
const SEPARATOR = '__';
const HASH_CHARS = 6;
const MIN_SERVER_CHARS = 12;
const ALLOWED = /^[A-Za-z0-9_-]+$/;
const OTHERS = /[^A-Za-z0-9_-]+/g;
/** Agents write our own tools as `mcp__exai__chat`. */
const OWN_NAME = 'exai';

/**
 * The name under which a tool of a server is offered: `mcp__<server>__<tool>` where that is short,
 * plain and unambiguous, and otherwise a shortened form that ends with a digest of both. It depends
 * on nothing but the two names, so it is the same in every daemon.
 */
export function upstreamToolName(server: string, tool: string): string {
  const name = `${PREFIX}${server}${SEPARATOR}${tool}`;
  const isPlain = name.length <= MAX_TOOL_NAME_CHARS && ALLOWED.test(name);
  return isPlain && isUnambiguous(server) ? name : shortName(server, tool);
}

/** Whether a name can be that of a tool of a server. */
export function isToolNameOf(server: string, name: string): boolean {
  return name.startsWith(`${PREFIX}${server}${SEPARATOR}`);
}

/** Whether the first `__` after the prefix always ends the name of the server. */
function isUnambiguous(server: string): boolean {
  return !server.includes(SEPARATOR) && !server.endsWith('_') && server !== OWN_NAME;
}

function shortName(server: string, tool: string): string {
  const digest = hash('sha256', `${server}\n${tool}`).slice(0, HASH_CHARS);
  const roomChars =
    MAX_TOOL_NAME_CHARS - PREFIX.length - SEPARATOR.length - HASH_CHARS - SEPARATOR.length;
  const [first, last] = [server, tool].map((text) => text.replaceAll(OTHERS, '_'));
  const serverChars = Math.max(MIN_SERVER_CHARS, roomChars - (last?.length ?? 0));
  const serverPart = first?.slice(0, serverChars) ?? '';
  const toolPart = last?.slice(0, roomChars - serverPart.length) ?? '';
  return `${PREFIX}${serverPart}${SEPARATOR}${toolPart}${SEPARATOR}${digest}`;
}
