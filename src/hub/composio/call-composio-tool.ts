import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { asObject, type JsonObject, type Unknown } from '#core/json/json.ts';
import { reason } from '#core/messages/reasons.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Clock } from '#core/time/clock.ts';
import type { UpstreamRequestOptions } from '../connection/connection.ts';
import type { ComposioApi, ComposioSession, ComposioToolInfo } from './composio-api.ts';
import { completeOffloaded, type RunRemote } from './fetch-offloaded.ts';
import { limitResults } from './limit-results.ts';
import {
  connectAccount,
  findMissingAccounts,
  linkNote,
  type MissingAccount,
} from './missing-accounts.ts';
import { fromExecution, itemsOf, toMcpResult, type OuterAnswer } from './read-execution.ts';
import { readComposioArguments } from './read-composio-arguments.ts';
import { NUM_RESULTS } from './rename-arguments.ts';
import type { Sandboxes } from './sandboxes.ts';
import { unknownTool } from './slug-errors.ts';
import { WRITE_FILE } from './tool-definition.ts';

export interface ComposioCallDeps {
  readonly server: string;
  readonly api: ComposioApi;
  readonly session: ComposioSession;
  readonly clock: Clock;
  readonly sandboxes: Sandboxes;
  readonly infoOf: (slug: string, signal: AbortSignalLike) => Promise<ComposioToolInfo | undefined>;
}

type CallOptions = Pick<UpstreamRequestOptions, 'owner' | 'onServerRequest'> & {
  readonly signal: AbortSignalLike;
};

export const MULTI_EXECUTE = 'COMPOSIO_MULTI_EXECUTE_TOOL';
const BASH = 'COMPOSIO_REMOTE_BASH_TOOL';

/** Runs a tool of an app in the session, and returns its answer as the result of `tools/call`. */
export async function callAppTool(
  deps: ComposioCallDeps,
  slug: string,
  args: Unknown,
  options: CallOptions,
): Promise<JsonObject> {
  const { api, session, sandboxes } = deps;
  const { signal, owner = '', onServerRequest } = options;
  const info = slug === WRITE_FILE ? undefined : await deps.infoOf(slug, signal);
  if (!info && slug !== WRITE_FILE) throw unknownTool(deps.server, slug);
  const read = info ? readComposioArguments(info.inputSchema, args) : args;
  const { [NUM_RESULTS]: count, ...rest } = read;
  // It limits what a search gives, unless the tool has such an argument itself.
  const isOwn = asObject(info?.inputSchema['properties'])?.[NUM_RESULTS] !== undefined;
  const own = isOwn ? read : rest;
  const run = async (tool: string, given: Unknown) => {
    const { data, error } = await api.execute(session.id, tool, given, signal);
    if (error !== null) throw new CallError('tool_error', error);
    return data;
  };
  const call = await sandboxes.prepare({ slug, args: own }, owner, run);
  const answer = await executeOnce(deps, call.slug, call.args, signal);
  if (answer.successful) {
    sandboxes.note(call, answer.data, owner);
    const { data, notes } = await completeOffloaded(answer.data, remoteOf(deps, signal));
    const limited =
      typeof count === 'number' && count > 0 && !isOwn ? limitResults(data, count) : data;
    return toMcpResult({ ...answer, data: limited }, notes);
  }
  sandboxes.forget(owner);
  const [missing] = await missingAccountsOf(deps, [call.slug], signal);
  if (!missing) return toMcpResult(answer);
  if (await connectAccount(missing, api, deps.clock, onServerRequest, signal)) {
    // The tool has not run, as it had no account.
    return toMcpResult(await executeOnce(deps, call.slug, call.args, signal));
  }
  const data = { ...answer.data, toolkit: missing.toolkit, redirect_url: missing.url };
  return toMcpResult({ ...answer, data }, [linkNote(missing)]);
}

/**
 * One execution. A tool that only reads, and whose answer is too large to be received, is run again
 * so that its answer stays in the remote workbench.
 */
async function executeOnce(
  { server, api, session, infoOf }: ComposioCallDeps,
  slug: string,
  args: Unknown,
  signal: AbortSignalLike,
): Promise<OuterAnswer> {
  try {
    return fromExecution(await api.execute(session.id, slug, args, signal));
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.reason?.code !== 'server_message_too_large') throw error;
    const info = await infoOf(slug, signal);
    if (!info?.tags.includes('readOnlyHint')) {
      throw codedError('too_large', error.reason, {
        fixes: [
          `The tool has run. Its answer is too large to be received. Run tools with large answers through mcp__${server}__${MULTI_EXECUTE} with "sync_response_to_workbench": true.`,
        ],
      });
    }
    const batch = {
      tools: [{ tool_slug: slug, arguments: args }],
      sync_response_to_workbench: true,
    };
    const {
      data,
      error: failed,
      logId,
    } = fromExecution(await api.executeMeta(session.id, MULTI_EXECUTE, batch, signal));
    const { results } = data;
    const [item] = Array.isArray(results) ? (results as unknown[]) : [];
    const response = asObject(asObject(item)?.['response']);
    return { successful: failed === null, data: response ?? data, error: failed, logId };
  }
}

/** Completes the answer of a meta tool: offloaded parts, failed items, missing accounts. */
export async function completeMetaAnswer(
  deps: ComposioCallDeps,
  answer: OuterAnswer,
  { signal }: CallOptions,
): Promise<JsonObject> {
  const { data, notes } = await completeOffloaded(answer.data, remoteOf(deps, signal));
  const items = itemsOf(answer);
  const failed = items.filter(({ error }) => error !== undefined);
  if (failed.length === 0) return toMcpResult({ ...answer, data }, notes);
  const lines = failed.map(({ index, slug, error = '' }) => `${index}. ${slug} failed: ${error}`);
  const head = `${items.length - failed.length} of ${items.length} tools succeeded.`;
  const slugs = failed.map(({ slug }) => slug);
  const missing = await missingAccountsOf(deps, slugs, signal);
  const all = [...notes, [head, ...lines].join('\n'), ...missing.map(linkNote)];
  return toMcpResult({ ...answer, data }, all, failed.length === items.length);
}

/** The accounts that failed tools lack. What cannot be found out does not replace their answer. */
async function missingAccountsOf(
  { api, session, infoOf }: ComposioCallDeps,
  slugs: readonly string[],
  signal: AbortSignalLike,
): Promise<readonly MissingAccount[]> {
  try {
    const toolkits = new Set<string>();
    for (const slug of slugs) {
      const toolkit = (await infoOf(slug, signal))?.toolkit;
      if (toolkit !== undefined && toolkit !== '') toolkits.add(toolkit);
    }
    return await findMissingAccounts(api, session.id, [...toolkits], signal);
  } catch {
    return [];
  }
}

function remoteOf({ api, session, server }: ComposioCallDeps, signal: AbortSignalLike): RunRemote {
  return async (command) => {
    const { data, error } = await api.executeMeta(session.id, BASH, { command }, signal);
    const { stdout } = data;
    if (error !== null || typeof stdout !== 'string') {
      const problem = 'does not read a file of its workbench';
      throw codedError('bad_response', reason('server_protocol_error', { server, problem }));
    }
    return { stdout, isCut: typeof data['stdout_file_path'] === 'string' };
  };
}
