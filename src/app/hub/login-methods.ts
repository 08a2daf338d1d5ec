import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import { LOGIN_METHODS, type LoggedOut, type LoginProgress } from '#core/hub/upstream-login.ts';
import type { Hub } from '#core/hub/upstream.ts';
import { asObject } from '#core/json/json.ts';
import { reason } from '#core/messages/reasons.ts';
import { isUrl } from '#core/net/is-url.ts';
import { didYouMean } from '#core/text/text.ts';
import type { Logins } from '#hub/login/create-logins.ts';

interface LoginMethodDeps {
  readonly hub: Hub;
  readonly logins: Logins;
  readonly configOf: (server: string) => UpstreamConfig | undefined;
}

type AdminMethods = Readonly<
  Record<`exai/servers/${string}`, (params: unknown) => Promise<unknown>>
>;

const MAX_WAIT_MS = 25_000;

/** The owner's methods for logins at MCP servers. */
export function loginMethods({ hub, logins, configOf }: LoginMethodDeps): AdminMethods {
  function requireServer(params: unknown): {
    readonly name: string;
    readonly config: UpstreamConfig;
  } {
    const name = textOf(params, 'name');
    const config = configOf(name);
    if (config) return { name, config };
    const hint = didYouMean(
      name,
      hub.upstreams().map((each) => each.name),
    );
    throw codedError('not_found', reason('unknown_server', { server: name, hint }), {
      field: 'name',
      fix: 'List the servers with: exai servers list',
    });
  }

  return {
    [LOGIN_METHODS.begin]: async (params) => {
      const { name, config } = requireServer(params);
      return logins.begin(name, config, OWNER_PRINCIPAL);
    },
    [LOGIN_METHODS.wait]: async (params): Promise<LoginProgress> => {
      const wanted = Number(asObject(params)?.['timeoutMs'] ?? MAX_WAIT_MS);
      const timeoutMs = Math.min(Math.max(0, wanted), MAX_WAIT_MS) || 0;
      const progress = await logins.wait(textOf(params, 'id'), timeoutMs);
      if (progress.is !== 'done') return progress;
      const upstream = hub.find(progress.server);
      // Its tools are known when the command ends; why they are not is in its state.
      await upstream?.connect().catch(() => undefined);
      const tools = upstream?.tools()?.length;
      return { ...progress, ...(tools !== undefined && { tools }) };
    },
    [LOGIN_METHODS.finish]: async (params) => {
      const url = textOf(params, 'url');
      const unknown = new CallError(
        'validation',
        'This is not the address to which the browser was sent after this login.',
        { field: 'url', fix: 'Paste the whole address, with code= and state= in it.' },
      );
      if (!isUrl(url)) throw unknown;
      const { origin, pathname, searchParams } = new URL(url);
      const finished = await logins.finish({
        address: `${origin}${pathname}`,
        params: searchParams,
      });
      if (finished.is === 'unknown') throw unknown;
      if (finished.is === 'failed') throw finished.error;
      return finished;
    },
    [LOGIN_METHODS.logout]: async (params): Promise<LoggedOut> => {
      const name = textOf(params, 'name');
      const config = configOf(name);
      const outcome = await logins.logOut(name, config);
      // An open session was made with the login.
      await hub.find(name)?.restart();
      if (outcome.deleted === 0 && !config) requireServer(params);
      return { server: name, ...outcome };
    },
  } as AdminMethods;
}

function textOf(params: unknown, name: string): string {
  const value = asObject(params)?.[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new CallError('validation', `"${name}" must be a text.`, { field: name });
}
