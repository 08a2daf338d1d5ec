import { expect, test } from 'vitest';
import { createJobsHarness, INLINE_MS, jobOf, probeTool } from '../../test/jobs-harness.ts';
import { jobTitle } from './job-codec.ts';

test.each([
  [{ model: 'kimi', prompt: 'Why?' }, 'Why?'],
  [{ findings: 'None.', step: 'Look at the queue', prompt: ' \n' }, 'Look at the queue'],
  [{ model: 'kimi', claim: 'It is round.' }, 'It is round.'],
  [{ lines: 3, since: '1h' }, '1h'],
  [{ prompt: '\n\n  One\r\n\ttwo \u001B[31m\u2028three  ' }, 'One two [31m three'],
  [{ prompt: ['Why?'], step: 7 }, ''],
  [JSON.parse('{"__proto__": "x", "prompt": "Why?"}'), 'Why?'],
  [{}, ''],
  [[], ''],
  ['Why?', ''],
  [null, ''],
  [undefined, ''],
])('%j is told in a line', (args, title) => {
  expect(jobTitle(args)).toBe(title);
});

test('a long text is cut, and never within a character', () => {
  expect(jobTitle({ prompt: 'x'.repeat(80) })).toBe('x'.repeat(80));
  expect(jobTitle({ prompt: 'x'.repeat(81) })).toBe(`${'x'.repeat(79)}…`);
  expect(jobTitle({ prompt: `${'x'.repeat(78)}😀yz` })).toBe(`${'x'.repeat(78)}…`);
  expect(jobTitle({ prompt: `${' '.repeat(5000)}${'word '.repeat(100_000)}` })).toBe(
    `${'word '.repeat(15)}word…`,
  );
  // A character is not split at the end of the scanned part either.
  expect(jobTitle({ prompt: `x${' '.repeat(998)}😀` })).toBe('x');
});

test('every job has a title, inline or queued, and none when its arguments have no text', async () => {
  const { clock, daemon } = createJobsHarness();
  const probe = probeTool({ background: 'auto', coalesce: false });
  const on = daemon([probe.tool]);
  const atOnce = { background: { afterMs: 0, as: 'job' } } as const;
  const behind = await jobOf(on.start('probe', { topic: 'Behind?' }, atOnce));
  const silent = await jobOf(on.start('probe', {}, atOnce));
  const waiting = on.start('probe', { depth: 2, topic: 'Waited for' });
  clock.advance(INLINE_MS);
  const waited = await jobOf(waiting);
  const rows = await on.jobs.list('local', 10);
  expect(Object.fromEntries(rows.map(({ id, title }) => [id, title]))).toEqual({
    [behind]: 'Behind?',
    [silent]: '',
    [waited]: 'Waited for',
  });
  expect(await on.jobs.get('local', waited)).toMatchObject({ title: 'Waited for' });
  expect(await on.jobs.get('local', silent)).not.toHaveProperty('title');
});
