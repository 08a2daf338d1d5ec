import { expect, test } from 'vitest';
import type { AskRequest } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Provider, ProviderContext } from '#core/llm/provider.ts';
import { assumeModel } from '#models/assume-model.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createListLog } from '../../../test/list-log.ts';
import type { AskState } from '../ask-state.ts';
import type { PlannedModel } from '../route/plan.ts';
import type { ModelHealth } from '../route/routing-state.ts';
import { scripted } from '../run/scripted.fixture.ts';
import { createExactRoom } from './exact-room.ts';
import { fit } from './fit.ts';
import { measure } from './measure.ts';
import { estimatedRoom } from './prompt-room.ts';

const TEXT = 'to '.repeat(10_000).trim();
const REQUEST: AskRequest = { messages: [{ role: 'user', content: TEXT }], context: 'whole' };
const TOKENS = measure(REQUEST).tokens;

type Count = NonNullable<Provider['countTokens']>;

interface Change {
  readonly roomTokens?: number;
  readonly request?: AskRequest;
  readonly images?: number;
  readonly health?: ModelHealth['is'];
  readonly signal?: AbortSignal;
}

function world(count: Count | undefined, change: Change = {}) {
  const { roomTokens = TOKENS, request = REQUEST, images = 0 } = change;
  const asked: { readonly model: string; readonly deadlineMs: number }[] = [];
  const clock = createFakeClock();
  const countTokens: Count = (input, context: ProviderContext) => {
    const deadlineMs = context.deadline.at - clock.monotonic();
    asked.push({ model: input.model, deadlineMs });
    return count?.(input, context) ?? Promise.resolve(0);
  };
  const provider = { ...scripted('kimi', []), ...(count && { countTokens }) };
  const signal = change.signal ?? new AbortController().signal;
  const asking = {
    measured: measure(request),
    facts: { images, videos: 0, files: { attached: 0 } },
    by: { signal },
    deadline: { at: clock.monotonic() + 60_000 },
  } as unknown as AskState;
  const health = (): ModelHealth => ({ is: change.health ?? 'closed' });
  const log = createListLog();
  const exact = createExactRoom(
    asking,
    { health },
    { providers: new Map([['kimi', provider]]), clock, log },
  );
  const entry = assumeModel('kimi-k2.6', 'kimi');
  const candidate = { entry } as PlannedModel;
  const room = { roomTokens, correction: 1, contextTokens: roomTokens * 2, model: entry.id };
  return {
    exact: () => exact(candidate, room, asking.measured),
    room,
    asked,
    log,
    measured: asking.measured,
  };
}

test('near the limit the vendor’s count decides: a prompt that fits is sent whole', async () => {
  const roomTokens = Math.floor(TOKENS * 0.95);
  const { exact, room, measured } = world(async () => Math.floor(TOKENS * 0.9), { roomTokens });
  await expect(fit(measured, room)).rejects.toMatchObject({ class: 'context_length' });
  const counted = await exact();
  expect((await fit(measured, counted)).notices).toEqual([]);
});

test('near the limit the vendor’s count decides: a prompt that does not fit is refused before it is sent', async () => {
  const roomTokens = Math.ceil(TOKENS * 1.05);
  const { exact, room, measured } = world(async () => Math.ceil(TOKENS * 1.1), { roomTokens });
  await expect(fit(measured, room)).resolves.toMatchObject({ notices: [] });
  const counted = await exact();
  expect(estimatedRoom(counted)).toBeLessThan(TOKENS);
  await expect(fit(measured, counted)).rejects.toMatchObject({ class: 'context_length' });
});

test('the vendor counts once per model, in two seconds at most', async () => {
  const { exact, asked } = world(async () => TOKENS);
  await Promise.all([exact(), exact()]);
  await exact();
  expect(asked).toEqual([{ model: 'kimi-k2.6', deadlineMs: 2_000 }]);
});

test.each<[string, Change]>([
  ['far below the limit', { roomTokens: TOKENS * 2 }],
  ['far above the limit', { roomTokens: Math.floor(TOKENS / 2) }],
  ['with pictures', { images: 1 }],
  ['at a provider that is left alone', { health: 'open' }],
])('the vendor does not count %s', async (_, change) => {
  const { exact, room, asked } = world(async () => 1, change);
  expect(await exact()).toBe(room);
  expect(asked).toEqual([]);
});

test('a provider without a tokenizer leaves the estimate', async () => {
  const { exact, room } = world(undefined);
  expect(await exact()).toBe(room);
});

test.each([0, -1, Number.NaN])('a count of %d leaves the estimate', async (count) => {
  const { exact, room } = world(async () => count);
  expect(await exact()).toBe(room);
});

test('a failed count leaves the estimate, and is logged without a word of the prompt', async () => {
  const { exact, room, log } = world(() => Promise.reject(new CallError('network', TEXT)));
  expect(await exact()).toBe(room);
  expect(JSON.stringify(log.lines)).toContain('token_count_failed');
  expect(JSON.stringify(log.lines)).not.toContain('to to');
});

test('a call that was cancelled meanwhile ends', async () => {
  const controller = new AbortController();
  const error = new CallError('cancelled', 'The client cancelled it.');
  const cancelled = () => {
    controller.abort(error);
    return Promise.reject(error);
  };
  const { exact } = world(cancelled, { signal: controller.signal });
  await expect(exact()).rejects.toBe(error);
});
