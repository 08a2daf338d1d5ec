import { expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { user } from './provider-requests.ts';
import { type Suite } from './provider-suite.ts';

/** What is thought is told apart from what is answered, and can be wished for. */
export function thinkingCases({ subject, open, answer }: Suite): void {
  const { off, effort } = subject.thinking;

  for (const delivery of ['whole', 'stream'] as const) {
    verifies('provider:cases', `tells thoughts apart from the answer (${delivery})`, async () => {
      const messages = user('[[think 6]] Say exactly: done');
      const { text, reasoning, usage } = await answer({
        delivery,
        messages,
        thinking: { mode: 'on' },
      });
      expect(text).toBe('done');
      expect(reasoning).toBe('amber birch cedar dune ember fern');
      expect(usage?.output).toBe(7);
    });
  }

  verifies('provider:cases', 'does not think when it is told not to, or says so', async () => {
    const messages = user('[[think 6]] Say exactly: done');
    const { text, reasoning, notices } = await answer({ messages, thinking: { mode: 'off' } });
    expect(text).toBe('done');
    if (off === 'obeyed') expect({ reasoning, notices }).toEqual({ reasoning: '', notices: [] });
    else expect(notices).toMatchObject([{ code: 'thinking_stays_on' }]);
  });

  if (effort)
    verifies('provider:cases', 'thinks as hard as it is asked to', async () => {
      const { notices } = await answer({
        model: effort.model,
        thinking: { mode: 'on', effort: 'low' },
      });
      expect(open().bodies().at(-1)).toMatchObject(effort.sent);
      expect(notices).toEqual([]);
    });

  verifies(
    'wire:limit-binds',
    'thoughts alone end as length, and are not asked again',
    async () => {
      for (const delivery of ['whole', 'stream'] as const) {
        open().reset();
        const messages = user('[[think 50]] Say exactly: done');
        const { text, usage, notices } = await answer({ delivery, messages, maxOutputTokens: 30 });
        expect(text).toBe('');
        expect(usage?.output).toBeLessThanOrEqual(30);
        expect(notices.map(({ code }) => code)).toContain('limit_spent_on_thinking');
        expect(open().bodies()).toHaveLength(1);
      }
    },
  );
}
