import { expect, test } from 'vitest';
import { createFakeClock } from '../../test/fake-clock.ts';
import { verifies } from '../../test/verifies.ts';
import { createPageSessions } from './page-sessions.ts';

const HERE = 'loopback';
const HOUR_MS = 3_600_000;

function setUp() {
  const clock = createFakeClock();
  let next = 0;
  /** Never repeats within a test. */
  const random = (bytes: number) => Uint8Array.from({ length: bytes }, () => (next += 7) % 251);
  const sessions = createPageSessions({ clock, random });
  const gone: string[] = [];
  const issue = (name = 'code') => sessions.issueCode(() => gone.push(name)).code;
  const logIn = () => {
    const redeemed = sessions.redeem(issue(), HERE);
    if (redeemed.is !== 'session') throw new Error(redeemed.is);
    return redeemed.token;
  };
  return { clock, sessions, issue, logIn, gone };
}

verifies('page:login', 'a code opens one session, and is gone with it', () => {
  const { sessions, issue, gone } = setUp();
  const code = issue();
  expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  const redeemed = sessions.redeem(code, HERE);
  expect(redeemed).toEqual({ is: 'session', token: expect.stringMatching(/^[\w-]{43}$/) });
  expect(gone).toEqual(['code']);
  expect(sessions.redeem(code, HERE)).toEqual({ is: 'refused' });
  expect(sessions.isValid(redeemed.is === 'session' ? redeemed.token : '')).toBe(true);
});

verifies('page:login', 'a code is valid for a minute', () => {
  const { clock, sessions, issue, gone } = setUp();
  const [early, late] = [issue('early'), issue('late')];
  clock.advance(59_999);
  expect(sessions.redeem(early, HERE).is).toBe('session');
  clock.advance(1);
  expect(sessions.redeem(late, HERE)).toEqual({ is: 'refused' });
  expect(gone).toEqual(['early', 'late']);
  expect(clock.waiting).toBe(0);
});

test('a code may be typed in small letters, without hyphens, and with confused letters', () => {
  const { sessions, issue } = setUp();
  const typed = issue()
    .toLowerCase()
    .replaceAll('-', ' ')
    .replaceAll('0', 'o')
    .replaceAll('1', 'l');
  expect(sessions.redeem(` ${typed} `, HERE).is).toBe('session');
});

verifies('page:login', 'wrong codes are limited, and keep no valid code out', () => {
  const { clock, sessions, issue } = setUp();
  const guess = (n: number) => sessions.redeem(`wrong ${n}`, HERE);
  for (let n = 0; n < 20; n += 1) expect(guess(n)).toEqual({ is: 'refused' });
  expect(guess(20)).toEqual({ is: 'limited', retryAfterMs: 3000 });
  expect(sessions.redeem('wrong 21', '192.0.2.1')).toEqual({ is: 'refused' });
  expect(sessions.redeem(issue(), HERE).is).toBe('session');
  clock.advance(3000);
  expect(guess(22)).toEqual({ is: 'refused' });
});

test.each(['', ' ', '-', '0000-0000-0000-0000', 'undefined', '__proto__', '\0'])(
  'the text %j is no code and no session',
  (text) => {
    const { sessions, issue, logIn } = setUp();
    issue();
    logIn();
    expect(sessions.redeem(text, HERE)).toEqual({ is: 'refused' });
    expect(sessions.isValid(text)).toBe(false);
  },
);

verifies('page:login', 'a session ends when it is idle for two hours', () => {
  const { clock, sessions, logIn } = setUp();
  const token = logIn();
  clock.advance(2 * HOUR_MS - 1);
  expect(sessions.isValid(token)).toBe(true);
  clock.advance(2 * HOUR_MS - 1);
  expect(sessions.isValid(token)).toBe(true);
  clock.advance(2 * HOUR_MS);
  expect(sessions.isValid(token)).toBe(false);
});

verifies('page:login', 'a session ends after twelve hours, however it is used', () => {
  const { clock, sessions, logIn } = setUp();
  const token = logIn();
  for (let hour = 1; hour < 12; hour += 1) {
    clock.advance(HOUR_MS);
    expect(sessions.isValid(token)).toBe(true);
  }
  clock.advance(HOUR_MS);
  expect(sessions.isValid(token)).toBe(false);
});

test('of many sessions and codes the last used ones are kept', () => {
  const { sessions, issue, logIn, gone } = setUp();
  const tokens = Array.from({ length: 17 }, logIn);
  expect(tokens.map((token) => sessions.isValid(token))).toEqual([
    false,
    ...Array.from({ length: 16 }, () => true),
  ]);
  gone.length = 0;
  const codes = Array.from({ length: 9 }, (_, n) => issue(String(n)));
  expect(gone).toEqual(['0']);
  expect(sessions.redeem(codes[0] ?? '', HERE)).toEqual({ is: 'refused' });
  expect(sessions.redeem(codes[8] ?? '', HERE).is).toBe('session');
});

test('one session or all can be ended, with the codes that are left', () => {
  const { clock, sessions, issue, logIn, gone } = setUp();
  const [one, two] = [logIn(), logIn()];
  sessions.end(one);
  expect([sessions.isValid(one), sessions.isValid(two)]).toEqual([false, true]);
  const code = issue('unused');
  expect(sessions.endAll()).toBe(1);
  expect(sessions.isValid(two)).toBe(false);
  expect(sessions.redeem(code, HERE)).toEqual({ is: 'refused' });
  expect(gone).toEqual(['code', 'code', 'unused']);
  expect(clock.waiting).toBe(0);
});
