import { CLIENT_TOKEN_PREFIX } from '#calls/doorman.ts';
import { hash } from 'node:crypto';
import { LOCAL } from '#calls/doorman.ts';
import { matchesScope, parseScope } from '#calls/scope.ts';
import type { AccessAdmin, ClientSummary, Explanation } from '#core/access-admin.ts';
import { CallError } from '#core/call-error.ts';
import type { Calls } from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import type { NewId } from '#core/ids.ts';
import { didYouMean, nearest } from '#core/nearest.ts';
import type { Random } from '#core/random.ts';
import type { Client, ClientStore } from '#core/stores/clients.ts';
import type { Log } from '#core/telemetry.ts';
import type { Tool } from '#core/tool.ts';

export interface AccessAdminParts {
  readonly clients: ClientStore;
  /** Ends what this token has opened. */
  readonly revoke: (clientId: string) => void;
  readonly decide: Calls['decide'];
  readonly find: (tool: string) => object | undefined;
  readonly tools: () => readonly Pick<Tool, 'name' | 'tier'>[];
  readonly newId: NewId;
  readonly random: Random;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** Every token a name ever had, oldest first: a rotated token stays for its grace period beside the new one. */
type Tokens = readonly [Client, ...Client[]];

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const TOKEN_BYTES = 32;
const EFFECTS = ['allow', 'read', 'ask', 'deny'];

export function createAccessAdmin(parts: AccessAdminParts): AccessAdmin {
  const { clients, decide, newId, random, clock, log } = parts;
  // One after the other, so that of two who want a name at once only one gets it.
  let lastAdded: Promise<unknown> = Promise.resolve();

  async function find(name: string): Promise<Tokens> {
    const byName = groupByName(await clients.list());
    const found = byName.get(name);
    if (found) return found;
    throw new CallError(
      'not_found',
      `There is no client ${JSON.stringify(name)}${didYouMean(name, byName.keys()) || '.'}`,
      { field: 'name', fix: 'exai access list shows them.' },
    );
  }

  async function add(name: string, scopes: readonly string[]) {
    const earlier = groupByName(await clients.list()).get(name);
    if (earlier && !isOver(earlier, clock.now())) throw taken(name);
    const token = `${CLIENT_TOKEN_PREFIX}${Buffer.from(random(TOKEN_BYTES)).toString('base64url')}`;
    const tokenSha256 = hash('sha256', token);
    try {
      await clients.add({ id: newId('client'), name, tokenSha256, scopes });
    } catch (thrown) {
      // A store that has each name once keeps it for the records of the client that was removed.
      throw CallError.from(thrown).class === 'conflict' ? keptName(name, thrown) : thrown;
    }
    log.info('client_added', { name, scopes });
    return { name, scopes, token, warnings: strangeScopes(scopes, parts.tools()) };
  }

  return {
    async explain({ tool, client = LOCAL.principal, agent }) {
      const known = client === LOCAL.principal ? undefined : await find(client);
      const scopes = known ? latest(known).scopes : LOCAL.scopes;
      const label = agent === undefined ? {} : { agent };
      const toolIs: Explanation['toolIs'] = parts.find(tool) ? 'known' : 'unknown';
      const about = { tool, client, ...label, scopes, toolIs };
      if (known && isOver(known, clock.now())) {
        return { ...about, verdict: 'deny', because: [`The token of ${client} was taken away.`] };
      }
      return { ...about, ...decide({ principal: client, ...label, scopes, roots: [] }, tool) };
    },

    async list() {
      return [...groupByName(await clients.list()).values()].map(toSummary);
    },

    async add({ name, scopes }) {
      checkName(name);
      for (const scope of scopes) checkScope(scope);
      const mine = lastAdded.then(() => add(name, scopes));
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

function groupByName(clients: readonly Client[]): Map<string, Tokens> {
  const byName = new Map<string, Tokens>();
  for (const client of clients) {
    const earlier = byName.get(client.name);
    byName.set(client.name, earlier ? [...earlier, client] : [client]);
  }
  return byName;
}

function latest(tokens: Tokens): Client {
  return tokens.at(-1) ?? tokens[0];
}

function isOver(tokens: Tokens, nowMs: number): boolean {
  return tokens.every(({ expiresAt }) => expiresAt !== null && expiresAt <= nowMs);
}

/** A token that was replaced was good until the next one came, or longer; a client that was removed and came back is new. */
function liveSince(tokens: Tokens): number {
  let since = latest(tokens).createdAt;
  for (const { createdAt, expiresAt } of tokens.toReversed().slice(1)) {
    if (expiresAt === null || expiresAt < since) break;
    since = createdAt;
  }
  return since;
}

function toSummary(tokens: Tokens): ClientSummary {
  const { name, scopes, expiresAt } = latest(tokens);
  const created = iso(liveSince(tokens));
  return { name, scopes, created, ...(expiresAt !== null && { expires: iso(expiresAt) }) };
}

function checkName(name: string): void {
  if (name === LOCAL.principal) {
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
  const meant = rest.length > 0 && !EFFECTS.includes(effect) ? nearest(effect, EFFECTS) : undefined;
  const hint = meant === undefined ? '.' : `, did you mean "${meant}:${rest.join(':')}"?`;
  throw new CallError('validation', `${JSON.stringify(scope)} is not a scope${hint}`, {
    field: 'scopes',
    fix: 'Write * for every tool, read:* for reading, or a pattern such as kimi_*, ask:chat, deny:@backend.',
  });
}

/** Tools may come later, so a scope that names none is allowed; but more often it is a slip. */
function strangeScopes(
  scopes: readonly string[],
  tools: readonly Pick<Tool, 'name' | 'tier'>[],
): string[] {
  return scopes.flatMap((text) => {
    const scope = parseScope(text);
    if (!scope || scope.pattern.startsWith('@')) return [];
    if (tools.some((tool) => matchesScope(scope, tool))) return [];
    const near = didYouMean(
      scope.pattern,
      tools.map(({ name }) => name),
    );
    return [`The scope "${text}" names no tool that is there now${near || '.'}`];
  });
}

function taken(name: string): CallError {
  return new CallError('conflict', `There is a client "${name}" already.`, {
    field: 'name',
    fix: `Choose another name, or remove it first: exai access remove ${name}`,
  });
}

function keptName(name: string, cause: unknown): CallError {
  return new CallError(
    'conflict',
    `A client "${name}" was removed, and its records keep the name.`,
    {
      field: 'name',
      fix: `Choose another, such as ${name}-2.`,
      cause,
    },
  );
}

function removedAlready(name: string, { expiresAt }: Client): CallError {
  return new CallError('not_found', `${name} was removed already, at ${iso(expiresAt ?? 0)}.`, {
    field: 'name',
    fix: 'exai access list shows who has a token.',
  });
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
