import { expect } from 'vitest';
import { createAccess } from '#calls/access.ts';
import { OWNER, probeTool } from '#calls/calls.fixture.ts';
import type { Upstream } from '#core/hub/upstream.ts';
import { verifies } from '../../../test/verifies.ts';
import { serversOfCaller } from './servers-of-caller.ts';

const reading = (server: string) => ({
  ...probeTool({ name: `mcp__${server}__read`, tier: 'user', effect: 'reads' }).tool,
  origin: { server, tool: 'read' },
});

verifies('tools:connections', 'a caller sees the servers of which it may use a tool', () => {
  const tools = [reading('files'), reading('memory')];
  const registry = { all: () => tools, find: () => undefined };
  const sources = { registry, access: createAccess({ registry }) };
  const upstreams = ['files', 'memory', 'new'].map((name) => ({ name }) as Upstream);
  const seenWith = (...scopes: readonly string[]) =>
    serversOfCaller(upstreams, { ...OWNER, scopes }, sources).map(({ name }) => name);
  expect(seenWith('*')).toEqual(['files', 'memory', 'new']);
  expect(seenWith('read:*', 'deny:mcp__memory__*')).toEqual(['files', 'new']);
  expect(seenWith('mcp__files__read', 'manage_connections')).toEqual(['files']);
  expect(seenWith('chat')).toEqual([]);
});
