import { CallError } from '#core/errors/call-error.ts';
import type { ServerSummary } from '../hub/server-methods.ts';
import {
  countServers,
  findServerProblems,
  formatServerFix,
  type ServerProblem,
} from '../hub/server-problems.ts';
import { requestFromDaemon, type Check, type RunCheck } from './check.ts';

/**
 * MCP servers behind EX-AI: those of the running daemon, else those of the settings. One that fails
 * harms no other, so it is a warning.
 */
export const checkServers: RunCheck = async (context) => {
  const { loaded } = context;
  const check = { id: 'servers', title: 'MCP servers' } as const;
  const servers = readServers(
    await requestFromDaemon(context, (ask) => ask('exai/servers/list', {})),
  );
  if (servers) {
    if (servers.length === 0) return [];
    const problems = findServerProblems(servers);
    const summary = { ...check, status: 'ok', detail: countServers(servers) } as const;
    return [
      ...(new Set(problems.map(({ name }) => name)).size === servers.length ? [] : [summary]),
      ...problems.map((problem) => warning(check, problem)),
    ];
  }
  if (loaded instanceof CallError) return [];
  const count = Object.keys(loaded.config.mcpServers).length;
  if (count === 0) return [];
  const detail = `${count} in the settings; they start with the daemon`;
  return [{ ...check, status: 'off', detail }];
};

function warning(check: Pick<Check, 'id' | 'title'>, problem: ServerProblem): Check {
  const { because, command } = problem;
  const fix = formatServerFix(problem);
  return { ...check, status: 'warn', detail: because, fix, next: command };
}

/** Undefined without a daemon, and for one without this method. */
function readServers(answer: unknown): readonly ServerSummary[] | undefined {
  if (typeof answer !== 'object' || answer === null || !('servers' in answer)) return undefined;
  return answer.servers as readonly ServerSummary[];
}
