import { expect } from 'vitest';
import type { UpstreamState } from '#core/hub/upstream-state.ts';
import type { Upstream, UpstreamChange } from '#core/hub/upstream.ts';
import { OWNER } from '#calls/calls.fixture.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { createServerNotes } from './server-notes.ts';

function open(names: readonly string[]) {
  const clock = createFakeClock();
  const notes = createServerNotes(clock);
  const tools = new Map<string, []>();
  const listeners = new Set<(change: UpstreamChange | 'listed', upstream: Upstream) => void>();
  const upstreams = names.map((name) => {
    const state: UpstreamState = { is: 'starting', since: clock.now() };
    const upstream: Partial<Upstream> = { name, tools: () => tools.get(name), state: () => state };
    return upstream as Upstream;
  });
  const hub = {
    find: (name: string) => upstreams.find((each) => each.name === name),
    onChange: (listener: (change: UpstreamChange | 'listed', upstream: Upstream) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  notes.use(hub, () => upstreams);
  const listed = (name: string) => {
    tools.set(name, []);
    const upstream = hub.find(name);
    if (upstream) for (const listener of listeners) listener('tools', upstream);
  };
  return { clock, notes, listed, listeners };
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
