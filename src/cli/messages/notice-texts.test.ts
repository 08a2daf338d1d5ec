import { expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { baseRenderer, toSent } from '#core/messages/render.ts';
import { notShown, routeNotices, textsOf } from './notice-texts.ts';

const KEY = notice('setting_differs', {
  variable: 'KIMI_API_KEY',
  state: 'missing',
  command: 'exai keys add kimi',
});
const TOKEN = notice('token_generated', { file: '.env' });

test('what an answer shows itself is not told again, whatever its text is', () => {
  const daemon = [toSent(KEY), { ...toSent(TOKEN), text: 'In other words.' }];
  expect(notShown(daemon, {})).toEqual(daemon);
  expect(notShown(daemon, { notice_data: [TOKEN] })).toEqual([toSent(KEY)]);
  expect(notShown(daemon, { notice_data: [KEY, TOKEN] })).toEqual([]);
});

test('a notice without data, and an answer without an envelope, hide nothing', () => {
  const { text } = toSent(KEY);
  expect(notShown([{ text }], { notice_data: [KEY] })).toEqual([{ text }]);
  for (const envelope of [undefined, null, 'text', { notice_data: 'none' }])
    expect(notShown([toSent(KEY)], envelope)).toEqual([toSent(KEY)]);
});

test('the notices of a route are told once each', () => {
  const notices = ['One.', 'Two.', 'One.'];
  const route = routeNotices({ route: { because: [], attempts: [], notices } });
  expect(textsOf(route, baseRenderer)).toEqual(['One.', 'Two.']);
  expect(routeNotices({})).toEqual([]);
});

test('a notice that this version does not know is told as it came', () => {
  const codes = ['of_tomorrow', '__proto__', 'toString', 'files_left_out'];
  const notice_data = codes.map((code) => ({ code, params: {} }));
  const notices = codes.map((_, at) => `Notice ${at}.`);
  const route = routeNotices({ route: { because: [], attempts: [], notices, notice_data } });
  expect(textsOf(route, baseRenderer)).toEqual(notices);
});
