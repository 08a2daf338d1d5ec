import { expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { baseRenderer, toSent } from '#core/messages/render.ts';
import { withoutShownNotices, routeNotices, renderNoticeTexts } from './notice-texts.ts';

const KEY = notice('setting_differs', {
  variable: 'KIMI_API_KEY',
  state: 'missing',
  command: 'exai keys add kimi',
});
const TOKEN = notice('token_generated', { file: '.env' });

test('a notice that the answer itself shows is not repeated, whatever its text', () => {
  const daemon = [toSent(KEY), { ...toSent(TOKEN), text: 'In other words.' }];
  expect(withoutShownNotices(daemon, {})).toEqual(daemon);
  expect(withoutShownNotices(daemon, { notice_data: [TOKEN] })).toEqual([toSent(KEY)]);
  expect(withoutShownNotices(daemon, { notice_data: [KEY, TOKEN] })).toEqual([]);
});

test('a notice without data, and an answer without an envelope, hide nothing', () => {
  const { text } = toSent(KEY);
  expect(withoutShownNotices([{ text }], { notice_data: [KEY] })).toEqual([{ text }]);
  for (const envelope of [undefined, null, 'text', { notice_data: 'none' }])
    expect(withoutShownNotices([toSent(KEY)], envelope)).toEqual([toSent(KEY)]);
});

test('the notices of a route are shown once each', () => {
  const notices = ['One.', 'Two.', 'One.'];
  const route = routeNotices({ route: { because: [], attempts: [], notices } });
  expect(renderNoticeTexts(route, baseRenderer)).toEqual(['One.', 'Two.']);
  expect(routeNotices({})).toEqual([]);
});

test('an unknown notice keeps the text it came with', () => {
  const codes = ['of_tomorrow', '__proto__', 'toString', 'files_left_out'];
  const notice_data = codes.map((code) => ({ code, params: {} }));
  const notices = codes.map((_, at) => `Notice ${at}.`);
  const route = routeNotices({ route: { because: [], attempts: [], notices, notice_data } });
  expect(renderNoticeTexts(route, baseRenderer)).toEqual(notices);
});
