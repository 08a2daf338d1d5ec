import * as z from 'zod';
import type { Caller } from '#core/calls/call.ts';
import { CallError } from '#core/errors/call-error.ts';
import { didYouMean, oneLine } from '#core/text/text.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { InputRequest } from '#core/tools/input-request.ts';
import type { Tool, ToolContext } from '#core/tools/tool.ts';

/** A server behind this one, as a caller sees its connection. */
export interface ServerConnection {
  readonly server: string;
  /** `stopped` connects with the next call. */
  readonly state: 'connected' | 'stopped' | 'starting' | 'waiting' | 'disabled';
  /** Why it does not work, and what to do; empty where it works. */
  readonly problem: string;
  /** Tools that are known; undefined if it was never connected. */
  readonly tools: number | undefined;
  /** Tools that wait for a decision of the owner; absent: none. */
  readonly quarantined?: number;
}

/** Accounts behind a server that connects to further services itself, such as Composio. */
export interface AccountLinks {
  /** The server that has them. */
  readonly server: string;
  /** What the server says about the accounts of these services, with links for those that lack one. */
  link(
    toolkits: readonly string[],
    action: 'list' | 'connect',
    context: ToolContext,
  ): Promise<readonly ServiceAccount[]>;
}

export interface ServiceAccount {
  readonly toolkit: string;
  readonly status: string;
  /** Where the user connects the account. */
  readonly redirectUrl?: string;
  readonly note?: string;
}

export interface ConnectionsDeps {
  /** Of the servers that this caller may use. */
  readonly connections: (caller: Caller) => readonly ServerConnection[];
  readonly connect: (server: string) => Promise<void>;
  readonly accounts?: () => AccountLinks | undefined;
}

const MAX_NAMES = 50;
const MAX_SHOWN_CHARS = 64;
const IGNORED = ['session_id', 'session', 'reinitiate_all', 'thought'] as const;

const RESULT = z.strictObject({
  toolkit: z.string(),
  status: z.string(),
  tools: z.number().optional(),
  quarantined: z.number().optional(),
  problem: z.string().optional(),
  redirect_url: z.string().optional(),
});

/** Shows the connections to the servers behind this one, and makes those that are missing. */
export function manageConnections(deps: ConnectionsDeps): Tool {
  return defineTool({
    name: 'manage_connections',
    title: 'Manage connections',
    description:
      'Shows the state of the servers behind this one, or connects those that are named. For an account that is missing it gives the link that the user must open.',
    input: z.strictObject({
      servers: z.array(z.string()).max(MAX_NAMES).optional(),
      action: z.enum(['list', 'connect']).optional(),
    }),
    output: z.strictObject({ results: z.record(z.string(), RESULT) }),
    renameArguments: renamed,
    effect: 'changes',
    idempotent: true,
    openWorld: true,
    profile: 'standard',
    timeoutMs: 120_000,
    async run({ servers = [], action = servers.length === 0 ? 'list' : 'connect' }, context) {
      const known = deps.connections(context.caller);
      const names = new Set(known.map(({ server }) => server));
      const accounts = deps.accounts?.();
      const wanted = servers.length === 0 ? [...names] : servers;
      const services = wanted.filter((name) => !names.has(name));
      if (services.length > 0 && !accounts) throw unknown(services, names);
      const own = wanted.filter((name) => names.has(name));
      const problems = new Map<string, string>();
      if (action === 'connect') {
        await Promise.all(
          own.map((name) =>
            deps.connect(name).catch((thrown: unknown) => {
              const { message, fix = '' } = CallError.from(thrown);
              problems.set(name, `${message} ${fix}`.trim());
            }),
          ),
        );
      }
      const now = new Map(deps.connections(context.caller).map((each) => [each.server, each]));
      const results = own.flatMap((name) => {
        const each = now.get(name);
        return each ? [toResult(each, problems.get(name))] : [];
      });
      const isAnswered = Object.keys(context.answers).length > 0;
      const wish = isAnswered ? 'list' : action;
      const linked =
        services.length > 0 && accounts ? await accounts.link(services, wish, context) : [];
      const visits = linked.flatMap(visitOf);
      // A client that opens links asks its user to; others get them as text.
      if (visits.length > 0 && context.clientCapabilities.includes('visit')) {
        return { inputRequests: Object.fromEntries(visits) };
      }
      const all = [...results, ...linked.map(toServiceResult)];
      return {
        text: all.length === 0 ? NONE : all.map(lineOf).join('\n'),
        content: { results: Object.fromEntries(all.map((each) => [each.toolkit, each])) },
      };
    },
  });
}

function visitOf({ toolkit, redirectUrl: url }: ServiceAccount): [string, InputRequest][] {
  if (url === undefined) return [];
  const message = `Connect your account for ${toolkit}, so that its tools can be used.`;
  return [[`connect-${toolkit}`, { is: 'visit', message, url }]];
}

const NONE = 'There are no servers behind this one. exai servers add adds one.';

type Result = z.output<typeof RESULT>;

function toResult(connection: ServerConnection, failed?: string): Result {
  const { server, state, problem, tools, quarantined } = connection;
  const why = failed ?? problem;
  return {
    toolkit: server,
    status: state,
    ...(tools !== undefined && { tools }),
    ...(quarantined !== undefined && { quarantined }),
    ...(why !== '' && { problem: why }),
  };
}

function toServiceResult({ toolkit, status, redirectUrl, note }: ServiceAccount): Result {
  return {
    toolkit,
    status,
    ...(note !== undefined && { problem: note }),
    ...(redirectUrl !== undefined && { redirect_url: redirectUrl }),
  };
}

function lineOf(result: Result): string {
  const { toolkit, status, tools, quarantined, problem, redirect_url: url } = result;
  const held = quarantined === undefined ? '' : `, ${quarantined} quarantined`;
  const count = `${tools === undefined ? '' : `, ${tools} tools`}${held}`;
  const why = problem === undefined ? '' : ` ${problem}`;
  const link = url === undefined ? '' : ` The user must open ${url} to connect the account.`;
  return `- ${toolkit}: ${status}${count}.${why}${link}`;
}

function unknown(services: readonly string[], names: ReadonlySet<string>): CallError {
  const [first = ''] = services;
  const shown = oneLine(first, MAX_SHOWN_CHARS);
  return new CallError(
    'not_found',
    `There is no server "${shown}"${didYouMean(shown, names) || '.'}`,
    {
      field: 'servers',
      fixes: ['exai servers list shows them; exai servers add adds one.'],
    },
  );
}

/** Composio names services, as texts or with an action each. */
function renamed(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given: Record<string, unknown> = { ...args };
  for (const name of IGNORED) delete given[name];
  if (Object.hasOwn(given, 'toolkits')) {
    given['servers'] ??= given['toolkits'];
    delete given['toolkits'];
  }
  const { servers } = given;
  if (typeof servers === 'string') given['servers'] = [servers];
  if (!Array.isArray(servers)) return given;
  given['servers'] = servers.map((each: unknown) => {
    if (typeof each !== 'object' || each === null) return each;
    const { name, action } = each as Readonly<Record<string, unknown>>;
    if (action === 'list') given['action'] ??= 'list';
    return name;
  });
  return given;
}
