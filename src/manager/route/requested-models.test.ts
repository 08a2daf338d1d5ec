import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { RouteFacts } from '#core/llm/route.ts';
import { resolveRequestedModels } from './requested-models.ts';
import type { RoutingState } from './routing-state.ts';

const facts = { tool: 'chat', model: 'custom/nothing' } as Partial<RouteFacts> as RouteFacts;

test.each([
  ['not_configured', 'add_key'],
  ['configured', 'refresh_models'],
] as const)('an unknown name with a slash, OpenRouter is %s: %s', (openrouterIs, kind) => {
  const routing = {
    openrouterIs,
    resolve: () => ({ is: 'unknown' }),
  } as Partial<RoutingState> as RoutingState;
  const resolved = resolveRequestedModels(facts, routing);
  expect(resolved).toBeInstanceOf(CallError);
  const kinds = (resolved as CallError).fixes.map((each) => each.kind);
  expect(kinds).toEqual([expect.anything(), kind, 'list_models']);
});
