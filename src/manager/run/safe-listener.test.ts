import { expect, test } from 'vitest';
import { createListLog } from '../../../test/list-log.ts';
import { safeListener } from './safe-listener.ts';

test('a listener that throws is heard of once, and stops nothing', () => {
  const log = createListLog();
  const heard: string[] = [];
  const listener = safeListener(
    {
      onText(text) {
        heard.push(text);
        throw new Error('full');
      },
    },
    log,
  );
  listener.onText?.('a');
  listener.onText?.('b');
  expect(heard).toEqual(['a', 'b']);
  expect(log.lines.map(({ event }) => event)).toEqual(['listener_failed']);
});

test('what nobody listens to stays unheard', () => {
  expect(safeListener({}, createListLog())).toEqual({});
});
