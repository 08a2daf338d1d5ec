import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { routingPage } from '../../../scripts/routing-docs.ts';
import { ROUTING_TABLE } from '../../../test/cases/routing-table.ts';
import { sketchFacts, sketchRoutingState } from '../../../test/cases/routing-sketch.ts';
import { verifies } from '../../../test/verifies.ts';
import { makePlan } from './plan.ts';
import { RULES } from './rules/index.ts';

for (const { says, facts, routing, ...expected } of ROUTING_TABLE) {
  verifies('route:table', says, () => {
    const planned = makePlan(sketchFacts(facts), sketchRoutingState(routing));
    if (planned.is === 'no_candidate') throw planned.error;
    const { plan } = planned;
    const [first, ...rest] = plan.candidates;
    const { next } = expected;
    const asked = rest.map(({ model }) => model);
    expect({
      rule: plan.rule,
      first: first?.model,
      ...(next && { next: next.length === 0 ? asked : asked.slice(0, next.length) }),
      ...(expected.class && { class: plan.class }),
      ...(expected.search && { search: first?.search }),
      ...(expected.thinking && { thinking: first?.thinking?.mode }),
    }).toEqual(expected);
  });
}

test('every rule wins somewhere in the table', () => {
  const winners = new Set(ROUTING_TABLE.map(({ rule }) => rule));
  expect(RULES.map(({ id }) => id).filter((id) => !winners.has(id))).toEqual([]);
});

test('rules are numbered by their place and named once', () => {
  expect(RULES.map(({ number }) => number)).toEqual(RULES.map((_, index) => index + 1));
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
});

verifies('route:docs', 'the page about routing is what the rules are', () => {
  expect(readFileSync('docs/routing.md', 'utf8')).toBe(routingPage());
});
