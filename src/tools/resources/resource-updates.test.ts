import { describe, expect, test } from 'vitest';
import type { AskContext, Manager } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Embedder } from '#core/llm/embed.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import {
  createResourceUpdates,
  createThrottledNotifier,
  notifyingEmbedder,
  notifyingManager,
} from './resource-updates.ts';

function listen() {
  const clock = createFakeClock();
  const heard: string[] = [];
  const touch = (uri: string, principal: string) => {
    heard.push(`${principal} ${uri}`);
  };
  const told = () => heard.splice(0);
  return { clock, touch, told };
}

describe('a change', () => {
  test('is sent at once, and again at most once a second, always after the last change', () => {
    const { clock, touch, told } = listen();
    const tell = createThrottledNotifier(touch, clock);
    tell('a', 'ann', 'now');
    expect(told()).toEqual(['ann a']);
    for (let n = 0; n < 50; n++) tell('a', 'ann', 'now');
    clock.advance(999);
    expect(told()).toEqual([]);
    clock.advance(1);
    expect(told()).toEqual(['ann a']);
    tell('a', 'ann', 'now');
    clock.advance(999);
    expect(told()).toEqual([]);
    clock.advance(1);
    expect(told()).toEqual(['ann a']);
    clock.advance(1_000);
    expect(told()).toEqual([]);
    expect(clock.waiting).toBe(0);
    tell('a', 'ann', 'now');
    expect(told()).toEqual(['ann a']);
  });

  test('of one address or principal keeps no other waiting', () => {
    const { clock, touch, told } = listen();
    const tell = createThrottledNotifier(touch, clock);
    tell('a', 'ann', 'now');
    tell('b', 'ann', 'now');
    tell('a', 'bob', 'now');
    expect(told()).toEqual(['ann a', 'ann b', 'bob a']);
  });

  test('that can be read only a moment later is sent then', () => {
    const { clock, touch, told } = listen();
    const tell = createThrottledNotifier(touch, clock);
    tell('a', 'ann', 'soon');
    tell('a', 'ann', 'soon');
    expect(told()).toEqual([]);
    clock.advance(1_000);
    expect(told()).toEqual(['ann a']);
    clock.advance(1_000);
    expect([told(), clock.waiting]).toEqual([[], 0]);
  });

  test('of very many addresses at once takes bounded memory and loses none', () => {
    const { clock, touch, told } = listen();
    const tell = createThrottledNotifier(touch, clock);
    for (let n = 0; n < 10_100; n++) tell(`t${n}`, 'ann', n % 2 === 0 ? 'now' : 'soon');
    expect(clock.waiting).toBe(10_000);
    const early = told().length;
    clock.advance(1_000);
    expect(early + told().length).toBe(10_100);
  });
});

describe('news', () => {
  test('of a conversation goes to its owner, of the thread and of the list', () => {
    const { clock, touch, told } = listen();
    createResourceUpdates(touch, clock).threadChanged('ann', 'conv_1');
    expect(told()).toEqual(['ann exai://threads/conv_1', 'ann exai://threads']);
  });

  test('of usage goes to the caller and to the owner, of the log to the owner only', () => {
    const { clock, touch, told } = listen();
    const changes = createResourceUpdates(touch, clock);
    changes.usageChanged('ann');
    changes.usageChanged('local');
    expect(told()).toEqual(['ann exai://usage', 'local exai://usage']);
    clock.advance(1_000);
    // The owner's own usage changed while the URI was throttled.
    expect(told()).toEqual(['local exai://usage']);
    changes.logWritten();
    expect(told()).toEqual([]);
    clock.advance(1_000);
    expect(told()).toEqual(['local exai://logs']);
  });

  test('comes after each use of a model, well or not, and by nothing else', async () => {
    const used: string[] = [];
    const order: string[] = [];
    const by = { caller: { principal: 'ann' } } as unknown as AskContext;
    const manager = {
      async ask() {
        order.push('asked');
        throw new CallError('timeout', 'late');
      },
      classify: async () => ({}),
      explain: async () => ({}),
    } as unknown as Manager;
    const telling = notifyingManager(manager, (principal) => {
      order.push('told');
      used.push(principal);
    });
    await expect(telling.ask({} as never, by)).rejects.toMatchObject({ class: 'timeout' });
    expect(order).toEqual(['asked', 'told']);
    await telling.classify({} as never, by);
    await telling.explain({} as never, by, 'plan_only');
    const embedder = { embed: async () => ({}) } as unknown as Embedder;
    await notifyingEmbedder(embedder, (who) => used.push(`${who} embeds`)).embed({} as never, by);
    expect(used).toEqual(['ann', 'ann', 'ann embeds']);
  });
});
