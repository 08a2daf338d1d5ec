import { expect, test } from 'vitest';
import { createListLog } from '../../test/list-log.ts';
import { safeListener } from './create-manager.ts';

test('a listener that throws is logged once, and stops nothing', () => {
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

test('absent callbacks stay absent', () => {
  expect(safeListener({}, createListLog())).toEqual({});
});
