import { expect, test } from 'vitest';
import { reason } from '#core/messages/reasons.ts';
import type { UpstreamState } from '#core/hub/upstream-state.ts';
import type { Upstream, UpstreamChange } from '#core/hub/upstream.ts';
import { OWNER } from '#calls/calls.fixture.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { createServerNotes } from './server-notes.ts';

function open(names: readonly string[], stateOf?: (name: string) => UpstreamState) {
  const clock = createFakeClock();
  const notes = createServerNotes(clock);
  const tools = new Map<string, []>();
  const connected: string[] = [];
  const listeners = new Set<(change: UpstreamChange | 'listed', upstream: Upstream) => void>();
  const upstreams = names.map((name) => {
    const state: UpstreamState = stateOf?.(name) ?? { is: 'starting', since: clock.now() };
    const upstream: Partial<Upstream> = {
      name,
      tools: () => tools.get(name),
      state: () => state,
      connect: async () => void connected.push(name),
    };
    return upstream as Upstream;
  });
  const hub = {
    find: (name: string) => upstreams.find((each) => each.name === name),
    onChange: (listener: (change: UpstreamChange | 'listed', upstream: Upstream) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  notes.use(hub, (_, isWanted = () => true) => upstreams.filter(isWanted));
  const listed = (name: string) => {
    tools.set(name, []);
    const upstream = hub.find(name);
    if (upstream) for (const listener of listeners) listener('tools', upstream);
  };
  return { clock, notes, listed, listeners, connected };
}

verifies(
  'tools:search',
  'a search waits until servers that start have listed their tools',
  async () => {
    const { notes, listed, listeners } = open(['docs', 'files']);
    const starting = notes.starting(OWNER);
    listed('docs');
    listed('files');
    expect(await starting).toEqual([]);
    expect(listeners.size).toBe(0);
  },
);

verifies(
  'tools:search',
  'servers that start for longer are named, and searches do not wait again',
  async () => {
    const { clock, notes, listed } = open(['docs', 'slow']);
    const starting = notes.starting(OWNER);
    listed('docs');
    clock.advance(3_000);
    expect(await starting).toEqual(['slow']);
    expect(await notes.starting(OWNER)).toEqual(['slow']);
  },
);

verifies(
  'login:commands',
  'a tool of a server whose tools are not known is explained by the state of the server',
  () => {
    const { notes, listed, connected } = open(['docs', 'docs-2', 'off', 'slow'], stateOf);
    const why = (tool: string) => notes.explainUnknown(tool, OWNER);
    expect(why('mcp__docs__read')).toMatchObject({
      class: 'auth',
      reason: { code: 'server_login_needed', params: { server: 'docs' } },
      fix: 'exai servers login docs',
    });
    expect(why('mcp__docs-2__read')).toMatchObject({
      class: 'network',
      reason: { code: 'server_exited' },
      fix: 'exai servers logs docs-2',
    });
    expect(connected).toEqual(['docs', 'docs-2']);
    expect(why('mcp__off__read')).toMatchObject({
      class: 'not_configured',
      fix: 'exai servers enable off',
    });
    expect(why('mcp__slow__read')).toMatchObject({
      class: 'network',
      reason: { code: 'server_tools_not_known' },
    });
    expect(notes.unavailable(OWNER).map(({ server }) => server)).toEqual(['docs', 'docs-2']);
    for (const other of ['read', 'mcp__other__read', 'mcp__docs', 'chat'])
      expect(why(other)).toBeUndefined();
    listed('docs');
    expect(why('mcp__docs__read')).toBeUndefined();
  },
);

test('a server that the caller may not use is not named', () => {
  const { notes } = open(['docs'], stateOf);
  notes.use({ find: () => undefined, onChange: () => () => undefined }, () => []);
  expect(notes.explainUnknown('mcp__docs__read', OWNER)).toBeUndefined();
});

function stateOf(server: string): UpstreamState {
  const waiting = { is: 'waiting', until: 0, failures: 1 } as const;
  switch (server) {
    case 'docs':
      return { ...waiting, because: reason('server_login_needed', { server }) };
    case 'docs-2':
      return {
        ...waiting,
        because: reason('server_exited', { server, code: 1, signal: '', stderr: '' }),
      };
    case 'off':
      return { is: 'disabled', because: reason('server_disabled', { server }) };
    default:
      return { is: 'starting', since: 0 };
  }
}
