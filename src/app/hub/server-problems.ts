import type { ServerSummary } from './server-methods.ts';

/** A server that does not work, and what to do about it. */
export interface ServerProblem {
  readonly name: string;
  /** A sentence. */
  readonly because: string;
  /** What to do first, where the command alone is not enough. */
  readonly first?: string;
  /** The command that mends it, or shows more. */
  readonly command: string;
}

/** Servers that fail, or have tools in quarantine; those that are switched off, or wait for their first call, do not. */
export function findServerProblems(servers: readonly ServerSummary[]): readonly ServerProblem[] {
  return servers.flatMap((server) => {
    const { name, because, reason, state } = server;
    const isFailing = because !== undefined && reason?.code !== 'server_disabled';
    const isConnected = state !== 'disabled' && !isFailing;
    const login = isConnected && server.login === 'needed' ? [loginProblem(name)] : [];
    const quarantine = state === 'disabled' ? [] : quarantineOf(server);
    return [...(isFailing ? [{ name, because, ...fixFor(server) }] : []), ...login, ...quarantine];
  });
}

/** It asked for a login after it was connected, such as for more scopes. */
function loginProblem(name: string): ServerProblem {
  const because = `The MCP server ${name} needs a login.`;
  return { name, because, command: `exai servers login ${name}` };
}

/** Tools that are not callable until the owner decides. */
function quarantineOf({ name, quarantined = 0 }: ServerSummary): readonly ServerProblem[] {
  if (quarantined === 0) return [];
  const [tools, wait] = quarantined === 1 ? ['tool', 'waits'] : ['tools', 'wait'];
  const because = `${quarantined} ${tools} of the MCP server ${name} ${wait} in quarantine for your decision.`;
  return [{ name, because, command: `exai pins diff ${name}` }];
}

/** What mends a server that does not work for this reason. */
export function fixFor({
  name,
  reason,
}: Pick<ServerSummary, 'name' | 'reason'>): Pick<ServerProblem, 'first' | 'command'> {
  const params = (reason?.params ?? {}) as Readonly<Record<string, unknown>>;
  switch (reason?.code ?? '') {
    case 'server_variables_missing': {
      const variables = Array.isArray(params['variables']) ? params['variables'].map(String) : [];
      const lines = variables.map((variable) => `${variable}=…`).join(' and ');
      return { first: `Write ${lines} to EXAI_HOME/.env`, command: 'exai config reload' };
    }
    case 'server_settings_unclear':
      return { command: `exai servers remove ${name}` };
    case 'server_disabled':
      return { command: `exai servers enable ${name}` };
    case 'server_unauthorized':
      return {
        first: 'Write a valid key to EXAI_HOME/.env',
        command: `exai servers restart ${name}`,
      };
    case 'server_login_needed':
    case 'server_login_failed':
      return { command: `exai servers login ${name}` };
    case 'server_start_timeout': {
      const { timeoutMs } = params;
      const doubled = (typeof timeoutMs === 'number' ? timeoutMs : DEFAULT_START_MS) * 2;
      return { command: `exai config set mcpServers.${name}.startTimeoutMs ${doubled}` };
    }
    case 'server_exited':
      return { command: `exai servers logs ${name}` };
    default:
      return { command: `exai servers restart ${name}` };
  }
}

const DEFAULT_START_MS = 60_000;

/** The fix in one sentence. */
export function formatServerFix({
  first,
  command,
}: Pick<ServerProblem, 'first' | 'command'>): string {
  return first === undefined ? command : `${first}, then: ${command}`;
}

/** `3 MCP servers, 41 tools`. */
export function countServers(servers: readonly ServerSummary[]): string {
  const used = servers.filter(({ state }) => state !== 'disabled');
  const tools = used.reduce((sum, each) => sum + (each.tools ?? 0), 0);
  const off = servers.length - used.length;
  const parts = [
    `${used.length} MCP ${used.length === 1 ? 'server' : 'servers'}`,
    `${tools} ${tools === 1 ? 'tool' : 'tools'}`,
    ...(off > 0 ? [`${off} off`] : []),
  ];
  return parts.join(', ');
}
