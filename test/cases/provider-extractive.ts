import { describe, expect } from 'vitest';
import type { ChatRequest } from '#core/llm/chat.ts';
import { collectChat } from '../collect-chat.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { VendorRequestRecord } from '#core/llm/provider.ts';
import { createExtractive } from '#providers/extractive/extractive.ts';
import { createFakeClock } from '../fake-clock.ts';
import { verifies } from '../verifies.ts';
import { countingClock } from './provider-under-test.ts';
import { systemClock } from '#app/system.ts';
import { ADD, user } from './provider-requests.ts';

const HARBOUR =
  '<file path="docs/harbour.md">\nThe harbour of Bergen was founded in 1070.\nIt rains.\n</file>';
const QUESTION = 'When was the harbour of Bergen founded?';

/** The same, as far as it goes, for the one that speaks to nobody. */
export function extractiveCase(): void {
  describe('extractive', () => {
    const clock = countingClock(systemClock);
    const provider = createExtractive({}, { clock });
    const signal = new AbortController().signal;
    const ask = (change: Partial<ChatRequest> = {}, seen: VendorRequestRecord[] = []) =>
      collectChat(
        provider.chat(
          {
            model: 'local-extract',
            delivery: 'whole',
            messages: [{ role: 'system', content: HARBOUR }, ...user(QUESTION)],
            ...change,
          },
          {
            signal,
            deadline: deadlineIn(clock, 20_000),
            onVendorRequest: (exchange) => seen.push(exchange),
          },
        ),
      );

    for (const delivery of ['whole', 'stream'] as const)
      verifies(
        'provider:local',
        `quotes what it was given, and where it stood (${delivery})`,
        async () => {
          const seen: VendorRequestRecord[] = [];
          const outcome = await ask({ delivery }, seen);
          expect(outcome).toMatchObject({ is: 'answered', finish: 'stop' });
          const { text, usage } = outcome.answer;
          expect(text).toMatch(/^No model answered this; it only quotes what was given/);
          expect(text).toContain('“The harbour of Bergen was founded in 1070.');
          expect(text).toContain('docs/harbour.md');
          expect(text).not.toContain('exai keys add');
          expect(usage).toMatchObject({ estimated: true, costMicroUsd: 0 });
          expect(seen).toMatchObject([
            { provider: 'extractive', operation: 'chat', outcome: 'ok' },
          ]);
        },
      );

    verifies('provider:local', 'streams the very text that it gives whole', async () => {
      const [whole, stream] = [await ask(), await ask({ delivery: 'stream' })];
      expect(stream.answer.text).toBe(whole.answer.text);
    });

    verifies('provider:local', 'has chat only, and is always available', async () => {
      expect(provider.capabilities).toEqual([]);
      expect(Object.keys(provider).toSorted()).toEqual([
        'capabilities',
        'chat',
        'check',
        'id',
        'title',
      ]);
      expect(await provider.check({ signal, deadline: deadlineIn(clock, 1_000) })).toMatch(
        /without a model/,
      );
    });

    const bad: readonly (readonly [string, Partial<ChatRequest>, object])[] = [
      ['no message', { messages: [] }, { class: 'validation', field: 'messages' }],
      [
        'an empty message',
        { messages: user(' ') },
        { class: 'validation', field: 'messages[0].content' },
      ],
      ['tools', { tools: [ADD] }, { class: 'not_configured' }],
      ['JSON', { responseFormat: { type: 'json' } }, { class: 'not_configured' }],
      ['another model', { model: 'gpt' }, { class: 'not_found', field: 'model' }],
      [
        'a picture',
        { messages: user([{ type: 'image', source: { base64: 'AAAA', mediaType: 'image/png' } }]) },
        { class: 'not_configured' },
      ],
    ];
    for (const [what, change, error] of bad)
      verifies('provider:bad-input', `${what} is refused with what to do`, async () => {
        const outcome = await ask(change);
        expect(outcome).toMatchObject({ is: 'failed', error });
        expect(outcome.is === 'failed' && outcome.error.fix).toMatch(/\w/);
        expect(outcome.answer.text).toBe('');
      });

    verifies('wire:timers', 'ends when its time is over, and when it is told to', async () => {
      const fake = createFakeClock();
      const request = {
        model: 'local-extract',
        delivery: 'whole',
        messages: user(QUESTION),
      } as const;
      const late = { signal, deadline: deadlineIn(fake, 0) };
      const extractive = createExtractive({}, { clock: fake });
      expect(await collectChat(extractive.chat(request, late))).toMatchObject({
        is: 'failed',
        error: { class: 'timeout', provider: 'extractive' },
      });
      const gone = { signal: AbortSignal.abort(), deadline: deadlineIn(fake, 1_000) };
      expect(await collectChat(extractive.chat(request, gone))).toMatchObject({
        is: 'failed',
        error: { class: 'cancelled' },
      });
      expect([fake.waiting, clock.waiting()]).toEqual([0, 0]);
    });
  });
}
