import type { ServerSummary } from '#app/hub/server-methods.ts';
import { homePaths } from '#config/home/home.ts';
import { loadConfig } from '#config/load/load.ts';
import type { UpstreamLogLine } from '#core/hub/upstream.ts';
import { CallError } from '#core/errors/call-error.ts';
import {
  LOGIN_METHODS,
  type LoggedOut,
  type LoginBegun,
  type LoginProgress,
  type LoginStatus,
} from '#core/hub/upstream-login.ts';
import { didYouMean, oneLine } from '#core/text/text.ts';
import { setInConfigFile } from '../edit-config-file.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printJson, type Io } from '../io.ts';
import { describeReload, reloadDaemon, reloadJson } from '../reload-daemon.ts';
import { runWithDaemon } from '../run-with-daemon.ts';
import { findServerPreset } from './presets.ts';

/** A server as `exai/servers/show` describes it. */
export interface ServerDetails extends ServerSummary {
  readonly instructions?: string;
  /** Those that wait for a decision of the owner; absent: none. */
  readonly quarantinedTools?: readonly string[];
  readonly toolList: readonly {
    readonly name: string;
    readonly listedAs: string;
    readonly description?: string;
    readonly isDisabled: boolean;
  }[];
}

/** The results of the owner's methods. */
interface ServerResults {
  list: { readonly servers: readonly ServerSummary[] };
  show: ServerDetails;
  logs: { readonly lines: readonly UpstreamLogLine[] };
  restart: ServerSummary;
}

/** A server may take its time to start. */
const TIMEOUT_MS = 120_000;
const MAX_SHOWN_CHARS = 100;

/** Calls a method of the daemon, which is started if needed. */
export function callServers<Method extends keyof ServerResults>(
  io: Pick<Io, 'env' | 'stderr'>,
  method: Method,
  params: object = {},
): Promise<ServerResults[Method]> {
  return runWithDaemon(io, ({ request }) =>
    request(`exai/servers/${method}`, params, { timeoutMs: TIMEOUT_MS }),
  ) as Promise<ServerResults[Method]>;
}

/** The results of the owner's methods for logins. */
interface LoginResults {
  begin: LoginBegun;
  wait: LoginProgress;
  finish: { readonly server: string };
  logout: LoggedOut;
}

/** Calls a method for logins of the daemon, which is started if needed. */
export function callLogin<Method extends keyof LoginResults>(
  io: Pick<Io, 'env' | 'stderr'>,
  method: Method,
  params: object,
): Promise<LoginResults[Method]> {
  return runWithDaemon(
    io,
    ({ request }) => request(LOGIN_METHODS[method], params, { timeoutMs: TIMEOUT_MS }),
    { noticeOutput: method === 'begin' ? 'print' : 'skip' },
  ) as Promise<LoginResults[Method]>;
}

/** The settings of a server, or an error that names a similar one. */
export function requireServer(name: string, { env }: Pick<Io, 'env'>) {
  const { mcpServers } = loadConfig({ env }).config;
  const server = Object.hasOwn(mcpServers, name) ? mcpServers[name] : undefined;
  if (server) return server;
  if (findServerPreset(name)?.setting !== undefined) {
    throw new CallError('not_found', `${name} is not in mcpServers; its key adds it.`, {
      field: 'name',
      fix: `exai keys list names the key; exai keys remove ${name} removes the server.`,
    });
  }
  const near = didYouMean(name, Object.keys(mcpServers)) || '.';
  const message = `mcpServers has no server "${oneLine(name, MAX_SHOWN_CHARS)}"${near}`;
  throw new CallError('not_found', message, {
    field: 'name',
    fix: 'List the servers with: exai servers list',
  });
}

/** `connected, 12 tools`, with the reason of what does not work. */
export function describeServer(server: ServerSummary): string {
  const { state, tools, because, disabledTools, quarantined, leftOut } = server;
  const count = tools === undefined ? [] : [tools === 1 ? '1 tool' : `${tools} tools`];
  const off = disabledTools.length > 0 ? [`off: ${disabledTools.join(', ')}`] : [];
  const more = leftOut === undefined ? [] : [`${leftOut} or more left out`];
  const held = quarantined === undefined ? [] : [`${quarantined} quarantined`];
  const login = LOGIN_NOTES[server.login ?? 'none'](server.name);
  // The login mends it; when it is tried again does not matter.
  const shown = server.login === 'needed' && state === 'waiting' ? [] : [state];
  const isSaid = server.login === 'needed' && reasonOf(server) === 'server_login_needed';
  const why = because === undefined || isSaid ? '' : `: ${because}`;
  return escapeControls(
    `${[...shown, ...login, ...count, ...more, ...held, ...off].join(', ')}${why}`,
  );
}

const LOGIN_NOTES: Readonly<Record<LoginStatus, (name: string) => readonly string[]>> = {
  none: () => [],
  done: () => ['logged in'],
  needed: (name) => [`needs login (exai servers login ${name})`],
};

function reasonOf({ reason }: ServerSummary): string | undefined {
  return reason?.code;
}

export interface ServerEdit {
  readonly name: string;
  /** Below `mcpServers.<name>`. */
  readonly field: string;
  readonly value: unknown;
  /** What is printed after the change. */
  readonly done: string;
  readonly json: boolean;
}

/** Writes one field of a server to config.json, has the daemon load it, and reports both. */
export async function editServer({ name, field, value, done, json }: ServerEdit, io: Io) {
  const path = `mcpServers.${name}.${field}`;
  const outcome = setInConfigFile(homePaths(io.env), path, value);
  const reload = await reloadDaemon(io, [path]);
  if (json)
    return printJson(io, { server: name, [field]: value, outcome, reload: reloadJson(reload) });
  io.stdout.write(`${escapeControls(done)}\n`);
  for (const line of describeReload(reload, { path, in: 'config.json' }))
    io.stdout.write(`${line}\n`);
}
