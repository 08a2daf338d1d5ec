import { hash } from 'node:crypto';
import { matchesScope, parseScope } from '#calls/scopes.ts';
import { ACCESS_EFFECTS } from '#core/auth/access-effects.ts';
import { OWNER } from '#auth/authenticator.ts';
import { CLIENT_TOKEN_PREFIX } from '#core/auth/client-token.ts';
import type {
  AccessAdmin,
  AccessExplanation,
  AddClientRequest,
  AddedClient,
  Coverage,
} from '#core/auth/access-admin.ts';
import type { AccessDecision } from '#core/auth/decision.ts';
import { asAgent } from '#core/auth/as-agent.ts';
import { markedPrincipal } from '#core/auth/principal.ts';
import type { Caller } from '#core/calls/call.ts';
import type { Calls } from '#core/calls/calls.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { NewId } from '#core/ids.ts';
import { commandFix } from '#core/messages/fixes.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { asSentence } from '#core/messages/sentence.ts';
import type { Random } from '#core/random.ts';
import type { Client, ClientStore } from '#core/stores/clients.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { didYouMean, nearest } from '#core/text/text.ts';
import type { Clock } from '#core/time/clock.ts';
import { asksModels, type Tool } from '#core/tools/tool.ts';
import {
  clientsNamed,
  groupByClient,
  iso,
  isOver,
  latest,
  toSummary,
  type Tokens,
} from './client-tokens.ts';

interface AccessAdminParts {
  readonly clients: ClientStore;
  /** Ends the sessions and calls of this token. */
  readonly revoke: (clientId: string) => void;
  readonly decide: Calls['decide'];
  readonly find: (tool: string) => CoveredTool | undefined;
  readonly tools: () => readonly (CoveredTool & Pick<Tool, 'tier' | 'reaches'>)[];
  /** The rows of each agent. */
  readonly agents: () => Readonly<Record<string, readonly string[]>>;
  readonly newId: NewId;
  readonly random: Random;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

type Restored = Pick<Client, 'principal'> & Partial<Pick<Client, 'scopes'>>;

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const TOKEN_BYTES = 32;
/**
 * Characters of the client id in its principal: enough that two clients of one name never share a
 * principal.
 */
const MARK_CHARS = 8;

export function createAccessAdmin(parts: AccessAdminParts): AccessAdmin {
  const { clients, decide, newId, random, clock, log } = parts;
  // Serialised, so that only one of two concurrent requests gets a name.
  let lastAdded: Promise<unknown> = Promise.resolve();

  /** The client with this name; if several had it in succession, the last one. */
  async function find(name: string): Promise<Tokens> {
    const all = await clients.list();
    const found = clientsNamed(all, name).at(-1);
    if (found) return found;
    const known = all.map((client) => client.name);
    throw new CallError(
      'not_found',
      `There is no client ${JSON.stringify(name)}${didYouMean(name, known) || '.'}`,
      { field: 'name', fixes: [commandFix('exai access list', 'list the clients')] },
    );
  }

  /** Whether it is a wrapper, and this caller may use none of the tools that it calls. */
  function reachesNothing(name: string | undefined, caller: Caller): boolean {
    const tools = parts.tools();
    const reaches = tools.find((tool) => tool.name === name)?.reaches;
    if (reaches === undefined || reaches === 'all') return false;
    return tools
      .filter((tool) => !tool.reaches)
      .filter(({ annotations }) => annotations.readOnlyHint === (reaches === 'reading'))
      .every((tool) => decide(caller, tool.name).verdict === 'deny');
  }

  function coverage(caller: Pick<Caller, 'principal' | 'scopes' | 'agent'>): Coverage {
    // Tools that give access to others need no scope, and are not counted.
    const tools = parts.tools().filter(({ reaches }) => !reaches);
    return coverageOf(tools, (tool) => decide({ ...caller, roots: [] }, tool));
  }

  async function goodScopes(client: string): Promise<readonly string[]> {
    const tokens = await find(client);
    return isOver(tokens, clock.now()) ? [] : latest(tokens).scopes;
  }

  function requireAgent(agent: string | undefined): void {
    const names = Object.keys(parts.agents());
    if (agent === undefined || names.includes(agent)) return;
    const hint = didYouMean(agent, names) || `. Agents: ${names.join(', ')}.`;
    throw new CallError('not_found', `There is no agent ${JSON.stringify(agent)}${hint}`, {
      field: 'agent',
      fixes: ['"agents" in config.json adds an agent.'],
    });
  }

  /**
   * The principal whose data a restored client gets: that of the last client that left any data. A
   * client that was added by mistake left none.
   */
  async function toRestore(name: string, earlier: readonly Tokens[]): Promise<Restored> {
    const removed = earlier.map(latest).toReversed();
    for (const each of [...removed, { principal: name }]) {
      if (await clients.hasData(each.principal)) return each;
    }
    const [last] = removed;
    if (!last) throw neverRemoved(name);
    return last;
  }

  async function add({ name, scopes: wanted, restore }: AddClientRequest): Promise<AddedClient> {
    const earlier = clientsNamed(await clients.list(), name);
    const last = earlier.at(-1);
    if (last && !isOver(last, clock.now())) throw taken(name);
    const restored = restore === true ? await toRestore(name, earlier) : undefined;
    const scopes = wanted ?? restored?.scopes;
    if (scopes === undefined) throw noScopes(name);
    const id = newId('client');
    const isUsed = last !== undefined || (await clients.hasData(name));
    const own = isUsed ? markedPrincipal(name, id.slice(-MARK_CHARS)) : name;
    const principal = restored?.principal ?? own;
    const token = `${CLIENT_TOKEN_PREFIX}${Buffer.from(random(TOKEN_BYTES)).toString('base64url')}`;
    await clients.add({ id, name, principal, tokenSha256: hash('sha256', token), scopes });
    log.info('client_added', { name, scopes, principal });
    return {
      name,
      principal,
      scopes,
      token,
      coverage: coverage({ principal, scopes }),
      warnings: strangeScopes(scopes, parts.tools()),
      notices: isUsed ? [baseRenderer.notice(dataNotice(name, last, restored))] : [],
    };
  }

  return {
    async explain({ tool, client = OWNER.principal, agent, args }) {
      requireAgent(agent);
      const known = client === OWNER.principal ? undefined : await find(client);
      const scopes = known ? latest(known).scopes : OWNER.scopes;
      const label = agent === undefined ? {} : { agent };
      const found = parts.find(tool);
      const toolIs: AccessExplanation['toolIs'] = found ? 'known' : 'unknown';
      const costs = found && { asksModels: asksModels(found) };
      const about = { tool, client, ...label, scopes, toolIs, ...costs };
      if (known && isOver(known, clock.now())) {
        return {
          ...about,
          ...explained({ verdict: 'deny', reasons: [reason('token_revoked', { client })] }),
        };
      }
      const whose = { principal: client, scopes, roots: [] };
      const caller = agent === undefined ? whose : asAgent(whose, agent);
      const decision = reachesNothing(found?.name, caller)
        ? { verdict: 'deny' as const, reasons: [reason('reaches_nothing', { client, tool })] }
        : decide(caller, tool, args);
      return { ...about, ...explained(decision) };
    },

    async coverage({ client = OWNER.principal, agent }) {
      requireAgent(agent);
      const scopes = client === OWNER.principal ? OWNER.scopes : await goodScopes(client);
      const about = agent === undefined ? {} : { agent, rows: parts.agents()[agent] ?? [] };
      const caller = { principal: client, scopes, ...(agent !== undefined && { agent }) };
      return { client, scopes, ...about, coverage: coverage(caller) };
    },

    async list() {
      return groupByClient(await clients.list()).map(toSummary);
    },

    async add(request) {
      checkName(request.name);
      for (const scope of request.scopes ?? []) checkScope(scope);
      const mine = lastAdded.then(() => add(request));
      lastAdded = mine.catch(() => undefined);
      return mine;
    },

    async remove({ name }) {
      const tokens = await find(name);
      const nowMs = clock.now();
      const good = tokens.filter((token) => !isOver([token], nowMs));
      if (good.length === 0) throw removedAlready(name, latest(tokens));
      for (const { id } of good) {
        await clients.expire(id, nowMs);
        parts.revoke(id);
      }
      log.info('client_removed', { name, scopes: latest(tokens).scopes });
      return { ...toSummary(tokens), expires: iso(nowMs) };
    },
  };
}

function checkName(name: string): void {
  if (name === OWNER.principal) {
    throw new CallError('validation', `"${name}" stands for the owner of this machine.`, {
      field: 'name',
      fix: 'Choose another name.',
    });
  }
  if (NAME.test(name)) return;
  throw new CallError('validation', 'The name of a client has 1 to 64 of a-z, 0-9, - and _.', {
    field: 'name',
    fix: 'Begin it with a letter or a digit, such as laptop or ci-2.',
  });
}

function checkScope(scope: string): void {
  if (parseScope(scope)) return;
  const [effect = '', ...rest] = scope.split(':');
  const meant = rest.length > 0 && !isEffect(effect) ? nearest(effect, ACCESS_EFFECTS) : undefined;
  const hint = meant === undefined ? '.' : `, did you mean "${meant}:${rest.join(':')}"?`;
  throw new CallError('validation', `${JSON.stringify(scope)} is not a scope${hint}`, {
    field: 'scopes',
    fix: 'Write * for every tool, read:* for reading, free:* for what also costs nothing, or a pattern such as kimi_*, ask:chat, deny:@backend.',
  });
}

function isEffect(word: string): boolean {
  return ACCESS_EFFECTS.some((effect) => effect === word);
}

/**
 * Scopes that match no tool. They are allowed, because tools may be added later, but usually they
 * are typos.
 */
function strangeScopes(
  scopes: readonly string[],
  tools: readonly Pick<Tool, 'name' | 'tier' | 'reaches'>[],
): string[] {
  return scopes.flatMap((text) => {
    const scope = parseScope(text);
    if (!scope || scope.pattern.startsWith('@')) return [];
    const isWrapper = tools.some(({ name, reaches }) => reaches && name === scope.pattern);
    if (isWrapper && scope.effect !== 'deny') {
      return [`${scope.pattern} needs no scope; name the tools that the client calls with it.`];
    }
    if (tools.some((tool) => matchesScope(scope, tool))) return [];
    const near = didYouMean(
      scope.pattern,
      tools.map(({ name }) => name),
    );
    return [`The scope "${text}" names no tool that is there now${near || '.'}`];
  });
}

/** Describes what happens to the data of an earlier client of that name. */
function dataNotice(
  client: string,
  removed: Tokens | undefined,
  restored: Restored | undefined,
): Notice {
  if (restored) return notice('client_data_restored', { principal: restored.principal });
  const removedOn = removed && iso(latest(removed).expiresAt ?? 0).slice(0, 10);
  return notice('client_data_kept', { client, ...(removedOn !== undefined && { removedOn }) });
}

function neverRemoved(name: string): CallError {
  return new CallError(
    'not_found',
    `No client "${name}" was removed, so there is none to restore.`,
    {
      field: 'restore',
      fixes: [commandFix('exai access list --all', 'list those that were removed, too,')],
    },
  );
}

function noScopes(name: string): CallError {
  return new CallError('validation', 'A client without a scope could use nothing.', {
    field: 'scopes',
    fixes: [commandFix(`exai access add ${name} --scope 'read:*'`)],
  });
}

function taken(name: string): CallError {
  return new CallError('conflict', `There is a client "${name}" already.`, {
    field: 'name',
    fixes: [
      commandFix(`exai access remove ${name}`, 'remove the client first'),
      'Or choose another name.',
    ],
  });
}

function removedAlready(name: string, { expiresAt }: Client): CallError {
  return new CallError('not_found', `${name} was removed already, at ${iso(expiresAt ?? 0)}.`, {
    field: 'name',
    fixes: [commandFix('exai access list', 'list who has a token')],
  });
}

function explained(decision: AccessDecision): AccessDecision & Pick<AccessExplanation, 'because'> {
  const because = decision.reasons.map((each) => asSentence(baseRenderer.reason(each)));
  return { ...decision, because };
}

type CoveredTool = Pick<Tool, 'name' | 'annotations' | 'pool' | 'previewAsk'>;

/** All tools that these scopes allow, grouped by effect. */
function coverageOf(
  tools: readonly CoveredTool[],
  decide: (tool: string) => AccessDecision,
): Coverage {
  const free: string[] = [];
  const paid: string[] = [];
  const changing: string[] = [];
  const asking: string[] = [];
  for (const tool of tools) {
    const { verdict } = decide(tool.name);
    if (verdict === 'deny') continue;
    if (verdict === 'ask') asking.push(tool.name);
    if (asksModels(tool)) paid.push(tool.name);
    else if (tool.annotations.readOnlyHint) free.push(tool.name);
    else changing.push(tool.name);
  }
  return { free, paid, changing, asking };
}
