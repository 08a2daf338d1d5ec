import { expect, test } from 'vitest';
import { internLabels } from './intern-labels.ts';

test('labels are made once for each row of values, and frozen', () => {
  const labelsOf = internLabels('tool', 'outcome');
  const labels = labelsOf('chat', 'ok');
  expect(labels).toEqual({ tool: 'chat', outcome: 'ok' });
  expect(labelsOf('chat', 'ok')).toBe(labels);
  expect(Object.isFrozen(labels)).toBe(true);
  expect(labelsOf('chat', 'timeout')).toEqual({ tool: 'chat', outcome: 'timeout' });
  expect(labelsOf('ok', 'chat')).toEqual({ tool: 'ok', outcome: 'chat' });
});

test('one name has one value, whatever it is', () => {
  const labelsOf = internLabels('tool');
  for (const tool of ['', '__proto__', 'constructor']) {
    expect(labelsOf(tool)['tool']).toBe(tool);
    expect(labelsOf(tool)).toBe(labelsOf(tool));
  }
});

test('however many values come, few are cached and all are right', () => {
  const labelsOf = internLabels('route', 'status');
  const first = labelsOf('0', '200');
  for (let route = 0; route < 5000; route++) {
    expect(labelsOf(String(route), '200')).toEqual({ route: String(route), status: '200' });
  }
  expect(labelsOf('0', '200')).toEqual(first);
  expect(labelsOf('0', '200')).not.toBe(first);
});
